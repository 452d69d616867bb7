//! TOML into the value model.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Error};

use super::{Entry, Fault, MAX_DEPTH, Node, Table, Value, line_at};

pub(super) fn parse(text: &str, first_line: u32) -> Result<Table, Fault> {
    let source = Source { text, first_line };
    let root = DeTable::parse(text).map_err(|error| source.fault(&error))?;
    source.table(root.get_ref(), 1)
}

struct Source<'a> {
    text: &'a str,
    first_line: u32,
}

impl Source<'_> {
    fn fault(&self, error: &Error) -> Fault {
        let line = self.line(error.span().map_or(0, |span| span.start));
        let text = format!("the TOML cannot be read: {}", error.message());
        Fault::new("front_matter_unreadable", line, text)
    }

    fn line(&self, at: usize) -> u32 {
        line_at(&self.text.as_bytes()[..at.min(self.text.len())], self.first_line)
    }

    fn table(&self, table: &DeTable<'_>, depth: usize) -> Result<Table, Fault> {
        let mut keys: Vec<_> = table.iter().collect();
        keys.sort_by_key(|(key, _)| key.span().start);
        keys.into_iter().map(|(key, node)| self.entry(key, node, depth)).collect()
    }

    fn entry(
        &self,
        key: &Spanned<DeString<'_>>,
        node: &Spanned<DeValue<'_>>,
        depth: usize,
    ) -> Result<Entry, Fault> {
        let line = self.line(key.span().start);
        Ok(Entry { key: key.get_ref().to_string(), line, node: self.node(node, depth)? })
    }

    fn node(&self, node: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, Fault> {
        let line = self.line(node.span().start);
        if depth > MAX_DEPTH {
            let text = format!("lists and tables are nested deeper than {MAX_DEPTH}");
            return Err(Fault::new("front_matter_unreadable", line, text));
        }
        let value = match node.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Boolean(bool) => Value::Bool(*bool),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) => Value::Number(self.text[node.span()].to_owned()),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.node(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => Value::Table(self.table(table, depth + 1)?),
        };
        Ok(Node { line, value })
    }
}
