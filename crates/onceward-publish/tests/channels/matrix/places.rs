//! The kinds of channel that the sandbox plays: what each can do about a doubt, its acts, its adapter, its secrets.

use std::sync::{Arc, OnceLock};

use onceward::testing::TestStore;
use onceward_http::{Client, tls_config};
use onceward_publish::channel::Channel;
use onceward_publish::channels::bluesky::BlueskyChannel;
use onceward_publish::channels::devto::DevtoChannel;
use onceward_publish::channels::email::{EmailChannel, EmailSettings};
use onceward_publish::channels::mastodon::MastodonChannel;
use onceward_publish::channels::slack::{SlackBot, SlackWebhook};
use onceward_publish::channels::telegram::TelegramChannel;
use onceward_publish::channels::webhook::{Key, WebhookChannel};
use onceward_publish::migrate;
use onceward_publish::vault::{Keys, Sessions, Vault};
use onceward_sandbox::{Accepted, Sandbox, WEBHOOK_SECRET};
use tokio_rustls::rustls::ClientConfig;

use crate::stage::{NAME, PATIENCE, Verdict};

/// Stands in every secret, so that a secret is known wherever it is.
pub(crate) const CANARY: &str = "cAnArY7f3e9b";
const VAULT: &str = "5ec7e7ca4a127f3e9b5ec7e7ca4a127f3e9b5ec7e7ca4a127f3e9b5ec7e7ca4a";
const ROOM: &str = "C0123456789";

/// A kind of channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Mastodon,
    Pleroma,
    GoToSocial,
    Bluesky,
    SlackBot,
    SlackWebhook,
    Devto,
    Telegram,
    Webhook,
    Email,
}

/// What lets a channel send once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Keyed,
    Fixed,
    TwoPhase,
    LookUp,
    Blind,
}

/// What an act is to a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Before it, and seen by nobody.
    Before,
    /// The post itself.
    Visible,
    /// The post itself, while a part of it is still on its way.
    OnItsWay,
    /// A look at a post whose answer was lost; the first fails.
    Look,
    /// The same, and all of them fail.
    LookAlways,
    /// After it was accepted.
    After,
}

use Role::{After, Before, Look, LookAlways, OnItsWay, Visible};

pub(crate) const ALL: [Which; 10] = [
    Which::Mastodon,
    Which::Pleroma,
    Which::GoToSocial,
    Which::Bluesky,
    Which::SlackBot,
    Which::SlackWebhook,
    Which::Devto,
    Which::Telegram,
    Which::Webhook,
    Which::Email,
];

