-- Picks jobs in doubt that must run alone and whose time to look again has come, and locks them.
-- One row of documents, one for each column: a row costs more to hand over than its text.
-- Payloads are joined by U+001E, which JSON never holds as it is (RFC 8259). Places are for claim.sql.
SELECT json_group_array(id) AS ids, json_group_array(kind) AS kinds, json_group_array(version) AS versions,
    group_concat(payload, char(30)) AS payloads, json_group_array(attempts) AS attempts, json_group_array(claim_no) AS claim_nos,
    json_group_array(created_at) AS created_ats,
    json_group_array(dedup_scope) AS scopes, json_group_array(dedup_key) AS keys, json_group_array(id) AS places,
    coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AS now
FROM (
    SELECT id, kind, version, payload, attempts, claim_no, created_at, dedup_scope, dedup_key FROM onceward_job
    WHERE queue = ?1 AND state = 'in_doubt' AND check_at <= coalesce(?2, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) AND lone = 1
        AND version <= ?4 ->> ('$."' || kind || '"')
    ORDER BY check_at, id LIMIT ?3)
