//! Gigabit Ethernet with TCP.

use super::kind::{Law, LawKind, ParameterKind};
use crate::sharing::active::{
    IncrementalPenalties, PortView, PortwiseLaw, PortwisePenalties, Side,
};
use crate::sharing::calibrate::{CalibrationData, LeastSquares, no_law};
use crate::sharing::law::{Piece, piecewise_penalties, positive};
use crate::sharing::ports::{PortTable, TransferPorts};
use crate::sharing::{ParameterError, PenaltyModel, SharingError, Transfer};
use orrery_base::file::Fault;
use orrery_base::numeric::{Estimate, median};

/// The number of parameters.
const PARAMETERS: usize = 3;

/// The registry entry.
pub(super) static KIND: LawKind = LawKind {
    name: "gige",
    about: "Gigabit Ethernet with TCP",
    parameters: &[
        ParameterKind {
            name: "beta",
            symbol: "β",
            about: "slowdown of k transfers from or to one node, divided by k",
            unit: "",
            published: 0.75,
            nodes: 3,
        },
        ParameterKind {
            name: "gamma_out",
            symbol: "γ_o",
            about: "unevenness of a source (-1 to 1): 0 if all its transfers are slowed alike, \
                above if those to busy destinations are slowed more",
            unit: "",
            published: 0.115,
            nodes: 3,
        },
        ParameterKind {
            name: "gamma_in",
            symbol: "γ_i",
            about: "unevenness of a destination (-1 to 1): 0 if all its transfers are slowed \
                alike, above if those from busy sources are slowed more",
            unit: "",
            published: 0.036,
            nodes: 3,
        },
    ],
    fit: Some(|data, level| Ok(GigabitEthernet::fit(data, GammaForm::default(), level)?.to_vec())),
};

orrery_base::named_enum! {
    /// The form in which γ enters the penalty of strongly slowed transfers.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum GammaForm: "form of γ" {
        /// 1 + γ/(Δ − card), which reproduces the predictions of the paper's figure 4.
        #[default]
        Quotient => "quotient": "γ / (Δ − card), which gives the published predictions",
        /// 1 + γ·(Δ − card), as the paper prints it.
        Printed => "printed": "γ · (Δ − card), as printed in the paper",
    }
}

/// The sharing law of Gigabit Ethernet.
///
/// Let Δ_o be the number of transfers that leave the source v_s of a transfer c, and Δ_i the number
/// of those that enter its destination v_d. Among the transfers that leave v_s, those with the
/// largest Δ_i at their destination are *strongly slowed* (the set C_o^m of the paper's definition
/// 1). With card of them, the penalty at the source is
///
/// ```text
/// p_o = 1                                if Δ_o = 1
///     = Δ_o·β·(1 + γ_o / (Δ_o − card))   if c is strongly slowed and card < Δ_o
///     = Δ_o·β                            if all are strongly slowed (card = Δ_o)
///     = Δ_o·β·(1 − γ_o / card)           otherwise
/// ```
///
/// The penalty p_i at the destination has Δ_i and γ_i in place of Δ_o and γ_o; there the transfers
/// whose source has the largest Δ_o are strongly slowed (C_i^m). The penalty of the transfer is P =
/// max(p_o, p_i). No parameter has a unit. With β < 1/2 two transfers would be faster together than
/// one after the other; the law allows it.
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high
/// performance clusters", section V-A, definition 1 and the (unnumbered) equations of p_o, p_i and
/// p.
///
/// ```
/// use orrery_cluster::sharing::{GigabitEthernet, PenaltyModel, Transfer};
/// let law = GigabitEthernet::new(0.75, 0.115, 0.036)?;
/// let three = [1, 2, 3].map(|to| Transfer::between(0, to));
/// assert_eq!(law.penalties(&three)?, [2.25, 2.25, 2.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GigabitEthernet {
    beta: f64,
    gamma_out: f64,
    gamma_in: f64,
    form: GammaForm,
}

impl GigabitEthernet {
    /// The law with these values of β, γ_o and γ_i, in the form of a quotient.
    ///
    /// # Errors
    ///
    /// A β that is not above 0, or a γ that is not between −1 and 1.
    pub fn new(beta: f64, gamma_out: f64, gamma_in: f64) -> Result<Self, ParameterError> {
        let fraction = |name, value: f64| {
            let expected = "a number between -1 and 1";
            if value.abs() < 1.0 {
                Ok(value)
            } else {
                Err(ParameterError { name, value, expected })
            }
        };
        Ok(Self {
            beta: positive("beta", beta)?,
            gamma_out: fraction("gamma_out", gamma_out)?,
            gamma_in: fraction("gamma_in", gamma_in)?,
            form: GammaForm::default(),
        })
    }

