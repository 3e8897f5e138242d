//! A column: its name, its values and which of them are missing.

use std::sync::Arc;

use super::Bits;

/// The values of a column, in the layout of Arrow.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// Numbers; a missing one is not-a-number.
    Floats(Vec<f64>),
    /// Whole numbers; a missing one is 0.
    Integers(Vec<i64>),
    /// True or false.
    Flags(Bits),
    /// UTF-8 texts one after the other, and where each begins and ends.
    Texts {
        /// One more than there are texts.
        offsets: Vec<i64>,
        /// The texts.
        bytes: Vec<u8>,
    },
    /// Lists one after the other, and where each begins and ends.
    Lists {
        /// One more than there are lists.
        offsets: Vec<i64>,
        /// The elements of all lists.
        elements: Arc<Column>,
    },
    /// Records: a column for each field.
    Records(Vec<Arc<Column>>),
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// The name.
    pub name: String,
    /// The values.
    pub values: Values,
    /// The number of values.
    pub length: usize,
    /// A bit for each value, set if it is present; `None` if all are.
    pub present: Option<Bits>,
}

impl Column {
    /// A column of numbers, of which those that are not a number are missing.
    pub(crate) fn floats(name: impl Into<String>, values: Vec<f64>) -> Self {
        let present = values
            .iter()
            .any(|value| value.is_nan())
            .then(|| values.iter().map(|v| !v.is_nan()).collect());
        Self { name: name.into(), length: values.len(), values: Values::Floats(values), present }
    }

    /// A column of whole numbers.
    pub(crate) fn integers(name: impl Into<String>, values: Vec<i64>) -> Self {
        Self {
            name: name.into(),
            length: values.len(),
            values: Values::Integers(values),
            present: None,
        }
    }

    /// A column of whole numbers, of which some are missing.
    pub(crate) fn optional_integers(name: impl Into<String>, values: &[Option<i64>]) -> Self {
        let present = values
            .iter()
            .any(Option::is_none)
            .then(|| values.iter().map(Option::is_some).collect());
        let column =
            Self::integers(name, values.iter().map(|value| value.unwrap_or_default()).collect());
        Self { present, ..column }
    }

    /// A column of truth values.
    pub(crate) fn flags(name: impl Into<String>, values: Bits) -> Self {
        Self {
            name: name.into(),
            length: values.len(),
            values: Values::Flags(values),
            present: None,
        }
    }

    /// A number of a column of numbers; not-a-number if it is missing, or if the column has other
    /// values. The place must exist.
    pub(crate) fn float(&self, place: usize) -> f64 {
        if let Values::Floats(values) = &self.values { values[place] } else { f64::NAN }
    }

    /// A number of a column of whole numbers; 0 if it is missing, or if the column has other
    /// values. The place must exist.
    pub(crate) fn integer(&self, place: usize) -> i64 {
        if let Values::Integers(values) = &self.values { values[place] } else { 0 }
    }

    /// The number of missing values.
    pub(crate) fn missing(&self) -> usize {
        self.present.as_ref().map_or(0, Bits::zeros)
    }

    /// The type in the notation of the Arrow C data interface: texts and lists have offsets of 64
    /// bits.
    pub(super) fn format(&self) -> &'static std::ffi::CStr {
        match self.values {
            Values::Floats(_) => c"g",
            Values::Integers(_) => c"l",
            Values::Flags(_) => c"b",
            Values::Texts { .. } => c"U",
            Values::Lists { .. } => c"+L",
            Values::Records(_) => c"+s",
        }
    }

    /// The columns that it contains: the elements of lists, or the fields of records; else none.
    pub(super) fn children(&self) -> &[Arc<Self>] {
        match &self.values {
            Values::Lists { elements, .. } => std::slice::from_ref(elements),
            Values::Records(fields) => fields,
            _ => &[],
        }
    }
}
