//! Gigabit Ethernet: the slowest partners of a conflict are slowed more than the others.

use super::law::above_zero;
use super::piece::{self, Piece, UNKNOWNS};
use super::ports::{Ends, Ports};
use super::underway::Local;
use super::{ParameterError, Sharing, SharingError, Transfer};

/// How the strongly slowed transfers of a conflict share γ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// 1 + γ/(Δ − card): what the others gain is shared out; this gives the published predictions.
    #[default]
    Quotient,
    /// 1 + γ·(Δ − card), as the formula is printed.
    Printed,
}

/// The model of Gigabit Ethernet with TCP.
///
/// For a transfer c from v_s to v_d, Δ_o transfers leave v_s and Δ_i come to v_d. Of those that leave v_s, the ones whose
/// destination has the greatest Δ_i are strongly slowed, card of them. The penalty of the sending side is
///
/// ```text
/// p_o = 1                                if Δ_o = 1
///     = Δ_o·β·(1 + γ_o / (Δ_o − card))   if c is strongly slowed and others are not
///     = Δ_o·β                            if all are
///     = Δ_o·β·(1 − γ_o / card)           if c is not
/// ```
///
/// and that of the receiving side p_i the same with Δ_i, γ_i, where among those that come to v_d the ones whose source has
/// the greatest Δ_o are strongly slowed; P = max(p_o, p_i). No unit has a dimension. β below 1/2 would let two transfers
/// be faster together than alone; the model itself does not forbid it.
///
/// Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive models for bandwidth sharing in high performance clusters",
/// section V-A.
///
/// ```
/// use orrery::sharing::{Gige, Sharing, Transfer};
/// let gige = Gige::new(0.75, 0.115, 0.036)?;
/// let three = [1, 2, 3].map(|to| Transfer::between(0, to));
/// assert_eq!(gige.penalties(&three)?, [2.25, 2.25, 2.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gige {
    beta: f64,
    gamma_out: f64,
    gamma_in: f64,
    form: Form,
}

impl Gige {
    /// The words of its parameters in files.
    pub const PARAMETERS: [&'static str; UNKNOWNS] = ["beta", "gamma_out", "gamma_in"];

    /// With β, γ_o and γ_i, in the form of a quotient.
    ///
    /// # Errors
    ///
    /// When β is not above 0, or a γ does not lie between −1 and 1.
    pub fn new(beta: f64, gamma_out: f64, gamma_in: f64) -> Result<Self, ParameterError> {
        let part = |name, value: f64| {
            let expected = "a number between -1 and 1";
            if value.abs() < 1.0 { Ok(value) } else { Err(ParameterError { name, value, expected }) }
        };
        Ok(Self {
            beta: above_zero("beta", beta)?,
            gamma_out: part("gamma_out", gamma_out)?,
            gamma_in: part("gamma_in", gamma_in)?,
            form: Form::default(),
        })
    }

    /// The same in another form.
    #[must_use]
    pub const fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// β, γ_o and γ_i.
    pub const fn parameters(&self) -> [f64; UNKNOWNS] {
        [self.beta, self.gamma_out, self.gamma_in]
    }
}

impl Sharing for Gige {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let unknowns = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        Ok(piece::penalties(&pieces(transfers, self.form), &unknowns))
    }
}

impl Local for Gige {
    type Side = Slowed;

    fn sending(&self, ports: &Ports, port: usize) -> Slowed {
        let degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.in_degree(ends));
        let slowest = Slowest::of(ports.out[port].iter().map(degree));
        self.slowed(ports.out[port].len(), slowest, |[beta, gamma]| [beta, gamma, 0.0])
    }

    fn receiving(&self, ports: &Ports, port: usize) -> Slowed {
        let degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.out_degree(ends));
        let slowest = Slowest::of(ports.into[port].iter().map(degree));
        self.slowed(ports.into[port].len(), slowest, |[beta, gamma]| [beta, 0.0, gamma])
    }

    fn penalty(&self, ports: &Ports, ends: Ends, sending: Slowed, receiving: Slowed) -> f64 {
        sending.penalty(ports.in_degree(ends)).max(receiving.penalty(ports.out_degree(ends)))
    }
}

impl Gige {
    /// The penalties that the transfers of a port have by it.
    fn slowed(&self, degree: usize, slowest: Slowest, factors: impl Fn([f64; 2]) -> [f64; UNKNOWNS]) -> Slowed {
        let unknowns = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        let penalty = |other: usize| {
            let side = side(degree, slowest, other, self.form);
            side.map_or(Piece::LONE, |side| Piece::linear(factors(side))).value(&unknowns)
        };
        let strongly = penalty(slowest.degree);
        let others = if slowest.card < degree { penalty(0) } else { strongly };
        Slowed { degree: slowest.degree, strongly, others }
    }
}

/// What a port does to its transfers: to those whose other ends have the greatest degree, and to the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slowed {
    degree: usize,
    strongly: f64,
    others: f64,
}

impl Slowed {
    /// The penalty of a transfer by the degree at its other end.
    fn penalty(&self, other: usize) -> f64 {
        if other < self.degree { self.others } else { self.strongly }
    }
}

/// The pieces of each penalty, linear in β, β·γ_o and β·γ_i.
pub(super) fn pieces(transfers: &[Transfer], form: Form) -> Vec<Vec<Piece>> {
    let ports = Ports::of(transfers);
    let in_degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.in_degree(ends));
    let out_degree = |&k: &usize| ports.ends[k].map_or(0, |ends| ports.out_degree(ends));
    let sending: Vec<Slowest> = ports.out.iter().map(|port| Slowest::of(port.iter().map(in_degree))).collect();
    let receiving: Vec<Slowest> = ports.into.iter().map(|port| Slowest::of(port.iter().map(out_degree))).collect();
    let of = |ends: &Option<Ends>| match *ends {
        None => vec![Piece::LONE],
        Some(ends) => both(&ports, ends, sending[ends.out], receiving[ends.into], form).to_vec(),
    };
    ports.ends.iter().map(of).collect()
}

/// The pieces of the sending and of the receiving side of one transfer.
fn both(ports: &Ports, ends: Ends, sending: Slowest, receiving: Slowest, form: Form) -> [Piece; 2] {
    let (out, into) = (ports.out_degree(ends), ports.in_degree(ends));
    let at_source = side(out, sending, into, form).map(|[beta, gamma]| [beta, gamma, 0.0]);
    let at_destination = side(into, receiving, out, form).map(|[beta, gamma]| [beta, 0.0, gamma]);
    [at_source, at_destination].map(|factors| factors.map_or(Piece::LONE, Piece::linear))
}

/// The strongly slowed transfers of a port: the degree at their other ends, and their number.
#[derive(Debug, Clone, Copy)]
struct Slowest {
    degree: usize,
    card: usize,
}

impl Slowest {
    fn of(degrees: impl Iterator<Item = usize> + Clone) -> Self {
        let degree = degrees.clone().max().unwrap_or(0);
        Self { degree, card: degrees.filter(|&other| other == degree).count() }
    }
}

/// One side's penalty as factors of β and of β·γ; nothing where the transfer is alone.
fn side(degree: usize, slowest: Slowest, other: usize, form: Form) -> Option<[f64; 2]> {
    let (all, card) = (degree as f64, slowest.card as f64);
    let share = match form {
        _ if degree == 1 => return None,
        _ if other < slowest.degree => -1.0 / card,
        _ if slowest.card == degree => 0.0,
        Form::Quotient => 1.0 / (all - card),
        Form::Printed => all - card,
    };
    Some([all, all * share])
}
