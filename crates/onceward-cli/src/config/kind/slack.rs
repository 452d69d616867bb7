//! `type = "slack"`: a bot in a room, or an incoming webhook.

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::WebAddress;

/// How messages get into a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slack {
    /// A bot, which can look for what it sent.
    Bot {
        token: Secret,
        room: String,
        /// `https://slack.com/api` when absent.
        api: Option<WebAddress>,
    },
    /// An address that is a secret, for whoever knows it may post.
    Webhook { url: Secret },
}

impl Slack {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let url = table.secret("webhook_url");
        let token = table.secret("token");
        let room: Option<String> = table.get("room");
        let api: Option<WebAddress> = table.get("api");
        if room.as_deref().is_some_and(|room| !is_id(room)) {
            table.refuse("room", ROOM);
            return None;
        }
        match (url, token, room) {
            (Some(url), None, None) if api.is_none() => Some(Self::Webhook { url }),
            (None, Some(token), Some(room)) => Some(Self::Bot { token, room, api }),
            _ => {
                table.refuse("type", KEYS);
                None
            }
        }
    }
}

const KEYS: &str = "Slack needs `token` and `room` for a bot (and perhaps `api`), or `webhook_url` alone";
const ROOM: &str = "expected the id of a room, such as \"C0123456789\": it stands at the end of the room's details in \
                    Slack; a name may change, and cannot be looked through";

/// Rooms begin with C, older private ones with G, direct messages with D.
fn is_id(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(['C', 'G', 'D'])
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Slack;
    use crate::config::Settings;
    use crate::config::tests::{config, mistakes};

    const BOT: &str = "[channels.chat]\ntype = \"slack\"\ntoken = { env = \"T\" }\nroom = \"C0123456789\"\n";
    const HOOK: &str = "[channels.chat]\ntype = \"slack\"\nwebhook_url = { env = \"U\" }\n";

    fn settings(text: &str) -> Slack {
        match &config(text).channels[0].settings {
            Settings::Slack(slack) => slack.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bot_and_a_webhook_are_read() {
        let Slack::Bot { api, room, .. } = settings(BOT) else { panic!("no bot") };
        assert!(api.is_none() && room == "C0123456789");
        assert!(matches!(settings(HOOK), Slack::Webhook { .. }));
        let own = settings(&format!("{BOT}api = \"http://127.0.0.1:1/slack/api\"\n"));
        assert!(
            matches!(own, Slack::Bot { api: Some(api), .. } if api.as_str() == "http://127.0.0.1:1/slack/api")
        );
    }

    #[test]
    fn half_of_one_and_both_at_once_are_refused() {
        let both = format!("{BOT}webhook_url = {{ env = \"U\" }}\n");
        for text in [
            &BOT.replace("room = \"C0123456789\"\n", ""),
            &BOT.replace("token = { env = \"T\" }\n", ""),
            &both,
        ] {
            let found = mistakes(text);
            assert!(found.len() == 1 && found[0].contains("or `webhook_url` alone"), "{found:?}");
        }
        let name = mistakes(&BOT.replace("C0123456789", "#general"));
        assert!(name.len() == 1 && name[0].contains("expected the id of a room"), "{name:?}");
        let clear =
            mistakes(&HOOK.replace("{ env = \"U\" }", "\"https://hooks.slack.com/services/T/B/s3cret\""));
        assert!(!clear.iter().any(|text| text.contains("s3cret")), "{clear:?}");
    }
}
