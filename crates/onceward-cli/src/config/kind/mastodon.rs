//! `type = "mastodon"`: an account on Mastodon, or on a server that speaks its API.

use onceward_publish::channels::mastodon::Visibility;
use toml::Spanned;
use toml::de::DeValue;

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::{Fault, FromValue, WebAddress, word};

/// Which account, and how its posts are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mastodon {
    pub(crate) server: WebAddress,
    pub(crate) token: Secret,
    /// As the account has it when absent.
    pub(crate) visibility: Option<Visibility>,
    /// As the account has it when absent.
    pub(crate) language: Option<String>,
}

impl Mastodon {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let server = table.need("server");
        let token = table.need_secret("token");
        let visibility = table.get("visibility");
        let language: Option<String> = table.get("language");
        if language.as_deref().is_some_and(|code| !is_code(code)) {
            table.refuse("language", "expected a code of ISO 639, such as `ko` or `pt-BR`");
        }
        Some(Self { server: server?, token: token?, visibility, language })
    }
}

fn is_code(text: &str) -> bool {
    (2..=12).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

impl FromValue for Visibility {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        let words = [
            ("public", Self::Public),
            ("unlisted", Self::Unlisted),
            ("private", Self::Private),
            ("direct", Self::Direct),
        ];
        word(value, &words)
    }
}

#[cfg(test)]
mod tests {
    use onceward_publish::channels::mastodon::Visibility;

    use crate::config::Settings;
    use crate::config::tests::{config, mistakes};

    const GOOD: &str =
        "[channels.m]\ntype = \"mastodon\"\nserver = \"https://m.example\"\ntoken = { env = \"T\" }\n";

    #[test]
    fn an_account_is_read() {
        let config = config(&format!("{GOOD}visibility = \"unlisted\"\nlanguage = \"ko\"\n"));
        let Settings::Mastodon(found) = &config.channels[0].settings else { panic!("{config:?}") };
        assert_eq!(found.server.as_str(), "https://m.example");
        assert_eq!((found.visibility, found.language.as_deref()), (Some(Visibility::Unlisted), Some("ko")));
    }

    #[test]
    fn mistakes_are_named() {
        for (added, says) in [
            ("visibility = \"followers\"\n", "public"),
            ("language = \"Korean, please\"\n", "ISO 639"),
            ("sensitive = true\n", "unknown key `sensitive`"),
        ] {
            let found = mistakes(&format!("{GOOD}{added}"));
            assert!(found.len() == 1 && found[0].contains(says), "{added}: {found:?}");
        }
        let found = mistakes(&GOOD.replace("{ env = \"T\" }", "\"secret\""));
        assert!(
            found[0].contains("never stands in this file") && !found[0].contains("\"secret\""),
            "{found:?}"
        );
    }
}
