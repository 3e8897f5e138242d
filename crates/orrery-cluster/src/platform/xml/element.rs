//! Elements and their attributes, with typed values.

use roxmltree::Node;

use crate::platform::quantity::{Units, parse_quantity};
use orrery_base::file::{Fault, Result};
use orrery_base::names::advice;

/// The advice for speeds.
pub(super) const SPEED_EXPECTED: &str = "a speed above 0 is expected, such as \"1Gf\"";
/// The advice for bandwidths.
pub(super) const RATE_EXPECTED: &str =
    "a rate above 0 is expected, such as \"125MBps\" or \"1Gbps\"";
/// The advice for latencies.
pub(super) const LATENCY_EXPECTED: &str = "a time of 0 or more is expected, such as \"50us\"";

/// An element of the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a>(pub(super) Node<'a, 'a>);

impl<'a> Element<'a> {
    /// The name of the element.
    pub(super) fn name(self) -> &'a str {
        self.0.tag_name().name()
    }

    /// The elements within this one.
    pub(super) fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.0.children().filter(Node::is_element).map(Element)
    }

    /// An error at the start of the element.
    pub(super) fn error(self, fault: impl Into<Fault>) -> Fault {
        fault.into().at(self.0.range().start)
    }

    /// The error for an element that is not supported.
    pub(super) fn unsupported(self) -> Fault {
        self.error(format!(
            "<{value}> is not supported; hosts, links, routes, zones of them and \
            flat clusters are",
            value = self.name()
        ))
    }

    /// An error at an attribute, or at the start of the element without it.
    pub(super) fn error_at(self, attribute: &str, fault: impl Into<Fault>) -> Fault {
        let byte = self
            .0
            .attribute_node(attribute)
            .map_or(self.0.range().start, |node| node.range().start);
        fault.into().at(byte)
    }

    /// The error for a value that the attribute may not have; `expected` describes those that it
    /// may have.
    pub(super) fn invalid(self, attribute: &str, expected: &'static str) -> Fault {
        let value = self.get(attribute).unwrap_or_default();
        self.error_at(attribute, invalid_value(attribute, value, expected))
    }

    /// Returns an error for an attribute that is not in `known`.
    pub(super) fn check_attributes(self, known: &[&str]) -> Result<()> {
        let unknown = self.0.attributes().find(|attribute| !known.contains(&attribute.name()));
        unknown.map_or(Ok(()), |attribute| {
            let (element, attribute) = (self.name(), attribute.name());
            let advice = advice(attribute, "its attributes", known);
            Err(self.error_at(
                attribute,
                format!(
                    "the attribute {attribute} of <{element}> is not supported; {advice}; \
                        correct or remove it"
                ),
            ))
        })
    }

    /// Returns an error with this advice if one of these attributes has a value that is not empty.
    pub(super) fn check_unset(self, attributes: &[&str], advice: &'static str) -> Result<()> {
        let set = attributes
            .iter()
            .find(|attribute| self.get(attribute).is_some_and(|value| !value.is_empty()));
        set.map_or(Ok(()), |attribute| Err(self.invalid(attribute, advice)))
    }

    /// The value of an attribute; `None` if it is missing.
    pub(super) fn get(self, attribute: &str) -> Option<&'a str> {
        self.0.attribute(attribute)
    }

    /// The value of a required attribute.
    pub(super) fn require(self, attribute: &'static str) -> Result<&'a str> {
        self.get(attribute).ok_or_else(|| {
            self.error(format!(
                "<{element}> lacks {attribute}=\"…\"; add it",
                element = self.name()
            ))
        })
    }

    /// A quantity above 0, or 0 if allowed, in the base unit of `units`; `None` without the
    /// attribute.
    pub(super) fn quantity(
        self,
        attribute: &str,
        units: Units,
        allow_zero: bool,
        expected: &'static str,
    ) -> Result<Option<f64>> {
        let Some(text) = self.get(attribute) else { return Ok(None) };
        let value = parse_quantity(text, units)
            .filter(|&value| value > 0.0 || (allow_zero && value == 0.0));
        value.map(Some).ok_or_else(|| self.invalid(attribute, expected))
    }

    /// A quantity of a required attribute, in the base unit of `units`.
    pub(super) fn require_quantity(
        self,
        attribute: &'static str,
        units: Units,
        allow_zero: bool,
        expected: &'static str,
    ) -> Result<f64> {
        self.require(attribute)?;
        self.quantity(attribute, units, allow_zero, expected).map(Option::unwrap_or_default)
    }

    /// The number of cores in the attribute `core`; 1 without it.
    pub(super) fn cores(self) -> Result<u32> {
        let Some(text) = self.get("core") else { return Ok(1) };
        let cores = text.trim().parse().ok().filter(|cores| (1..=1 << 20).contains(cores));
        cores.ok_or_else(|| self.invalid("core", "a number of cores, 1 or more, is expected"))
    }

    /// The value for the name in an attribute, in any case; that of the first name without the
    /// attribute.
    pub(super) fn one_of<T: Copy>(
        self,
        attribute: &str,
        names: &[(&str, T)],
        expected: &'static str,
    ) -> Result<T> {
        let Some(text) = self.get(attribute) else { return Ok(names[0].1) };
        let found = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
        found.map(|(_, value)| *value).ok_or_else(|| self.invalid(attribute, expected))
    }
}

/// The fault of a host or a link (`kind`) that is not defined before its use.
pub(super) fn undefined(kind: &str, name: &str) -> Fault {
    Fault::new(format!("there is no {kind} {name:?}; define it before its use"))
}

/// The fault of two hosts, links or settings (`kind`) of the same name.
pub(super) fn duplicate(kind: &str, name: &str) -> Fault {
    Fault::new(format!("the {kind} {name:?} is defined twice; rename or remove one"))
}

/// The fault of more than `most` hosts or cores.
pub(super) fn too_many(most: usize) -> Fault {
    Fault::new(format!(
        "there are more than {most} hosts or cores; correct \"radical\" or \
        \"core\""
    ))
}

/// The fault of a value that an attribute may not have; `expected` describes those that it may
/// have.
pub(super) fn invalid_value(attribute: &str, value: &str, expected: &str) -> Fault {
    Fault::new(format!("{attribute}={value:?} is not supported; {expected}"))
}
