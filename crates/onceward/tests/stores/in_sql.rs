//! `onceward.enqueue(…)`: the same job by SQL, in a transaction of any language, as by `enqueue_in`.

use onceward::{Dedup, Enqueued, NewJob, Time};
use serde_json::Value;
use sqlx::{Connection, PgConnection, Row};

use crate::harness::{Store, Verdict, leak};

type Tried<T> = Result<T, Box<dyn std::error::Error>>;

/// The id, and what was done. Named as a caller would: `enqueue('mail', 'welcome', '{}', run_at => now())`.
async fn enqueue(conn: &mut PgConnection, arguments: &str) -> Result<(i64, String), sqlx::Error> {
    sqlx::query_as(leak(format!("SELECT id, enqueued FROM onceward.enqueue({arguments})")))
        .fetch_one(conn)
        .await
}

async fn client(store: &Store) -> Tried<PgConnection> {
    Ok(PgConnection::connect(&store.direct()?).await?)
}

/// What is wrong: the SQLSTATE, our code, and what to do.
fn fault(error: &sqlx::Error) -> Tried<(String, String, String)> {
    let error = error.as_database_error().ok_or("not from the database")?;
    let error = error.downcast_ref::<sqlx::postgres::PgDatabaseError>();
    let text = |part: Option<&str>| part.unwrap_or_default().to_owned();
    Ok((error.code().to_owned(), text(error.detail()), text(error.hint())))
}

/// A row as JSON, without what differs from row to row.
async fn row(conn: &mut PgConnection, from: &str) -> Tried<Value> {
    let sql = leak(format!("SELECT to_json(it)::text AS line FROM {from} AS it"));
    let mut value: Value = serde_json::from_str(sqlx::query(sql).fetch_one(conn).await?.try_get("line")?)?;
    let object = value.as_object_mut().ok_or("no object")?;
    for column in ["id", "job_id", "created_at", "key", "dedup_key"] {
        object.remove(column);
    }
    Ok(value)
}

#[tokio::test]
async fn a_job_enqueued_by_sql_is_the_one_that_rust_makes() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let at: Time = "2030-01-01T00:00:00.25Z".parse()?;
    let plain = NewJob::untyped("mail", "welcome", r#"{"b": 1.0,  "a":"큐"}"#).run_at(at);
    let all = NewJob::untyped("mail", "welcome", "{}").version(7).run_at(at).hold("approval");
    let table = [
        (plain, r#"'mail', 'welcome', '{"b": 1.0,  "a":"큐"}', run_at => '2030-01-01T00:00:00.25Z'"#),
        (
            all.clone(),
            "'mail', 'welcome', '{}', version => 7, run_at => '2030-01-01T00:00:00.25Z', hold => 'approval'",
        ),
        (
            all.dedup("by rust", Dedup::UntilSettled),
            "'mail', 'welcome', '{}', 7, 'by sql', until_settled => true, run_at => '2030-01-01T00:00:00.25Z', hold => 'approval'",
        ),
    ];
    for (job, arguments) in table {
        let by_rust = store.once.enqueue(job).await?.id();
        let (by_sql, did) = enqueue(&mut conn, arguments).await?;
        assert_eq!(did, "new");
        let mut rows = Vec::new();
        for id in [by_rust, by_sql] {
            let job = row(&mut conn, &format!("(SELECT * FROM onceward.job WHERE id = {id})")).await?;
            let key = row(&mut conn, &format!("(SELECT id, held FROM onceward.job LEFT JOIN onceward.dedup AS held ON job_id = id WHERE id = {id})")).await?;
            rows.push((job, key["held"].clone()));
        }
        for (_, held) in &mut rows {
            if let Some(held) = held.as_object_mut() {
                held.remove("job_id");
                held.remove("key");
            }
        }
        assert_eq!(rows[0], rows[1]);
    }
    assert_eq!(store.once.queues().await?[0].figures.pending, 6, "figures are kept as well");
    Ok(())
}

#[tokio::test]
async fn a_job_enqueued_by_sql_exists_if_and_only_if_its_transaction_commits() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    for commit in [false, true] {
        let mut tx = conn.begin().await?;
        enqueue(&mut tx, "'mail', 'welcome', '{}', dedup_key => 'k'").await?;
        if commit { tx.commit().await? } else { tx.rollback().await? }
    }
    assert_eq!(store.count("job", "true").await?, 1);
    assert_eq!(store.once.queues().await?[0].figures.pending, 1);
    Ok(())
}

