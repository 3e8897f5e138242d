use super::{
    Model, ModelKind, RoutineAlarm, RoutineComparison, RoutinePredictError, RoutinePredictor,
};
use orrery_base::units::{Bytes, Seconds};
use orrery_measure::sample::RoutineTimings;
use orrery_program::routine::{RedistributionCall, RedistributionProgram};

/// The predicted time of a redistribution.
#[derive(Debug, Clone, PartialEq)]
pub struct RedistributionPrediction {
    /// The call.
    pub call: RedistributionCall,
    /// The kind of model of the communication.
    pub kind: ModelKind,
    /// The time of the last process: that of the messages, without copies of local data.
    pub seconds: Seconds,
    /// Its interval: the errors of the communication; `None` if the parameters have none.
    pub interval: Option<(Seconds, Seconds)>,
    /// The number of bytes of all messages.
    pub volume: Bytes,
    /// The memory of the matrix before and after at the process with the largest parts.
    pub space: Bytes,
    /// Reasons to doubt the prediction.
    pub alarms: Vec<RoutineAlarm>,
}

/// Compares measured times of redistributions with the predictions of a kind of model.
///
/// # Errors
///
/// When a call cannot be predicted, such as one among more processes than the model has processors.
pub fn validate_redistributions(
    model: &Model,
    kind: ModelKind,
    timings: &RoutineTimings,
) -> Result<Vec<RoutineComparison<RedistributionPrediction>>, RoutinePredictError> {
    let mut predictor = RoutinePredictor::new(model, kind)?;
    let compare = |(call, times): (_, Vec<f64>)| {
        let predicted = predictor.predict_redistribution(&call)?;
        let seconds = predicted.seconds;
        Ok(RoutineComparison::new(predicted, seconds, &times))
    };
    timings.redistribution_calls().into_iter().map(compare).collect()
}

impl RoutinePredictor<'_> {
    /// Predicts a redistribution whose rank r is on the r-th processor, by the
    /// [`RedistributionProgram`].
    ///
    /// # Errors
    ///
    /// When the model has too few processors, or when the layouts repeat after too many blocks.
    pub fn predict_redistribution(
        &mut self,
        call: &RedistributionCall,
    ) -> Result<RedistributionPrediction, RoutinePredictError> {
        let processors = self.processors();
        if call.processes() > processors as u64 {
            return Err(RoutinePredictError::Ranks {
                ranks: call.processes() as usize,
                processors,
            });
        }
        let redistribution = call.redistribution()?;
        let predicted = self.predict_steps(&RedistributionProgram::new(&redistribution))?;
        let alarms =
            self.size_alarm(redistribution.messages().map(|(.., size)| size)).into_iter().collect();
        Ok(RedistributionPrediction {
            call: *call,
            kind: self.kind(),
            seconds: predicted.seconds,
            interval: predicted.interval,
            volume: redistribution.volume(),
            space: call.space(),
            alarms,
        })
    }
}
