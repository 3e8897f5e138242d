use super::PaperError;
use super::breakpoint::breakpoint;
use super::reading::Reading;
use crate::scaling::ScalingError;

/// What a square matrix of f64 takes on each element, in bytes: 8·N²·M_i/P, when every process holds N²/P of it.
pub fn bytes_per_element(size: f64, processes: u64, per_element: u32) -> f64 {
    8.0 * size * size * f64::from(per_element) / processes as f64
}

/// Where the behaviour of a kind changes with the memory in use: a cache is full, or swapping begins.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryLimits {
    /// The kind.
    pub kind: String,
    /// In bytes per element, ascending: range 0 is below the first, range 1 from there to below the second, and so on.
    pub bytes: Vec<f64>,
}

/// Which memory ranges have models of their own.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum MemoryRanges {
    /// One range for each kind.
    #[default]
    One,
    /// Ranges between given limits; one range for the kinds that are not named.
    At(Vec<MemoryLimits>),
    /// At most one limit for each kind, where the computation times show a break that is more than noise.
    Search,
}

impl MemoryRanges {
    /// The limits of the kinds that have any.
    pub(super) fn limits(&self, readings: &[Reading], kinds: &[String]) -> Result<Vec<MemoryLimits>, ScalingError> {
        let given = match self {
            Self::One => return Ok(Vec::new()),
            Self::At(given) => given,
            Self::Search => {
                let of = |kind: &String| {
                    let own: Vec<&Reading> = readings.iter().filter(|reading| reading.share.kind == *kind).collect();
                    Some(MemoryLimits { kind: kind.clone(), bytes: vec![breakpoint(&own)?] })
                };
                return Ok(kinds.iter().filter_map(of).collect());
            }
        };
        for (place, MemoryLimits { kind, bytes }) in given.iter().enumerate() {
            if !kinds.contains(kind) {
                return Err(ScalingError::UnknownKind { kind: kind.clone(), kinds: kinds.to_vec() });
            }
            let fine = bytes.iter().all(|limit| limit.is_finite() && *limit > 0.0) && bytes.is_sorted_by(|a, b| a < b);
            if !fine || given[..place].iter().any(|other| other.kind == *kind) {
                return Err(PaperError::Limits { kind: kind.clone(), limits: bytes.clone() }.into());
            }
        }
        Ok(given.clone())
    }
}

/// The memory range of a kind that so many bytes per element lie in.
pub(super) fn range_of(limits: &[MemoryLimits], kind: &str, bytes: f64) -> usize {
    let own = limits.iter().find(|limits| limits.kind == kind);
    own.map_or(0, |own| own.bytes.iter().take_while(|limit| **limit <= bytes).count())
}
