//! `onceward channels login` and `logout`: secrets into the store, and out of it.

use onceward_publish::vault;
use serde_json::json;

use crate::args::Login;
use crate::command::Run;
use crate::config::{Channel, Config};
use crate::exit::Exit;
use crate::output::{self, plain};
use crate::prompt::{self, Asked};
use crate::secrets;
use crate::stop::Stop;

/// A key of a channel whose secret is in the store, under this name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    key: &'static str,
    name: String,
}

/// Takes a channel's secrets and stores them, all or none.
pub(in crate::command) async fn login(run: &Run, args: &Login) -> Result<Exit, Stop> {
    run.with_store(async |store| {
        let channel = channel(&store.config, &args.channel)?;
        let vault = secrets::vault(&store.config, &store.once).await?;
        let places = wanted(channel, args.key.as_deref())?;
        let question = |place: &Place| format!("{} of channel {}", place.key, channel.name);
        let given = match prompt::ask(&places.iter().map(question).collect::<Vec<_>>()).await? {
            Asked::Secrets(given) => given,
            Asked::Stopped(exit) => return Ok(exit),
        };
        for (place, secret) in places.iter().zip(&given) {
            let fits = channel.settings.fits(place.key, secret);
            fits.map_err(|why| {
                Stop::failed("secret_invalid", format!("{}: {why}; nothing was stored", place.key))
            })?;
        }
        for (place, secret) in places.iter().zip(&given) {
            vault.put(&place.name, secret).await?;
        }
        // Whoever logs in anew means it.
        vault::end_sessions(&store.once, &channel.name).await?;
        said(run, channel, &places, true)
    })
    .await
}

/// Forgets a channel's secrets and sessions.
pub(in crate::command) async fn logout(run: &Run, name: &str) -> Result<Exit, Stop> {
    run.with_store(async |store| {
        let channel = channel(&store.config, name)?;
        let mut places = places(channel);
        for place in std::mem::take(&mut places) {
            if vault::forget(&store.once, &place.name).await? {
                places.push(place);
            }
        }
        vault::end_sessions(&store.once, name).await?;
        said(run, channel, &places, false)
    })
    .await
}

fn said(run: &Run, channel: &Channel, places: &[Place], stored: bool) -> Result<Exit, Stop> {
    let item = |place: &Place| json!({ "channel": channel.name, "key": place.key, "name": place.name, "stored": stored });
    let items: Vec<_> = places.iter().map(item).collect();
    run.output.answer(&output::list(&items, None), || {
        let verb = if stored { "stored" } else { "forgot" };
        let mut lines: Vec<_> =
            places.iter().map(|it| format!("{verb} {} of {} ({})", it.key, channel.name, it.name)).collect();
        if stored {
            lines.push(format!(
                "\nSee whether it works: onceward channels check {0}\nIf its queue was paused: onceward channels \
                 resume {0}",
                channel.name
            ));
        } else if lines.is_empty() {
            lines.push(format!("nothing of {} was stored", channel.name));
        }
        plain(&lines.join("\n"))
    })?;
    Ok(Exit::Fine)
}

fn channel<'c>(config: &'c Config, name: &str) -> Result<&'c Channel, Stop> {
    config.channel(name).ok_or_else(|| {
        let advice = crate::config::advice(name, config.channels.iter().map(|it| it.name.as_str()));
        Stop::usage("not_found", format!("no channel is called `{name}`; {advice}"))
    })
}

fn places(channel: &Channel) -> Vec<Place> {
    channel.stored().map(|(key, name)| Place { key, name: name.to_owned() }).collect()
}

/// The places that a log-in fills: all of the channel's, or the one of `key`.
fn wanted(channel: &Channel, key: Option<&str>) -> Result<Vec<Place>, Stop> {
    let mut places = places(channel);
    places.retain(|place| key.is_none_or(|key| key == place.key));
    if !places.is_empty() {
        return Ok(places);
    }
    let keys: Vec<&str> = channel.secret_keys().filter(|it| key.is_none_or(|key| key == *it)).collect();
    let text = match (keys.first(), key) {
        (None, Some(key)) => format!("channel {} has no secret `{key}`", channel.name),
        (None, None) => format!("channel {} needs no secret", channel.name),
        (Some(first), _) => {
            let name = format!("{}_{first}", channel.name).to_ascii_uppercase().replace('-', "_");
            format!(
                "[channels.{}] keeps `{}` elsewhere; to have it stored, write {first} = {{ stored = \"{name}\" }} there \
                 first",
                channel.name,
                keys.join("`, `"),
            )
        }
    };
    Err(Stop::usage("nothing_to_store", text))
}
