use orrery_cluster::platform::Processor;
use orrery_program::schedule::Timing;

/// The keys whose values have a word for each processor.
const PER_PROCESSOR_KEYS: [&str; 3] = ["hosts", "cores", "kernels"];

/// The key of the number of processes on each host, if it was requested or is known without their
/// names.
pub const PROCESSES_PER_HOST: &str = "processes per host";

/// The key of the timing method.
const TIMING: &str = "timing";

/// The beginnings of values of the key `timing` that name no method: of old samples files, and of
/// imported benchmarks.
const UNNAMED: [&str; 2] = ["maximum over the ranks", "means of a benchmark"];

/// The origin of readings: keys and values in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    entries: Vec<(String, String)>,
}

impl Provenance {
    /// An empty provenance.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a key; `None` if it is missing.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// Sets the value of a key; a new key is appended.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.entries.iter_mut().find(|(k, _)| *k == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Sets a key, for chained calls.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.set(key, value);
        self
    }

    /// All keys and values in the order of writing.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The timing method of collective operations, from the key `timing`; `Maximum` if it names no
    /// known method.
    ///
    /// [`unknown_timing`](Self::unknown_timing) distinguishes the two cases.
    pub fn timing(&self) -> Timing {
        self.get(TIMING).and_then(Timing::of).unwrap_or_default()
    }

    /// The value of the key `timing` if it names no known method.
    pub fn unknown_timing(&self) -> Option<&str> {
        let is_known = |value: &str| {
            Timing::of(value).is_some() || UNNAMED.iter().any(|start| value.starts_with(start))
        };
        self.get(TIMING).filter(|value| !is_known(value))
    }

    /// The provenance of some of the processors: of values with a word for each processor those of
    /// the others are left out.
    ///
    /// ```
    /// use orrery_cluster::platform::Processor;
    /// use orrery_measure::sample::Provenance;
    /// let all = Provenance::new().with("hosts", "a b c").with("cores", "0 1");
    /// let two = all.of_processors(&[0, 2].map(Processor));
    /// assert_eq!((two.get("hosts"), two.get("cores")), (Some("a c"), Some("0 1")));
    /// ```
    #[must_use]
    pub fn of_processors(&self, processors: &[Processor]) -> Self {
        let mut provenance = self.clone();
        for key in PER_PROCESSOR_KEYS {
            let words: Vec<&str> = self.get(key).unwrap_or_default().split_whitespace().collect();
            let of_selected = processors.iter().map(|one| words.get(one.index()).copied());
            if let Some(of_selected) = of_selected.collect::<Option<Vec<&str>>>() {
                provenance.set(key, of_selected.join(" "));
            }
        }
        provenance
    }

    /// The host of each processor, from the key `hosts` (names joined by spaces, one for each
    /// processor).
    pub fn hosts(&self) -> Vec<&str> {
        self.get("hosts").map(|hosts| hosts.split_whitespace().collect()).unwrap_or_default()
    }
}
