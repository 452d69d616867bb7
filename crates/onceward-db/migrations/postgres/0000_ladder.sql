-- Which schema steps have run; asked for before every migration, so it must be repeatable.
CREATE SCHEMA IF NOT EXISTS onceward;
CREATE TABLE IF NOT EXISTS onceward.onceward_migration (
    component  text NOT NULL,
    version    bigint NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    PRIMARY KEY (component, version)
);