    /// The law with the values of its parameters, in the order of the registry entry.
    pub(super) fn from_values(values: &[f64]) -> Result<Self, ParameterError> {
        Self::new(values[0], values[1], values[2])
    }

    /// The law from the slowdowns of simple schemes, by the paper's closed formulas (section V-A):
    /// β = median of slowdown / k, γ_o = 1 − t_a / (3β·t_ref), γ_i = 1 − t_f / (3β·t_ref).
    ///
    /// `sends` holds pairs (k, slowdown of k transfers from one node); `slowdown_a` and
    /// `slowdown_f` are those of a and f in the scheme of figure 4: a: 0→1, b: 0→2, c: 0→3, d: 4→2,
    /// e: 4→3, f: 5→3.
    ///
    /// # Errors
    ///
    /// Slowdowns that lead to a parameter outside its range, and an empty list `sends`.
    ///
    /// ```
    /// use orrery_cluster::sharing::GigabitEthernet;
    /// let law = GigabitEthernet::from_slowdowns(&[(2, 1.5), (3, 2.25)], 0.095 / 0.0477, 0.103 / 0.0475)?;
    /// let [beta, gamma_out, gamma_in] = law.parameters();
    /// assert_eq!(beta, 0.75);
    /// assert!((gamma_out - 0.115).abs() < 0.001 && (gamma_in - 0.036).abs() < 0.001);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_slowdowns(
        sends: &[(u32, f64)],
        slowdown_a: f64,
        slowdown_f: f64,
    ) -> Result<Self, ParameterError> {
        let quotients: Vec<f64> =
            sends.iter().map(|&(k, slowdown)| slowdown / f64::from(k)).collect();
        let beta = if quotients.is_empty() { f64::NAN } else { median(&quotients) };
        let gamma = |slowdown: f64| 1.0 - slowdown / (3.0 * beta);
        Self::new(beta, gamma(slowdown_a), gamma(slowdown_f))
    }

    /// Fits β, γ_o and γ_i to measured schemes by least squares of the relative errors of all
    /// penalties.
    ///
    /// Penalties are piecewise linear in β, β·γ_o and β·γ_i; the search starts from 27 points.
    /// Intervals have this confidence level and come from the repetitions in the data, or from the
    /// residuals where these are larger; without repetitions there are none.
    ///
    /// # Errors
    ///
    /// Slowdowns that are not positive, schemes that do not identify a parameter, and estimates
    /// outside their range.
    pub fn fit(
        data: &dyn CalibrationData,
        form: GammaForm,
        level: f64,
    ) -> Result<[Estimate; PARAMETERS], Fault> {
        /// The parameters, each with the experiment that identifies it, for errors.
        const EXPERIMENTS: [(&str, &str); PARAMETERS] = [
            ("beta", "two transfers from one node"),
            (
                "gamma_out",
                "two transfers from one node, with another one to the destination of one of them",
            ),
            (
                "gamma_in",
                "two transfers to one node, with another one from the source of one of them",
            ),
        ];
        let gammas = [0.0, 0.1, 0.3];
        let starts = [0.5, 0.75, 1.0].into_iter().flat_map(|beta: f64| {
            gammas
                .into_iter()
                .flat_map(move |out| gammas.map(|into| [beta, beta * out, beta * into]))
        });
        let pieces = |transfers: &[Transfer]| pieces(transfers, form);
        let fit = LeastSquares::fit(data, EXPERIMENTS, &pieces, starts)?;
        let [beta, out, into] = fit.coefficients;
        // γ = (β·γ) / β.
        let slopes = [
            [1.0, 0.0, 0.0],
            [-out / beta / beta, 1.0 / beta, 0.0],
            [-into / beta / beta, 0.0, 1.0 / beta],
        ];
        let estimates = fit.estimates([beta, out / beta, into / beta], &slopes, level);
        Self::new(estimates[0].value, estimates[1].value, estimates[2].value)
            .map_err(|error| no_law(&error))?;
        Ok(estimates)
    }

    /// The law with another form of γ.
    #[must_use]
    pub const fn in_form(self, form: GammaForm) -> Self {
        Self { form, ..self }
    }

    /// Returns the parameters β, γ_o and γ_i.
    pub const fn parameters(&self) -> [f64; PARAMETERS] {
        [self.beta, self.gamma_out, self.gamma_in]
    }
}

impl PenaltyModel for GigabitEthernet {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let coefficients = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        Ok(piecewise_penalties(&pieces(transfers, self.form), &coefficients))
    }
}

impl Law for GigabitEthernet {
    fn kind(&self) -> &'static LawKind {
        &KIND
    }

    fn incremental(&self) -> Option<Box<dyn IncrementalPenalties>> {
        Some(Box::new(PortwisePenalties::new(*self)))
    }
}

