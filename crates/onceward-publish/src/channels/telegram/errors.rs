//! What Telegram's refusals mean. It has no codes but the status; what is known of its words only names the cause.
//!
//! `tdlib/telegram-bot-api`: `Client.cpp`

use crate::channels::answer::{Means, Row};

/// By status, and by what the description says.
pub(super) const ERRORS: &[Row] = &[
    Row::both(
        400,
        "chat not found",
        Means::Auth,
        "Telegram knows no such chat; correct `chat`, and add the bot there",
    ),
    Row::both(400, "upgraded to a supergroup", Means::Auth, "the group has a new id; set it as `chat`"),
    Row::both(400, "peer_id_invalid", Means::Auth, "Telegram knows no such chat; correct `chat`"),
    Row::both(400, "not enough rights", Means::Auth, RIGHTS),
    Row::both(400, "have no rights to send", Means::Auth, RIGHTS),
    Row::both(400, "need administrator rights", Means::Auth, RIGHTS),
    Row::both(400, "chat_write_forbidden", Means::Auth, RIGHTS),
    Row::both(400, "message is too long", Means::Refused, "the text is too long for Telegram"),
    Row::both(400, "caption is too long", Means::Refused, "the text is too long to stand under a picture"),
    Row::both(400, "text is empty", Means::Refused, "there is nothing to say"),
    Row::both(
        400,
        "message to be replied not found",
        Means::Refused,
        "the part above is gone, so this one has no place",
    ),
    Row::status(400, Means::Refused, "Telegram does not take it"),
    Row::status(401, Means::Auth, TOKEN),
    // A token that is no token has no address at all.
    Row::status(404, Means::Auth, TOKEN),
    Row::status(403, Means::Auth, RIGHTS),
    // Whoever answers so has not even read the request.
    Row::status(301, Means::Auth, ELSEWHERE),
    Row::status(307, Means::Auth, ELSEWHERE),
    Row::status(308, Means::Auth, ELSEWHERE),
    Row::status(413, Means::Refused, "the pictures are too large for Telegram"),
    Row::status(429, Means::TooMany, "Telegram asks to slow down"),
];

const ELSEWHERE: &str = "this is not Telegram's Bot API; correct `api`";
const TOKEN: &str = "Telegram does not accept the token; ask @BotFather for the bot's token, and set `token`";
const RIGHTS: &str =
    "the bot may not post there; make it a member, or in a channel an administrator who may post";

/// The row's words that stand in a description.
pub(super) fn code(description: &str) -> Option<&'static str> {
    let description = description.to_lowercase();
    ERRORS.iter().map(|row| row.code).find(|code| !code.is_empty() && description.contains(code))
}

#[cfg(test)]
mod tests {
    use onceward::{Failure, SendError, Time};
    use onceward_http::Response;
    use serde_json::json;

    use super::super::api;

    fn named(error: &SendError) -> String {
        match error {
            SendError::Refused(Failure::RateLimited { until, .. }) => format!("wait until {until}"),
            SendError::Refused(failure) => failure.class().to_owned(),
            SendError::Unknown(cause) => format!("unknown, outage {}", cause.outage),
            SendError::NotSent(_) => "not sent".to_owned(),
        }
    }

    fn said(status: u16, body: &str) -> Result<serde_json::Value, SendError> {
        let now: Time = "2026-12-01T00:00:00Z".parse().unwrap();
        api::read(&Response::new(status, &[], body), now)
    }

    fn refused(status: u16, description: &str) -> String {
        let body = json!({ "ok": false, "error_code": status, "description": description }).to_string();
        said(status, &body).map_or_else(|error| named(&error), |_| "accepted".to_owned())
    }

    #[test]
    fn each_answer_means_one_thing() {
        let table = [
            (400, "Bad Request: chat not found", "auth_needed"),
            (400, "Bad Request: group chat was upgraded to a supergroup chat", "auth_needed"),
            (400, "Bad Request: PEER_ID_INVALID", "auth_needed"),
            (400, "Bad Request: not enough rights to send text messages to the chat", "auth_needed"),
            (400, "Bad Request: have no rights to send a message", "auth_needed"),
            (400, "Bad Request: need administrator rights in the channel chat", "auth_needed"),
            (400, "Bad Request: CHAT_WRITE_FORBIDDEN", "auth_needed"),
            (400, "Bad Request: message is too long", "permanent"),
            (400, "Bad Request: message caption is too long", "permanent"),
            (400, "Bad Request: message text is empty", "permanent"),
            (400, "Bad Request: message to be replied not found", "permanent"),
            (400, "Bad Request: can't parse entities: something new", "permanent"),
            (301, "Moved Permanently", "auth_needed"),
            (302, "Found", "unknown, outage false"),
            (307, "Temporary Redirect", "auth_needed"),
            (308, "Permanent Redirect", "auth_needed"),
            (401, "Unauthorized", "auth_needed"),
            (403, "Forbidden: bot was kicked from the supergroup chat", "auth_needed"),
            (403, "Forbidden: bot was blocked by the user", "auth_needed"),
            (404, "Not Found", "auth_needed"),
            (409, "Conflict: terminated by other getUpdates request", "permanent"),
            (413, "Request Entity Too Large", "permanent"),
            (429, "Too Many Requests: retry after 35", "wait until 2026-12-01T00:01:00Z"),
            (500, "Internal Server Error", "unknown, outage true"),
            (502, "Bad Gateway", "unknown, outage true"),
        ];
        for (status, description, means) in table {
            assert_eq!(refused(status, description), means, "{status} {description}");
        }
        for row in super::ERRORS {
            let tested = |(status, said, _): &(u16, &str, &str)| {
                row.status == *status && said.to_lowercase().contains(row.code)
            };
            assert!(table.iter().any(tested), "a row of the table is not tested: {row:?}");
        }
    }

    #[test]
    fn the_wait_stands_in_the_body() {
        let body = r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}"#;
        assert_eq!(named(&said(429, body).unwrap_err()), "wait until 2026-12-01T00:00:07Z");
    }

    #[test]
    fn a_group_that_moved_names_its_new_id() {
        let body = r#"{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001234}}"#;
        let SendError::Refused(failure) = said(400, body).unwrap_err() else { panic!("it was refused") };
        assert!(failure.cause().text.contains("-1001234"), "{}", failure.cause().text);
        assert_eq!(failure.cause().platform_code.as_deref(), Some("upgraded to a supergroup"));
    }

    #[test]
    fn a_body_that_says_nothing_is_no_success() {
        for body in ["", "{}", "<html>", r#"{"ok":true"#] {
            assert_eq!(named(&said(200, body).unwrap_err()), "unknown, outage true", "{body}");
        }
        for body in [r#"{"ok":true}"#, r#"{"ok":false}"#] {
            assert_eq!(named(&said(200, body).unwrap_err()), "unknown, outage false", "{body}");
        }
        assert_eq!(said(200, r#"{"ok":true,"result":{"message_id":1}}"#).unwrap()["message_id"], 1);
    }
}
