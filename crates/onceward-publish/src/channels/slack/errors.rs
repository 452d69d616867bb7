//! What Slack's refusals mean, by its own codes.
//!
//! A code that is not here says nothing about whether the message was sent: go and look.

use crate::channels::answer::{Means, Row};

/// The codes of the Web API; the status is 200 for nearly all of them.
pub(super) const ERRORS: &[Row] = &[
    Row::code("ratelimited", Means::TooMany, "Slack asks to slow down"),
    Row::code("rate_limited", Means::TooMany, "Slack asks to slow down"),
    Row::code(
        "message_limit_exceeded",
        Means::TooMany,
        "this workspace has sent as many messages as its plan allows",
    ),
    Row::code("invalid_auth", Means::Auth, TOKEN),
    Row::code("not_authed", Means::Auth, TOKEN),
    Row::code("account_inactive", Means::Auth, TOKEN),
    Row::code("token_revoked", Means::Auth, TOKEN),
    Row::code("token_expired", Means::Auth, TOKEN),
    Row::code("not_allowed_token_type", Means::Auth, TOKEN),
    Row::code("metadata_must_be_sent_from_app", Means::Auth, TOKEN),
    Row::code(
        "missing_scope",
        Means::Barred,
        "the app lacks a scope; add it, install the app again, set the new `token`",
    ),
    Row::code("no_permission", Means::Barred, POLICY),
    Row::code("access_denied", Means::Barred, POLICY),
    Row::code("accesslimited", Means::Barred, POLICY),
    Row::code("ekm_access_denied", Means::Barred, POLICY),
    Row::code("enterprise_is_restricted", Means::Barred, POLICY),
    Row::code("team_access_not_granted", Means::Barred, POLICY),
    Row::code("two_factor_setup_required", Means::Barred, POLICY),
    Row::code("restricted_action", Means::Barred, POLICY),
    Row::code("restricted_action_read_only_channel", Means::Barred, POLICY),
    Row::code("restricted_action_thread_only_channel", Means::Barred, POLICY),
    Row::code("file_uploads_disabled", Means::Barred, POLICY),
    Row::code("storage_limit_reached", Means::Barred, "the workspace has no room for files"),
    Row::code(
        "channel_not_found",
        Means::Barred,
        "Slack knows no such room, or the bot may not see it; correct `room`",
    ),
    Row::code("not_in_channel", Means::Barred, "the bot is not in the room; invite it there with /invite"),
    Row::code("is_archived", Means::Barred, "the room is archived; bring it back, or change `room`"),
    Row::code(
        "messages_tab_disabled",
        Means::Barred,
        "the app takes no direct messages; turn on its messages tab",
    ),
    Row::code("unknown_method", Means::Auth, ELSEWHERE),
    Row::code("org_login_required", Means::Later, MOVING),
    Row::code("team_added_to_org", Means::Later, MOVING),
    Row::code("msg_too_long", Means::Refused, "the text is too long for Slack"),
    Row::code("msg_blocks_too_long", Means::Refused, "the text is too long for Slack"),
    Row::code("no_text", Means::Refused, "there is nothing to say"),
    // Only messages with pictures have blocks: a picture is worked on for some seconds before it can be shown.
    Row::code("invalid_blocks", Means::Later, "Slack does not take the pictures, perhaps not yet"),
    Row::code("missing_file_data", Means::Later, "Slack does not take the pictures, perhaps not yet"),
    Row::code("invalid_blocks_format", Means::Refused, OURS),
    Row::code("invalid_metadata_format", Means::Refused, OURS),
    Row::code("invalid_metadata_schema", Means::Refused, OURS),
    Row::code("metadata_too_large", Means::Refused, OURS),
    Row::code("invalid_arguments", Means::Refused, OURS),
    Row::code("invalid_arg_name", Means::Refused, OURS),
    Row::code("invalid_json", Means::Refused, OURS),
    Row::code("json_not_object", Means::Refused, OURS),
    Row::code("cannot_reply_to_message", Means::Refused, THREAD),
    Row::code("thread_not_found", Means::Refused, THREAD),
    Row::code("restricted_action_thread_locked", Means::Refused, THREAD),
    Row::code("restricted_action_non_threadable_channel", Means::Refused, THREAD),
    Row::code("file_type_not_allowed", Means::Refused, "the workspace takes no files of this type"),
    Row::code("file_upload_size_restricted", Means::Refused, "the picture is too large for the workspace"),
    // Slack's own words: some of it may have happened.
    Row::code("internal_error", Means::Unclear, BROKEN),
    Row::code("fatal_error", Means::Unclear, BROKEN),
    Row::code("service_unavailable", Means::Unclear, BROKEN),
    Row::code("request_timeout", Means::Unclear, BROKEN),
    // Whoever answers so has not even read the request.
    Row::status(301, Means::Auth, ELSEWHERE),
    Row::status(307, Means::Auth, ELSEWHERE),
    Row::status(308, Means::Auth, ELSEWHERE),
    Row::status(404, Means::Auth, ELSEWHERE),
];

const ELSEWHERE: &str = "this is not Slack's Web API; correct `api`";
const TOKEN: &str = "Slack does not accept the token; make a new one for the bot, and set `token`";
const POLICY: &str = "the workspace does not let the bot post there; ask its administrators";
const MOVING: &str = "the workspace is being moved to an organisation";
const OURS: &str = "Slack does not understand the request";
const THREAD: &str = "the message above does not take replies";
const BROKEN: &str = "Slack failed, perhaps after it took the message";

