-- Records what happened to a queue as a whole.
INSERT INTO onceward_event (queue, at, what, detail) VALUES (?1, coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)), ?3, ?4)
