//! Fields of requests that are written as texts: `#[serde(with = "text")]`, or [`list`] and
//! [`option`] of such values.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

/// Writes a value as its text.
///
/// # Errors
///
/// Those of the format.
pub fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// Reads a value from its text.
///
/// # Errors
///
/// When the text is no such value.
pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

/// Lists of values that are written as texts.
pub mod list {
    use super::*;

    /// Writes values as texts.
    ///
    /// # Errors
    ///
    /// Those of the format.
    pub fn serialize<T: Display, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    /// Reads values from texts.
    ///
    /// # Errors
    ///
    /// When a text is no such value.
    pub fn deserialize<'de, T, D>(from: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(D::Error::custom)).collect()
    }
}

/// Values that are written as texts if they are given.
pub mod option {
    use super::*;

    /// Writes a value as its text.
    ///
    /// # Errors
    ///
    /// Those of the format.
    #[expect(clippy::ref_option, reason = "the signature that serde calls")]
    pub fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    /// Reads a value from its text; `None` for null.
    ///
    /// # Errors
    ///
    /// When the text is no such value.
    pub fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
