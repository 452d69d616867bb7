-- Records that the job of a key now carries another payload.
UPDATE onceward.dedup SET payload_hash = $3 WHERE scope = $1 AND key = $2
