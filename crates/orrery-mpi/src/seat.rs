use orrery::machine::host;
use serde::{Deserialize, Serialize};

/// Where a rank runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seat {
    /// The name of its host.
    pub host: String,
    /// The cores that it may use.
    pub cores: Vec<usize>,
}

impl Seat {
    /// Where this process runs.
    pub fn here() -> Self {
        Self { host: host::name(), cores: host::usable_cores() }
    }

    /// The cores as ranges: `0-3,8`.
    pub fn ranges(&self) -> String {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &core in &self.cores {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == core => *last = core,
                _ => ranges.push((core, core)),
            }
        }
        let word = |(first, last): (usize, usize)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        if ranges.is_empty() { "any".into() } else { ranges.into_iter().map(word).collect::<Vec<_>>().join(",") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_written_as_ranges() {
        let ranges = |cores: &[usize]| Seat { host: String::new(), cores: cores.to_vec() }.ranges();
        assert_eq!(ranges(&[]), "any");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }
}
