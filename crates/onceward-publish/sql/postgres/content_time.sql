-- Sets the time in force of a content: a later run of the same file keeps it.
UPDATE onceward.content SET publish_at = $2, wall = $3, updated_at = coalesce($4, statement_timestamp()) WHERE id = $1
