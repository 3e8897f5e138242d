//! InfiniBand: credits of a crowded destination hold back all that its sources send.

use std::collections::{BTreeMap, BTreeSet};

use super::law::above_zero;
use super::piece::{self, Piece, UNKNOWNS};
use super::ports::{Ends, Ports};
use super::underway::{End, Local, Seen};
use super::{ParameterError, PenaltyModel, SharingError, Transfer};

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
/// use orrery::sharing::{Infiniband, PenaltyModel, Transfer};
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
    /// With the numbers of SimGrid: β_s = 0.925, β_e = 0.965, γ = 1.35.
    pub const SIMGRID: Self = Self { beta_out: 0.925, beta_in: 0.965, gamma: 1.35 };

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

impl Infiniband {
    fn unknowns(&self) -> [f64; UNKNOWNS] {
        [self.beta_out, self.beta_in, self.beta_out * self.gamma]
    }
}

impl PenaltyModel for Infiniband {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        Ok(piece::penalties(&pieces(transfers), &self.unknowns()))
    }
}

/// What a port does to its transfers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Held {
    /// Of an out-port the greatest p_s, of an in-port p_e of a transfer that is the only one between its ends.
    penalty: f64,
    /// Φ of an in-port to which some come from the same source, else 0.
    senders: u32,
}

impl Local for Infiniband {
    type Side = Held;

    /// Out-ports count how many destinations of their transfers are crowded.
    fn weight(&self, end: End, degree: usize) -> u64 {
        u64::from(end == End::Destination && is_crowded(degree))
    }

    fn minds(&self, _: &Held, _: &Held, _: usize) -> bool {
        true
    }

    #[inline]
    fn side(&self, end: End, port: &Seen<'_>) -> Held {
        let degree = port.degree();
        if end == End::Destination {
            let senders = distinct(port.others());
            let penalty = at_destination(degree, senders, 1).value(&self.unknowns());
            return Held { penalty, senders: if senders < degree { senders as u32 } else { 0 } };
        }
        let value = |is_crowded| at_source(degree, is_crowded).value(&self.unknowns());
        let plain = if port.tally < degree as u64 { value(false) } else { 0.0 };
        let held = if port.tally > 0 { value(true) } else { 0.0 };
        Held { penalty: plain.max(held), senders: 0 }
    }

    fn part(&self, own: &Held, _: &Held, same: impl FnOnce() -> usize) -> f64 {
        match own.senders as usize {
            0 => own.penalty,
            senders => at_destination(senders + 1, senders, same()).value(&self.unknowns()),
        }
    }
}

/// Whether a destination to which so many transfers come is crowded.
fn is_crowded(coming: usize) -> bool {
    coming >= CROWDED
}

/// p_s of a transfer, one of so many that leave its source.
fn at_source(leaving: usize, is_crowded: bool) -> Piece {
    let degree = leaving as f64;
    match leaving {
        0 | 1 => Piece::LONE,
        _ if is_crowded => Piece::linear([0.0, 0.0, degree]),
        _ => Piece::linear([degree, 0.0, 0.0]),
    }
}

/// p_e of a transfer, one of so many that come to its destination from so many sources, and of so many from its own.
fn at_destination(coming: usize, senders: usize, same: usize) -> Piece {
    if coming == 1 { Piece::LONE } else { Piece::linear([0.0, (senders * same) as f64, 0.0]) }
}

/// The pieces of each penalty, linear in β_s, β_e and β_s·γ.
pub(super) fn pieces(transfers: &[Transfer]) -> Vec<Vec<Piece>> {
    let ports = Ports::of(transfers);
    let sending: Vec<Vec<Piece>> = ports.out.iter().map(|port| at_sources(&ports, port)).collect();
    let source = |k: &usize| ports.ends[*k].map_or(0, |ends| ends.out);
    let senders: Vec<usize> = ports.into.iter().map(|port| distinct(port.iter().map(source))).collect();
    let mut same = BTreeMap::<(usize, usize), usize>::new();
    for ends in ports.ends.iter().flatten() {
        *same.entry((ends.out, ends.into)).or_default() += 1;
    }
    let of = |ends: &Option<Ends>| match *ends {
        None => vec![Piece::LONE],
        Some(ends) => {
            let same = same[&(ends.out, ends.into)];
            let receiving = at_destination(ports.in_degree(ends), senders[ends.into], same);
            sending[ends.out].iter().copied().chain([receiving]).collect()
        }
    };
    ports.ends.iter().map(of).collect()
}

/// Φ: from how many different ports the transfers of an in-port come.
fn distinct(sources: impl ExactSizeIterator<Item = usize> + Clone) -> usize {
    if sources.len() > 8 {
        return sources.collect::<BTreeSet<usize>>().len();
    }
    // Few are compared one by one.
    let is_first = |&(k, source): &(usize, usize)| !sources.clone().take(k).any(|other| other == source);
    sources.clone().enumerate().filter(is_first).count()
}

/// What p_s can be for the transfers of one source.
fn at_sources(ports: &Ports, port: &[usize]) -> Vec<Piece> {
    let crowded = |&k: &usize| ports.ends[k].is_some_and(|ends| is_crowded(ports.in_degree(ends)));
    let plain = (!port.iter().all(crowded)).then_some(at_source(port.len(), false));
    let held = port.iter().any(crowded).then_some(at_source(port.len(), true));
    plain.into_iter().chain(held).collect()
}
