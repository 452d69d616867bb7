//! Each program writes accounts by a driver that Onceward does not know, and the queue alone is asked what came of it: a
//! job exists if and only if its account was committed, and a bad row is refused and holds back its own key only.

use std::process::Command;
use std::sync::Arc;

use onceward::{JobTarget, Outbox, Relay, Relayed};
use onceward_tests::Verdict;
use onceward_tests::store::Store;
use sqlx::{Connection, PgConnection, Row, SqliteConnection};

/// A program of this folder.
#[derive(Clone, Copy)]
enum Program {
    Python(&'static str),
    Node(&'static str),
    Rust(&'static str),
}

impl Program {
    fn command(self) -> Verdict<Command> {
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let named = |variable: &str| {
            std::env::var(variable).map_err(|_| format!("{variable} is not set: run the tests by ./dev test"))
        };
        Ok(match self {
            Self::Python(name) => {
                let mut command = Command::new(named("ONCEWARD_TEST_PYTHON")?);
                command.arg(format!("{examples}/python/{name}"));
                command
            }
            Self::Node(name) => {
                let mut command = Command::new("node");
                command.arg(format!("{examples}/node/{name}"));
                command.env("NODE_PATH", format!("{}/node_modules", named("ONCEWARD_TEST_NODE")?));
                command
            }
            Self::Rust(path) => Command::new(path),
        })
    }

    /// Runs it to its end.
    fn run(self, database: &str, flags: &[&str], mails: &[&str]) -> Verdict {
        let ran = self.command()?.arg(database).args(flags).args(mails).output()?;
        let said = String::from_utf8_lossy(&ran.stderr);
        if !ran.status.success() || said.contains("Traceback") {
            return Err(format!("{}: {said}", ran.status).into());
        }
        Ok(())
    }
}

/// An application's database, as the program names it and as the tests do.
struct App {
    program: Program,
    name: String,
    url: String,
}

const COMMITTED: &[&str] =
    &["ada@example.org", "grace@example.org", "edith'); --@example.org", "héloïse@example.org"];
const ROLLED_BACK: &[&str] = &["eve@example.org", "mallory@example.org"];

impl App {
    fn run(&self, flags: &[&str], mails: &[&str]) -> Verdict {
        self.program.run(&self.name, flags, mails)
    }

    fn is_sqlite(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    /// What a statement gives in its only column.
    async fn texts(&self, sql: &'static str) -> Verdict<Vec<String>> {
        texts(&self.url, sql).await
    }

    async fn execute(&self, sql: &str) -> Verdict {
        let table = if self.is_sqlite() { "onceward_outbox" } else { "onceward.outbox" };
        let sql: &'static str = sql.replace("@outbox", table).leak();
        if self.is_sqlite() {
            sqlx::query(sql).execute(&mut SqliteConnection::connect(&self.url).await?).await?;
        } else {
            sqlx::query(sql).execute(&mut PgConnection::connect(&self.url).await?).await?;
        }
        Ok(())
    }
}

async fn texts(url: &str, sql: &'static str) -> Verdict<Vec<String>> {
    if url.starts_with("sqlite:") {
        let rows = sqlx::query(sql).fetch_all(&mut SqliteConnection::connect(url).await?).await?;
        return Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?);
    }
    let rows = sqlx::query(sql).fetch_all(&mut PgConnection::connect(url).await?).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

/// The mails that jobs are to be sent to.
async fn jobs(store: &Store) -> Verdict<Vec<String>> {
    let mails = if store.is_sqlite() {
        "SELECT payload ->> 'mail' FROM onceward_job ORDER BY 1"
    } else {
        "SELECT payload::json ->> 'mail' FROM onceward.job ORDER BY 1"
    };
    let mut mails = texts(store.url(), mails).await?;
    mails.sort();
    Ok(mails)
}

async fn accounts(app: &App) -> Verdict<Vec<String>> {
    let mut accounts = app.texts("SELECT mail FROM account").await?;
    accounts.sort();
    Ok(accounts)
}

/// What every program must keep.
async fn a_job_exists_if_and_only_if_its_account_was_committed(app: &App, store: &Store) -> Verdict {
    let outbox = Outbox::open(&app.url).await?;
    outbox.migrate().await?;
    let relay = Relay::new(outbox.clone(), Arc::new(JobTarget::new(store.once().clone(), "jobs")));
    app.run(&[], COMMITTED)?;
    app.run(&["--roll-back"], ROLLED_BACK)?;
    let relayed = relay.run_until_idle().await?;
    assert_eq!(relayed, Relayed { sent: COMMITTED.len() as u64, ..Relayed::default() });
    assert_eq!(jobs(store).await?, accounts(app).await?);
    assert_eq!(jobs(store).await?.len(), COMMITTED.len());

    // A row that is no JSON, and a row of its key and one of another behind it.
    app.execute("INSERT INTO @outbox (queue, kind, payload, ordering_key) VALUES ('mail', 'email.welcome', '{mail: kim}', 'kim@example.org')").await?;
    app.run(&[], &["kim@example.org", "lin@example.org"])?;
    let relayed = relay.run_until_idle().await?;
    assert_eq!((relayed.sent, relayed.refused), (1, 1));
    assert!(jobs(store).await?.contains(&"lin@example.org".to_owned()), "another key goes");
    let refused = outbox.refused(10).await?;
    let cause = refused[0].error.as_ref().ok_or("no reason")?;
    assert_eq!((refused.len(), cause.code.as_ref()), (1, "payload_not_json"));
    assert_eq!(refused[0].ordering_key.as_deref(), Some("kim@example.org"));
    assert!(!jobs(store).await?.contains(&"kim@example.org".to_owned()), "it waits behind the refused row");

    // Its owner corrects it.
    app.execute(
        "UPDATE @outbox SET payload = '{\"mail\": \"kim@example.org\"}' WHERE payload = '{mail: kim}'",
    )
    .await?;
    assert_eq!(outbox.retry(vec![refused[0].id]).await?, [refused[0].id]);
    assert_eq!(relay.run_until_idle().await?.sent, 2);
    let kims = jobs(store).await?.iter().filter(|mail| *mail == "kim@example.org").count();
    assert_eq!((kims, outbox.lag().await?.waiting, outbox.lag().await?.refused), (2, 0, 0));
    Ok(())
}

async fn on_sqlite(program: Program) -> Verdict {
    let (folder, store) = (tempfile::tempdir()?, Store::sqlite().await?);
    let name = folder.path().join("app.db").display().to_string();
    std::fs::write(&name, "")?;
    let app = App { program, url: format!("sqlite://{name}"), name };
    a_job_exists_if_and_only_if_its_account_was_committed(&app, &store).await
}

async fn on_postgres(program: Program) -> Verdict {
    let (its_own, store) = (Store::postgres().await?, Store::postgres().await?);
    let app = App { program, name: its_own.url().to_owned(), url: its_own.url().to_owned() };
    a_job_exists_if_and_only_if_its_account_was_committed(&app, &store).await
}

/// A program that writes the job itself.
async fn in_the_same_database(program: Program) -> Verdict {
    let store = Store::postgres().await?;
    let app = App { program, name: store.url().to_owned(), url: store.url().to_owned() };
    app.run(&["--enqueue"], COMMITTED)?;
    app.run(&["--enqueue", "--roll-back"], ROLLED_BACK)?;
    assert_eq!(jobs(&store).await?, accounts(&app).await?);
    assert_eq!(jobs(&store).await?.len(), COMMITTED.len());
    Ok(())
}

#[tokio::test]
async fn python_on_sqlite() -> Verdict {
    on_sqlite(Program::Python("sqlite.py")).await
}

#[tokio::test]
async fn python_on_postgres() -> Verdict {
    on_postgres(Program::Python("postgres.py")).await
}

#[tokio::test]
async fn python_in_the_database_of_the_queue() -> Verdict {
    in_the_same_database(Program::Python("postgres.py")).await
}

#[tokio::test]
async fn node_on_sqlite() -> Verdict {
    on_sqlite(Program::Node("sqlite.js")).await
}

#[tokio::test]
async fn node_on_postgres() -> Verdict {
    on_postgres(Program::Node("postgres.js")).await
}

#[tokio::test]
async fn node_in_the_database_of_the_queue() -> Verdict {
    in_the_same_database(Program::Node("postgres.js")).await
}

#[tokio::test]
async fn rusqlite() -> Verdict {
    on_sqlite(Program::Rust(env!("CARGO_BIN_EXE_by-rusqlite"))).await
}

#[tokio::test]
async fn diesel() -> Verdict {
    on_sqlite(Program::Rust(env!("CARGO_BIN_EXE_by-diesel"))).await
}

#[tokio::test]
async fn tokio_postgres() -> Verdict {
    on_postgres(Program::Rust(env!("CARGO_BIN_EXE_by-tokio-postgres"))).await
}
