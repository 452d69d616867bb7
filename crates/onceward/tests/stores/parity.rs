//! Each statement is written twice; this prepares every pair and compares parameters and columns.

use std::path::Path;

use crate::harness::{Store, Verdict};

#[tokio::test]
async fn both_dialects_take_and_give_the_same() -> Verdict {
    let (sqlite, postgres) = (Store::sqlite().await?, Store::postgres().await?);
    for store in [&sqlite, &postgres] {
        onceward::Outbox::open(&store.url).await?.migrate().await?;
    }
    for folder in [env!("CARGO_MANIFEST_DIR"), concat!(env!("CARGO_MANIFEST_DIR"), "/../onceward-db")] {
        let found =
            onceward_db::parity::differences(Path::new(folder), sqlite.once.db(), postgres.once.db()).await?;
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
    Ok(())
}