/// The penalties of a port for its transfers: p_o of an out-port or p_i of an in-port.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::sharing) struct GigabitEthernetPortState {
    /// Δ: the number of its transfers.
    degree: usize,
    /// The largest degree at the other ends of its transfers. The maximal integer for a port with a
    /// single transfer, whose penalty is 1 whatever the other end.
    largest: usize,
    /// The penalty of weakly slowed transfers, and that of strongly slowed ones, whose other end
    /// has the largest degree.
    penalties: [f64; 2],
}

impl PortwiseLaw for GigabitEthernet {
    type PortState = GigabitEthernetPortState;

    /// The state depends on the largest degree at the other ends and on the number of ends that
    /// have it.
    fn is_affected(&self, state: &Self::PortState, _: Side, before: usize, after: usize) -> bool {
        before.max(after) >= state.largest
    }

    fn port_state(&self, side: Side, port: &PortView<'_, Self::PortState>) -> Self::PortState {
        let degree = port.degree();
        if degree <= 1 {
            return GigabitEthernetPortState { degree, largest: usize::MAX, penalties: [1.0; 2] };
        }
        let slowest = StronglySlowed::among(port.neighbour_degrees());
        let gamma = match side {
            Side::Source => self.gamma_out,
            Side::Destination => self.gamma_in,
        };
        // With γ < 0 the printed form can become negative; the smallest positive penalty stands for
        // "no slowdown at all".
        let penalty = |other| {
            let [beta_slope, gamma_slope] = slopes(degree, slowest, other, self.form);
            (self.beta * (beta_slope + gamma_slope * gamma)).max(f64::MIN_POSITIVE)
        };
        let penalties = [penalty(0), penalty(slowest.degree)];
        GigabitEthernetPortState { degree, largest: slowest.degree, penalties }
    }

    fn port_penalty(
        &self,
        port: &Self::PortState,
        other: &Self::PortState,
        _: impl FnOnce() -> usize,
    ) -> f64 {
        port.penalties[usize::from(other.degree >= port.largest)]
    }
}

/// The pieces of each penalty: p_o and p_i, linear in β, β·γ_o and β·γ_i.
fn pieces(transfers: &[Transfer], form: GammaForm) -> Vec<Vec<Piece<PARAMETERS>>> {
    let ports = PortTable::of(transfers);
    let in_degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.in_degree(ends));
    let out_degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.out_degree(ends));
    let at_source: Vec<_> =
        ports.out.iter().map(|port| StronglySlowed::among(port.iter().map(in_degree))).collect();
    let at_destination: Vec<_> =
        ports.into.iter().map(|port| StronglySlowed::among(port.iter().map(out_degree))).collect();
    let pieces = |ends: &Option<TransferPorts>| {
        let Some(ends) = *ends else { return vec![Piece::ONE] };
        let (out, into) = (ports.out_degree(ends), ports.in_degree(ends));
        let source = match out {
            1 => Piece::ONE,
            _ => {
                let [beta, gamma] = slopes(out, at_source[ends.out], into, form);
                Piece::linear([beta, gamma, 0.0])
            }
        };
        let destination = match into {
            1 => Piece::ONE,
            _ => {
                let [beta, gamma] = slopes(into, at_destination[ends.into], out, form);
                Piece::linear([beta, 0.0, gamma])
            }
        };
        vec![source, destination]
    };
    ports.ends.iter().map(pieces).collect()
}

/// The strongly slowed transfers of a port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct StronglySlowed {
    /// The degree at their other ends, the largest of the port.
    degree: usize,
    /// Their number, card(C^m).
    card: usize,
}

impl StronglySlowed {
    /// Returns the strongly slowed transfers of a port from the degrees at the other ends of its
    /// transfers.
    fn among(degrees: impl Iterator<Item = usize> + Clone) -> Self {
        let degree = degrees.clone().max().unwrap_or(0);
        Self { degree, card: degrees.filter(|other| *other == degree).count() }
    }
}

/// The slopes in β and β·γ of the penalty at a port with two or more transfers, for a transfer
/// whose other end has the degree `other`.
fn slopes(degree: usize, slowest: StronglySlowed, other: usize, form: GammaForm) -> [f64; 2] {
    let (all, card) = (degree as f64, slowest.card as f64);
    let gamma_factor = match form {
        _ if other < slowest.degree => -1.0 / card,
        _ if slowest.card == degree => 0.0,
        GammaForm::Quotient => 1.0 / (all - card),
        GammaForm::Printed => all - card,
    };
    [all, all * gamma_factor]
}
