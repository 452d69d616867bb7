"""Saves accounts and, in the same transaction, the mail that each of them is owed.

python3 sqlite.py app.db [--roll-back] ada@example.org …
"""
import json
import sqlite3
import sys


def sign_up(db, mail, roll_back):
    db.execute("BEGIN IMMEDIATE")  # waits for other writers here, and not in the middle
    try:
        (account,) = db.execute("INSERT INTO account (mail) VALUES (?) RETURNING id", (mail,)).fetchone()
        db.execute(
            "INSERT INTO onceward_outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'email.welcome', ?, ?)",
            (json.dumps({"account": account, "mail": mail}), mail),
        )
        if roll_back:
            raise RuntimeError("this transaction was to fail")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


path, *mails = [argument for argument in sys.argv[1:] if argument != "--roll-back"]
db = sqlite3.connect(path, timeout=30, isolation_level=None)
db.execute("PRAGMA synchronous = FULL")  # with less, a power cut loses what was committed
db.execute("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)")
for mail in mails:
    try:
        sign_up(db, mail, "--roll-back" in sys.argv)
    except RuntimeError as error:
        print(f"{mail}: {error}", file=sys.stderr)
