-- Gives refused rows, the oldest first.
SELECT id, message_id, queue, kind, ordering_key, created_at, error FROM onceward_outbox
WHERE state = 'refused' ORDER BY id LIMIT ?1
