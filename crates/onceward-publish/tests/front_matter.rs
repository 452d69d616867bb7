//! Splitting a file, and reading YAML and TOML into one model with line numbers.

use onceward_publish::front_matter::{Format, MAX_FILE, Node, Table, Value, read, split};
use proptest::prelude::*;

fn table(text: &str) -> Table {
    read(text.as_bytes()).unwrap().0
}

fn node<'a>(table: &'a Table, key: &str) -> &'a Node {
    &table.iter().find(|entry| entry.key == key).unwrap().node
}

fn fault(text: &str) -> (Option<u32>, &'static str) {
    let fault = read(text.as_bytes()).unwrap_err();
    (fault.line, fault.code)
}

#[test]
fn both_languages_give_the_same_table() {
    let yaml = table("---\ntitle: A\ntags: [a, b]\ndraft: false\nnested: {n: 3}\n---\n");
    let toml = table("+++\ntitle = \"A\"\ntags = [\"a\", \"b\"]\ndraft = false\nnested = {n = 3}\n+++\n");
    let plain = |table: &Table| {
        table.iter().map(|e| (e.key.clone(), e.line, e.node.value.to_json())).collect::<Vec<_>>()
    };
    assert_eq!(plain(&yaml), plain(&toml));
}

#[test]
fn lines_are_those_of_the_file() {
    let yaml = "---\n# a remark\ntitle: A\n\nmedia:\n  - path: a.png\n  - path: b.png\n---\nbody";
    let (table, parts) = read(yaml.as_bytes()).unwrap();
    assert_eq!(table.iter().map(|e| e.line).collect::<Vec<_>>(), [3, 5]);
    let Value::List(items) = &node(&table, "media").value else { panic!("a list was written") };
    assert_eq!(items.iter().map(|item| item.line).collect::<Vec<_>>(), [6, 7]);
    assert_eq!((parts.body, parts.body_line), ("body", 9));
    let (table, parts) = read(b"+++\n\na = 1\n[t]\nb = 2\n+++\n\nbody\n").unwrap();
    let Value::Table(inner) = &node(&table, "t").value else { panic!("a table was written") };
    assert_eq!((table[0].line, inner[0].line, parts.body, parts.body_line), (3, 5, "\nbody\n", 7));
}

#[test]
fn a_byte_order_mark_and_crlf_are_fine() {
    let (table, parts) = read("\u{feff}---\r\ntitle: A\r\nlink: B\r\n---\r\nbody\r\n".as_bytes()).unwrap();
    assert_eq!(node(&table, "title").value, Value::Text("A".into()));
    assert_eq!(node(&table, "link").line, 3);
    assert_eq!((parts.format, parts.body, parts.body_line), (Format::Yaml, "body\r\n", 5));
    let (table, _) = read(b"+++\r\ntitle = \"A\"\r\n+++\r\n").unwrap();
    assert_eq!(node(&table, "title").value, Value::Text("A".into()));
}

#[test]
fn numbers_and_dates_keep_their_spelling() {
    let yaml = table("---\na: 1.10\nb: 007\nc: 1_000\nd: 2026-12-01 09:00:00\ne: 1e3\nf: 2026-12-01\n---\n");
    let shown: Vec<_> = yaml.iter().map(|entry| entry.node.value.to_json().to_string()).collect();
    assert_eq!(node(&yaml, "a").value, Value::Number("1.10".into()));
    assert_eq!(&shown[1..4], ["\"007\"", "\"1_000\"", "\"2026-12-01 09:00:00\""]);
    assert_eq!(node(&yaml, "e").value, Value::Number("1e3".into()));
    assert_eq!(node(&yaml, "f").value, Value::Text("2026-12-01".into()));
    let toml = table("+++\na = 1.10\nd = 2026-12-01 09:00:00\nl = 2026-12-01\n+++\n");
    assert_eq!(node(&toml, "a").value, Value::Number("1.10".into()));
    assert_eq!(node(&toml, "d").value, Value::Date("2026-12-01T09:00:00".into()));
    assert_eq!(node(&toml, "l").value, Value::Date("2026-12-01".into()));
}

#[test]
fn yaml_1_1_booleans_are_text() {
    let yaml = table("---\na: yes\nb: no\nc: on\nd: true\ne: ~\n---\n");
    assert_eq!(node(&yaml, "a").value, Value::Text("yes".into()));
    assert_eq!(node(&yaml, "b").value, Value::Text("no".into()));
    assert_eq!(node(&yaml, "c").value, Value::Text("on".into()));
    assert_eq!(node(&yaml, "d").value, Value::Bool(true));
    assert_eq!(node(&yaml, "e").value, Value::Null);
}