impl Which {
    pub(crate) fn platform(self) -> &'static str {
        match self {
            Self::Mastodon => "mastodon",
            Self::Pleroma => "pleroma",
            Self::GoToSocial => "gotosocial",
            Self::Bluesky => "bluesky",
            Self::SlackBot | Self::SlackWebhook => "slack",
            Self::Devto => "devto",
            Self::Telegram => "telegram",
            Self::Webhook => "webhook",
            Self::Email => "email",
        }
    }

    pub(crate) fn class(self) -> Class {
        match self {
            Self::Mastodon | Self::Webhook => Class::Keyed,
            Self::Bluesky => Class::Fixed,
            Self::Devto => Class::TwoPhase,
            Self::Pleroma | Self::GoToSocial | Self::SlackBot => Class::LookUp,
            Self::SlackWebhook | Self::Telegram | Self::Email => Class::Blind,
        }
    }

    /// The act that others see.
    pub(crate) fn visible(self) -> &'static str {
        if self == Self::SlackWebhook { "hook" } else { "post" }
    }

    /// Its acts; Pleroma and `GoToSocial` have those of Mastodon, and those are left out that do not differ.
    pub(crate) fn acts(self) -> &'static [(&'static str, Role)] {
        match self {
            Self::Mastodon => &[
                ("instance", Before),
                ("upload", Before),
                ("media", Before),
                ("post", Visible),
                ("look", Look),
                ("account", Look),
            ],
            Self::Pleroma => &[("post", Visible), ("look", Look)],
            Self::GoToSocial => &[("post", Visible), ("look", Look), ("look", LookAlways)],
            Self::Bluesky => &[
                ("login", Before),
                ("token", Before),
                ("upload", Before),
                ("resolve", Before),
                ("post", Visible),
                ("look", Look),
            ],
            Self::SlackBot => &[
                ("upload", Before),
                ("post", Visible),
                ("look", Look),
                ("look", LookAlways),
                ("link", After),
            ],
            Self::SlackWebhook => &[("hook", Visible)],
            Self::Devto => &[("draft", Before), ("post", Visible), ("look", Look), ("look", LookAlways)],
            Self::Telegram | Self::Webhook => &[("post", Visible)],
            Self::Email => &[
                ("hello", Before),
                ("login", Before),
                ("sender", Before),
                ("recipient", Before),
                ("data", Before),
                ("content", OnItsWay),
                ("post", Visible),
            ],
        }
    }

    pub(crate) fn takes_media(self) -> bool {
        !matches!(self, Self::SlackWebhook | Self::Devto)
    }

    /// What our ledger must have kept of an accepted item.
    pub(crate) fn receipt(self, item: &Accepted) -> Option<String> {
        let place = item.place.as_deref().unwrap_or_default();
        match self {
            Self::SlackBot | Self::Telegram => Some(format!("{place}/{}", item.remote_id)),
            Self::SlackWebhook => None,
            Self::Email => item.key.clone(),
            _ => Some(item.remote_id.clone()),
        }
    }

    /// Its secrets, as texts that must be nowhere.
    pub(crate) fn secrets(self) -> Vec<String> {
        let own = match self {
            Self::Webhook => {
                let whole = WEBHOOK_SECRET.trim_start_matches("whsec_").to_owned();
                vec![whole, "onceward-sandbox-stand-in-secret".to_owned()]
            }
            // The session's tokens, as the stand-in makes them, and the key of the vault that keeps them.
            Self::Bluesky => {
                vec!["~access~".to_owned(), "~refresh~".to_owned(), VAULT.to_owned()]
            }
            _ => Vec::new(),
        };
        own.into_iter().chain([self.secret()]).collect()
    }

    /// Its token, password, or the secret part of its address.
    pub(crate) fn secret(self) -> String {
        match self {
            Self::Telegram => format!("123456:AA{CANARY}-telegram_T0ken"),
            Self::SlackWebhook | Self::Webhook => format!("{CANARY}{}", self.platform()),
            _ => format!("{CANARY}+/ =&?{}", self.platform()),
        }
    }

    /// The channel, at the stand-in.
    pub(crate) async fn adapter(
        self,
        sandbox: &Sandbox,
        store: &TestStore,
        client: Client,
    ) -> Verdict<Arc<dyn Channel>> {
        let (url, secret) = (sandbox.url(self.platform()), self.secret());
        Ok(match self {
            Self::Mastodon | Self::Pleroma | Self::GoToSocial => {
                Arc::new(MastodonChannel::new(&url, secret.into(), None, None, client, PATIENCE)?)
            }
            Self::Bluesky => {
                migrate(store).await?;
                let vault = Vault::open(store, Keys::parse(VAULT)?).await?;
                let slot = Sessions::kept(vault).slot(NAME, &["me"]);
                let languages = vec!["ko".to_owned()];
                let handle = "@me.test";
                Arc::new(BlueskyChannel::new(&url, handle, secret.into(), languages, slot, client, PATIENCE)?)
            }
            Self::SlackBot => Arc::new(SlackBot::new(&url, secret.into(), ROOM, client, PATIENCE)?),
            Self::SlackWebhook => {
                let url = format!("{url}/hook/T0/B0/{secret}").into();
                Arc::new(SlackWebhook::new(&url, client, PATIENCE)?)
            }
            Self::Devto => {
                Arc::new(DevtoChannel::new(&format!("{url}/api"), secret.into(), client, PATIENCE)?)
            }
            Self::Telegram => Arc::new(TelegramChannel::new(&url, secret.into(), "@news", client, PATIENCE)?),
            Self::Webhook => {
                let url = format!("{url}/in/{secret}?key={secret}");
                Arc::new(WebhookChannel::new(&url, Key::parse(WEBHOOK_SECRET)?, client, PATIENCE)?)
            }
            Self::Email => {
                let settings = EmailSettings {
                    server: url.replace("smtp://", "smtp://me@").parse()?,
                    password: Some(secret.into()),
                    from: "News <news@a.example>".parse()?,
                    to: vec!["jane@b.example".parse()?],
                    subject: None,
                };
                Arc::new(EmailChannel::new(settings, tls()?, PATIENCE))
            }
        })
    }
}

/// Made once: it reads all root certificates of the machine.
fn tls() -> Verdict<Arc<ClientConfig>> {
    static TLS: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(tls) = TLS.get() {
        return Ok(Arc::clone(tls));
    }
    let tls = Arc::new(tls_config(Vec::new())?);
    Ok(Arc::clone(TLS.get_or_init(|| tls)))
}
