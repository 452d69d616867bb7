// Saves accounts and, in the same transaction, the mail that each of them is owed.
// node sqlite.js app.db [--roll-back] ada@example.org …
const Database = require("better-sqlite3");

const [path, ...mails] = process.argv.slice(2).filter((argument) => argument !== "--roll-back");
const db = new Database(path, { timeout: 30_000 });
db.pragma("synchronous = FULL"); // with less, a power cut loses what was committed
db.exec("CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)");

const account = db.prepare("INSERT INTO account (mail) VALUES (?)");
const outbox = db.prepare(
  "INSERT INTO onceward_outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'email.welcome', ?, ?)",
);

// What it throws rolls the transaction back.
const signUp = db.transaction((mail) => {
  const { lastInsertRowid } = account.run(mail);
  outbox.run(JSON.stringify({ account: Number(lastInsertRowid), mail }), mail);
  if (process.argv.includes("--roll-back")) throw new Error("this transaction was to fail");
});

for (const mail of mails) {
  try {
    signUp.immediate(mail); // waits for other writers at its begin, and not in the middle
  } catch (error) {
    console.error(`${mail}: ${error.message}`);
  }
}
