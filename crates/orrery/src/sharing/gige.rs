//! Gigabit Ethernet: the slowest partners of a conflict are slowed more than the others.

use std::cmp::Ordering;

use super::law::above_zero;
use super::piece::{self, Piece, UNKNOWNS};
use super::ports::{Ends, Ports};
use super::underway::{End, Local, Port};
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

impl Gige {
    /// What a port of this degree does to its strongly slowed transfers, and to the others.
    fn slowed(&self, end: End, degree: usize, card: usize) -> [f64; 2] {
        let unknowns = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        let slowest = Slowest { degree: 1, card };
        [1, 0].map(|other| {
            let piece = side(degree, slowest, other, self.form).map(|[beta, gamma]| match end {
                End::Source => Piece::linear([beta, gamma, 0.0]),
                End::Destination => Piece::linear([beta, 0.0, gamma]),
            });
            piece.unwrap_or(Piece::LONE).value(&unknowns)
        })
    }

    /// The same law, for penalties that are asked for many times.
    pub(super) fn tabulated(self) -> Tabulated {
        let pairs = || (1..=MOST).flat_map(|degree| (1..=degree).map(move |card| (degree, card)));
        let table = |end| pairs().map(|(degree, card)| self.slowed(end, degree, card)).collect();
        Tabulated { law: self, source: table(End::Source), destination: table(End::Destination) }
    }
}

/// Greater degrees are not in a table.
const MOST: usize = 16;

/// The law with what ports do to their transfers, by degree and number of strongly slowed ones.
#[derive(Debug, Clone)]
pub(super) struct Tabulated {
    law: Gige,
    source: Vec<[f64; 2]>,
    destination: Vec<[f64; 2]>,
}

/// What a port does to its transfers: to those whose other ends have this degree, the greatest, and to the others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Slowed {
    degree: u32,
    strongly: f64,
    others: f64,
}

impl Slowed {
    /// The penalty of a transfer by the degree at its other end.
    fn penalty(&self, other: u32) -> f64 {
        if other < self.degree { self.others } else { self.strongly }
    }
}

impl Local for Tabulated {
    type Tally = Slowest;
    type Side = Slowed;

    fn tally(&self, _: End, port: Port<'_>) -> Slowest {
        Slowest::of(port.degrees().map(|degree| degree as usize))
    }

    fn shifted(&self, _: End, tally: Slowest, before: u32, after: u32) -> Option<Slowest> {
        tally.shifted(before as usize, after as usize)
    }

    fn side(&self, end: End, degree: u32, slowest: Slowest) -> Slowed {
        let (degree, card) = (degree as usize, slowest.card);
        let table = if end == End::Source { &self.source } else { &self.destination };
        let [strongly, others] = match table.get((degree * degree.wrapping_sub(1) / 2 + card).wrapping_sub(1)) {
            Some(known) if degree <= MOST => *known,
            _ => self.law.slowed(end, degree, card),
        };
        Slowed { degree: slowest.degree as u32, strongly, others }
    }

    fn penalty(&self, [(sending, out), (receiving, into)]: [(Slowed, u32); 2], _: impl FnOnce() -> usize) -> f64 {
        let (leaving, coming) = (sending.penalty(into), receiving.penalty(out));
        if leaving > coming { leaving } else { coming }
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slowest {
    degree: usize,
    card: usize,
}

impl Slowest {
    fn of(degrees: impl Iterator<Item = usize>) -> Self {
        degrees.fold(Self::default(), Self::and)
    }

    /// With one more.
    fn and(self, degree: usize) -> Self {
        match degree.cmp(&self.degree) {
            Ordering::Less => self,
            Ordering::Equal => Self { card: self.card + 1, ..self },
            Ordering::Greater => Self { degree, card: 1 },
        }
    }

    /// With another degree at one end; nothing where the greatest of the rest is not known.
    fn shifted(self, before: usize, after: usize) -> Option<Self> {
        match self.card {
            _ if before < self.degree => Some(self.and(after)),
            1 if after < before => None,
            card => Some(Self { card: card - 1, ..self }.and(after)),
        }
    }
}

/// One side's penalty as factors of β and of β·γ; nothing where the transfer is alone.
fn side(degree: usize, slowest: Slowest, other: usize, form: Form) -> Option<[f64; 2]> {
    let (all, card) = (degree as f64, slowest.card as f64);
    let share = match form {
        _ if degree <= 1 => return None,
        _ if other < slowest.degree => -1.0 / card,
        _ if slowest.card == degree => 0.0,
        Form::Quotient => 1.0 / (all - card),
        Form::Printed => all - card,
    };
    Some([all, all * share])
}