/// What an incoming webhook answers, as plain text beside a status.
pub(super) const WEBHOOK_ERRORS: &[Row] = &[
    Row::both(400, "invalid_token", Means::Auth, CLOSED),
    Row::both(400, "no_text", Means::Refused, "there is nothing to say"),
    Row::both(403, "invalid_token", Means::Auth, CLOSED),
    Row::both(403, "action_prohibited", Means::Auth, POLICY),
    Row::status(403, Means::Auth, CLOSED),
    Row::status(404, Means::Auth, CLOSED),
    Row::status(410, Means::Auth, "the room is archived; bring it back, or make a webhook for another"),
    Row::code("invalid_payload", Means::Refused, OURS),
];
const CLOSED: &str = "Slack knows no such webhook; make a new one, and set `webhook_url`";

/// Our words for a code of the table.
pub(super) fn text(code: &str) -> &'static str {
    ERRORS.iter().find(|row| row.code == code).map_or(BROKEN, |row| row.text)
}

#[cfg(test)]
mod tests {
    use onceward::{Failure, SendError, Time};
    use onceward_http::Response;

    use super::super::{api, webhook};

    fn named(error: SendError) -> String {
        match error {
            SendError::Refused(Failure::RateLimited { until, .. }) => format!("wait until {until}"),
            SendError::Refused(failure) => failure.class().to_owned(),
            SendError::Unknown(cause) => format!("unknown, outage {}", cause.outage),
            SendError::NotSent(_) => "not sent".to_owned(),
        }
    }

    fn now() -> Time {
        "2026-12-01T00:00:00Z".parse().unwrap()
    }

    fn bot(status: u16, headers: &[(&str, &str)], body: &str) -> String {
        api::read(&Response::new(status, headers, body), now()).map_or_else(named, |_| "accepted".to_owned())
    }

    #[test]
    fn each_code_means_one_thing_although_the_status_is_200() {
        let table = [
            ("transient", "org_login_required team_added_to_org invalid_blocks missing_file_data"),
            (
                "auth_needed",
                "invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type \
                 metadata_must_be_sent_from_app missing_scope no_permission access_denied accesslimited \
                 ekm_access_denied enterprise_is_restricted team_access_not_granted two_factor_setup_required \
                 restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel \
                 file_uploads_disabled storage_limit_reached channel_not_found not_in_channel is_archived \
                 messages_tab_disabled unknown_method",
            ),
            (
                "permanent",
                "msg_too_long msg_blocks_too_long no_text invalid_blocks_format invalid_metadata_format \
                 invalid_metadata_schema metadata_too_large invalid_arguments invalid_arg_name invalid_json \
                 json_not_object cannot_reply_to_message thread_not_found restricted_action_thread_locked \
                 restricted_action_non_threadable_channel file_type_not_allowed file_upload_size_restricted",
            ),
            (
                "unknown, outage false",
                "internal_error fatal_error service_unavailable request_timeout something_new",
            ),
            ("wait until 2026-12-01T00:01:00Z", "ratelimited rate_limited message_limit_exceeded"),
        ];
        let mut known = 0;
        for (means, codes) in table {
            for code in codes.split_whitespace() {
                let body = format!(r#"{{"ok":false,"error":"{code}"}}"#);
                assert_eq!(bot(200, &[], &body), means, "{code}");
                known += usize::from(code != "something_new");
            }
        }
        let coded = super::ERRORS.iter().filter(|row| !row.code.is_empty()).count();
        assert_eq!(known, coded, "a row of the table is not tested");
    }

    #[test]
    fn the_body_decides_and_not_the_status() {
        let table = [
            (200, r#"{"ok":true,"ts":"1.0"}"#, "accepted"),
            (200, r#"{"ok":false}"#, "unknown, outage false"),
            (200, "{}", "unknown, outage true"),
            (200, r#"{"ok":true,"ts""#, "unknown, outage true"),
            (200, "", "unknown, outage true"),
            (200, "<html>sign in</html>", "unknown, outage true"),
            (500, r#"{"ok":true,"ts":"1.0"}"#, "unknown, outage true"),
            (503, "upstream", "unknown, outage true"),
            (301, "", "auth_needed"),
            (302, "", "unknown, outage false"),
            (307, "", "auth_needed"),
            (308, "", "auth_needed"),
            (429, "", "wait until 2026-12-01T00:01:00Z"),
            (401, "", "auth_needed"),
            (404, "", "auth_needed"),
            (405, "", "permanent"),
        ];
        for (status, body, means) in table {
            assert_eq!(bot(status, &[], body), means, "{status} {body}");
        }
        let limited = (429, [("retry-after", "30")], r#"{"ok":false,"error":"ratelimited"}"#);
        assert_eq!(bot(limited.0, &limited.1, limited.2), "wait until 2026-12-01T00:00:30Z");
    }

    #[test]
    fn a_webhook_answers_in_plain_words() {
        let table = [
            (200, "ok", "accepted"),
            (200, "", "unknown, outage false"),
            (200, "<html>sign in</html>", "unknown, outage false"),
            (400, "invalid_payload", "permanent"),
            (400, "no_text", "permanent"),
            (400, "invalid_token", "auth_needed"),
            (403, "invalid_token", "auth_needed"),
            (403, "action_prohibited", "auth_needed"),
            (403, "something_new", "auth_needed"),
            (404, "no_service", "auth_needed"),
            (404, "channel_not_found", "auth_needed"),
            (410, "channel_is_archived", "auth_needed"),
            (429, "rate_limited", "wait until 2026-12-01T00:01:00Z"),
            (500, "rollup_error", "unknown, outage true"),
            (504, "", "unknown, outage true"),
        ];
        for (status, body, means) in table {
            let said = webhook::read(&Response::new(status, &[], body), now());
            assert_eq!(said.map_or_else(named, |()| "accepted".to_owned()), means, "{status} {body}");
        }
    }
}
