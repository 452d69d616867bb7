-- Which schema steps have run; asked for before every migration, so it must be repeatable.
-- By words that each SQLite knows: an application may make its outbox by a SQLite of its own.
CREATE TABLE IF NOT EXISTS onceward_migration (
    component  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    applied_at INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000),
    PRIMARY KEY (component, version)
) WITHOUT ROWID, STRICT;
