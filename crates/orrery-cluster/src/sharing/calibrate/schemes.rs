//! The schemes from which the parameters of sharing laws are estimated.

use crate::sharing::scheme::{Arc, Scheme};
use crate::sharing::{LawKind, Transfer};
use orrery_base::units::{Bytes, Seconds};

/// A scheme to measure, and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationScheme {
    /// Its name: `out2`, `in2`, `six`, …
    pub name: String,
    /// Its transfers.
    pub scheme: Scheme,
}

/// The largest number of transfers from one node, or to one node; more identify no further
/// parameter.
const MAX_DEGREE: u32 = 5;

/// The scheme of the paper for γ_o and γ_i (figure 4).
const SIX: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 2), (4, 3), (5, 3)];

/// Three nodes that identify γ_o and γ_i: one of two transfers meets another one at its
/// destination.
const UNEVEN: &[(u32, u32)] = &[(0, 1), (0, 2), (2, 1)];

/// Six nodes that identify γ of InfiniBand: three transfers enter one of the three destinations of
/// a source.
const CROWDED: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 1), (5, 1)];

/// The same with four nodes.
const CROWDED_OF_FOUR: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (2, 1), (3, 1)];

/// The schemes that identify the parameters of all laws, as far as this number of nodes allows.
///
/// They are 2, 3, … transfers from node 0 (β, β_s) and to node 0 (β_e), the paper's scheme of six
/// transfers or one for three nodes (γ_o, γ_i), and one with a crowded destination (InfiniBand's
/// γ).
///
/// ```
/// use orrery_cluster::sharing::calibrate::{calibration_schemes, unidentified_parameters};
/// use orrery_base::units::Bytes;
/// let names = |nodes| calibration_schemes(nodes, Bytes::new(1)).into_iter().map(|one| one.name).collect::<Vec<_>>();
/// assert_eq!(names(4), ["out2", "in2", "out3", "in3", "uneven", "crowded"]);
/// assert_eq!(unidentified_parameters(3), [("infiniband", "gamma", 4)]);
/// ```
pub fn calibration_schemes(nodes: usize, size: Bytes) -> Vec<CalibrationScheme> {
    let max_degree = MAX_DEGREE.min(u32::try_from(nodes).unwrap_or(u32::MAX).saturating_sub(1));
    let mut all = Vec::new();
    for k in 2..=max_degree {
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

/// The parameters that the calibration schemes for this number of nodes do not identify: the law,
/// the parameter, and the number of nodes that it needs.
pub fn unidentified_parameters(nodes: usize) -> Vec<(&'static str, &'static str, usize)> {
    let of_law =
        |kind: &'static LawKind| kind.parameters.iter().map(|one| (kind.name, one.name, one.nodes));
    LawKind::calibrated().flat_map(of_law).filter(|&(.., needed)| nodes < needed).collect()
}

/// A scheme of transfers of one size that start together; their names are a, b, ….
fn named(name: String, arcs: &[(u32, u32)], size: Bytes) -> CalibrationScheme {
    let arc = |(letter, &(source, destination)): (char, &(u32, u32))| Arc {
        name: letter.to_string(),
        transfer: Transfer::between(source, destination),
        size,
        delay: Seconds::ZERO,
    };
    CalibrationScheme { name, scheme: Scheme { arcs: ('a'..).zip(arcs).map(arc).collect() } }
}
