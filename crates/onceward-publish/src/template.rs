//! Templates of channels: which names they know. A name that nothing bears would fill in nothing, and a post without its
//! title would go out.

use minijinja::{Environment, Error, Template};

/// What a channel's `template` may name.
pub const NAMES: [&str; 6] = ["title", "text", "link", "tags", "id", "channel"];

/// The names in a channel's `template` that nothing bears, sorted.
///
/// # Errors
/// The template engine's, when it is no template.
pub fn unknown(template: &str) -> Result<Vec<String>, Error> {
    let mut templates = Environment::new();
    templates.add_template("template", template)?;
    Ok(strangers(&templates, &templates.get_template("template")?, &NAMES))
}

/// The same of any template, where `a.b` in `known` is the part `b` of `a`.
pub(crate) fn strangers(
    templates: &Environment<'_>,
    template: &Template<'_, '_>,
    known: &[&str],
) -> Vec<String> {
    let is_part =
        |part: &str, whole: &str| part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'));
    let is_same = |name: &str, known: &str| name == known || is_part(name, known) || is_part(known, name);
    let is_known = |name: &str| known.iter().copied().any(|known| is_same(name, known));
    let is_global = |name: &str| templates.globals().any(|(global, _)| is_same(name, global));
    let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
    names.retain(|name| !is_known(name) && !is_global(name));
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nothing_bears_is_found_wherever_it_stands() {
        for (template, expected) in [
            ("{{ titel }} {{ link }}", vec!["titel"]),
            ("{% if title %}{{ txt }}{% endif %}", vec!["txt"]),
            ("{{ post.title }}{{ summary }}", vec!["post.title", "summary"]),
        ] {
            assert_eq!(unknown(template).unwrap(), expected, "{template}");
        }
    }

    #[test]
    fn what_a_template_makes_itself_or_the_engine_has_is_known() {
        for template in [
            "{{ title or text }} {{ link }} {{ id }} {{ channel }}",
            "{% for tag in tags %}{{ loop.index }}{{ tag }}{% endfor %}",
            "{% set short = title|upper %}{{ short }}",
            "{% for n in range(3) %}{{ n }}{% endfor %}{{ tags[0] }}{{ tags|join(', ') }}",
            "{{ tags|first }}{% with first = tags|first %}{{ first }}{% endwith %}",
        ] {
            assert_eq!(unknown(template).unwrap(), Vec::<String>::new(), "{template}");
        }
        unknown("{{ title").unwrap_err();
    }
}
