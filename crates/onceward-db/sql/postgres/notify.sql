-- Wakes whoever waits in another process, without a payload, so that equal ones collapse.
SELECT pg_notify('onceward', '') IS NOT NULL AS told
