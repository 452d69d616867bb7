//! `type = "telegram"`: a bot in a chat.

use toml::Spanned;
use toml::de::DeValue;

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::{Fault, FromValue, WebAddress, fault};

/// Which bot posts where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Telegram {
    pub(crate) token: Secret,
    pub(crate) chat: Chat,
    /// `https://api.telegram.org` when absent.
    pub(crate) api: Option<WebAddress>,
}

/// A chat, by its number or its public name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chat(String);

impl Chat {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Telegram {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let token = table.need_secret("token");
        let chat = table.need("chat");
        let api = table.get("api");
        Some(Self { token: token?, chat: chat?, api })
    }
}

impl FromValue for Chat {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let written = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::String(text) => text,
            _ => "",
        };
        let name = written.strip_prefix('@').is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if name || written.parse::<i64>().is_ok() {
            return Ok(Self(written.to_owned()));
        }
        Err(fault(value, "expected the number of a chat, such as -1001234567890, or its public \"@name\""))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Settings;
    use crate::config::tests::{config, mistakes};

    const BOT: &str = "[channels.chat]\ntype = \"telegram\"\ntoken = { env = \"T\" }\nchat = ";

    #[test]
    fn a_chat_is_a_number_or_a_public_name() {
        for (written, expected) in
            [("-1001234567890", "-1001234567890"), ("\"-100123\"", "-100123"), ("\"@our_news\"", "@our_news")]
        {
            let config = config(&format!("{BOT}{written}\n"));
            let Settings::Telegram(bot) = &config.channels[0].settings else { panic!("{config:?}") };
            assert_eq!((bot.chat.as_str(), &bot.api), (expected, &None));
        }
        for wrong in ["\"our_news\"", "\"@\"", "\"@a b\"", "\"https://t.me/our_news\"", "1.5", "true", "0x10"]
        {
            let found = mistakes(&format!("{BOT}{wrong}\n"));
            assert!(found.len() == 1 && found[0].contains("its public \"@name\""), "{wrong}: {found:?}");
        }
    }
}
