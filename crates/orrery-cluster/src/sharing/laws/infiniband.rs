//! InfiniBand.

use std::collections::{BTreeMap, BTreeSet};

use super::kind::{Law, LawKind, ParameterKind};
use crate::sharing::active::{
    IncrementalPenalties, PortView, PortwiseLaw, PortwisePenalties, Side,
};
use crate::sharing::calibrate::{CalibrationData, LeastSquares, no_law};
use crate::sharing::law::{Piece, piecewise_penalties, positive};
use crate::sharing::ports::{PortTable, TransferPorts};
use crate::sharing::{ParameterError, PenaltyModel, SharingError, Transfer};
use orrery_base::file::Fault;
use orrery_base::numeric::Estimate;

/// The number of parameters.
const PARAMETERS: usize = 3;

/// The registry entry; published values are the defaults of SimGrid.
pub(super) static KIND: LawKind = LawKind {
    name: "infiniband",
    about: "InfiniBand",
    parameters: &[
        ParameterKind {
            name: "beta_out",
            symbol: "β_s",
            about: "slowdown of k transfers from one node, divided by k",
            unit: "",
            published: 0.925,
            nodes: 3,
        },
        ParameterKind {
            name: "beta_in",
            symbol: "β_e",
            about: "slowdown of k transfers to one node, divided by k",
            unit: "",
            published: 0.965,
            nodes: 3,
        },
        ParameterKind {
            name: "gamma",
            symbol: "γ",
            about: "factor on the slowdown of a source of two or more transfers, if one is to a \
                node that receives three or more",
            unit: "",
            published: 1.35,
            nodes: 4,
        },
    ],
    fit: Some(|data, level| Ok(Infiniband::fit(data, level)?.to_vec())),
};

/// The number of incoming transfers from which a destination is crowded, so that γ applies.
const CROWDED_DEGREE: usize = 3;

/// The sharing law of InfiniBand.
///
/// Δ_s transfers leave the source s and Δ_e transfers enter the destination e. Those that enter e
/// have Φ different sources, and Ω of them come from s:
///
/// ```text
/// p_s(c) = 1           if Δ_s = 1
///        = Δ_s·β_s·γ   if Δ_s ≥ 2 and Δ_e ≥ 3 at the destination of c
///        = Δ_s·β_s     otherwise
/// p_e(c) = 1           if Δ_e = 1
///        = Φ·β_e·Ω     otherwise
/// P(c) = max( p_s(c') over all c' that leave the source of c, p_e(c) )
/// ```
///
/// No parameter has a unit. Source: J. Vienne, "Prédiction de performances d'applications de calcul
/// haute performance sur réseau Infiniband", thesis, Grenoble, 2010, in the form that SimGrid
/// implements (`network_ib`), without the max-min sharing that SimGrid applies on top.
///
/// ```
/// use orrery_cluster::sharing::{Infiniband, PenaltyModel, Transfer};
/// let law = Infiniband::new(0.925, 0.965, 1.35)?;
/// let two = [Transfer::between(0, 1), Transfer::between(0, 2)];
/// assert_eq!(law.penalties(&two)?, [1.85, 1.85]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Infiniband {
    beta_out: f64,
    beta_in: f64,
    gamma: f64,
}

impl Infiniband {
    /// The law with the defaults of SimGrid: β_s = 0.925, β_e = 0.965, γ = 1.35.
    pub const SIMGRID: Self = Self { beta_out: 0.925, beta_in: 0.965, gamma: 1.35 };

