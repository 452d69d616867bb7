//! What the statuses of the API mean, beside the usual. There are no codes, and the words are of the account's language.

use crate::channels::answer::{Means, Row};

/// <https://docs.joinmastodon.org/methods/statuses/#create>
pub(super) const ERRORS: &[Row] = &[
    Row::status(301, Means::Refused, MOVED),
    Row::status(302, Means::Refused, MOVED),
    Row::status(307, Means::Refused, MOVED),
    Row::status(308, Means::Refused, MOVED),
    Row::status(401, Means::Auth, "the server does not accept the token; make a new one and set `token`"),
    Row::status(
        403,
        Means::Barred,
        "the token lacks a scope (write:statuses, write:media, read:accounts, read:statuses), or the account is disabled",
    ),
    Row::status(
        404,
        Means::Refused,
        "the server knows no such thing: the post that is answered is gone, or `server` is wrong",
    ),
    Row::status(413, Means::Refused, "the server finds the media too large"),
    Row::status(422, Means::Refused, "the server refused it"),
    Row::status(429, Means::TooMany, "the server asks to slow down"),
];

const MOVED: &str = "the server points to another address; redirects are not followed, so change `server`";

#[cfg(test)]
mod tests {
    use onceward::{Failure, SendError, Time};
    use onceward_http::Response;

    use super::super::api::verdict;

    fn said(status: u16, headers: &[(&str, &str)]) -> String {
        let now: Time = "2026-12-01T00:00:00Z".parse().unwrap();
        match verdict(Response::new(status, headers, r#"{"error":"why"}"#), now) {
            Ok(_) => "accepted".to_owned(),
            Err(SendError::Refused(Failure::RateLimited { until, .. })) => format!("wait until {until}"),
            Err(SendError::Refused(failure)) => format!("{}: {}", failure.class(), failure.cause().text),
            Err(SendError::Unknown(cause)) => format!("unknown, outage {}", cause.outage),
            Err(SendError::NotSent(_)) => "not sent".to_owned(),
        }
    }

    #[test]
    fn each_status_means_one_thing() {
        let table = [
            (200, "accepted"),
            (202, "accepted"),
            (206, "accepted"),
            (301, "permanent: the server points"),
            (302, "permanent: the server points"),
            (307, "permanent: the server points"),
            (308, "permanent: the server points"),
            (400, "permanent"),
            (401, "auth_needed: the server does not accept the token"),
            (403, "auth_needed: the token lacks a scope"),
            (404, "permanent: the server knows no such thing"),
            (408, "unknown, outage false"),
            (410, "permanent"),
            (413, "permanent: the server finds the media too large"),
            (422, "permanent: the server refused it; it says \"why\""),
            (429, "wait until 2026-12-01T00:01:00Z"),
            (500, "unknown, outage true"),
            (502, "unknown, outage true"),
            (503, "unknown, outage true"),
            (504, "unknown, outage true"),
        ];
        for (status, meaning) in table {
            let found = said(status, &[]);
            assert!(found.starts_with(meaning), "{status}: {found}");
        }
    }

    #[test]
    fn t29_the_wait_is_an_instant_by_the_servers_clock() {
        let headers =
            [("date", "Tue, 01 Dec 2026 00:10:00 GMT"), ("x-ratelimit-reset", "2026-12-01T00:12:30.000000Z")];
        assert_eq!(said(429, &headers), "wait until 2026-12-01T00:02:30Z");
    }
}
