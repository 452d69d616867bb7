//! Alerts: told by the run in which it happened, to channels of every kind, with the words of others as they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::site::{Said, Site, post};
use crate::webhook::{Arrival, SECRET, serve};

/// What a hostile platform says, with what it was sent.
const HOSTILE: &str = "<!channel> @everyone **b** <script>x</script> [a](https://b.example)";

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

/// A hook for posts, and three channels that alerts go to.
fn site(port: u16, alerts: &str) -> Site {
    let config = format!(
        "[channels.hook]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/in\"\nsecret = {{ env = \"HOOK\" }}\n\
         [channels.ops]\ntype = \"feed\"\npath = \"ops.xml\"\nlink = \"https://example.org/\"\ntemplate = \"{{{{ title }}}}\"\n\
         [channels.pages]\ntype = \"archive\"\npath = \"pages\"\n\
         {alerts}"
    );
    let site = Site::new(&config).with("HOOK", SECRET);
    site.write("a.md", post("title: A", "Text for the hook."));
    site
}

const OPS: &str = "[[alerts]]\nname = \"ops\"\nchannel = \"ops\"\n";
const PAGES: &str = "[[alerts]]\nname = \"pages\"\nchannel = \"pages\"\n";

/// The jobs that carry alerts on a channel, oldest first.
fn alerts(site: &Site, channel: &str) -> Vec<Value> {
    let mut jobs = site.jobs();
    jobs.retain(|job| job["kind"] == "alert.message" && job["queue"] == channel);
    jobs.reverse();
    jobs
}

