//! The forecasters of the Network Weather Service: 18 primary ones, 16 choices among them, and 2
//! choices among these 34.

use std::fmt;

use super::errors::{CumulativeErrors, ERROR_WINDOWS, ErrorMeasure, RecentErrors, least};
use super::primary::{PRIMARY_COUNT, Primaries, Primary};

/// The number of choices among the primary forecasters.
const CHOICE_COUNT: usize = 2 * (1 + ERROR_WINDOWS.len());

/// The number of primary forecasters and choices among them.
const CANDIDATE_COUNT: usize = PRIMARY_COUNT + CHOICE_COUNT;

/// The number of all forecasters of NWS.
pub(super) const NWS_COUNT: usize = CANDIDATE_COUNT + 2;

/// A forecaster of the Network Weather Service.
///
/// Source: Wolski, Spring, Hayes: The Network Weather Service, Future Generation Computer Systems
/// 15, 1999, section 4.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NwsForecaster {
    /// A primary forecaster.
    Primary(Primary),
    /// The primary forecaster with the least error.
    Choice {
        /// The measure of the errors.
        measure: ErrorMeasure,
        /// The number of last errors that count; `None` for all.
        window: Option<u8>,
    },
    /// The one with the least error over all forecasts, among primary forecasters and choices.
    Total(ErrorMeasure),
}

impl NwsForecaster {
    /// All 36 forecasters, in the order of their forecasts.
    pub fn all() -> impl Iterator<Item = Self> {
        let windows =
            || std::iter::once(None).chain(ERROR_WINDOWS.map(|window| Some(window as u8)));
        let choices = ErrorMeasure::ALL
            .into_iter()
            .flat_map(move |measure| windows().map(move |window| Self::Choice { measure, window }));
        Primary::ALL
            .into_iter()
            .map(Self::Primary)
            .chain(choices)
            .chain(ErrorMeasure::ALL.map(Self::Total))
    }
}

impl fmt::Display for NwsForecaster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |measure: &ErrorMeasure| match measure {
            ErrorMeasure::Squared => "MSE",
            ErrorMeasure::Absolute => "MAE",
        };
        match self {
            Self::Primary(primary) => primary.fmt(f),
            Self::Choice { measure, window: None } => write!(f, "least {}", name(measure)),
            Self::Choice { measure, window: Some(1) } => {
                write!(f, "least {} of the last error", name(measure))
            }
            Self::Choice { measure, window: Some(errors) } => {
                write!(f, "least {} of the last {errors} errors", name(measure))
            }
            Self::Total(measure) => write!(f, "least {} of all", name(measure)),
        }
    }
}

/// The state of all forecasters of NWS after the values of a series.
///
/// An update takes time O(log w) in the size w of the windows of values, and amortised constant
/// time in those of errors.
///
/// ```
/// use orrery_models::forecast::{NwsForecaster, NwsForecasters};
/// let mut forecasters = NwsForecasters::default();
/// [4.0, 5.0, 9.0].into_iter().for_each(|value| forecasters.update(value));
/// let forecasts = forecasters.forecasts().expect("there are values");
/// let by_name: Vec<(String, f64)> = NwsForecaster::all().map(|one| one.to_string()).zip(*forecasts).collect();
/// assert_eq!(by_name[0], ("last value".to_owned(), 9.0));
/// assert_eq!(by_name[1], ("running mean".to_owned(), 6.0));
/// assert_eq!(by_name.len(), 36);
/// ```
#[derive(Debug, Clone, Default)]
pub struct NwsForecasters {
    primaries: Primaries,
    cumulative: CumulativeErrors<CANDIDATE_COUNT>,
    recent: RecentErrors<PRIMARY_COUNT>,
    forecasts: Option<[f64; NWS_COUNT]>,
}

impl NwsForecasters {
    /// Appends a value, which must be finite and of a magnitude of at most
    /// [`MAX_MAGNITUDE`](super::MAX_MAGNITUDE).
    pub fn update(&mut self, value: f64) {
        if let Some(forecasts) = &self.forecasts {
            let errors: [f64; CANDIDATE_COUNT] =
                std::array::from_fn(|k| (forecasts[k] - value).abs());
            self.cumulative.update(&errors);
            self.recent.update(&std::array::from_fn(|k| errors[k]));
        }
        self.primaries.update(value);
        self.forecasts = self.primaries.forecasts().map(|primaries| self.choices(&primaries));
    }

    /// The forecasts of the next value in the order of [`NwsForecaster::all`]; `None` before the
    /// first value.
    pub fn forecasts(&self) -> Option<&[f64; NWS_COUNT]> {
        self.forecasts.as_ref()
    }

    /// The forecasts of all, from those of the primary forecasters and the errors so far.
    fn choices(&self, primaries: &[f64; PRIMARY_COUNT]) -> [f64; NWS_COUNT] {
        let mut forecasts = [0.0; NWS_COUNT];
        forecasts[..PRIMARY_COUNT].copy_from_slice(primaries);
        let mut at = PRIMARY_COUNT;
        for measure in ErrorMeasure::ALL {
            let all: &[f64; PRIMARY_COUNT] =
                &std::array::from_fn(|k| self.cumulative.sums(measure)[k]);
            let recent = (0..ERROR_WINDOWS.len()).map(|window| self.recent.sums(measure, window));
            for sums in std::iter::once(all).chain(recent) {
                forecasts[at] = primaries[least(sums)];
                at += 1;
            }
        }
        for measure in ErrorMeasure::ALL {
            forecasts[at] = forecasts[least(self.cumulative.sums(measure))];
            at += 1;
        }
        forecasts
    }
}
