-- Wakes whoever waits in another process; the file itself tells here.
SELECT 1 AS told
