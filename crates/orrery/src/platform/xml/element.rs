use roxmltree::Node;

use super::error::Fault;
use crate::platform::quantity::{Units, quantity};

/// A fault and the byte of the text where it stands.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) byte: usize,
    pub(super) fault: Fault,
}

pub(super) type Result<T> = std::result::Result<T, Refused>;

/// An element and what its attributes say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a>(pub(super) Node<'a, 'a>);

impl<'a> Element<'a> {
    pub(super) fn name(self) -> &'a str {
        self.0.tag_name().name()
    }

    pub(super) fn children(self) -> impl Iterator<Item = Element<'a>> {
        self.0.children().filter(Node::is_element).map(Element)
    }

    pub(super) fn refuse(self, fault: Fault) -> Refused {
        Refused { byte: self.0.range().start, fault }
    }

    /// The element as one that is not understood.
    pub(super) fn unknown(self) -> Refused {
        self.refuse(Fault::Element(self.name().to_owned()))
    }

    pub(super) fn get(self, attribute: &str) -> Option<&'a str> {
        self.0.attribute(attribute)
    }

    pub(super) fn need(self, attribute: &'static str) -> Result<&'a str> {
        self.get(attribute).ok_or_else(|| self.refuse(Fault::Missing { element: self.name().to_owned(), attribute }))
    }

    pub(super) fn wrong(self, attribute: &str, expected: &'static str) -> Refused {
        let byte = self.0.attribute_node(attribute).map_or(self.0.range().start, |node| node.range().start);
        let value = self.get(attribute).unwrap_or_default().to_owned();
        Refused { byte, fault: Fault::Value { attribute: attribute.to_owned(), value, expected } }
    }

    /// A quantity that is above 0, or 0 where that is allowed; `None` without the attribute.
    pub(super) fn quantity(
        self,
        attribute: &str,
        units: Units,
        zero: bool,
        expected: &'static str,
    ) -> Result<Option<f64>> {
        let Some(text) = self.get(attribute) else { return Ok(None) };
        let value = quantity(text, units).filter(|&value| value > 0.0 || (zero && value == 0.0));
        value.map(Some).ok_or_else(|| self.wrong(attribute, expected))
    }

    pub(super) fn needed(
        self,
        attribute: &'static str,
        units: Units,
        zero: bool,
        expected: &'static str,
    ) -> Result<f64> {
        self.need(attribute)?;
        self.quantity(attribute, units, zero, expected).map(Option::unwrap_or_default)
    }

    pub(super) fn cores(self) -> Result<u32> {
        let Some(text) = self.get("core") else { return Ok(1) };
        let cores = text.trim().parse().ok().filter(|cores| (1..=1 << 20).contains(cores));
        cores.ok_or_else(|| self.wrong("core", "a whole number of cores from 1 up should stand there"))
    }

    /// One of these words; the first where the attribute is absent.
    pub(super) fn one_of<T: Copy>(self, attribute: &str, words: &[(&str, T)], expected: &'static str) -> Result<T> {
        let Some(text) = self.get(attribute) else { return Ok(words[0].1) };
        let found = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text.trim()));
        found.map(|(_, value)| *value).ok_or_else(|| self.wrong(attribute, expected))
    }
}

/// What is expected of quantities.
pub(super) const SPEED_EXPECTED: &str = "a speed above 0 such as \"1Gf\" should stand there";
/// Of rates.
pub(super) const RATE_EXPECTED: &str = "a rate above 0 such as \"125MBps\" or \"1Gbps\" should stand there";
/// Of durations.
pub(super) const LATENCY_EXPECTED: &str = "a time from 0 up such as \"50us\" should stand there";
