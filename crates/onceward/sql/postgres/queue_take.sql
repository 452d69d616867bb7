-- Records the rate that a claim has used up. Its row is locked by queue_limits.
UPDATE onceward.queue SET rate_tat = $2 WHERE name = $1
