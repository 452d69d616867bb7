//! A channel's `template`, checked before any post is put into it.

use onceward_publish::template::{NAMES, unknown};

use super::problem::nearest;

/// What is wrong with it, if anything.
pub(super) fn wrong(template: &str) -> Option<String> {
    let names = match unknown(template) {
        Ok(names) => names,
        Err(error) => return Some(error.to_string()),
    };
    let name = names.first()?;
    let meant = nearest(name, NAMES).map(|best| format!("did you mean `{best}`? ")).unwrap_or_default();
    Some(format!("nothing is called `{name}`; {meant}a template knows {}", NAMES.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::config::tests::{config, mistakes};

    fn with(template: &str) -> String {
        format!(
            "[channels.rss]\ntype = \"feed\"\npath = \"feed.xml\"\nlink = \"https://a.example\"\ntemplate = \"{template}\"\n"
        )
    }

    #[test]
    fn a_name_that_a_template_does_not_know_is_refused_with_those_that_it_knows() {
        let known = "a template knows title, text, link, tags, id, channel";
        for (template, says) in [
            ("{{ titel }} {{ link }}", format!("nothing is called `titel`; did you mean `title`? {known}")),
            ("{% if title %}{{ summary }}{% endif %}", format!("nothing is called `summary`; {known}")),
        ] {
            assert_eq!(mistakes(&with(template)), [format!("5:12: `template` in [channels.rss]: {says}")]);
        }
        let found = mistakes(&with("{{ title"));
        assert!(found.len() == 1 && found[0].contains("syntax error"), "{found:?}");
        config(&with("{% if title %}{{ title }}{% endif %} {{ link }}"));
    }
}
