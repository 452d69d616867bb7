-- Secrets and sessions, sealed with a key that is not in this database.

CREATE TABLE onceward.secret (
    name        text    NOT NULL PRIMARY KEY, -- a person's name for it, or `session:CHANNEL:ACCOUNT`
    version     text    NOT NULL,             -- another with each new value; empty: only claimed so far
    key_id      text,                         -- which key sealed it
    sealed      bytea,                        -- 24 bytes of nonce, then XChaCha20-Poly1305; bound to name and key id
    claim       text,                         -- who renews it now
    claim_until timestamptz,
    updated_at  timestamptz NOT NULL
);