#[test]
fn faults_name_their_line() {
    let table = [
        ("", Some(1), "no_front_matter"),
        ("# A README\n", Some(1), "no_front_matter"),
        (" ---\na: 1\n---\n", Some(1), "no_front_matter"),
        ("----\na: 1\n---\n", Some(1), "no_front_matter"),
        ("---\ntitle: A\n", Some(1), "front_matter_open"),
        ("---\ntitle: A\n+++\n", Some(1), "front_matter_open"),
        ("---\n- a\n- b\n---\n", Some(2), "front_matter_unreadable"),
        ("---\ntitle: A\ntags: [a, b\n---\n", Some(4), "front_matter_unreadable"),
        ("---\ntitle: A\ntitle: B\n---\n", Some(3), "front_matter_unreadable"),
        ("+++\ntitle = \"A\"\ntags = oops\n+++\n", Some(3), "front_matter_unreadable"),
        ("+++\ntitle = \"A\"\ntitle = \"B\"\n+++\n", Some(3), "front_matter_unreadable"),
    ];
    for (text, line, code) in table {
        let found = fault(text);
        // Where a bracket is open, the end of the front matter is as right a place as the line of the bracket.
        let near =
            code == "front_matter_unreadable" && found.0.zip(line).is_some_and(|(a, b)| a.abs_diff(b) <= 1);
        assert!(found.1 == code && (found.0 == line || near), "{text:?}: {found:?}");
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_refused_with_its_line() {
    let fault = read(b"---\ntitle: A\n---\nab\xffcd").unwrap_err();
    assert_eq!((fault.line, fault.code), (Some(4), "file_not_utf8"));
}

#[test]
fn size_and_depth_are_limited() {
    let large = format!("---\n---\n{}", "a".repeat(MAX_FILE));
    assert_eq!(fault(&large).1, "file_too_large");
    for deep in [40, 63] {
        assert!(
            read(format!("---\na: {}{}\n---\n", "[".repeat(deep), "]".repeat(deep)).as_bytes()).is_ok(),
            "{deep}"
        );
        assert!(
            read(format!("+++\na = {}{}\n+++\n", "[".repeat(deep), "]".repeat(deep)).as_bytes()).is_ok(),
            "{deep}"
        );
    }
    for deep in [66, 1000, 100_000] {
        let yaml = format!("---\na: {}{}\n---\n", "[".repeat(deep), "]".repeat(deep));
        let toml = format!("+++\na = {}{}\n+++\n", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(fault(&yaml).1, "front_matter_unreadable", "{deep}");
        assert_eq!(fault(&toml).1, "front_matter_unreadable", "{deep}");
    }
}

#[test]
fn a_yaml_alias_may_be_used_but_not_as_a_bomb() {
    let kind = table("---\na: &x [1, 2]\nb: *x\n---\n");
    assert_eq!(node(&kind, "b").value.to_json(), serde_json::json!([1, 2]));
    let mut bomb = "---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        let line = vec![below; 9].join(", ");
        bomb = format!("{bomb}a{level}: &a{level} [{line}]\n");
    }
    bomb.push_str("---\n");
    assert_eq!(fault(&bomb).1, "front_matter_unreadable");
}

proptest! {
    #[test]
    fn the_splitter_never_panics(text in any::<String>(), fence in "(---|\\+\\+\\+)") {
        let _ = split(&text);
        let _ = read(text.as_bytes());
        let _ = read(format!("{fence}\n{text}\n{fence}\n{text}").as_bytes());
    }

    #[test]
    fn the_body_is_kept_byte_for_byte(body in "\\PC*|[\\x00-\\x7f]*", crlf in any::<bool>(), bom in any::<bool>()) {
        let end = if crlf { "\r\n" } else { "\n" };
        let bom = if bom { "\u{feff}" } else { "" };
        for fence in ["---", "+++"] {
            let text = format!("{bom}{fence}{end}{end}{fence}{end}{body}");
            let parts = split(&text).unwrap();
            prop_assert_eq!(parts.body, body.as_str());
            prop_assert_eq!(parts.body_line, 4);
        }
    }

    #[test]
    fn random_yaml_and_toml_never_panic(matter in "[a-z0-9:=\\[\\]{}&*\"'|>,.#! \n-]{0,200}") {
        let _ = read(format!("---\n{matter}\n---\n").as_bytes());
        let _ = read(format!("+++\n{matter}\n+++\n").as_bytes());
    }
}
