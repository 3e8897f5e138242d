//! InfiniBand: credits of a crowded destination hold back all that its sources send.

use std::collections::{BTreeMap, BTreeSet};

use super::law::above_zero;
use super::piece::{self, Piece, UNKNOWNS};
use super::ports::Ports;
use super::{ParameterError, Sharing, SharingError, Transfer};

/// A destination to which so many transfers come is crowded.
const CROWDED: usize = 3;

/// The model of InfiniBand.
///
/// Δ_s transfers leave the source s, Δ_e come to the destination e, from Φ different senders, Ω of them from s:
///
/// ```text
/// p_s(c) = 1           if Δ_s = 1
///        = Δ_s·β_s·γ   if Δ_e ≥ 3 at the destination of c
///        = Δ_s·β_s     otherwise
/// p_e(c) = 1           if Δ_e = 1
///        = Φ·β_e·Ω     otherwise
/// P(c) = max( p_s(c') of all c' that leave the source of c, p_e(c) )
/// ```
///
/// Source: Vienne, "Prédiction de performances d'applications de calcul haute performance sur réseau Infiniband" (2010),
/// as SimGrid computes it, without max-min sharing on top.
///
/// ```
/// use orrery::sharing::{Infiniband, Sharing, Transfer};
/// let infiniband = Infiniband::new(0.925, 0.965, 1.35)?;
/// let two = [Transfer::between(0, 1), Transfer::between(0, 2)];
/// assert_eq!(infiniband.penalties(&two)?, [1.85, 1.85]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Infiniband {
    beta_out: f64,
    beta_in: f64,
    gamma: f64,
}

impl Infiniband {
    /// The words of its parameters in files.
    pub const PARAMETERS: [&'static str; UNKNOWNS] = ["beta_out", "beta_in", "gamma"];

    /// With β_s, β_e and γ.
    ///
    /// # Errors
    ///
    /// When one is not above 0.
    pub fn new(beta_out: f64, beta_in: f64, gamma: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            beta_out: above_zero("beta_out", beta_out)?,
            beta_in: above_zero("beta_in", beta_in)?,
            gamma: above_zero("gamma", gamma)?,
        })
    }

    /// β_s, β_e and γ.
    pub const fn parameters(&self) -> [f64; UNKNOWNS] {
        [self.beta_out, self.beta_in, self.gamma]
    }
}

impl Sharing for Infiniband {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let unknowns = [self.beta_out, self.beta_in, self.beta_out * self.gamma];
        Ok(piece::penalties(&pieces(transfers), &unknowns))
    }
}

/// The pieces of each penalty, linear in β_s, β_e and β_s·γ.
pub(super) fn pieces(transfers: &[Transfer]) -> Vec<Vec<Piece>> {
    let ports = Ports::of(transfers);
    let sending: Vec<Vec<Piece>> = ports.out.iter().map(|port| source(&ports, port)).collect();
    let senders: Vec<usize> = ports.into.iter().map(|port| distinct(&ports, port).len()).collect();
    let mut same = BTreeMap::<(usize, usize), usize>::new();
    for ends in ports.ends.iter().flatten() {
        *same.entry((ends.out, ends.into)).or_default() += 1;
    }
    let of = |ends: &Option<_>| match *ends {
        None => vec![Piece::LONE],
        Some(ends) => {
            let receiving = match ports.in_degree(ends) {
                1 => Piece::LONE,
                _ => Piece::linear([0.0, (senders[ends.into] * same[&(ends.out, ends.into)]) as f64, 0.0]),
            };
            sending[ends.out].iter().copied().chain([receiving]).collect()
        }
    };
    ports.ends.iter().map(of).collect()
}

/// The out-ports of the transfers of an in-port.
fn distinct(ports: &Ports, port: &[usize]) -> BTreeSet<usize> {
    port.iter().filter_map(|&k| ports.ends[k]).map(|ends| ends.out).collect()
}

/// What p_s can be for the transfers of one source.
fn source(ports: &Ports, port: &[usize]) -> Vec<Piece> {
    let degree = port.len() as f64;
    if port.len() == 1 {
        return vec![Piece::LONE];
    }
    let crowded = |&k: &usize| ports.ends[k].is_some_and(|ends| ports.in_degree(ends) >= CROWDED);
    let plain = (!port.iter().all(crowded)).then_some(Piece::linear([degree, 0.0, 0.0]));
    let held = port.iter().any(crowded).then_some(Piece::linear([0.0, 0.0, degree]));
    plain.into_iter().chain(held).collect()
}
