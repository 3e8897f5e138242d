//! Gigabit Ethernet: the slowest partners of a conflict are slowed more than the others.

use std::cmp::Ordering;

use super::law::above_zero;
use super::piece::{self, Piece, UNKNOWNS};
use super::ports::{Ends, Ports};
use super::underway::{End, Local, Seen};
use super::{ParameterError, PenaltyModel, SharingError, Transfer};

/// How the strongly slowed transfers of a conflict share γ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GammaForm {
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
/// use orrery::sharing::{GigabitEthernet, PenaltyModel, Transfer};
/// let gige = GigabitEthernet::new(0.75, 0.115, 0.036)?;
/// let three = [1, 2, 3].map(|to| Transfer::between(0, to));
/// assert_eq!(gige.penalties(&three)?, [2.25, 2.25, 2.25]);
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
            form: GammaForm::default(),
        })
    }

    /// The same in another form.
    #[must_use]
    pub const fn in_form(self, form: GammaForm) -> Self {
        Self { form, ..self }
    }

    /// β, γ_o and γ_i.
    pub const fn parameters(&self) -> [f64; UNKNOWNS] {
        [self.beta, self.gamma_out, self.gamma_in]
    }
}

impl PenaltyModel for GigabitEthernet {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        let unknowns = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        Ok(piece::penalties(&pieces(transfers, self.form), &unknowns))
    }
}

impl GigabitEthernet {
    /// What a port of this degree does to its strongly slowed transfers, and to the others.
    #[cold]
    fn slowed(&self, end: End, degree: usize, card: usize) -> (f64, f64) {
        let unknowns = [self.beta, self.beta * self.gamma_out, self.beta * self.gamma_in];
        let slowest = Slowest { degree: 1, card };
        let by = |other| {
            let piece = side(degree, slowest, other, self.form).map(|[beta, gamma]| match end {
                End::Source => Piece::linear([beta, gamma, 0.0]),
                End::Destination => Piece::linear([beta, 0.0, gamma]),
            });
            // With a γ below zero the printed form can lead below zero too, which is as fast as can be.
            piece.unwrap_or(Piece::LONE).value(&unknowns).max(f64::MIN_POSITIVE)
        };
        (by(1), by(0))
    }

    /// The same law, for penalties that are asked for many times.
    pub(super) fn tabulated(self) -> Tabulated {
        let by_card = |end, degree| std::array::from_fn(|card| self.slowed(end, degree, card.max(1)));
        let by_degree = |end| std::array::from_fn(|degree| by_card(end, degree));
        Tabulated { law: self, table: [End::Source, End::Destination].map(by_degree) }
    }
}

/// The law with what ports do to their transfers, by end, degree and number of strongly slowed ones.
#[derive(Debug, Clone)]
pub(super) struct Tabulated {
    law: GigabitEthernet,
    table: [[[(f64, f64); DEGREES]; DEGREES]; 2],
}

/// Degrees below this one are in a table. They are the digits of a tally, which counts in each how many of the other ends have
/// that degree. Digit 0 counts those that have a greater one; as long as it is not 0, the others mean nothing.
const DEGREES: usize = 16;

/// The bits of a digit, which is as large as a degree in the table.
const DIGIT: u32 = 4;

/// What a port of this degree does to its transfers: to those whose other ends have the greatest degree, and to the others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slowed {
    degree: u32,
    /// Of a lone transfer, which is slowed by nobody, beyond all degrees.
    greatest: u32,
    /// How much it slows those, and the others.
    by: [f64; 2],
}

impl Local for Tabulated {
    type Side = Slowed;

    fn weight(&self, _: End, degree: usize) -> u64 {
        // Beyond the table too every degree has a weight of its own, or a change would not be heard of.
        if degree < DEGREES { 1 << (DIGIT as usize * degree) } else { (degree as u64) << DIGIT | 1 }
    }

    /// Only the greatest degree counts, and how many have it.
    fn minds(&self, own: &Slowed, other: &Slowed, degree: usize) -> bool {
        other.degree.max(degree as u32) >= own.greatest
    }

    #[inline]
    fn side(&self, end: End, port: &Seen<'_>) -> Slowed {
        let degree = port.degree();
        // A sum that wraps around is right again as soon as its digits suffice.
        let is_known = degree < DEGREES && port.tally.is_multiple_of(1 << DIGIT);
        let (greatest, most, others) = if is_known {
            // The strongly slowed ones are the greatest digit that is not 0.
            let digit = (port.tally | 1).ilog2() / DIGIT;
            let card = (port.tally >> (DIGIT * digit)) as usize % DEGREES;
            let (most, others) = self.table[end as usize][degree % DEGREES][card];
            (digit, most, others)
        } else {
            let Slowest { degree: greatest, card } = Slowest::of(port.degrees());
            let (most, others) = self.law.slowed(end, degree, card);
            (greatest as u32, most, others)
        };
        Slowed { degree: degree as u32, greatest: if degree > 1 { greatest } else { u32::MAX }, by: [most, others] }
    }

    fn part(&self, own: &Slowed, other: &Slowed, _: impl FnOnce() -> usize) -> f64 {
        let [most, others] = own.by;
        if other.degree < own.greatest { others } else { most }
    }
}

/// The pieces of each penalty, linear in β, β·γ_o and β·γ_i.
pub(super) fn pieces(transfers: &[Transfer], form: GammaForm) -> Vec<Vec<Piece>> {
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
fn both(ports: &Ports, ends: Ends, sending: Slowest, receiving: Slowest, form: GammaForm) -> [Piece; 2] {
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
    #[cold]
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
}

/// One side's penalty as factors of β and of β·γ; nothing where the transfer is alone.
fn side(degree: usize, slowest: Slowest, other: usize, form: GammaForm) -> Option<[f64; 2]> {
    let (all, card) = (degree as f64, slowest.card as f64);
    let share = match form {
        _ if degree <= 1 => return None,
        _ if other < slowest.degree => -1.0 / card,
        _ if slowest.card == degree => 0.0,
        GammaForm::Quotient => 1.0 / (all - card),
        GammaForm::Printed => all - card,
    };
    Some([all, all * share])
}