/// A server that is busy lets only so many knock at its socket at once; the others knock again.
async fn connected(url: &str) -> Result<PgConnection, sqlx::Error> {
    loop {
        let conn = PgConnection::connect(url).await;
        let full =
            |e: &sqlx::Error| matches!(e, sqlx::Error::Io(e) if e.kind() == std::io::ErrorKind::WouldBlock);
        if !conn.as_ref().is_err_and(full) {
            return conn;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn two_hundred_clients_of_one_key_make_one_job() -> Verdict {
    let store = Store::pgbouncer().await?;
    let url = store.url.split('?').next().unwrap_or_default().to_owned();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let url = url.clone();
        clients.spawn(async move {
            let mut conn = connected(&url).await?;
            // A pooler gives the next statement another connection, so it may have no name.
            let sql = "SELECT id, enqueued FROM onceward.enqueue('mail', 'welcome', '{}', dedup_key => 'welcome-7')";
            let row = sqlx::raw_sql(sql).fetch_one(&mut conn).await?;
            Ok::<(i64, String), sqlx::Error>((row.try_get(0)?, row.try_get(1)?))
        });
    }
    let (mut new, mut skipped) = (Vec::new(), Vec::new());
    while let Some(answer) = clients.join_next().await {
        let (id, did) = answer??;
        if did == "new" { new.push(id) } else { skipped.push(id) }
    }
    assert_eq!((new.len(), skipped.len()), (1, 199));
    assert!(skipped.iter().all(|id| *id == new[0]));
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

/// Payloads that are easily taken for others, or for the same.
const AWKWARD: &[&str] = &[
    "{}",
    "[]",
    "null",
    "true",
    "0",
    "-0",
    "1",
    "1.0",
    "1e0",
    "1E0",
    "10000000000000000000000000000000001",
    "1e999",
    "\"\"",
    "\" \"",
    r#""큐""#,
    r#""\ud050""#,
    r#""\uD050""#,
    r#""\/""#,
    r#""/""#,
    r#""\\u0000""#,
    r#""\u007f""#,
    "\"\u{7f}\"",
    "\"\u{2028}\"",
    r#""\u001F\b\f\n\r\t\"\\""#,
    r#""😀""#,
    r#""\ud83d\ude00""#,
    " [ 1 ,\t2,\r\n{ } ] ",
    "[1,2,{}]",
    r#"{"b":1,"a":2}"#,
    r#"{"a":2,"b":1}"#,
    r#"{"a":1,"a":2}"#,
    r#"{"a":2}"#,
    r#"{"a":{"z":[],"y":{"x":null}},"":0}"#,
    r#"{"é":1,"e":2,"E":3,"ａ":4,"😀":5}"#,
    r#"{"\u0065":1, "e\u0301":[" ", {"k": "v"}]}"#,
    r#"{"key with \"quotes\"": "}]"}"#,
];

#[tokio::test]
async fn payloads_are_the_same_by_sql_when_they_are_by_rust() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let deep = [64, 65].map(|levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    for payload in AWKWARD.iter().map(|it| (*it).to_owned()).chain(deep) {
        let key = format!("of {payload}");
        let job = NewJob::untyped("mail", "welcome", &payload).dedup(&key, Dedup::Forever);
        let by_rust = store.once.enqueue(job).await.map_err(|error| format!("{payload}: {error}"))?.id();
        let again =
            sqlx::query("SELECT id, enqueued FROM onceward.enqueue('mail', 'welcome', $1, dedup_key => $2)");
        let again = again.bind(&payload).bind(&key).fetch_one(&mut conn).await;
        let again = again.map_err(|error| format!("{payload}: {error}"))?;
        assert_eq!(
            (again.try_get::<i64, _>(0)?, again.try_get::<&str, _>(1)?),
            (by_rust, "skipped"),
            "{payload}"
        );
    }
    // And the other way round: what SQL has made, Rust knows, also spelt otherwise.
    let (by_sql, _) =
        enqueue(&mut conn, r#"'mail', 'welcome', '{"b": [1.0, "\u00e9"], "a": 1}', dedup_key => 'k'"#)
            .await?;
    let job = |payload| NewJob::untyped("mail", "welcome", payload).dedup("k", Dedup::Forever);
    let again = store.once.enqueue(job(r#"{"a":1,"b":[1.0,"é"]}"#)).await?;
    assert!(
        matches!(again, Enqueued::Skipped { existing, changed: false, .. } if existing == by_sql),
        "{again:?}"
    );
    assert_eq!(
        store.once.enqueue(job(r#"{"a":1,"b":[1,"é"]}"#)).await.map_err(|e| e.code()).err(),
        Some("dedup_conflict")
    );
    Ok(())
}

#[tokio::test]
async fn another_payload_under_a_used_key_is_an_error_that_names_its_job() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let (first, _) = enqueue(&mut conn, "'mail', 'welcome', '1', dedup_key => 'k'").await?;
    for other in ["'mail', 'welcome', '2', dedup_key => 'k'", "'mail', 'farewell', '1', dedup_key => 'k'"] {
        let error = enqueue(&mut conn, other).await.expect_err("a conflict");
        assert!(error.to_string().contains(&format!("job {first} has dedup key 'k'")), "{error}");
        assert_eq!(fault(&error)?.0, "OW002");
    }
    assert_eq!(store.count("job", "true").await?, 1);
    Ok(())
}

#[tokio::test]
async fn what_no_queue_takes_is_an_error_with_a_code_and_a_hint() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let (large, deep) = (
        format!("'\"{}\"'", "x".repeat(256 * 1024 - 1)),
        format!("'{}1{}'", "[\"]\",".repeat(65), "]".repeat(65)),
    );
    let (endless, half) = (format!("'{}'", "[".repeat(200_000)), r#"'"\ud800"', dedup_key => 'k'"#);
    let payload = |it: &str| format!("'mail', 'welcome', {it}");
    let table = [
        (payload("'no json'"), "payload_not_json"),
        (payload("'{} {}'"), "payload_not_json"),
        (payload("''"), "payload_not_json"),
        (payload("NULL"), "payload_not_json"),
        (payload(half), "payload_not_json"),
        (payload(r#"'{"a": ["\u0000"]}'"#), "payload_has_nul"),
        (payload(&large), "payload_too_large"),
        (payload(&deep), "payload_too_deep"),
        (payload(&endless), "payload_too_deep"),
        ("'', 'welcome', '{}'".to_owned(), "bad_name"),
        ("NULL, 'welcome', '{}'".to_owned(), "bad_name"),
        ("'mail', 'two words', '{}'".to_owned(), "bad_name"),
        (format!("'mail', '{}', '{{}}'", "x".repeat(101)), "bad_name"),
        (payload("'{}', version => -1"), "bad_version"),
        (payload("'{}', version => 4294967296"), "bad_version"),
        (payload("'{}', run_at => 'infinity'"), "bad_time"),
        (payload("'{}', dedup_key => 'k', dedup_for => '-1 s'"), "bad_dedup"),
        (payload("'{}', dedup_key => ''"), "bad_dedup"),
        (payload("'{}', hold => ' '"), "bad_reason"),
        (payload("'{}', hold => repeat('x', 501)"), "bad_reason"),
        (payload("'{}', dedup_for => '1 day'"), "bad_dedup"),
        (payload("'{}', dedup_key => 'k', dedup_for => '1 day', until_settled => true"), "bad_dedup"),
    ];
    for (arguments, code) in table {
        let arguments_shown = arguments.chars().take(80).collect::<String>();
        let error = enqueue(&mut conn, &arguments).await.expect_err(&arguments_shown);
        let (state, detail, hint) = fault(&error)?;
        assert_eq!((state.as_str(), detail.as_str()), ("OW001", code), "{arguments_shown}: {error}");
        assert!(!hint.is_empty(), "{error}");
    }
    assert_eq!((store.count("job", "true").await?, store.count("dedup", "true").await?), (0, 0));
    Ok(())
}

#[tokio::test]
async fn a_key_whose_time_is_over_is_free() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let (first, _) = enqueue(&mut conn, "'mail', 'welcome', '1', dedup_key => 'k', dedup_for => '0'").await?;
    let (second, did) =
        enqueue(&mut conn, "'mail', 'welcome', '2', dedup_key => 'k', dedup_for => '1 day'").await?;
    assert!(did == "new" && second != first, "{did}");
    assert_eq!(
        enqueue(&mut conn, "'mail', 'welcome', '2', dedup_key => 'k'").await?,
        (second, "skipped".to_owned())
    );
    Ok(())
}

/// What an application's own role needs, as docs/outbox.md has it.
#[tokio::test]
async fn a_role_with_the_rights_of_the_guide_may_enqueue_and_no_more() -> Verdict {
    let store = Store::postgres().await?;
    let mut conn = client(&store).await?;
    let guide = include_str!("../../../../docs/outbox.md");
    let grants: Vec<&str> = guide.lines().filter(|line| line.starts_with("GRANT ")).collect();
    assert!(!grants.is_empty());
    let role = format!("app_{}", onceward::Time::now().micros());
    let mut script = format!("BEGIN; CREATE ROLE {role};");
    for grant in grants.iter().filter(|grant| !grant.contains("outbox")) {
        script += &grant.replace(" app;", &format!(" {role};"));
    }
    sqlx::raw_sql(leak(format!("{script} SET LOCAL ROLE {role};"))).execute(&mut conn).await?;
    enqueue(&mut conn, "'mail', 'welcome', '{}', dedup_key => 'k'").await?;
    assert_eq!(enqueue(&mut conn, "'mail', 'welcome', '{}', dedup_key => 'k'").await?.1, "skipped");
    let read = sqlx::query("SELECT payload FROM onceward.job").fetch_all(&mut conn).await;
    assert!(read.is_err(), "it reads no payloads");
    Ok(())
}
