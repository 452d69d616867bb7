-- Where a content's file lies, and the wall clock that its time is read from.

ALTER TABLE onceward.content ADD COLUMN path text;            -- absolute; an id belongs to one file while that is there
ALTER TABLE onceward.content ADD COLUMN wall text;            -- JSON: local time and zone behind publish_at

CREATE INDEX content_wall ON onceward.content (publish_at) WHERE wall IS NOT NULL;
