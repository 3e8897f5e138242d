use super::least::{self, Best, Matrix, Observation, Vector};
use super::{FitError, Measured};
use crate::numeric::{Estimate, Interval, student_quantile};
use crate::sharing::piece::{Piece, UNKNOWNS};
use crate::sharing::{Form, Gige, GigeParameters, Infiniband, InfinibandParameters, Transfer, gige, infiniband};

/// Fits β, γ_o and γ_i to measured schemes: minimises Σ (P / y − 1)² over all readings y.
///
/// Each penalty is the greatest of pieces that are linear in β, β·γ_o and β·γ_i, so steps of Levenberg and Marquardt from
/// several starts find the least squares. Intervals come from the spread of repeated readings, or from the residuals where
/// these are larger; without repetitions there are none.
///
/// # Errors
///
/// Readings that are no slowdowns, schemes that do not tell a parameter, and a result without sense.
pub fn fit_gige(measured: &[Measured], form: Form, level: f64) -> Result<GigeParameters, FitError> {
    const EXPERIMENTS: [&str; UNKNOWNS] = [
        "two transfers from one node",
        "two transfers from one node, with another one to the destination of one of them",
        "two transfers to one node, with another one from the source of one of them",
    ];
    let starts = [0.5, 0.75, 1.0].into_iter().flat_map(|beta: f64| {
        let gammas = [0.0, 0.1, 0.3].into_iter();
        gammas.clone().flat_map(move |out| gammas.clone().map(move |into| [beta, beta * out, beta * into]))
    });
    let found = minimum(measured, &|transfers| gige::pieces(transfers, form), starts)
        .map_err(|fault| fault.named(Gige::PARAMETERS, EXPERIMENTS))?;
    let [beta, out, into] = found.best.unknowns;
    // γ = (β·γ) / β.
    let slopes = [[1.0, 0.0, 0.0], [-out / beta / beta, 1.0 / beta, 0.0], [-into / beta / beta, 0.0, 1.0 / beta]];
    let parameters = GigeParameters::from_estimates(found.estimates([beta, out / beta, into / beta], &slopes, level));
    parameters.law()?;
    Ok(parameters)
}

/// Fits β_s, β_e and γ to measured schemes, as [`fit_gige`] does; the pieces are linear in β_s, β_e and β_s·γ.
///
/// # Errors
///
/// As [`fit_gige`].
pub fn fit_infiniband(measured: &[Measured], level: f64) -> Result<InfinibandParameters, FitError> {
    const EXPERIMENTS: [&str; UNKNOWNS] = [
        "two transfers from one node",
        "two transfers to one node",
        "three transfers from one node, with two others to the destination of one of them",
    ];
    let starts = [0.6, 0.9].into_iter().flat_map(|out: f64| {
        let gammas = [1.0, 1.3, 1.8].into_iter();
        [0.6, 0.9].into_iter().flat_map(move |into| gammas.clone().map(move |gamma| [out, into, out * gamma]))
    });
    let found = minimum(measured, &infiniband::pieces, starts)
        .map_err(|fault| fault.named(Infiniband::PARAMETERS, EXPERIMENTS))?;
    let [out, into, crowded] = found.best.unknowns;
    let slopes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-crowded / out / out, 0.0, 1.0 / out]];
    let parameters = InfinibandParameters::from_estimates(found.estimates([out, into, crowded / out], &slopes, level));
    parameters.law()?;
    Ok(parameters)
}

/// The least squares of all starts.
struct Found {
    best: Best,
    covariance: Matrix,
    /// The variance of a reading and the degrees of freedom that it rests on; nothing without repetitions.
    variance: Option<(f64, f64)>,
    readings: u64,
}

/// What keeps it from being found.
enum Fault {
    Reading(f64),
    Untold(usize),
}

impl Fault {
    fn named(self, parameters: [&'static str; UNKNOWNS], experiments: [&'static str; UNKNOWNS]) -> FitError {
        match self {
            Self::Reading(value) => FitError::Reading { value },
            Self::Untold(k) => FitError::Unidentified { parameter: parameters[k], experiment: experiments[k] },
        }
    }
}

fn minimum(
    measured: &[Measured],
    pieces: &dyn Fn(&[Transfer]) -> Vec<Vec<Piece>>,
    starts: impl Iterator<Item = Vector>,
) -> Result<Found, Fault> {
    let pieces: Vec<_> = measured.iter().map(|one| pieces(&one.transfers)).collect();
    let readings: Vec<Vec<(usize, f64)>> = measured.iter().map(|one| one.readings().collect()).collect();
    let observations: Vec<Observation> = readings
        .iter()
        .zip(&pieces)
        .flat_map(|(readings, pieces)| readings.iter().map(|&(k, y)| (&pieces[k][..], y)))
        .collect();
    if let Some(&(_, value)) = observations.iter().find(|(_, y)| !(y.is_finite() && *y > 0.0)) {
        return Err(Fault::Reading(value));
    }
    let all = starts.map(|start| least::from(start, &observations));
    let best = all.reduce(|best, other| if other.squares < best.squares { other } else { best });
    let best = best.ok_or(Fault::Untold(0))?;
    let (normal, _) = least::equations(&observations, &best.unknowns);
    let covariance = least::inverse(&normal).ok_or_else(|| Fault::Untold(least::untold(&normal).unwrap_or(0)))?;
    let spread = measured.iter().map(Measured::spread).fold((0.0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let free = observations.len().saturating_sub(UNKNOWNS) as f64;
    let variance = (spread.1 > 0).then(|| {
        let pure = (spread.0 / spread.1 as f64, spread.1 as f64);
        let fitted = (best.squares / free, free);
        if fitted.0 > pure.0 { fitted } else { pure }
    });
    Ok(Found { best, covariance, variance, readings: observations.len() as u64 })
}

impl Found {
    /// The parameters, of which each has these slopes in the unknowns.
    fn estimates(&self, values: Vector, slopes: &[Vector; UNKNOWNS], level: f64) -> [Estimate; UNKNOWNS] {
        std::array::from_fn(|k| {
            let spread: f64 =
                least::product(&self.covariance, &slopes[k]).iter().zip(&slopes[k]).map(|(a, b)| a * b).sum();
            let interval = self.variance.map(|(variance, free)| {
                let half = student_quantile(free, level) * (spread * variance).sqrt();
                Interval { low: values[k] - half, high: values[k] + half, level }
            });
            Estimate { value: values[k], interval, samples: Some(self.readings) }
        })
    }
}
