-- Secrets and sessions, sealed with a key that is not in this database.

CREATE TABLE onceward_secret (
    name        TEXT    NOT NULL PRIMARY KEY, -- a person's name for it, or `session:CHANNEL:ACCOUNT`
    version     TEXT    NOT NULL,             -- another with each new value; empty: only claimed so far
    key_id      TEXT,                         -- which key sealed it
    sealed      BLOB,                         -- 24 bytes of nonce, then XChaCha20-Poly1305; bound to name and key id
    claim       TEXT,                         -- who renews it now
    claim_until INTEGER,
    updated_at  INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
