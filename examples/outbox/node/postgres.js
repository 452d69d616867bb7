// Saves accounts and, in the same transaction, the mail that each of them is owed.
// node postgres.js postgres://… [--roll-back] [--enqueue] ada@example.org …
const { Client } = require("pg");

const OUTBOX = `INSERT INTO onceward.outbox (queue, kind, payload, ordering_key)
                VALUES ('mail', 'email.welcome', $1, $2)`;
// For a queue in this database: the job itself.
const ENQUEUE = "SELECT id, enqueued FROM onceward.enqueue('mail', 'email.welcome', $1, dedup_key => $2)";

async function signUp(db, mail) {
  await db.query("BEGIN");
  try {
    const { rows } = await db.query("INSERT INTO account (mail) VALUES ($1) RETURNING id", [mail]);
    const payload = JSON.stringify({ account: Number(rows[0].id), mail });
    await db.query(process.argv.includes("--enqueue") ? ENQUEUE : OUTBOX, [payload, mail]);
    if (process.argv.includes("--roll-back")) throw new Error("this transaction was to fail");
    await db.query("COMMIT");
  } catch (error) {
    await db.query("ROLLBACK");
    throw error;
  }
}

async function main() {
  const [url, ...mails] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  const db = new Client({ connectionString: url });
  await db.connect();
  await db.query("CREATE TABLE IF NOT EXISTS account (id bigint GENERATED ALWAYS AS IDENTITY, mail text NOT NULL)");
  for (const mail of mails) {
    await signUp(db, mail).catch((error) => console.error(`${mail}: ${error.message}`));
  }
  await db.end();
}

main();