    /// The law with these values of β_s, β_e and γ.
    ///
    /// # Errors
    ///
    /// A value that is not above 0.
    pub fn new(beta_out: f64, beta_in: f64, gamma: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            beta_out: positive("beta_out", beta_out)?,
            beta_in: positive("beta_in", beta_in)?,
            gamma: positive("gamma", gamma)?,
        })
    }

    /// The law with the values of its parameters, in the order of the registry entry.
    pub(super) fn from_values(values: &[f64]) -> Result<Self, ParameterError> {
        Self::new(values[0], values[1], values[2])
    }

    /// The law from the slowdowns of simple schemes: β_s = slowdown / 2 of two transfers from one
    /// node, β_e = slowdown / 2 of two transfers to one node, γ = slowdown / (k·β_s) of `crowded` =
    /// (k, slowdown of a transfer that is one of k from its node, while three or more enter its
    /// destination).
    ///
    /// Source: as [`Infiniband`]. The thesis divides γ by 3·β_e, which does not return the γ of the
    /// law.
    ///
    /// # Errors
    ///
    /// Slowdowns that lead to a parameter outside its range.
    pub fn from_slowdowns(
        two_sends: f64,
        two_receives: f64,
        crowded: (u32, f64),
    ) -> Result<Self, ParameterError> {
        let (beta_out, beta_in) = (two_sends / 2.0, two_receives / 2.0);
        Self::new(beta_out, beta_in, crowded.1 / (f64::from(crowded.0) * beta_out))
    }

    /// Fits β_s, β_e and γ to measured schemes by least squares of the relative errors of all
    /// penalties, as [`GigabitEthernet::fit`](super::GigabitEthernet::fit) does.
    ///
    /// # Errors
    ///
    /// Slowdowns that are not positive, schemes that do not identify a parameter, and estimates
    /// outside their range.
    pub fn fit(data: &dyn CalibrationData, level: f64) -> Result<[Estimate; PARAMETERS], Fault> {
        /// The parameters, each with the experiment that identifies it, for errors.
        const EXPERIMENTS: [(&str, &str); PARAMETERS] = [
            ("beta_out", "two transfers from one node"),
            ("beta_in", "two transfers to one node"),
            (
                "gamma",
                "three transfers from one node, with two others to the destination of one of them",
            ),
        ];
        let starts = [0.6, 0.9].into_iter().flat_map(|out: f64| {
            [0.6, 0.9]
                .into_iter()
                .flat_map(move |into| [1.0, 1.3, 1.8].map(|gamma| [out, into, out * gamma]))
        });
        let fit = LeastSquares::fit(data, EXPERIMENTS, &pieces, starts)?;
        let [out, into, crowded] = fit.coefficients;
        // γ = (β_s·γ) / β_s.
        let slopes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-crowded / out / out, 0.0, 1.0 / out]];
        let estimates = fit.estimates([out, into, crowded / out], &slopes, level);
        Self::new(estimates[0].value, estimates[1].value, estimates[2].value)
            .map_err(|error| no_law(&error))?;
        Ok(estimates)
    }

    /// Returns the parameters β_s, β_e and γ.
    pub const fn parameters(&self) -> [f64; PARAMETERS] {
        [self.beta_out, self.beta_in, self.gamma]
    }

    /// Returns β_s, β_e and β_s·γ, in which penalties are piecewise linear.
    fn coefficients(&self) -> [f64; PARAMETERS] {
        [self.beta_out, self.beta_in, self.beta_out * self.gamma]
    }
}

impl PenaltyModel for Infiniband {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        Ok(piecewise_penalties(&pieces(transfers), &self.coefficients()))
    }
}

impl Law for Infiniband {
    fn kind(&self) -> &'static LawKind {
        &KIND
    }

    fn incremental(&self) -> Option<Box<dyn IncrementalPenalties>> {
        Some(Box::new(PortwisePenalties::new(*self)))
    }
}

/// The penalties of a port for its transfers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::sharing) struct InfinibandPortState {
    /// The maximum of p_s for an out-port; p_e with Ω = 1 for an in-port.
    penalty: f64,
    /// Φ for an in-port to which a source sends more than one transfer, else 0.
    senders: usize,
}

impl PortwiseLaw for Infiniband {
    type PortState = InfinibandPortState;

    /// p_s changes when a destination becomes crowded or ceases to be; p_e does not depend on
    /// degrees of sources.
    fn is_affected(
        &self,
        _: &Self::PortState,
        neighbour: Side,
        before: usize,
        after: usize,
    ) -> bool {
        neighbour == Side::Destination && is_crowded(before) != is_crowded(after)
    }

