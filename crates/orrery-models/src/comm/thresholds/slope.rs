use crate::comm::{FitError, Lmo};
use orrery_base::numeric::{Estimate, Line};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_measure::sample::Experiment;
use orrery_play::engine::{Engine, EngineError, Synchronous};
use orrery_program::schedule::{Algorithm, CollectiveKind};

orrery_base::named_enum! {
    /// The slope that is subtracted from the slope c1 of a gather's time; the difference is the
    /// correction κ \[s/B\].
    ///
    /// t_i and 1/β_ri are the delays per byte of processor i and of its link to the root r, of n
    /// processors.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum SlopeForm: "form of slopes" {
        /// The slope of the model's prediction at the same sizes, in the order of events. It contains
        /// (n − 1)·t_r and equals [`SlopeForm::Closed`] if the closed formula is exact.
        #[default]
        Played => "played": "The prediction of the model at the same sizes",
        /// κ1 = c1 − (n − 1)·t_r − max_i(t_i + 1/β_ri), κ2 = c1 − (n − 1)·t_r − Σ_i(t_i + 1/β_ri).
        Closed => "closed": "The closed formula",
        /// As [`SlopeForm::Closed`], without (n − 1)·t_r, as printed in the paper. A prediction that
        /// adds κ to its formula then contains (n − 1)·t_r twice.
        Printed => "printed":
            "The closed formula without the bytes of the root, as printed in the paper",
    }
}

/// A gather whose slope is corrected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gather {
    pub(super) root: Processor,
    pub(super) procs: usize,
    pub(super) serial: bool,
}

/// The smallest number of points for a slope with an interval.
const MIN_POINTS: usize = 3;

/// Returns the correction from points (block, seconds, readings), with deviations proportional to
/// the time; `None` if there are too few points. The interval is that of the regression; the model
/// counts as exact.
pub(super) fn slope(
    points: &[(Bytes, f64, u64)],
    gather: Gather,
    lmo: &Lmo,
    form: SlopeForm,
    level: f64,
) -> Result<Option<Estimate>, FitError> {
    if points.len() < MIN_POINTS {
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
        SlopeForm::Played => Ok(line(&|block| predicted_time(gather, lmo, block))?),
        SlopeForm::Closed => Ok(line(&|block| {
            Ok((root_slope(gather, lmo) + link_slope(gather, lmo)) * block.get() as f64)
        })?),
        SlopeForm::Printed => Ok(line(&|block| Ok(link_slope(gather, lmo) * block.get() as f64))?),
    }
}

/// Returns the time \[s\] that the model predicts for a gather of blocks of this size without a
/// slope; 0 if it has no program.
fn predicted_time(gather: Gather, lmo: &Lmo, size: Bytes) -> Result<f64, EngineError> {
    let Gather { root, procs, serial } = gather;
    let (kind, algorithm) = (CollectiveKind::Gather, Algorithm::Linear);
    let experiment = Experiment::Collective { kind, algorithm, root, procs, size };
    let Some((program, placement)) = experiment.program() else { return Ok(0.0) };
    let (mut engine, mut network) = (Engine::new(), lmo.network());
    let outcome = if serial {
        engine.run(&program, &placement, &mut Synchronous(&mut network))?
    } else {
        engine.run(&program, &placement, &mut network)?
    };
    Ok(outcome.read(program.reading()).get())
}

/// Returns the slope of the root's processing, (n − 1)·t_r.
fn root_slope(gather: Gather, lmo: &Lmo) -> f64 {
    (gather.procs - 1) as f64 * lmo.byte_delay[gather.root.index()].value
}

/// Returns the slope of the other ranks, max_i(t_i + 1/β_ri), or the sum if the root serves its
/// ranks one after the other.
fn link_slope(gather: Gather, lmo: &Lmo) -> f64 {
    let others = Processor::first(gather.procs).filter(|i| *i != gather.root);
    let slopes = others
        .map(|i| lmo.byte_delay[i.index()].value + lmo.link_byte_delay.get(gather.root, i).value);
    if gather.serial { slopes.sum() } else { slopes.fold(0.0, f64::max) }
}
