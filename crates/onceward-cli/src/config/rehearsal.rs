//! A configuration for a rehearsal: every channel leads to its stand-in, every secret is a made-up one, and files go
//! to a folder of their own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use onceward_publish::channels::email::MailServer;

use super::Config;
use super::kind::{Settings, Slack};
use super::secret::Secret;
use super::value::WebAddress;

/// The file name of a rehearsal's store.
pub(crate) const REHEARSAL_STORE: &str = "onceward.sandbox.db";

/// Where the stand-ins are.
#[derive(Debug, Clone)]
pub(crate) struct StandIns {
    /// The sandbox, without a slash at its end.
    pub(crate) url: String,
    /// The sandbox's mail server.
    pub(crate) smtp: MailServer,
    /// Feeds and archives go below it.
    pub(crate) folder: PathBuf,
}

impl StandIns {
    /// Leads a channel of this name to its stand-in.
    pub(super) fn take(&self, channel: &str, settings: &mut Settings) {
        match settings {
            Settings::Feed(it) => it.path = self.path(channel, &it.path),
            Settings::Archive(it) => it.path = self.path(channel, &it.path),
            Settings::Webhook(it) => {
                it.url = self.web(&format!("webhook/{channel}"));
                it.secret = Secret::StandIn(onceward_sandbox::WEBHOOK_SECRET.to_owned());
            }
            Settings::Email(it) => (it.smtp, it.password) = (self.smtp.clone(), None),
            Settings::Bluesky(it) => (it.server, it.password) = (format!("{}/bluesky", self.url), made_up()),
            Settings::Devto(it) => (it.api, it.key) = (Some(self.web("devto/api")), made_up()),
            Settings::Mastodon(it) => (it.server, it.token) = (self.web("mastodon"), made_up()),
            Settings::Slack(Slack::Bot { token, api, .. }) => {
                (*api, *token) = (Some(self.web("slack")), made_up());
            }
            Settings::Slack(Slack::Webhook { url }) => {
                *url = Secret::StandIn(format!("{}/slack/hook/{channel}", self.url));
            }
            Settings::Telegram(it) => {
                (it.api, it.token) = (Some(self.web("telegram")), Secret::StandIn("1:rehearsal".to_owned()));
            }
        }
    }

    fn web(&self, path: &str) -> WebAddress {
        WebAddress::stand_in(format!("{}/{path}", self.url))
    }

    /// Where a channel's file or folder lies now.
    fn path(&self, channel: &str, path: &Path) -> PathBuf {
        self.folder.join(channel).join(path.file_name().unwrap_or(OsStr::new("files")))
    }
}

/// Opens stand-ins only.
fn made_up() -> Secret {
    Secret::StandIn("rehearsal".to_owned())
}

impl Config {
    /// Leads every channel to its stand-in: from here on, nothing of this configuration reaches a platform, changes
    /// a public file or needs a secret.
    pub(crate) fn rehearse(&mut self, stand_ins: &StandIns) {
        for channel in &mut self.channels {
            channel.rehearse(stand_ins);
        }
    }
}
