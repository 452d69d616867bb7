-- Lets go of message keys whose jobs were not made after all.
DELETE FROM onceward.dedup AS held
USING json_to_recordset($1::text::json) AS item (scope text, key text, id bigint)
WHERE held.scope = item.scope AND held.key = item.key AND held.job_id = item.id
