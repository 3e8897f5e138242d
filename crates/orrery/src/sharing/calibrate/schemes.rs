use crate::sharing::scheme::{Arc, Scheme};
use crate::sharing::{GigabitEthernet, Infiniband, Transfer};
use crate::units::{Bytes, Seconds};

/// A scheme to be measured so that parameters can be fitted, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationScheme {
    /// Its name: `out2`, `in2`, `six`, …
    pub name: String,
    /// Its transfers.
    pub scheme: Scheme,
}

/// So many transfers leave one node, or come to it, at most: more say nothing that fewer do not.
const MOST: u32 = 5;

/// The scheme of the paper for γ_o and γ_i (figure 4).
const SIX: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 2), (4, 3), (5, 3)];

/// What tells γ_o and γ_i on three nodes: one transfer of two meets another one at its destination.
const UNEVEN: &[(u32, u32)] = &[(0, 1), (0, 2), (2, 1)];

/// What tells InfiniBand's γ on six nodes and on four: three transfers come to a destination of one of three.
const CROWDED: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 1), (5, 1)];
const CROWDED_OF_FOUR: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (2, 1), (3, 1)];

/// The schemes from which the parameters of all laws can be fitted, as far as so many nodes allow.
///
/// 2, 3, … transfers from node 0 (β, β_s), as many to it (β_e), the scheme with six transfers of the paper (γ_o, γ_i), or one
/// for three nodes, and one with a crowded destination (InfiniBand's γ).
///
/// ```
/// use orrery::sharing::calibrate::{calibration_schemes, unidentified_parameters};
/// use orrery::units::Bytes;
/// let names = |nodes| calibration_schemes(nodes, Bytes::new(1)).into_iter().map(|one| one.name).collect::<Vec<_>>();
/// assert_eq!(names(4), ["out2", "in2", "out3", "in3", "uneven", "crowded"]);
/// assert_eq!(unidentified_parameters(3), [("infiniband", "gamma", 4)]);
/// ```
pub fn calibration_schemes(nodes: usize, size: Bytes) -> Vec<CalibrationScheme> {
    let most = MOST.min(u32::try_from(nodes).unwrap_or(u32::MAX).saturating_sub(1));
    let mut all = Vec::new();
    for k in 2..=most {
        let others: Vec<u32> = (1..=k).collect();
        let out: Vec<_> = others.iter().map(|&other| (0, other)).collect();
        let into: Vec<_> = others.iter().map(|&other| (other, 0)).collect();
        all.push(named(format!("out{k}"), &out, size));
        all.push(named(format!("in{k}"), &into, size));
    }
    match nodes {
        0..3 => {}
        3..6 => all.push(named("uneven".into(), UNEVEN, size)),
        _ => all.push(named("six".into(), SIX, size)),
    }
    match nodes {
        0..4 => {}
        4..6 => all.push(named("crowded".into(), CROWDED_OF_FOUR, size)),
        _ => all.push(named("crowded".into(), CROWDED, size)),
    }
    all
}

/// The parameters that the calibration schemes of so many nodes do not tell: network, parameter, nodes that are needed.
pub fn unidentified_parameters(nodes: usize) -> Vec<(&'static str, &'static str, usize)> {
    let gige = GigabitEthernet::PARAMETERS.map(|name| ("gige", name, 3));
    let infiniband = Infiniband::PARAMETERS.into_iter().zip([3, 3, 4]).map(|(name, needs)| ("infiniband", name, needs));
    gige.into_iter().chain(infiniband).filter(|(.., needs)| nodes < *needs).collect()
}

fn named(name: String, arcs: &[(u32, u32)], size: Bytes) -> CalibrationScheme {
    let arc = |(letter, &(source, destination)): (char, &(u32, u32))| Arc {
        name: letter.to_string(),
        transfer: Transfer::between(source, destination),
        size,
        delay: Seconds::ZERO,
    };
    CalibrationScheme { name, scheme: Scheme { arcs: ('a'..).zip(arcs).map(arc).collect() } }
}
