//! One small model for what YAML and TOML both say.

use serde_json::Value as Json;

/// A table in the order in which it was written.
pub type Table = Vec<Entry>;

/// One key of a table and what stands behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key as written.
    pub key: String,
    /// The line of the key in the file, counted from 1.
    pub line: u32,
    /// What stands behind the key.
    pub node: Node,
}

/// A value and the line of the file on which it begins, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The line on which the value begins.
    pub line: u32,
    /// The value itself.
    pub value: Value,
}

/// What a key can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing was written.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, spelled as in the file: `1.10` stays `1.10`.
    Number(String),
    /// Text; a date of YAML is text too.
    Text(String),
    /// A native date of TOML, spelled as in the file.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

impl Value {
    /// What this is called in an error.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }

    /// The same value as JSON; a number that JSON cannot hold becomes text.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(bool) => Json::Bool(*bool),
            Self::Number(number) => number_to_json(number),
            Self::Text(text) | Self::Date(text) => Json::String(text.clone()),
            Self::List(items) => items.iter().map(|item| item.value.to_json()).collect(),
            Self::Table(table) => table.iter().map(|e| (e.key.clone(), e.node.value.to_json())).collect(),
        }
    }
}

fn number_to_json(spelled: &str) -> Json {
    serde_json::from_str::<serde_json::Number>(spelled)
        .map_or_else(|_| Json::String(spelled.to_owned()), Json::Number)
}
