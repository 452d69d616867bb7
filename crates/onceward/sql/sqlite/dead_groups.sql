-- Gives dead jobs by what killed them, never by free text; those about to be discarded are left out.
SELECT kin.queue, kin.class, kin.code, kin.platform_code, kin.n, kin.first_at, kin.last_at, newest.last_error AS sample
FROM (
    SELECT queue, error_class AS class, error_code AS code, error_platform AS platform_code, count(*) AS n,
        min(coalesce(finished_at, created_at)) AS first_at, max(coalesce(finished_at, created_at)) AS last_at, max(id) AS newest
    FROM onceward_job WHERE state = 'dead' AND discard_at IS NULL
    GROUP BY queue, error_class, error_code, error_platform
) AS kin JOIN onceward_job AS newest ON newest.id = kin.newest
ORDER BY kin.n DESC, kin.queue, kin.code