    fn port_state(&self, side: Side, port: &PortView<'_, Self::PortState>) -> Self::PortState {
        let degree = port.degree();
        match side {
            Side::Source => {
                let value = |is_crowded| at_source(degree, is_crowded).value(&self.coefficients());
                let penalty = port
                    .neighbour_degrees()
                    .map(|degree| value(is_crowded(degree)))
                    .fold(0.0, f64::max);
                InfinibandPortState { penalty, senders: 0 }
            }
            Side::Destination => {
                let senders = distinct(port.neighbours());
                let penalty = at_destination(degree, senders, 1).value(&self.coefficients());
                InfinibandPortState { penalty, senders: if senders < degree { senders } else { 0 } }
            }
        }
    }

    fn port_penalty(
        &self,
        port: &Self::PortState,
        _: &Self::PortState,
        parallel: impl FnOnce() -> usize,
    ) -> f64 {
        match port.senders {
            0 => port.penalty,
            senders => at_destination(senders + 1, senders, parallel()).value(&self.coefficients()),
        }
    }
}

/// Returns true if a destination with this number of incoming transfers is crowded.
fn is_crowded(degree: usize) -> bool {
    degree >= CROWDED_DEGREE
}

/// p_s of a transfer whose source has the degree Δ_s.
fn at_source(degree: usize, is_crowded: bool) -> Piece<PARAMETERS> {
    let slope = degree as f64;
    match degree {
        0 | 1 => Piece::ONE,
        _ if is_crowded => Piece::linear([0.0, 0.0, slope]),
        _ => Piece::linear([slope, 0.0, 0.0]),
    }
}

/// p_e of a transfer whose destination has the degree Δ_e and Φ senders, Ω transfers being parallel
/// to it.
fn at_destination(degree: usize, senders: usize, parallel: usize) -> Piece<PARAMETERS> {
    if degree == 1 { Piece::ONE } else { Piece::linear([0.0, (senders * parallel) as f64, 0.0]) }
}

/// The pieces of each penalty: p_s of the transfers from the same source, and p_e; linear in β_s,
/// β_e and β_s·γ.
fn pieces(transfers: &[Transfer]) -> Vec<Vec<Piece<PARAMETERS>>> {
    let ports = PortTable::of(transfers);
    let sending: Vec<Vec<Piece<PARAMETERS>>> =
        ports.out.iter().map(|port| source_pieces(&ports, port)).collect();
    let source = |k: &usize| ports.ends[*k].map_or(0, |ends| ends.out);
    let senders: Vec<usize> =
        ports.into.iter().map(|port| distinct(port.iter().map(source))).collect();
    let mut parallel = BTreeMap::<(usize, usize), usize>::new();
    for ends in ports.ends.iter().flatten() {
        *parallel.entry((ends.out, ends.into)).or_default() += 1;
    }
    let pieces = |ends: &Option<TransferPorts>| match *ends {
        None => vec![Piece::ONE],
        Some(ends) => {
            let parallel = parallel[&(ends.out, ends.into)];
            let receiving = at_destination(ports.in_degree(ends), senders[ends.into], parallel);
            sending[ends.out].iter().copied().chain([receiving]).collect()
        }
    };
    ports.ends.iter().map(pieces).collect()
}

/// The different p_s of the transfers of an out-port.
fn source_pieces(ports: &PortTable, port: &[usize]) -> Vec<Piece<PARAMETERS>> {
    let crowded = |&k: &usize| ports.ends[k].is_some_and(|ends| is_crowded(ports.in_degree(ends)));
    let plain = (!port.iter().all(crowded)).then_some(at_source(port.len(), false));
    let held = port.iter().any(crowded).then_some(at_source(port.len(), true));
    plain.into_iter().chain(held).collect()
}

/// The largest number of ports that are compared pair by pair, which needs no memory.
const MAX_PAIRWISE: usize = 8;

/// Φ: the number of different ports among these.
fn distinct(sources: impl ExactSizeIterator<Item = usize> + Clone) -> usize {
    if sources.len() > MAX_PAIRWISE {
        return sources.collect::<BTreeSet<usize>>().len();
    }
    let is_first =
        |&(k, source): &(usize, usize)| !sources.clone().take(k).any(|other| other == source);
    sources.clone().enumerate().filter(is_first).count()
}
