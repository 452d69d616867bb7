-- Which schema steps have run; asked for before every migration, so it must be repeatable.
CREATE TABLE IF NOT EXISTS onceward_migration (
    component  TEXT NOT NULL,
    version    INTEGER NOT NULL,
    applied_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    PRIMARY KEY (component, version)
) WITHOUT ROWID, STRICT;
