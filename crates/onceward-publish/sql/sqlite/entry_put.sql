-- Puts an entry among those that a channel has published, in place of an earlier one of the same content.
INSERT INTO onceward_entry (channel_id, content_id, published_at, entry) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (channel_id, content_id) DO UPDATE SET published_at = excluded.published_at, entry = excluded.entry
