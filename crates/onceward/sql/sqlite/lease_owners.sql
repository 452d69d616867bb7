-- Gives who holds leases. Reads only.
SELECT DISTINCT lease_owner AS owner FROM onceward_job WHERE state = 'running' AND lease_owner IS NOT NULL
