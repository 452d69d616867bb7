-- Records what happened to a queue as a whole.
INSERT INTO onceward.event (queue, at, what, detail) VALUES ($1, coalesce($2, statement_timestamp()), $3, $4)
