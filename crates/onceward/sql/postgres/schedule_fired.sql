-- Records that a schedule fired, and when it fires next. Its row is locked.
UPDATE onceward.schedule SET next_fire_at = $2, last_fire_at = coalesce($3, last_fire_at) WHERE name = $1
