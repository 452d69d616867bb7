//! YAML 1.2 into the value model.
//!
//! Built from the parser's events rather than by serde: nothing recurses over the input, so deep nesting costs
//! no stack, and each value keeps its line and spelling.

use std::collections::HashMap;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::{Entry, Fault, MAX_DEPTH, Node, Table, Value};

/// With aliases followed; more than this is no page of front matter but a bomb.
const MAX_NODES: usize = 20_000;

pub(super) fn parse(text: &str, first_line: u32) -> Result<Table, Fault> {
    let mut builder = Builder { first_line, ..Builder::default() };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| builder.unreadable(&error))?;
        builder.event(event, builder.line(span.start.line()))?;
    }
    match builder.root {
        None | Some(Node { value: Value::Null, .. }) => Ok(Table::new()),
        Some(Node { value: Value::Table(table), .. }) => Ok(table),
        Some(Node { line, .. }) => {
            Err(fault(line, "the front matter is not a table; expected lines such as `title: My post`"))
        }
    }
}

#[derive(Default)]
struct Builder {
    first_line: u32,
    /// Lists and tables that are not finished, outermost first.
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

/// A list or table that is being read.
struct Open {
    line: u32,
    anchor: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Table { table: Table, key: Option<(String, u32)> },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, line: u32) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(fault(line, "a second document begins here; only one is expected"))
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref(), line)?;
                let line = if text.is_empty() { self.key_line().unwrap_or(line) } else { line };
                self.put(Node { line, value }, anchor)
            }
            Event::Alias(anchor) => self.alias(anchor, line),
            Event::SequenceStart(_, anchor, tag) => {
                collection_tag(tag.as_deref(), "seq", line)?;
                self.start(line, anchor, Kind::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                collection_tag(tag.as_deref(), "map", line)?;
                self.start(line, anchor, Kind::Table { table: Table::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => Ok(()),
        }
    }

    fn start(&mut self, line: u32, anchor: usize, kind: Kind) -> Result<(), Fault> {
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(line));
        }
        self.open.push(Open { line, anchor, kind });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        let Some(Open { line, anchor, kind }) = self.open.pop() else { return Ok(()) };
        let value = match kind {
            Kind::List(items) => Value::List(items),
            Kind::Table { table, .. } => Value::Table(table),
        };
        self.put(Node { line, value }, anchor)
    }

    /// A copy of the anchored node. It counts as if it had been written out here.
    fn alias(&mut self, anchor: usize, line: u32) -> Result<(), Fault> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(fault(line, "the alias stands inside its own anchor"));
        };
        let (nodes, depth) = size(&node.value);
        let node = Node { line, value: node.value.clone() };
        if self.open.len() + depth > MAX_DEPTH {
            return Err(too_deep(line));
        }
        self.count(nodes, line)?;
        self.put(node, 0)
    }

    fn count(&mut self, nodes: usize, line: u32) -> Result<(), Fault> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            return Err(fault(
                line,
                format!("there are more than {MAX_NODES} values, with aliases followed"),
            ));
        }
        Ok(())
    }

    /// A finished node: the next item, the next key, or the value of the last key.
    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Fault> {
        self.count(1, node.line)?;
        if anchor > 0 {
            let (nodes, _) = size(&node.value);
            self.count(nodes, node.line)?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(Kind::List(items)) => items.push(node),
            Some(Kind::Table { table, key }) => match key.take() {
                None => *key = Some((key_text(&node, table)?, node.line)),
                Some((key, line)) => table.push(Entry { key, line, node }),
            },
        }
        Ok(())
    }

    fn key_line(&self) -> Option<u32> {
        match self.open.last().map(|open| &open.kind) {
            Some(Kind::Table { key: Some((_, line)), .. }) => Some(*line),
            _ => None,
        }
    }

    fn unreadable(&self, error: &ScanError) -> Fault {
        fault(self.line(error.marker().line()), format!("the YAML cannot be read: {}", error.info()))
    }

    fn line(&self, line: usize) -> u32 {
        let below = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first_line.saturating_add(below)
    }
}

fn fault(line: u32, text: impl Into<String>) -> Fault {
    Fault::new("front_matter_unreadable", line, text)
}

fn too_deep(line: u32) -> Fault {
    fault(line, format!("lists and tables are nested deeper than {MAX_DEPTH}"))
}

fn key_text(node: &Node, table: &Table) -> Result<String, Fault> {
    let key = match &node.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        Value::Bool(bool) => bool.to_string(),
        other => return Err(fault(node.line, format!("a key must be text, but is {}", other.name()))),
    };
    if key == "<<" {
        return Err(fault(node.line, "merge keys (<<) are not part of YAML 1.2; write the keys out"));
    }
    if let Some(first) = table.iter().find(|entry| entry.key == key) {
        return Err(fault(
            node.line,
            format!("the key {key} stands here twice, first on line {}", first.line),
        ));
    }
    Ok(key)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, line: u32) -> Result<Value, Fault> {
    let plain = style == ScalarStyle::Plain;
    match tag.map(|tag| (tag, tag.core_suffix())) {
        None => Ok(if plain { resolved(text) } else { Value::Text(text.to_owned()) }),
        Some((_, Some("str"))) => Ok(Value::Text(text.to_owned())),
        Some((_, Some("int" | "float" | "bool" | "null"))) if plain => Ok(resolved(text)),
        Some((tag, _)) => Err(fault(line, format!("the tag {} is not supported here", tag.original()))),
    }
}

fn collection_tag(tag: Option<&Tag>, expected: &str, line: u32) -> Result<(), Fault> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema_tag(expected) => {
            Err(fault(line, format!("the tag {} is not supported here", tag.original())))
        }
        _ => Ok(()),
    }
}

/// What a plain scalar means by the core schema of YAML 1.2; spellings that JSON does not know stay text.
fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |text: &str| text.strip_prefix(['+', '-']).unwrap_or(text).to_owned();
    let number = unsigned(text);
    let (mantissa, exponent) =
        number.split_once(['e', 'E']).map_or((number.as_str(), None), |(m, e)| (m, Some(e)));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    digits(whole) && digits(part) && exponent.is_none_or(|exponent| digits(&unsigned(exponent)))
}

/// How many values there are inside, and how deep they are nested.
fn size(value: &Value) -> (usize, usize) {
    let add = |(nodes, depth): (usize, usize), inner: &Value| {
        let (more, deeper) = size(inner);
        (nodes + more, depth.max(deeper + 1))
    };
    match value {
        Value::List(items) => items.iter().fold((1, 1), |sum, item| add(sum, &item.value)),
        Value::Table(table) => table.iter().fold((1, 1), |sum, entry| add(sum, &entry.node.value)),
        _ => (1, 0),
    }
}