fn titles(site: &Site, channel: &str) -> Vec<String> {
    alerts(site, channel).iter().map(|job| site.payload(job)["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_run_delivers_the_alert_of_its_own_dead_job_before_it_ends() {
    let (port, _arrivals) =
        serve(|_, arrival| answer("422 No", &format!("{HOSTILE} {}", arrival.headers["webhook-signature"])));
    let site = site(port, &format!("{OPS}{PAGES}"));
    let said = site.publish(&["a.md"]);
    assert_eq!(
        (said.code, said.total("dead"), said.total("new"), said.total("done")),
        (3, 1, 1, 0),
        "{said:?}"
    );
    assert!(said.stderr.contains("alert ops: 1 job of hook is dead\n"), "{said:?}");
    assert!(said.stderr.ends_with("1 dead: onceward dead list\n"), "{said:?}");
    for channel in ["ops", "pages"] {
        let jobs = alerts(&site, channel);
        assert_eq!((jobs.len(), &jobs[0]["state"]), (1, &"done".into()), "{jobs:?}");
        let payload = site.payload(&jobs[0]);
        let text = payload["text"].as_str().unwrap();
        assert!(text.contains("http_422 ×1") && text.contains(HOSTILE), "{text}");
        assert!(text.contains("onceward dead groups --queue hook"), "{text}");
        assert!(!payload.to_string().contains("v1,"), "the signature is no secret any more: {text}");
    }
    let (feed, page) = (site.read("ops.xml"), page(&site));
    assert!(feed.contains("<title>1 job of hook is dead</title>"), "{feed}");
    for shown in [&feed, &page] {
        assert!(
            !shown.contains("<script") && !shown.contains("<strong>b") && !shown.contains("<!channel>"),
            "{shown}"
        );
    }
    assert!(
        page.contains(
            "&lt;!channel&gt; @\u{200B}everyone **b** &lt;script&gt;x&lt;/script&gt; [a](https://b.example)"
        ),
        "{page}"
    );
    // The same again is no news.
    let again = site.publish(&["a.md"]);
    assert_eq!((again.code, alerts(&site, "ops").len()), (3, 1), "{again:?}");
}

/// The page of the first alert.
fn page(site: &Site) -> String {
    let names = std::fs::read_dir(site.path("pages")).unwrap().map(|it| it.unwrap().file_name());
    let name = names.map(|it| it.into_string().unwrap()).find(|it| it.starts_with("alert")).unwrap();
    site.read(&format!("pages/{name}"))
}

#[test]
fn a_webhook_is_told_that_it_is_an_alert() {
    let (port, arrivals) =
        serve(|n, _| if n == 0 { answer("422 No", HOSTILE) } else { answer("204 OK", "") });
    let config = format!(
        "[channels.told]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:{port}/alert\"\nsecret = {{ env = \"HOOK\" }}\n\
         [[alerts]]\nname = \"told\"\nchannel = \"told\"\n"
    );
    let site = site(port, &config);
    assert_eq!(site.publish(&["a.md", "--to", "hook"]).code, 3);
    let body = |arrival: Arrival| serde_json::from_slice::<Value>(&arrival.body).unwrap();
    assert_eq!(body(arrivals.recv().unwrap())["type"], "content.published");
    let alert = body(arrivals.recv().unwrap());
    assert_eq!((&alert["type"], &alert["data"]["id"]), (&"alert.message".into(), &"alert/told/1".into()));
    assert_eq!(alert["data"]["title"], "1 job of hook is dead");
    assert!(alert["data"]["text"].as_str().unwrap().contains(&HOSTILE.replace('@', "@\u{200B}")), "{alert}");
    assert!(!alert["data"]["html"].as_str().unwrap().contains("<script"), "{alert}");
}

#[test]
fn a_revoked_token_is_one_alert_and_resume_drains_what_waits() {
    let revoked = Arc::new(AtomicBool::new(true));
    let (port, _arrivals) = serve({
        let revoked = revoked.clone();
        move |_, _| if revoked.load(Ordering::SeqCst) { answer("401 No", "") } else { answer("204 OK", "") }
    });
    let site = site(port, &format!("{OPS}every = \"1ms\"\n"));
    for name in ["b.md", "c.md", "d.md"] {
        site.write(name, post(&format!("title: {name}"), &format!("Text of {name}.")));
    }
    let files = ["a.md", "b.md", "c.md", "d.md", "--to", "hook", "--patience", "1s"];
    let refused = "hook does not accept our credentials, its jobs wait";
    for _ in 0..3 {
        let said = site.publish(&files);
        assert_eq!((said.code, said.total("pending"), said.total("dead")), (5, 4, 0), "{said:?}");
        assert_eq!(titles(&site, "ops"), [refused]);
    }
    let way = "renew its secret, then: onceward channels resume hook";
    for args in [&["status"][..], &["queues", "list"], &[&["publish"], &files[..]].concat()] {
        let said = site.run(args);
        assert!(said.stdout.contains(way), "{args:?}: {said:?}");
    }
    revoked.store(false, Ordering::SeqCst);
    assert_eq!(site.run(&["channels", "resume", "hook"]).code, 0);
    let said = site.publish(&files);
    assert_eq!((said.code, said.total("done")), (0, 4), "{said:?}");
    let titles = titles(&site, "ops");
    assert_eq!((titles.len(), titles[0].as_str()), (2, refused));
    assert!(titles[1].starts_with("Resolved: hook goes on, it waited since "), "{titles:?}");
}

#[test]
fn a_channel_that_only_alerts_use_gets_no_posts() {
    let (port, _arrivals) = serve(|_, _| answer("204 OK", ""));
    let said = site(port, &format!("{OPS}{PAGES}")).publish(&["a.md"]);
    assert_eq!((said.code, said.total("new"), said.total("done")), (0, 1, 1), "{said:?}");
}

#[test]
fn alerts_that_cannot_be_delivered_hold_up_nothing_and_change_no_exit_code() {
    let (port, _arrivals) = serve(|_, _| answer("422 No", ""));
    let down = "[channels.down]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:1/in\"\nsecret = { env = \"HOOK\" }\n\
                [[alerts]]\nname = \"down\"\nchannel = \"down\"\n\
                [channels.mute]\ntype = \"webhook\"\nurl = \"http://127.0.0.1:1/in\"\nsecret = { env = \"NOT_SET\" }\n\
                [[alerts]]\nname = \"mute\"\nchannel = \"mute\"\n";
    let site = site(port, down);
    let said = site.publish(&["a.md", "--to", "hook"]);
    assert_eq!((said.code, said.total("dead")), (3, 1), "{said:?}");
    for channel in ["down", "mute"] {
        let jobs = alerts(&site, channel);
        assert_eq!((jobs.len(), &jobs[0]["state"]), (1, &"pending".into()), "{jobs:?}");
    }
    // The message waits, and nothing is put behind it.
    site.publish(&["a.md", "--to", "hook"]);
    assert_eq!(alerts(&site, "down").len(), 1);
}

#[test]
fn a_worker_until_idle_tells_before_it_ends() {
    let (port, _arrivals) = serve(|_, _| answer("422 No", ""));
    let site = site(port, OPS);
    assert_eq!(site.publish(&["a.md", "--to", "hook", "--enqueue-only"]).code, 5);
    assert!(alerts(&site, "ops").is_empty());
    let said = site.run(&["work", "--until-idle"]);
    assert_eq!((said.code, said.stdout.as_str()), (3, "1 done, 1 failed for good\n"), "{said:?}");
    assert_eq!(titles(&site, "ops"), ["1 job of hook is dead"]);
}

fn item(said: &Said, name: &str) -> Value {
    let items = said.document()["items"].as_array().unwrap().clone();
    items.into_iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{said:?}"))
}

#[test]
fn a_test_says_whether_messages_arrive() {
    let (port, _arrivals) = serve(|_, _| answer("410 Gone", ""));
    let gone = format!(
        "{OPS}[[alerts]]\nname = \"gone\"\nchannel = \"hook\"\non = [\"dead\", \"missed\"]\nonly = {{ channels = [\"pages\"] }}\n"
    );
    let site = site(port, &gone);
    let said = site.run(&["alerts", "test", "--json"]);
    assert_eq!(said.code, 3, "{said:?}");
    let (fine, gone) = (item(&said, "ops"), item(&said, "gone"));
    assert_eq!(
        (&fine["state"], &fine["channel"], &fine["note"]),
        (&"done".into(), &"ops".into(), &Value::Null)
    );
    assert!(fine["url"].as_str().unwrap().starts_with("file:///"), "{fine}");
    assert_eq!(gone["state"], "dead");
    assert!(gone["note"].as_str().unwrap().contains("closed this address"), "{gone}");
    let one = site.run(&["alerts", "test", "ops"]);
    assert_eq!(one.code, 0, "{one:?}");
    assert!(site.read("ops.xml").contains("A test of alert ops"));
    let mistyped = site.run(&["alerts", "test", "opps"]);
    assert_eq!(mistyped.code, 2);
    assert!(mistyped.stderr.contains("did you mean `ops`?"), "{mistyped:?}");
    // A dead test is no news, and a rule that was tested has told nothing.
    let listed = site.run(&["alerts", "list", "--json"]);
    let ops = item(&listed, "ops");
    assert_eq!(
        (&ops["messages"], &ops["told_at"], &ops["open"]),
        (&0.into(), &Value::Null, &Value::Array(vec![]))
    );
    assert_eq!((&ops["every"], &ops["only"]), (&"10m".into(), &Value::Null));
    assert_eq!(item(&listed, "gone")["on"], serde_json::json!(["dead", "missed"]));
    let table = site.run(&["alerts", "list"]).stdout;
    assert!(table.contains("ops") && table.contains("nothing to tell"), "{table}");
}
