use crate::schedule::Timing;

/// Where readings come from: an ordered list of keys and values, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    entries: Vec<(String, String)>,
}

impl Provenance {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// Sets a key: in its place when it is there, at the end when it is new.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.entries.iter_mut().find(|(k, _)| *k == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// The same with one more key.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set(key, value);
        self
    }

    /// All keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// How collective operations were timed, from the key `timing`; as the maximum over the ranks where it names none.
    pub fn timing(&self) -> Timing {
        self.get("timing").and_then(Timing::of).unwrap_or_default()
    }

    /// The host of each processor, from the key `hosts` (names joined by spaces, one for each processor).
    pub fn hosts(&self) -> Vec<&str> {
        self.get("hosts").map(|hosts| hosts.split_whitespace().collect()).unwrap_or_default()
    }
}
