//! Feeds and archives: the first run delivers, the second one leaves everything as it is.

use crate::site::{FEEDS, Site, post};

fn items(site: &Site) -> Vec<String> {
    let feed: serde_json::Value = serde_json::from_str(&site.read("public/feed.json")).unwrap();
    let items = feed["items"].as_array().unwrap();
    items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn two() -> Site {
    let site = Site::new(FEEDS);
    site.write("posts/one.md", post("title: One", "The *first* text."));
    site.write("posts/two.md", post("id: zwei\ntitle: Two\nlink: https://example.org/two", "The second."));
    site
}

#[test]
fn a_first_run_delivers_to_every_channel() {
    let site = two();
    let said = site.publish(&["posts/one.md", "posts/two.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!((said.total("new"), said.total("done"), said.total("skipped")), (6, 6, 0));
    let job = said.job("posts/one", "rss");
    assert_eq!(
        (&job["state"], &job["enqueued"], &job["attempts"]),
        (&"done".into(), &"new".into(), &1.into())
    );
    assert!(job["url"].as_str().unwrap().ends_with("/public/feed.xml"), "{job}");
    let mut titles = items(&site);
    titles.sort();
    assert_eq!(titles, ["One", "Two"]);
    let rss = site.read("public/feed.xml");
    assert_eq!(rss.matches("<item>").count(), 2, "{rss}");
    assert!(rss.contains("The &lt;em&gt;first&lt;/em&gt; text."), "{rss}");
    assert!(site.read("public/posts/zwei.html").contains("The second."));
    assert!(site.read("public/posts/index.html").contains("zwei.html"));
}

#[test]
fn a_second_run_skips_everything_and_touches_no_file() {
    let site = two();
    assert_eq!(site.publish(&["posts/one.md", "posts/two.md"]).code, 0);
    let files = ["public/feed.xml", "public/feed.json", "public/posts/index.html", "public/posts/zwei.html"];
    let stamp =
        |name: &&str| (site.read(name), std::fs::metadata(site.path(name)).unwrap().modified().unwrap());
    let before: Vec<_> = files.iter().map(stamp).collect();
    let said = site.publish(&["posts/one.md", "posts/two.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!((said.total("new"), said.total("skipped"), said.total("done")), (0, 6, 6));
    let job = said.job("zwei", "archive");
    assert_eq!(
        (&job["enqueued"], &job["changed"], &job["state"]),
        (&"skipped".into(), &false.into(), &"done".into())
    );
    assert!(job["url"].as_str().unwrap().ends_with("/public/posts/zwei.html"), "{job}");
    assert!(before == files.iter().map(stamp).collect::<Vec<_>>());
    assert_eq!(site.jobs().len(), 6);
}

#[test]
fn one_more_post_joins_those_that_are_there() {
    let site = two();
    site.publish(&["posts/one.md"]);
    let said = site.publish(&["posts/one.md", "posts/two.md"]);
    assert_eq!((said.total("new"), said.total("skipped"), said.code), (3, 3, 0));
    assert_eq!(items(&site), ["Two", "One"]);
}

#[test]
fn two_runs_at_once_send_each_post_once() {
    let site = two();
    for n in 0..6 {
        site.write(&format!("posts/n{n}.md"), post(&format!("title: N{n}"), &format!("Text {n}.")));
    }
    let files: Vec<String> = (0..6).map(|n| format!("posts/n{n}.md")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    // Made and migrated before: what is tested is publishing.
    site.publish(&["posts/one.md"]);
    let said = std::thread::scope(|scope| {
        let runs = [scope.spawn(|| site.publish(&files)), scope.spawn(|| site.publish(&files))];
        runs.map(|run| run.join().unwrap())
    });
    assert_eq!(said[0].total("new") + said[1].total("new"), 18, "{said:?}");
    assert!(said.iter().all(|it| it.code == 0 && it.total("done") == 18), "{said:?}");
    assert_eq!(items(&site).len(), 7);
    assert!(site.jobs().iter().all(|job| job["state"] == "done"));
}

#[test]
fn pictures_travel_with_their_post() {
    let site = Site::new(FEEDS);
    let png = include_bytes!("../../../../examples/posts/beacon.png");
    site.write("posts/beacon.png", png);
    site.write("posts/light.md", post("title: Light", "![A light](./beacon.png)"));
    assert_eq!(site.publish(&["posts/light.md"]).code, 0);
    let feed: serde_json::Value = serde_json::from_str(&site.read("public/feed.json")).unwrap();
    let url = feed["items"][0]["image"].as_str().unwrap();
    let name = url.strip_prefix("https://example.org/").unwrap();
    assert_eq!(std::fs::read(site.path("public").join(name)).unwrap(), png);
    assert!(feed["items"][0]["content_html"].as_str().unwrap().contains(url), "{feed}");
    let page = site.read(&page_of(&site, "light"));
    assert_eq!(page.matches("<img").count(), 1, "{page}");
    assert_eq!(std::fs::read(site.path("public/posts").join(name)).unwrap(), png);
}

#[test]
fn what_was_deleted_is_made_again_with_its_pictures() {
    let site = Site::new(FEEDS);
    site.write("posts/beacon.png", include_bytes!("../../../../examples/posts/beacon.png"));
    site.write("posts/light.md", post("title: Light", "![A light](./beacon.png)"));
    site.publish(&["posts/light.md"]);
    let files = || {
        let mut found: Vec<_> =
            walk(&site.path("public")).into_iter().map(|it| (std::fs::read(&it).unwrap(), it)).collect();
        found.sort();
        found
    };
    let before = files();
    std::fs::remove_dir_all(site.path("public")).unwrap();
    let said = site.publish(&["posts/light.md"]);
    assert_eq!((said.code, said.total("skipped")), (0, 3), "{said:?}");
    assert_eq!(files(), before);
    std::fs::remove_dir_all(site.path("public")).unwrap();
    site.write("posts/next.md", post("title: Next", "Text."));
    site.publish(&["posts/next.md"]);
    let media = |folder: &str| std::fs::read_dir(site.path(folder)).map_or(0, Iterator::count);
    assert_eq!((media("public/media"), media("public/posts/media")), (1, 1), "pictures of older posts");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn page_of(site: &Site, word: &str) -> String {
    let mut names = std::fs::read_dir(site.path("public/posts")).unwrap().map(|it| it.unwrap().file_name());
    let name = names.find(|name| name.to_string_lossy().contains(word)).unwrap();
    format!("public/posts/{}", name.to_string_lossy())
}

#[test]
fn a_new_store_is_named_once_by_its_full_path() {
    let site = two();
    let first = site.publish(&["posts/one.md"]);
    let path = site.path("onceward.db").canonicalize().unwrap().display().to_string();
    assert_eq!(first.stderr.matches(&path).count(), 1, "{first:?}");
    let second = site.publish(&["posts/one.md"]);
    assert_eq!(second.stderr, "", "{second:?}");
}

#[test]
fn people_get_a_table_with_a_word_and_a_shape_for_each_state() {
    let site = two();
    let first = site.run(&["publish", "posts/one.md"]);
    assert!(first.stdout.contains("● Done") && first.stdout.contains("3 new · 3 done"), "{first:?}");
    let second = site.run(&["publish", "posts/one.md"]);
    assert!(second.stdout.contains("⦸ Skipped") && second.stdout.contains("already done"), "{second:?}");
}

#[test]
fn a_file_of_somebody_else_is_never_written_over() {
    let site = two();
    site.write("public/feed.json", "{\"mine\": true}");
    site.write("public/posts/index.html", "<h1>My site</h1>");
    let said = site.publish(&["posts/one.md"]);
    assert_eq!((said.code, said.total("done"), said.total("dead")), (3, 1, 2), "{said:?}");
    for (channel, file, text) in [
        ("json", "public/feed.json", "{\"mine\": true}"),
        ("archive", "public/posts/index.html", "<h1>My site</h1>"),
    ] {
        let error = said.job("posts/one", channel)["error"].clone();
        assert_eq!(error["code"], "not_ours", "{error}");
        let says = error["text"].as_str().unwrap();
        assert!(says.contains(file) && says.contains("move it away"), "{error}");
        assert_eq!(site.read(file), text);
        std::fs::remove_file(site.path(file)).unwrap();
    }
    let pages = std::fs::read_dir(site.path("public/posts")).unwrap().count();
    assert_eq!(pages, 0, "no page stands beside an index that is not theirs");
    let said = site.publish(&["posts/one.md", "--revive"]);
    assert_eq!((said.code, said.total("done")), (0, 3), "{said:?}");
}

#[test]
fn files_are_not_made_again_over_those_of_somebody_else() {
    let site = two();
    assert_eq!(site.publish(&["posts/two.md"]).code, 0);
    std::fs::remove_file(site.path("public/posts/zwei.html")).unwrap();
    site.write("public/posts/index.html", "<h1>My site</h1>");
    let said = site.publish(&["posts/two.md"]);
    assert_eq!((said.code, &said.document()["error"]["code"]), (1, &"not_ours".into()), "{said:?}");
    assert_eq!(site.read("public/posts/index.html"), "<h1>My site</h1>");
}

#[test]
fn not_even_a_store_that_the_configuration_does_not_name_is_written_over() {
    let site = Site::new(FEEDS).with("ONCEWARD_STORE", "sqlite://public/feed.json");
    site.write("public/keep", "");
    site.write("a.md", post("title: A\nchannels: [json]", "Text."));
    let said = site.publish(&["a.md"]);
    assert_eq!(said.job("a", "json")["error"]["code"], "not_ours", "{said:?}");
    assert_eq!(site.jobs().len(), 1, "the store is there");
}
