//! What Postfix itself says, and what it hands on.

use crate::lane::{Lane, Ran, Trouble};
use crate::postfix::Postfix;

async fn published(lane: &Lane, name: &str) -> Ran {
    let file = lane.post(name);
    lane.publish(&[file], Trouble::Nothing, None).await
}

/// A recipient of this run alone.
fn somebody(name: &str) -> String {
    format!("{name}-{}@box.test", std::process::id())
}

#[tokio::test]
async fn a_mail_arrives_as_it_was_written() {
    let postfix = Postfix::running();
    let lane = Lane::plain(postfix.plain, &somebody("whole"));
    let title = "우리는 살아 있습니다, 그리고 이 제목은 한 줄보다 깁니다: café 🎉";
    let text = format!(
        "---\ntitle: \"{title}\"\nlink: https://example.org/\n---\nHello **world**, 안녕.\n\n.\n\n..dots\n"
    );
    lane.write("whole.md", text);
    let ran = lane.publish(&["whole.md".to_owned()], Trouble::Nothing, None).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [mail] = &postfix.mails(&lane.to).await[..] else { panic!("not one mail") };
    assert!(mail.subject.starts_with("=?utf-8?b?"), "{}", mail.whole);
    for line in ["..dots", "Hello <strong>world</strong>, =EC=95=88=EB=85=95.", "https://example.org/"] {
        assert!(mail.whole.contains(line), "{line}\nin\n{}", mail.whole);
    }
    assert!(!mail.whole.contains("\n...dots"), "the doubled dot was taken away again: {}", mail.whole);
}

#[tokio::test]
async fn each_refusal_of_postfix_is_told_and_counts_as_what_it_is() {
    let postfix = Postfix::running();
    for (to, state, code) in [
        ("gone@box.test", "dead", "smtp_550"),
        ("drop@box.test", "dead", "smtp_521"),
        ("somebody@elsewhere.example", "dead", "smtp_554"),
        ("grey@box.test", "dead", "smtp_450"),
        ("full@box.test", "dead", "smtp_452"),
    ] {
        let lane = Lane::plain(postfix.plain, to);
        let ran = published(&lane, "refused").await;
        let job = ran.job();
        assert_eq!((&job["state"], &job["error"]["code"]), (&state.into(), &code.into()), "{to}: {ran:?}");
        let tries = if code.starts_with("smtp_4") { 10 } else { 1 };
        assert_eq!(job["attempts"], tries, "{to}: later for what may pass, never for what stays: {ran:?}");
    }
}

#[tokio::test]
async fn a_mail_that_is_too_large_is_refused_before_it_is_sent() {
    let postfix = Postfix::running();
    let lane = Lane::plain(postfix.plain, &somebody("large"));
    lane.write("large.md", format!("---\ntitle: Large\n---\n{}\n", "Text. ".repeat(40_000)));
    let ran = lane.publish(&["large.md".to_owned()], Trouble::Nothing, None).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(ran.document()["refused"][0]["code"], "mail_too_large", "Postfix was asked: {ran:?}");
    assert_eq!(postfix.mails(&lane.to).await, []);
}

#[tokio::test]
async fn tls_from_the_start_is_used_where_the_certificate_is_known_and_nothing_is_sent_where_not() {
    let postfix = Postfix::running();
    let smtps = format!("smtps://{}", postfix.tls);
    let trusting = Lane::new(&smtps, &somebody("tls")).trusting(&postfix.certificate());
    let ran = published(&trusting, "secure").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [mail] = &postfix.mails(&trusting.to).await[..] else { panic!("not one mail") };
    assert!(mail.whole.contains("with ESMTPS id"), "{}", mail.whole);

    let strange = Lane::new(&smtps, &somebody("strange"));
    let ran = strange.run(&["channels", "check"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("no secure connection"), "{ran:?}");
}

#[tokio::test]
async fn a_login_goes_through_starttls_and_a_wrong_password_is_never_shown() {
    let postfix = Postfix::running();
    let smtp = format!("smtp://reader@mx.test@{}", postfix.login).replace("127.0.0.1", "localhost");
    let lane = Lane::new(&smtp, &somebody("login")).trusting(&postfix.certificate());
    let ran = published(&lane, "logged-in").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(postfix.mails(&lane.to).await.len(), 1);
    let ran = lane.run(&["channels", "check"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");

    let other = smtp.replace("reader@", "stranger@");
    let lane = Lane::new(&other, &somebody("stranger")).trusting(&postfix.certificate());
    let ran = lane.run(&["channels", "check", "--json"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("smtp_535") && !said.contains("s3cret"), "{said}");
    assert_eq!(postfix.mails(&lane.to).await, []);
}
