-- Gives what each channel's server said it takes, and how long ago in microseconds.
SELECT id, learned, (extract(epoch FROM coalesce($1, statement_timestamp()) - learned_at) * 1000000)::bigint AS age
FROM onceward.channel WHERE learned IS NOT NULL
