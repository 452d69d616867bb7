-- Records a content as it is enqueued.
INSERT INTO onceward_content (id, file, title, source, publish_at, path, wall, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce(?8, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), coalesce(?8, CAST(unixepoch('subsec') * 1000000 AS INTEGER)))
ON CONFLICT (id) DO UPDATE SET
    file = excluded.file, title = excluded.title, source = excluded.source, publish_at = excluded.publish_at,
    path = excluded.path, wall = excluded.wall, updated_at = excluded.updated_at
