//! `type = "email"`: mail by SMTP, one to each recipient.

use onceward_publish::channels::email::{MailServer, Mailbox};
use toml::Spanned;
use toml::de::DeValue;

use crate::config::secret::Secret;
use crate::config::table::Table;
use crate::config::value::{Fault, FromValue, fault};

/// Where mail is handed in, whose it is, and who gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Email {
    pub(crate) smtp: MailServer,
    /// Of the user in `smtp`; none where there is no user.
    pub(crate) password: Option<Secret>,
    pub(crate) from: Mailbox,
    pub(crate) to: Vec<Mailbox>,
    /// The title when absent.
    pub(crate) subject: Option<String>,
}

impl Email {
    pub(super) fn read(table: &mut Table<'_>) -> Option<Self> {
        let smtp: Option<MailServer> = table.need("smtp");
        let has_user = smtp.as_ref().is_none_or(MailServer::has_user);
        let password = if has_user { table.need_secret("password") } else { None };
        let from = table.need("from");
        let to: Option<Vec<Mailbox>> = table.need("to");
        let subject: Option<String> = table.get("subject");
        if subject.as_ref().is_some_and(|subject| subject.chars().any(char::is_control)) {
            table.refuse("subject", "a line break or control character stands in it; remove it");
        }
        let (smtp, from, to) = (smtp?, from?, to?);
        if let Some(why) = amiss(&to) {
            table.refuse("to", &why);
            return None;
        }
        if has_user && password.is_none() {
            return None;
        }
        Some(Self { smtp, password, from, to, subject })
    }
}

fn amiss(to: &[Mailbox]) -> Option<String> {
    if to.is_empty() {
        return Some("nobody would get the mail; name at least one address".to_owned());
    }
    let twice =
        |at: usize| to[..at].iter().any(|before| before.address().eq_ignore_ascii_case(to[at].address()));
    let double = (0..to.len()).find(|at| twice(*at))?;
    Some(format!("{} stands there twice, and would get two mails", to[double].address()))
}

impl FromValue for MailServer {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        String::from_value(value)?
            .parse()
            .map_err(|error: <Self as std::str::FromStr>::Err| fault(value, error.to_string()))
    }
}

impl FromValue for Mailbox {
    fn from_value(value: &Spanned<DeValue<'_>>) -> Result<Self, Fault> {
        String::from_value(value)?
            .parse()
            .map_err(|error: <Self as std::str::FromStr>::Err| fault(value, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::Mailbox;
    use crate::config::Settings;
    use crate::config::tests::{config, mistakes};

    const GOOD: &str = "[channels.mail]\ntype = \"email\"\nsmtp = \"smtp://me@mx.example:587\"\n\
                        password = { env = \"MAIL\" }\nfrom = \"News <news@a.example>\"\nto = [\"a@b.example\", \"c@d.example\"]\n";

    #[test]
    fn a_channel_of_mail_is_read() {
        let config = config(GOOD);
        let Settings::Email(email) = &config.channels[0].settings else { panic!("{config:?}") };
        let to: Vec<_> = email.to.iter().map(Mailbox::address).collect();
        assert_eq!(
            (email.from.address(), to.as_slice()),
            ("news@a.example", ["a@b.example", "c@d.example"].as_slice())
        );
        assert_eq!(config.channels[0].pace.retry.max_attempts, 5, "servers that put off are asked again");
        assert!(email.smtp.has_user() && email.password.is_some() && email.subject.is_none());
    }

    #[test]
    fn a_server_without_a_user_takes_no_password() {
        let without = GOOD.replace("me@", "");
        assert!(mistakes(&without)[0].contains("unknown key `password`"), "{:?}", mistakes(&without));
        config(&without.replace("password = { env = \"MAIL\" }\n", ""));
        let lacks = GOOD.replace("password = { env = \"MAIL\" }\n", "");
        assert_eq!(mistakes(&lacks), ["1:1: [channels.mail] needs `password`"]);
    }

    #[test]
    fn what_could_add_a_header_or_send_twice_is_refused() {
        for (good, bad, says) in [
            ("\"a@b.example\", ", "\"c@D.example\", ", "would get two mails"),
            ("[\"a@b.example\", \"c@d.example\"]", "[]", "nobody would get the mail"),
            ("a@b.example", "a@b.example\\r\\nBcc: x@y.example", "line break"),
            ("News <news@a.example>", "news", "expected an address"),
            ("smtp://me@", "smtp://me:pw@", "a password in the address"),
            ("smtp://me@mx.example:587", "mx.example:587", "smtp://user@host:587"),
            ("to = [", "subject = \"a\\nb\"\nto = [", "line break"),
        ] {
            let found = mistakes(&GOOD.replace(good, bad));
            assert!(found.len() == 1 && found[0].contains(says), "{bad}: {found:?}");
            assert!(!found[0].contains("pw"), "{found:?}");
        }
    }
}
