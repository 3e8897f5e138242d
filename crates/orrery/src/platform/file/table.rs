//! A table of the file, whose keys are taken out one by one.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Fault;
use super::spelling::nearest;
use crate::file::Located;
use crate::platform::quantity::{Units, quantity};

pub(super) type Result<T> = std::result::Result<T, Located<Fault>>;

/// A value and where it stands.
pub(super) struct Node<'a, 'text>(&'a Spanned<DeValue<'text>>);

impl<'a, 'text> Node<'a, 'text> {
    pub(super) fn refuse(&self, fault: impl Into<Fault>) -> Located<Fault> {
        Located { byte: self.0.span().start, fault: fault.into() }
    }

    pub(super) fn expected(&self, expected: &'static str) -> Located<Fault> {
        let found = match self.0.get_ref() {
            DeValue::String(text) => format!("{text:?}"),
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            other => format!("of type {}", other.type_str()),
        };
        self.refuse(Fault::Expected { found, expected })
    }

    pub(super) fn text(&self, expected: &'static str) -> Result<&str> {
        self.0.get_ref().as_str().filter(|text| !text.trim().is_empty()).ok_or_else(|| self.expected(expected))
    }

    pub(super) fn whole(&self, range: RangeInclusive<u32>, expected: &'static str) -> Result<u32> {
        let integer = self.0.get_ref().as_integer();
        let number = integer.and_then(|integer| u32::from_str_radix(integer.as_str(), integer.radix()).ok());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(expected))
    }

    pub(super) fn number(&self, range: RangeInclusive<f64>, expected: &'static str) -> Result<f64> {
        let number = match self.0.get_ref() {
            DeValue::Float(number) => number.as_str().parse().ok(),
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| self.expected(expected))
    }

    /// A quantity above 0, or 0 where that is allowed: a plain number, or a text with a unit.
    pub(super) fn quantity(&self, units: Units, zero: bool, expected: &'static str) -> Result<f64> {
        let value = match self.0.get_ref().as_str() {
            Some(text) => quantity(text, units),
            None => Some(self.number(f64::MIN..=f64::MAX, expected)?),
        };
        value.filter(|&value| value > 0.0 || (zero && value == 0.0)).ok_or_else(|| self.expected(expected))
    }

    pub(super) fn table(&self, expected: &'static str) -> Result<Table<'a, 'text>> {
        let table = self.0.get_ref().as_table().ok_or_else(|| self.expected(expected))?;
        Ok(Table::new(table, self.0.span().start))
    }

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

/// A table, and which of its keys have been asked for.
pub(super) struct Table<'a, 'text> {
    entries: BTreeMap<&'a str, (usize, &'a Spanned<DeValue<'text>>)>,
    byte: usize,
}

impl<'a, 'text> Table<'a, 'text> {
    pub(super) fn new(table: &'a DeTable<'text>, byte: usize) -> Self {
        let entry = |(key, value): (&'a Spanned<_>, _)| {
            let name: &std::borrow::Cow<'text, str> = key.get_ref();
            (name.as_ref(), (key.span().start, value))
        };
        Self { entries: table.iter().map(entry).collect(), byte }
    }

    pub(super) fn get(&self, key: &str) -> Option<Node<'a, 'text>> {
        self.entries.get(key).map(|(_, value)| Node(value))
    }

    pub(super) fn needed(&self, key: &'static str, hint: &'static str) -> Result<Node<'a, 'text>> {
        self.get(key).ok_or(Located { byte: self.byte, fault: Fault::Missing { key, hint } })
    }

    /// Where a key stands, or the table where there is none.
    pub(super) fn place(&self, key: &str) -> usize {
        self.entries.get(key).map_or(self.byte, |(byte, _)| *byte)
    }

    /// Refuses every key but these and those of `later`, which it names with their places.
    pub(super) fn only(&self, known: &[&'static str], later: &[&'static str]) -> Result<Vec<(usize, String)>> {
        let mut passed_over = Vec::new();
        for (&key, &(byte, _)) in &self.entries {
            if later.contains(&key) {
                passed_over.push((byte, key.to_owned()));
            } else if !known.contains(&key) {
                let known = [known, later].concat();
                let near = nearest(key, &known);
                return Err(Located { byte, fault: Fault::Unknown { key: key.into(), near, known } });
            }
        }
        Ok(passed_over)
    }
}
