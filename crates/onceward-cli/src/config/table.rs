//! A TOML table, taken apart key by key.
//!
//! Every reading notes its key as known, so that what is left over at [`Table::close`] is unknown and the nearest
//! known key can be offered. Read all keys of a table before giving up on one of them.

use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::problem::{Report, advice};
use super::secret::{Place, Secret};
use super::value::{Fault, FromValue, Named, expected};

/// What remains to be read of one table.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    name: String,
    at: usize,
    rest: DeTable<'a>,
    spots: Vec<(&'static str, Option<usize>)>,
    secrets: Vec<Place>,
    report: &'a Report<'a>,
}

impl<'a> Table<'a> {
    /// The whole file.
    pub(crate) fn root(table: DeTable<'a>, report: &'a Report<'a>) -> Self {
        Self::new(String::new(), 0, table, report)
    }

    fn new(name: String, at: usize, rest: DeTable<'a>, report: &'a Report<'a>) -> Self {
        Self { name, at, rest, spots: Vec::new(), secrets: Vec::new(), report }
    }

    /// The value of `key`, if it is there and fits.
    pub(crate) fn get<T: FromValue>(&mut self, key: &'static str) -> Option<T> {
        let value = self.take(key)?;
        T::from_value(&value).map_err(|fault| self.wrong(key, &fault)).ok()
    }

    /// The value of `key`, or `default`.
    pub(crate) fn get_or<T: FromValue>(&mut self, key: &'static str, default: T) -> T {
        self.get(key).unwrap_or(default)
    }

    /// The value of a key that must be there.
    pub(crate) fn need<T: FromValue>(&mut self, key: &'static str) -> Option<T> {
        if !self.rest.contains_key(key) {
            self.spots.push((key, None));
            self.report.refuse(self.at, format!("{} needs `{key}`", self.place()));
            return None;
        }
        self.get(key)
    }

    /// A path; a relative one starts at the file's folder.
    pub(crate) fn path(&mut self, key: &'static str) -> Option<PathBuf> {
        self.get::<String>(key).map(|path| self.report.folder().join(path))
    }

    /// A path that must be there.
    pub(crate) fn need_path(&mut self, key: &'static str) -> Option<PathBuf> {
        self.need::<String>(key).map(|path| self.report.folder().join(path))
    }

    /// Where a secret is to be found, if one is named; kept as those that must be there.
    pub(crate) fn secret(&mut self, key: &'static str) -> Option<Secret> {
        let secret: Secret = self.get(key)?;
        Some(self.keep(key, secret))
    }

    /// Where a secret that must be there is to be found; it is kept for [`Table::close`] to hand out.
    pub(crate) fn need_secret(&mut self, key: &'static str) -> Option<Secret> {
        let secret: Secret = self.need(key)?;
        Some(self.keep(key, secret))
    }

    fn keep(&mut self, key: &'static str, secret: Secret) -> Secret {
        let line = self.report.line(self.spot(key).unwrap_or(self.at));
        self.secrets.push(Place { key, secret: secret.clone(), line });
        secret
    }

    /// The table at `key`, if there is one.
    pub(crate) fn table(&mut self, key: &'static str) -> Option<Table<'a>> {
        let value = self.take(key)?;
        let name = self.below(key);
        self.open(name, value)
    }

    /// The tables of an array of tables.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.take(key) else { return Vec::new() };
        let at = value.span().start;
        let DeValue::Array(items) = value.into_inner() else {
            self.report.refuse(at, format!("`{key}` is a list of tables: write [[{key}]]"));
            return Vec::new();
        };
        items.into_iter().filter_map(|item| self.open(format!("[{key}]"), item)).collect()
    }

    /// Every key left with its place, in the file's order: for tables whose keys are names.
    pub(crate) fn names(&self) -> Vec<Named> {
        let place =
            |key: &Spanned<DeString<'_>>| Named { name: key.get_ref().to_string(), at: key.span().start };
        let mut names: Vec<_> = self.rest.keys().map(place).collect();
        names.sort_by_key(|named| named.at);
        names
    }

    /// The value under a name from [`Table::names`].
    pub(crate) fn named<T: FromValue>(&mut self, name: &str) -> Option<T> {
        let value = self.rest.remove(name)?;
        T::from_value(&value).map_err(|fault| self.wrong(name, &fault)).ok()
    }

    /// The table under a name from [`Table::names`].
    pub(crate) fn named_table(&mut self, name: &str) -> Option<Table<'a>> {
        let value = self.rest.remove(name)?;
        let name = self.below(name);
        self.open(name, value)
    }

    /// Where `key` has its value, if it is written: for mistakes that show only when keys meet.
    pub(crate) fn spot(&self, key: &str) -> Option<usize> {
        self.spots.iter().find(|(known, _)| *known == key).and_then(|(_, at)| *at)
    }

    /// Notes a mistake at `key`, or where the table begins.
    pub(crate) fn refuse(&self, key: &str, text: &str) {
        self.report.refuse(self.spot(key).unwrap_or(self.at), format!("`{key}` in {}: {text}", self.place()));
    }

    /// Refuses every key that nobody asked for, and hands out the secrets that were read.
    pub(crate) fn close(self) -> Vec<Place> {
        for key in self.rest.keys() {
            let advice = advice(key.get_ref(), self.spots.iter().map(|(known, _)| *known));
            let text = format!("unknown key `{}` in {}; {advice}", key.get_ref(), self.place());
            self.report.refuse(key.span().start, text);
        }
        self.secrets
    }

    /// The table's name as it stands in the file.
    fn place(&self) -> String {
        if self.name.is_empty() { "the file's top level".to_owned() } else { format!("[{}]", self.name) }
    }

    fn below(&self, key: &str) -> String {
        let name = self.name.trim_matches(['[', ']']);
        if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
    }

    fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'a>>> {
        let found = self.rest.remove(key);
        self.spots.push((key, found.as_ref().map(|value| value.span().start)));
        found
    }

    fn open(&self, name: String, value: Spanned<DeValue<'a>>) -> Option<Table<'a>> {
        let fault = expected(&value, "a table");
        if let DeValue::Table(table) = value.into_inner() {
            return Some(Table::new(name, fault.at, table, self.report));
        }
        self.report.refuse(fault.at, format!("`{name}`: {}", fault.text));
        None
    }

    fn wrong(&self, key: &str, fault: &Fault) {
        self.report.refuse(fault.at, format!("`{key}` in {}: {}", self.place(), fault.text));
    }
}
