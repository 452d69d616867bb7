"""Saves accounts and, in the same transaction, the mail that each of them is owed.

python3 postgres.py postgres://… [--roll-back] [--enqueue] ada@example.org …
"""
import json
import sys

import psycopg

OUTBOX = """INSERT INTO onceward.outbox (queue, kind, payload, ordering_key)
            VALUES ('mail', 'email.welcome', %(payload)s, %(mail)s)"""
# For a queue in this database: the job itself.
ENQUEUE = "SELECT id, enqueued FROM onceward.enqueue('mail', 'email.welcome', %(payload)s, dedup_key => %(mail)s)"


def sign_up(db, mail):
    with db.transaction():
        (account,) = db.execute("INSERT INTO account (mail) VALUES (%s) RETURNING id", (mail,)).fetchone()
        payload = json.dumps({"account": account, "mail": mail})
        db.execute(ENQUEUE if "--enqueue" in sys.argv else OUTBOX, {"payload": payload, "mail": mail})
        if "--roll-back" in sys.argv:
            raise psycopg.Rollback


url, *mails = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
with psycopg.connect(url, autocommit=True) as db:
    db.execute("CREATE TABLE IF NOT EXISTS account (id bigint GENERATED ALWAYS AS IDENTITY, mail text NOT NULL)")
    for mail in mails:
        sign_up(db, mail)
