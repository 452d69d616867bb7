//! Secrets and sessions on each store: what is kept opens with its own key alone, and is renewed by one at a time.

#[path = "../../onceward/tests/stores/harness.rs"]
#[expect(dead_code, reason = "the queue's own tests use all of it")]
mod harness;

use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::{Store, Verdict};
use onceward::{Cause, Failure, Onceward};
use onceward_publish::migrate;
use onceward_publish::vault::{
    Keys, Session, Sessions, Slot, Vault, VaultError, end_sessions, forget, stored,
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Barrier;

const CANARY: &str = "canary-7f3a";

fn keys(bytes: &[u8]) -> Keys {
    let lines: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}").repeat(32)).collect();
    Keys::parse(&lines.join("\n")).unwrap()
}

async fn vault(once: &Onceward, bytes: &[u8]) -> Result<Vault, Box<dyn std::error::Error>> {
    migrate(once).await?;
    Ok(Vault::open(once, keys(bytes)).await?)
}

async fn read(vault: &Vault, name: &str) -> Result<Option<String>, VaultError> {
    let found = vault.read().await?.remove(name).transpose()?;
    Ok(found.map(|secret| secret.expose_secret().to_owned()))
}

async fn a_secret_comes_back_as_it_was_given(store: Store) -> Verdict {
    let vault = vault(&store.once, &[1]).await?;
    for secret in [CANARY, "한글 🔑", &"x".repeat(64 * 1024)] {
        vault.put("TOKEN", &secret.into()).await?;
        assert_eq!(read(&vault, "TOKEN").await?.as_deref(), Some(secret));
    }
    assert_eq!(stored(&store.once).await?[0].name, "TOKEN");
    assert!(forget(&store.once, "TOKEN").await? && !forget(&store.once, "TOKEN").await?);
    assert_eq!(read(&vault, "TOKEN").await?, None);
    Ok(())
}

async fn equal_secrets_are_sealed_differently(store: Store) -> Verdict {
    let vault = vault(&store.once, &[1]).await?;
    vault.put("A", &CANARY.into()).await?;
    vault.put("B", &CANARY.into()).await?;
    let same =
        "DELETE FROM @secret WHERE name = 'A' AND sealed IN (SELECT sealed FROM @secret WHERE name = 'B')";
    assert_eq!(store.execute(same).await?, 0);
    Ok(())
}

async fn a_row_that_was_moved_or_changed_does_not_open(store: Store) -> Verdict {
    let vault = vault(&store.once, &[1, 2]).await?;
    vault.put("A", &CANARY.into()).await?;
    store.execute("UPDATE @secret SET name = 'B'").await?;
    let error = read(&vault, "B").await.unwrap_err();
    assert!(error.to_string().contains("stored secret B") && error.to_string().contains("login"), "{error}");
    store.execute("UPDATE @secret SET name = 'A'").await?;
    assert!(read(&vault, "A").await.is_ok());
    // Another key that is given as well, so that only the binding can tell.
    let other = &keys(&[1, 2]).ids()[1];
    store.execute(&format!("UPDATE @secret SET key_id = '{other}'")).await?;
    assert_eq!(read(&vault, "A").await.unwrap_err(), VaultError::Broken { name: "A".to_owned() });
    Ok(())
}

async fn a_lost_key_is_named_with_what_to_do(store: Store) -> Verdict {
    vault(&store.once, &[1]).await?.put("TOKEN", &CANARY.into()).await?;
    let error = read(&vault(&store.once, &[2]).await?, "TOKEN").await.unwrap_err().to_string();
    for part in [&keys(&[1]).ids()[0], &keys(&[2]).ids()[0], "TOKEN", "channels login"] {
        assert!(error.contains(part), "{error}");
    }
    Ok(())
}

async fn what_an_older_key_sealed_is_sealed_anew(store: Store) -> Verdict {
    vault(&store.once, &[1]).await?.put("TOKEN", &CANARY.into()).await?;
    let both = vault(&store.once, &[2, 1]).await?;
    assert_eq!(read(&both, "TOKEN").await?.as_deref(), Some(CANARY));
    let new = vault(&store.once, &[2]).await?;
    assert_eq!(read(&new, "TOKEN").await?.as_deref(), Some(CANARY));
    assert!(read(&vault(&store.once, &[1]).await?, "TOKEN").await.is_err());
    Ok(())
}

async fn slot(once: &Onceward) -> Result<Slot, Box<dyn std::error::Error>> {
    Ok(Sessions::kept(vault(once, &[1]).await?).slot("sky", &["https://pds.example", "me"]))
}

fn fresh(token: &str) -> Ready<Result<SecretString, Failure>> {
    ready(Ok(token.into()))
}

fn text(session: &Session) -> &str {
    session.secret().expose_secret()
}

async fn a_session_is_kept_before_it_is_used(store: Store) -> Verdict {
    let slot = slot(&store.once).await?;
    assert!(slot.load().await.unwrap().is_none());
    let first = slot.renew(None, fresh("one")).await.unwrap();
    let elsewhere = self::slot(&store.another().await?).await?;
    assert_eq!(text(&elsewhere.load().await.unwrap().unwrap()), "one");
    let second = elsewhere.renew(Some(&first), fresh("two")).await.unwrap();
    // Whoever still has the first one takes what is there, and asks nobody.
    let third =
        slot.renew(Some(&first), async { unreachable!("a refresh token is good once") }).await.unwrap();
    assert_eq!((text(&second), text(&third)), ("two", "two"));
    assert_eq!(stored(&store.once).await?, []);
    assert_eq!(end_sessions(&store.once, "sk").await? + end_sessions(&store.once, "sky").await?, 1);
    assert!(slot.load().await.unwrap().is_none());
    Ok(())
}

