use crate::comm::{FitError, Lmo};
use crate::engine::{Engine, EngineError, Rendezvous};
use crate::numeric::{Estimate, Line};
use crate::platform::Processor;
use crate::sample::Experiment;
use crate::schedule::{Algorithm, CollectiveKind};
use crate::units::Bytes;

/// What is taken off the slope c1 of a gather's time to get the correction κ \[s/B\].
///
/// t_i and 1/β_ri are the delays per byte of processor i and of its link to the root r, of n processors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SlopeForm {
    /// The slope of what the model predicts at the same sizes, in the order of events. It holds (n − 1)·t_r, and is that of
    /// [`SlopeForm::Closed`] where the closed formula is exact.
    #[default]
    Played,
    /// κ1 = c1 − (n − 1)·t_r − max_i(t_i + 1/β_ri), κ2 = c1 − (n − 1)·t_r − Σ_i(t_i + 1/β_ri).
    Closed,
    /// The same without (n − 1)·t_r, as the paper prints it: a prediction that adds it to its formula has (n − 1)·t_r twice.
    Printed,
}

impl SlopeForm {
    /// The word in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Closed => "closed",
            Self::Printed => "printed",
        }
    }
}

/// A gather of which a slope is corrected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gather {
    pub(super) root: Processor,
    pub(super) procs: usize,
    pub(super) serial: bool,
}

/// So many points tell a slope and how sure it is.
const LEAST_POINTS: usize = 3;

/// The correction from points (block, seconds, readings), deviations being proportional to the time; `None` where they
/// are too few. The interval is that of the regression, the model being taken as it is.
pub(super) fn slope(
    points: &[(Bytes, f64, u64)],
    gather: Gather,
    lmo: &Lmo,
    form: SlopeForm,
    level: f64,
) -> Result<Option<Estimate>, FitError> {
    if points.len() < LEAST_POINTS {
        return Ok(None);
    }
    let samples = points.iter().map(|(.., readings)| readings).sum();
    let line = |taken_off: &dyn Fn(Bytes) -> Result<f64, EngineError>| {
        let point = |&(block, seconds, _): &(Bytes, f64, u64)| {
            Ok((block.get() as f64, seconds - taken_off(block)?, 1.0 / (seconds * seconds)))
        };
        let points = points.iter().map(point).collect::<Result<Vec<_>, EngineError>>()?;
        Ok::<_, EngineError>(Line::through(points).map(|line| line.slope_estimate(level, samples)))
    };
    match form {
        SlopeForm::Played => Ok(line(&|block| played(gather, lmo, block))?),
        SlopeForm::Closed => Ok(line(&|block| Ok((own(gather, lmo) + others(gather, lmo)) * block.get() as f64))?),
        SlopeForm::Printed => Ok(line(&|block| Ok(others(gather, lmo) * block.get() as f64))?),
    }
}

/// The time that the model predicts.
fn played(gather: Gather, lmo: &Lmo, size: Bytes) -> Result<f64, EngineError> {
    let Gather { root, procs, serial } = gather;
    let (kind, algorithm) = (CollectiveKind::Gather, Algorithm::Linear);
    let experiment = Experiment::Collective { kind, algorithm, root, procs, size };
    let Some((program, placement)) = experiment.program() else { return Ok(0.0) };
    let (mut engine, mut network) = (Engine::new(), lmo.network());
    let outcome = if serial {
        engine.run(&program, &placement, &mut Rendezvous(&mut network))?
    } else {
        engine.run(&program, &placement, &mut network)?
    };
    Ok(outcome.read(program.reading()).get())
}

/// (n − 1)·t_r.
fn own(gather: Gather, lmo: &Lmo) -> f64 {
    (gather.procs - 1) as f64 * lmo.byte_delay[gather.root.index()].value
}

/// max_i(t_i + 1/β_ri), or the sum where the root serves its ranks one after the other.
fn others(gather: Gather, lmo: &Lmo) -> f64 {
    let others = Processor::first(gather.procs).filter(|i| *i != gather.root);
    let slopes = others.map(|i| lmo.byte_delay[i.index()].value + lmo.link_byte_delay.get(gather.root, i).value);
    if gather.serial { slopes.sum() } else { slopes.fold(0.0, f64::max) }
}
