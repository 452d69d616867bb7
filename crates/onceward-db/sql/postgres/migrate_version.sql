-- Gives the newest step of a component that has run.
SELECT max(version) AS version FROM onceward.onceward_migration WHERE component = $1 HAVING max(version) IS NOT NULL
