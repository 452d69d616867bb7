-- Gives jobs in doubt by why they are, never by free text.
SELECT kin.queue, kin.class, kin.code, kin.platform_code, kin.n, kin.first_at, kin.last_at, newest.last_error AS sample
FROM (
    SELECT queue, error_class AS class, error_code AS code, error_platform AS platform_code, count(*) AS n,
        min(coalesce(claimed_at, created_at)) AS first_at, max(coalesce(claimed_at, created_at)) AS last_at, max(id) AS newest
    FROM onceward.job WHERE state = 'in_doubt'
    GROUP BY queue, error_class, error_code, error_platform
) AS kin JOIN onceward.job AS newest ON newest.id = kin.newest
ORDER BY kin.n DESC, kin.queue, kin.code
