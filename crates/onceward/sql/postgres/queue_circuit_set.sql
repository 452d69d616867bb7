-- Records the state of a circuit. Its row is locked by queue_limits.
UPDATE onceward.queue SET circuit = $2 WHERE name = $1