async fn of_many_who_renew_one_asks_the_platform(store: Store) -> Verdict {
    let (one, other) = (slot(&store.once).await?, slot(&store.another().await?).await?);
    let old = one.renew(None, fresh("old")).await.unwrap();
    let (asked, together) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(8)));
    let mut callers = tokio::task::JoinSet::new();
    for n in 0..8 {
        let slot = if n % 2 == 0 { one.clone() } else { other.clone() };
        let (old, asked, together) = (old.clone(), asked.clone(), together.clone());
        callers.spawn(async move {
            together.wait().await;
            let ask = async {
                asked.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                Ok(format!("new {n}").into())
            };
            text(&slot.renew(Some(&old), ask).await.unwrap()).to_owned()
        });
    }
    let got = callers.join_all().await;
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(got.iter().all(|token| *token == got[0]), "{got:?}");
    Ok(())
}

async fn a_network_that_is_down_costs_no_session(store: Store) -> Verdict {
    let slot = slot(&store.once).await?;
    let old = slot.renew(None, fresh("old")).await.unwrap();
    let down = async { Err(Failure::transient(Cause::new("connect", "refused").outage())) };
    assert_eq!(slot.renew(Some(&old), down).await.unwrap_err().class(), "transient");
    assert_eq!(text(&slot.load().await.unwrap().unwrap()), "old");
    let revoked = async { Err(Failure::AuthNeeded { cause: Cause::new("invalid_grant", "revoked") }) };
    assert_eq!(slot.renew(Some(&old), revoked).await.unwrap_err().class(), "auth_needed");
    // Nothing is held any more: the next one may try at once.
    assert_eq!(text(&slot.renew(Some(&old), fresh("new")).await.unwrap()), "new");
    Ok(())
}

async fn a_renewal_whose_process_died_ends_by_itself(store: Store) -> Verdict {
    let slot = slot(&store.once).await?;
    let begun = "2026-11-29T12:00:00Z".parse()?;
    store.once.db().clock().set(begun);
    let claimed = Arc::new(Barrier::new(2));
    let dies = tokio::spawn({
        let (slot, claimed) = (slot.clone(), claimed.clone());
        async move {
            let never = async {
                claimed.wait().await;
                std::future::pending().await
            };
            slot.renew(None, never).await
        }
    });
    claimed.wait().await;
    dies.abort();
    assert!(dies.await.is_err());
    assert!(slot.load().await.unwrap().is_none());
    store.once.db().clock().set(onceward::Time::after(begun, Duration::from_secs(61)));
    assert_eq!(text(&slot.renew(None, fresh("new")).await.unwrap()), "new");
    Ok(())
}

async fn without_its_key_a_session_is_not_made_anew(store: Store) -> Verdict {
    slot(&store.once).await?.renew(None, fresh("old")).await.unwrap();
    let other = Sessions::kept(vault(&store.once, &[2]).await?);
    for sessions in [other, Sessions::in_memory(Some(store.once.clone()))] {
        let slot = sessions.slot("sky", &["https://pds.example", "me"]);
        let asks = async { unreachable!("the owner decides whether to log in anew") };
        for failure in [slot.load().await.unwrap_err(), slot.renew(None, asks).await.unwrap_err()] {
            assert_eq!((failure.class(), failure.cause().code.as_ref()), ("auth_needed", "key_missing"));
            assert!(failure.cause().text.contains("onceward channels logout sky"), "{failure:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn without_any_key_a_session_lives_in_this_process() -> Verdict {
    let sessions = Sessions::in_memory(None);
    let (slot, other) = (sessions.slot("sky", &["a"]), sessions.slot("sky", &["b"]));
    let first = slot.renew(None, fresh("one")).await.unwrap();
    assert_eq!(text(&slot.load().await.unwrap().unwrap()), "one");
    assert!(other.load().await.unwrap().is_none());
    let second = slot.renew(Some(&first), fresh("two")).await.unwrap();
    let again = slot.renew(Some(&first), async { unreachable!() }).await.unwrap();
    assert_eq!((text(&second), text(&again)), ("two", "two"));
    Ok(())
}

macro_rules! laws {
    ($($law:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::sqlite().await?).await })*
        }
        mod postgres {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::postgres().await?).await })*
        }
        mod pgbouncer {
            $(#[tokio::test] async fn $law() -> super::Verdict { super::$law(super::Store::pgbouncer().await?).await })*
        }
    };
}

laws!(
    a_secret_comes_back_as_it_was_given,
    equal_secrets_are_sealed_differently,
    a_row_that_was_moved_or_changed_does_not_open,
    a_lost_key_is_named_with_what_to_do,
    what_an_older_key_sealed_is_sealed_anew,
    a_session_is_kept_before_it_is_used,
    of_many_who_renew_one_asks_the_platform,
    a_network_that_is_down_costs_no_session,
    a_renewal_whose_process_died_ends_by_itself,
    without_its_key_a_session_is_not_made_anew,
);
