-- Sets the time in force of a content: a later run of the same file keeps it.
UPDATE onceward_content SET publish_at = ?2, wall = ?3, updated_at = coalesce(?4, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) WHERE id = ?1
