//! A value of a JSON text with its position.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::{byte_at, missing, syntax, truncated};
use crate::file::{Fault, Result};
use crate::names::nearest;

/// A value of a JSON text: its own text and the byte where it begins.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    raw: &'a str,
    /// The byte of the text where it begins.
    pub byte: usize,
}

/// An object with its keys in order.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    /// The object as a value.
    pub node: Node<'a>,
    entries: Vec<(String, Node<'a>)>,
}

impl<'a> Node<'a> {
    /// The outermost value of a text.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    pub fn root(text: &'a str) -> Result<Self> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
            let byte = byte_at(text, error.line(), error.column());
            let words = error.to_string();
            let reason = words.split(" at line ").next().unwrap_or_default().to_owned();
            // A number that is cut off behind its point or its e is not a number.
            let cut = reason == "invalid number" && byte + 1 >= text.len();
            let torn = cut || error.classify() == Category::Eof;
            if torn {
                return truncated().at(text.trim_end().len());
            }
            syntax(&reason).at(byte)
        })?;
        Ok(Node { raw: text, byte: 0 }.child(raw))
    }

    /// Returns a value within this one, whose text is a part of this value's text.
    fn child(&self, raw: &'a RawValue) -> Self {
        let raw = raw.get();
        Node { raw, byte: self.byte + (raw.as_ptr() as usize - self.raw.as_ptr() as usize) }
    }

    /// Returns the fault with the position of this value.
    pub fn refuse(&self, fault: impl Into<Fault>) -> Fault {
        fault.into().at(self.byte)
    }

    /// Returns the fault at this value that `expected`, such as `a number`, should be here instead.
    pub fn expected(&self, expected: &str) -> Fault {
        let found = match self.raw.as_bytes().first() {
            Some(b'{') => "an object".to_owned(),
            Some(b'[') => "an array".to_owned(),
            Some(b'"') if self.raw.len() > 40 => "a string".to_owned(),
            _ => self.raw.to_owned(),
        };
        self.refuse(format!("this is {found}, but {expected} is expected here"))
    }

    /// Returns true if the value is null.
    pub fn is_null(&self) -> bool {
        self.raw == "null"
    }

    /// Returns true if the value is an array.
    pub fn is_array(&self) -> bool {
        self.raw.starts_with('[')
    }

    /// Returns the value as a finite number; `expected` says in the error what should be here.
    ///
    /// # Errors
    ///
    /// When the value is no finite number.
    pub fn number(&self, expected: &str) -> Result<f64> {
        serde_json::from_str(self.raw).map_err(|_| self.expected(expected))
    }

    /// Returns the value as an integer, 0 or more; `expected` says in the error what should be
    /// here.
    ///
    /// # Errors
    ///
    /// When the value is no such integer.
    pub fn whole(&self, expected: &str) -> Result<u64> {
        serde_json::from_str(self.raw).map_err(|_| self.expected(expected))
    }

    /// Returns the value as a string; `expected` says in the error what should be here.
    ///
    /// # Errors
    ///
    /// When the value is no string.
    pub fn string(&self, expected: &str) -> Result<String> {
        serde_json::from_str(self.raw).map_err(|_| self.expected(expected))
    }

    /// Returns the JSON text of the value.
    pub fn text(&self) -> &'a str {
        self.raw
    }

    /// Returns the entries of the value as an array; `expected` says in the error what should be
    /// here.
    ///
    /// # Errors
    ///
    /// When the value is no array.
    pub fn array(&self, expected: &str) -> Result<Vec<Self>> {
        let entries: Vec<&'a RawValue> =
            serde_json::from_str(self.raw).map_err(|_| self.expected(expected))?;
        Ok(entries.into_iter().map(|raw| self.child(raw)).collect())
    }

    /// Returns the value as an object without repeated keys; `expected` says in the error what
    /// should be here.
    ///
    /// # Errors
    ///
    /// When the value is no object, or has a key twice.
    pub fn object(&self, expected: &str) -> Result<Object<'a>> {
        let Entries(raw): Entries<'a> =
            serde_json::from_str(self.raw).map_err(|_| self.expected(expected))?;
        let entries: Vec<_> = raw.into_iter().map(|(key, raw)| (key, self.child(raw))).collect();
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.byte.cmp(&b.1.byte)));
        match sorted.windows(2).find(|two| two[0].0 == two[1].0) {
            Some(two) => Err(two[1].1.refuse(format!(
                "the key {key:?} is given twice in this \
                object; remove one of them",
                key = two[1].0
            ))),
            None => Ok(Object { node: *self, entries }),
        }
    }
}

impl<'a> Object<'a> {
    /// Returns the value of a key; `None` if it is missing.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.entries.iter().find(|(k, _)| k == key).map(|&(_, node)| node)
    }

    /// Returns the value of a required key; `hint` describes in the error the value to add.
    ///
    /// # Errors
    ///
    /// When the object has no such key.
    pub fn needed(&self, key: &str, hint: &str) -> Result<Node<'a>> {
        self.get(key).ok_or_else(|| {
            let near = nearest(key, self.entries.iter().map(|(key, _)| key.as_str()));
            self.node.refuse(missing(key, near, hint))
        })
    }

    /// Returns what is read from the value of a key; the default if it is missing.
    ///
    /// # Errors
    ///
    /// The error of the reader.
    pub fn optional<T: Default>(
        &self,
        key: &str,
        read: impl FnOnce(Node<'a>) -> Result<T>,
    ) -> Result<T> {
        self.get(key).map_or_else(|| Ok(T::default()), read)
    }

    /// Returns all keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Node<'a>)> {
        self.entries.iter().map(|(key, node)| (key.as_str(), *node))
    }
}

/// The entries of an object in order, values unread.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
