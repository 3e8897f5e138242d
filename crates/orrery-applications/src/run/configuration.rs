use std::fmt;
use std::str::FromStr;

use orrery_base::file::{Fault, Result};

/// The processing elements of one kind that take part in a run, and the processes on each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The kind of the processing elements, such as the name of a processor.
    pub kind: String,
    /// The number of elements of the kind.
    pub elements: u32,
    /// The number of processes on each of them.
    pub processes: u32,
}

/// The processing elements that take part in a run, by kind. Empty if they are unknown or of one
/// kind.
///
/// In text it is a list of `kind=elements×processes`, separated by commas:
/// `athlon=1x2,pentium-ii=8x1` is two processes on one Athlon and one process on each of eight
/// Pentium II.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Configuration {
    /// The share of each kind; no kind occurs twice.
    pub shares: Vec<Share>,
}

orrery_base::serde_as_text!(Configuration);

impl Configuration {
    /// The number of processes, P = Σ elements × processes per element.
    pub fn processes(&self) -> u64 {
        self.shares.iter().map(|share| u64::from(share.elements) * u64::from(share.processes)).sum()
    }

    /// The number of processing elements.
    pub fn elements(&self) -> u64 {
        self.shares.iter().map(|share| u64::from(share.elements)).sum()
    }

    /// The share of a kind; `None` if it takes no part.
    pub fn share(&self, kind: &str) -> Option<&Share> {
        self.shares.iter().find(|share| share.kind == kind)
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share =
            |share: &Share| format!("{}={}x{}", share.kind, share.elements, share.processes);
        f.pad(&self.shares.iter().map(share).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Configuration {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self> {
        let mut shares: Vec<Share> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let wrong = |reason: &str| {
                Fault::new(format_args!(
                    "{part:?} is not a part of a configuration: {reason}; write \
                        kind=elementsxprocesses, such as athlon=1x2"
                ))
            };
            let (kind, numbers) = part.split_once('=').ok_or_else(|| wrong("there is no \"=\""))?;
            let (elements, processes) = numbers.split_once(['x', '×']).unwrap_or((numbers, "1"));
            let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number > 0);
            let elements = number(elements)
                .ok_or_else(|| wrong("the number of elements is not a whole number above 0"))?;
            let processes = number(processes).ok_or_else(|| {
                wrong("the number of processes per element is not a whole number above 0")
            })?;
            let kind = kind.trim().to_owned();
            if kind.is_empty() {
                return Err(wrong("the kind has no name"));
            }
            if shares.iter().any(|share| share.kind == kind) {
                return Err(wrong("the kind is named twice"));
            }
            shares.push(Share { kind, elements, processes });
        }
        Ok(Self { shares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back() {
        let text = "athlon=1x2,pentium-ii=8x1";
        let configuration: Configuration = text.parse().unwrap();
        assert_eq!(configuration.to_string(), text);
        assert_eq!((configuration.processes(), configuration.elements()), (10, 9));
        assert_eq!("a=3".parse::<Configuration>().unwrap().to_string(), "a=3x1");
        for wrong in ["", "a", "=1x2", "a=0x1", "a=1x0", "a=1x2,a=1x1", "a=1.5x2", "a=4294967296"] {
            assert!(wrong.parse::<Configuration>().is_err(), "{wrong}");
        }
    }
}
