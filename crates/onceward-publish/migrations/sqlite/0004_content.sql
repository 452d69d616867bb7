-- Where a content's file lies, and the wall clock that its time is read from.

ALTER TABLE onceward_content ADD COLUMN path TEXT;            -- absolute; an id belongs to one file while that is there
ALTER TABLE onceward_content ADD COLUMN wall TEXT;            -- JSON: local time and zone behind publish_at

CREATE INDEX onceward_content_wall ON onceward_content (publish_at) WHERE wall IS NOT NULL;
