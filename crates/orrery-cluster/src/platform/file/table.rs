//! Tables and values of a TOML text with their byte offsets.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::platform::quantity::{Units, parse_quantity};
use orrery_base::file::{Fault, Result};
use orrery_base::names::advice;
use orrery_base::units::{Bytes, UnitError};

/// A value with its byte offset.
pub(super) struct Node<'a, 'text>(&'a Spanned<DeValue<'text>>);

impl<'a, 'text> Node<'a, 'text> {
    /// An error at this value.
    pub(super) fn error(&self, fault: impl Into<Fault>) -> Fault {
        fault.into().at(self.0.span().start)
    }

    /// An error at this value: it is not one of those allowed, which `expected` describes.
    pub(super) fn expected(&self, expected: &'static str) -> Fault {
        let found = match self.0.get_ref() {
            DeValue::String(text) => format!("{text:?}"),
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            other => format!("of type {}", other.type_str()),
        };
        self.error(format!("{found} is not allowed here; expected {expected}"))
    }

    /// The value as a text that is not blank; `expected` describes it in the error.
    pub(super) fn text(&self, expected: &'static str) -> Result<&str> {
        self.0
            .get_ref()
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| self.expected(expected))
    }

    /// The value as an integer in `range`; `expected` describes it in the error.
    pub(super) fn integer(
        &self,
        range: RangeInclusive<u32>,
        expected: &'static str,
    ) -> Result<u32> {
        let integer = self.0.get_ref().as_integer();
        let number =
            integer.and_then(|integer| u32::from_str_radix(integer.as_str(), integer.radix()).ok());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(expected))
    }

    /// The value as a number in `range`; `expected` describes it in the error.
    pub(super) fn number(&self, range: RangeInclusive<f64>, expected: &'static str) -> Result<f64> {
        let number = match self.0.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(expected))
    }

    /// The value as a quantity above 0, or 0 if allowed: a number in the base unit, or a text with
    /// one of `units`, which is converted; a number in a text needs a unit, unless it is 0.
    /// `expected` describes it in the error.
    pub(super) fn quantity(
        &self,
        units: Units,
        allow_zero: bool,
        expected: &'static str,
    ) -> Result<f64> {
        let value = match self.0.get_ref().as_str() {
            Some(text) if text.trim().parse::<f64>().is_ok_and(|number| number != 0.0) => {
                return Err(self.error(format!(
                    "{text:?} has no unit; write {expected}: numbers without quotes are in the \
                        unit in brackets"
                )));
            }
            Some(text) => parse_quantity(text, units),
            None => Some(self.number(f64::MIN..=f64::MAX, expected)?),
        };
        value
            .filter(|&value| value > 0.0 || (allow_zero && value == 0.0))
            .ok_or_else(|| self.expected(expected))
    }

    /// The value, a text with a unit, as a size in bytes.
    pub(super) fn size(&self) -> Result<Bytes> {
        let text = self.text("a size in quotes, such as \"768M\" or \"64G\"")?;
        text.parse().map_err(|error: UnitError| self.error(Fault::new(error)))
    }

    /// The value as a table; `expected` describes it in the error.
    pub(super) fn table(&self, expected: &'static str) -> Result<Table<'a, 'text>> {
        let table = self.0.get_ref().as_table().ok_or_else(|| self.expected(expected))?;
        Ok(Table::new(table, self.0.span().start))
    }

    /// The value as an array of tables; `expected` describes it in the error.
    pub(super) fn tables(&self, expected: &'static str) -> Result<Vec<Table<'_, '_>>> {
        let entries = self.0.get_ref().as_array().ok_or_else(|| self.expected(expected))?;
        entries
            .iter()
            .map(|entry| match entry.get_ref().as_table() {
                Some(table) => Ok(Table::new(table, entry.span().start)),
                None => Err(Node(entry).expected(expected)),
            })
            .collect()
    }
}

/// The values of a table by key, with the byte offsets of the keys.
pub(super) struct Table<'a, 'text> {
    entries: BTreeMap<&'a str, (usize, &'a Spanned<DeValue<'text>>)>,
    /// The byte offset of the table.
    byte: usize,
}

impl<'a, 'text> Table<'a, 'text> {
    /// Creates a table from its TOML values; `byte` is its offset.
    pub(super) fn new(table: &'a DeTable<'text>, byte: usize) -> Self {
        let entry = |(key, value): (&'a Spanned<_>, _)| {
            let name: &std::borrow::Cow<'text, str> = key.get_ref();
            (name.as_ref(), (key.span().start, value))
        };
        Self { entries: table.iter().map(entry).collect(), byte }
    }

    /// The value of a key, if present.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a, 'text>> {
        self.entries.get(key).map(|(_, value)| Node(value))
    }

    /// The value of a required key; `hint` describes in the error what to add.
    pub(super) fn require(&self, key: &'static str, hint: &'static str) -> Result<Node<'a, 'text>> {
        self.get(key).ok_or_else(|| missing(key, hint).at(self.byte))
    }

    /// The byte offset of a key, or of the table if the key is absent.
    pub(super) fn position(&self, key: &str) -> usize {
        self.entries.get(key).map_or(self.byte, |(byte, _)| *byte)
    }

    /// Returns an error for a key that is neither in `known` nor in `unused`; lists those in
    /// `unused` with their offsets.
    pub(super) fn check_keys(
        &self,
        known: &[&'static str],
        unused: &[&'static str],
    ) -> Result<Vec<(usize, String)>> {
        let mut found = Vec::new();
        for (&key, &(byte, _)) in &self.entries {
            if unused.contains(&key) {
                found.push((byte, key.to_owned()));
            } else if !known.contains(&key) {
                let known = [known, unused].concat();
                let advice = advice(key, "valid keys", known);
                return Err(Fault::new(format!("unknown key {key:?}; {advice}")).at(byte));
            }
        }
        Ok(found)
    }
}

/// The fault of a table in which a key is missing; `hint` describes what to add.
pub(super) fn missing(key: &str, hint: &str) -> Fault {
    Fault::new(format!("{key:?} is missing here; add it: {hint}"))
}
