use super::FitError;
use super::evidence::{CalibrationData, ErrorModel};
use super::least::{self, Matrix, Observation, Vector};
use crate::numeric::{Estimate, Interval, student_quantile};
use crate::sharing::piece::{Piece, UNKNOWNS};
use crate::sharing::{
    GammaForm, GigabitEthernet, GigeParameters, Infiniband, InfinibandParameters, Transfer, gige, infiniband,
};

/// Fits β, γ_o and γ_i to measured schemes: minimises Σ (P / y − 1)² over all readings y.
///
/// Each penalty is the greatest of pieces that are linear in β, β·γ_o and β·γ_i, so steps of Levenberg and Marquardt from
/// several starts find the least squares. Intervals come from the spread that the [`CalibrationData`] tells of, or from the
/// residuals where these are larger; without repetitions there are none.
///
/// # Errors
///
/// Readings that are no slowdowns, schemes that do not tell a parameter, and a result without sense.
pub fn fit_gige(evidence: &dyn CalibrationData, form: GammaForm, level: f64) -> Result<GigeParameters, FitError> {
    const EXPERIMENTS: [&str; UNKNOWNS] = [
        "two transfers from one node",
        "two transfers from one node, with another one to the destination of one of them",
        "two transfers to one node, with another one from the source of one of them",
    ];
    let starts = [0.5, 0.75, 1.0].into_iter().flat_map(|beta: f64| {
        let gammas = [0.0, 0.1, 0.3].into_iter();
        gammas.clone().flat_map(move |out| gammas.clone().map(move |into| [beta, beta * out, beta * into]))
    });
    let found = minimum(evidence, &|transfers| gige::pieces(transfers, form), starts)
        .map_err(|fault| fault.named(GigabitEthernet::PARAMETERS, EXPERIMENTS))?;
    let [beta, out, into] = found.unknowns;
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
pub fn fit_infiniband(evidence: &dyn CalibrationData, level: f64) -> Result<InfinibandParameters, FitError> {
    const EXPERIMENTS: [&str; UNKNOWNS] = [
        "two transfers from one node",
        "two transfers to one node",
        "three transfers from one node, with two others to the destination of one of them",
    ];
    let starts = [0.6, 0.9].into_iter().flat_map(|out: f64| {
        let gammas = [1.0, 1.3, 1.8].into_iter();
        [0.6, 0.9].into_iter().flat_map(move |into| gammas.clone().map(move |gamma| [out, into, out * gamma]))
    });
    let found = minimum(evidence, &infiniband::pieces, starts)
        .map_err(|fault| fault.named(Infiniband::PARAMETERS, EXPERIMENTS))?;
    let [out, into, crowded] = found.unknowns;
    let slopes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-crowded / out / out, 0.0, 1.0 / out]];
    let parameters = InfinibandParameters::from_estimates(found.estimates([out, into, crowded / out], &slopes, level));
    parameters.law()?;
    Ok(parameters)
}

/// The least squares of all starts.
struct Found {
    unknowns: Vector,
    /// (JᵀJ)⁻¹ of the relative residuals.
    inverse: Matrix,
    /// The row of J of each observation.
    rows: Vec<Vector>,
    spread: ErrorModel,
    observations: u64,
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
    evidence: &dyn CalibrationData,
    pieces: &dyn Fn(&[Transfer]) -> Vec<Vec<Piece>>,
    starts: impl Iterator<Item = Vector>,
) -> Result<Found, Fault> {
    let schemes: Vec<_> = evidence.schemes().into_iter().map(|(all, readings)| (pieces(all), readings)).collect();
    let observations: Vec<Observation> =
        schemes.iter().flat_map(|(pieces, readings)| readings.iter().map(|&(k, y)| (&pieces[k][..], y))).collect();
    if let Some(&(_, value)) = observations.iter().find(|(_, y)| !(y.is_finite() && *y > 0.0)) {
        return Err(Fault::Reading(value));
    }
    let all = starts.map(|start| least::from(start, &observations));
    let best = all.reduce(|best, other| if other.squares < best.squares { other } else { best });
    let best = best.ok_or(Fault::Untold(0))?;
    let (normal, _) = least::equations(&observations, &best.unknowns);
    let inverse = least::inverse(&normal).ok_or_else(|| Fault::Untold(least::untold(&normal).unwrap_or(0)))?;
    let rows: Vec<Vector> = observations.iter().map(|one| least::row(one, &best.unknowns)).collect();
    let residuals: Vec<f64> = observations.iter().map(|one| least::residual(one, &best.unknowns)).collect();
    let spread = evidence.spread(&residuals, UNKNOWNS);
    Ok(Found { unknowns: best.unknowns, inverse, rows, spread, observations: evidence.readings() })
}

impl Found {
    /// The parameters, of which each has these slopes in the unknowns.
    ///
    /// With relative residuals r the unknowns move by −(JᵀJ)⁻¹Jᵀ·dr, so a parameter of slopes s by a·dr with
    /// a = −J·(JᵀJ)⁻¹·s; its variance follows from that of the residuals.
    fn estimates(&self, values: Vector, slopes: &[Vector; UNKNOWNS], level: f64) -> [Estimate; UNKNOWNS] {
        std::array::from_fn(|k| {
            let direction = least::product(&self.inverse, &slopes[k]);
            let moves: Vec<f64> =
                self.rows.iter().map(|row| row.iter().zip(&direction).map(|(a, b)| a * b).sum()).collect();
            let interval = self.spread.variance_of(&moves).map(|(variance, free)| {
                let half = if variance > 0.0 { student_quantile(free, level) * variance.sqrt() } else { 0.0 };
                Interval { low: values[k] - half, high: values[k] + half, level }
            });
            Estimate { value: values[k], interval, samples: Some(self.observations) }
        })
    }
}
