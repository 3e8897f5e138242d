//! Time and memory of kernels and parallel routines on hosts, with a given load.

use std::collections::BTreeMap;

use super::alarm::range;
use super::load_doubt::{few_samples, unknown_load};
use super::{
    Availability, AvailabilityError, KernelChoice, KernelOnHost, KernelPredictError, LoadDoubt,
    Model, ModelKind, RoutinePredictError, RoutinePrediction, RoutinePredictor,
};
use orrery_base::numeric::Interval;
use orrery_base::units::{Bytes, Seconds};
use orrery_cluster::platform::{Placement, Processor};
use orrery_program::kernel::KernelCall;
use orrery_program::routine::RoutineCall;

/// The predicted time of a call of a kernel on a host.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelForecast {
    /// The time.
    pub seconds: Seconds,
    /// The interval of the time of one call; `None` if the model has none.
    pub interval: Option<(Seconds, Seconds)>,
    /// Reasons to doubt it.
    pub alarms: Vec<KernelAlarm>,
}

/// A reason to doubt the predicted time of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum KernelAlarm {
    /// A dimension is outside the measured ones.
    Dimension {
        /// Its name.
        name: char,
        /// The smallest and the largest value.
        values: [u64; 2],
        /// The measured range.
        measured: [u64; 2],
    },
    /// Other programs leave a part of a processor.
    Load {
        /// The host.
        host: String,
        /// The part.
        part: f64,
    },
    /// The load of the host is not known now, or has no interval.
    Doubt {
        /// The host.
        host: String,
        /// The reason.
        doubt: LoadDoubt,
    },
}

impl KernelAlarm {
    /// The keyword of the alarm.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dimension { .. } => "dimension",
            Self::Load { .. } => "load",
            Self::Doubt { doubt, .. } if doubt.is_unknown() => "unmonitored",
            Self::Doubt { .. } => "samples",
        }
    }

    /// What is doubtful.
    pub fn message(&self) -> String {
        match self {
            Self::Dimension { name, values: [low, high], measured: [smallest, largest] } => {
                let values = range(low, high);
                format!("{name} = {values} is outside the measured {smallest} to {largest}")
            }
            Self::Load { host, part } => {
                let name = if host.is_empty() { "the host" } else { host };
                let part = (part * 1000.0).round() / 1000.0;
                format!("{name} has {part} of a processor: kernels take 1/{part} of their time")
            }
            Self::Doubt { host, doubt } => {
                let hosts = [(host.clone(), *doubt)];
                if doubt.is_unknown() { unknown_load(&hosts) } else { few_samples(&hosts) }
            }
        }
    }
}

/// Forecasts of the time and the memory of kernels and parallel routines: what FAST's
/// `fast_comp_time_best`, `fast_comp_time` and `fast_comp_size` return.
///
/// Times are the best ones, those on idle hosts, unless an [`Availability`] is given.
/// [`Connections`](super::Connections) has `fast_latency` and `fast_bandwidth`.
///
/// ```
/// use orrery_program::kernel::{KernelCall, KernelTime, fit};
/// use orrery_models::model::{Availability, Forecaster, KernelOnHost, Model};
/// use orrery_measure::sample::KernelConditions;
/// use orrery_base::units::{Bytes, Seconds};
/// let kernel = "dpotrf".parse()?;
/// let call = |n| KernelCall::new(kernel, "l", [1, n, 1]);
/// let time = |n: u64| Ok(KernelTime { call: call(n)?, seconds: Seconds::new(1e-10 * n.pow(3) as f64) });
/// let times = (1..20).map(|n| time(100 * n)).collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
/// let conditions = KernelConditions { host: "n1".into(), library: String::new(), threads: 1, operands: Default::default() };
/// let mut model = Model::default();
/// model.add_kernels(vec![KernelOnHost { conditions, equal_hosts: vec!["n2".into()], model: fit(&times, 0.95)? }]);
///
/// let idle = Forecaster::new(&model);
/// let loaded = Forecaster::new(&model).with_availability(Availability::default().with("n2", 0.5)?)?;
/// assert_eq!(idle.kernel_time(&call(1000)?, "n2")?.seconds.to_string(), "100 ms");
/// assert_eq!(loaded.kernel_time(&call(1000)?, "n2")?.seconds.to_string(), "200 ms");
/// assert_eq!(loaded.kernel_time(&call(1000)?, "n1")?.seconds.to_string(), "100 ms");
/// assert_eq!(idle.kernel_space(&call(1000)?, "n1")?, Bytes::new(8_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Forecaster<'a> {
    model: &'a Model,
    kernels: KernelChoice,
    availability: Availability,
}

impl<'a> Forecaster<'a> {
    /// Forecasts by a model, on idle hosts, with the only library, number of threads and state of
    /// operands of its kernels.
    pub fn new(model: &'a Model) -> Self {
        Self { model, kernels: KernelChoice::default(), availability: Availability::default() }
    }

    /// Returns the forecasts with the chosen models of kernels.
    #[must_use]
    pub fn with_kernels(self, kernels: KernelChoice) -> Self {
        Self { kernels, ..self }
    }

    /// Returns the forecasts for hosts with this availability.
    ///
    /// # Errors
    ///
    /// When the model does not have one of the hosts with an availability of their own.
    pub fn with_availability(self, availability: Availability) -> Result<Self, AvailabilityError> {
        availability.check(self.model)?;
        Ok(Self { availability, ..self })
    }

    /// The time of a call of a kernel on a host with availability a: T/a \[s\]. Its interval is
    /// from the lower end of T over the upper end of a to the upper end of T over the lower end of
    /// a.
    ///
    /// # Errors
    ///
    /// When the model has no such kernel for the host, or several.
    pub fn kernel_time(
        &self,
        call: &KernelCall,
        host: &str,
    ) -> Result<KernelForecast, KernelPredictError> {
        let found = self.model.kernel(call, &self.on(host))?;
        self.kernel_time_by(found, call, host).ok_or(KernelPredictError::NoKernels)
    }

    /// The time of a call on a host by the model of its kernel; `None` if it is that of another
    /// one.
    pub fn kernel_time_by(
        &self,
        found: &KernelOnHost,
        call: &KernelCall,
        host: &str,
    ) -> Option<KernelForecast> {
        let part = self.availability.of(host);
        let time = found.model.predict(call)?;
        let (least, greatest) = self.availability.interval(host);
        let ends = |interval: Interval| {
            (Seconds::new(interval.low / greatest), Seconds::new(interval.high / least))
        };
        let dimension = |(name, value, measured)| KernelAlarm::Dimension {
            name,
            values: [value, value],
            measured,
        };
        let host = host.to_owned();
        let doubt = self.availability.doubt(&host);
        let mut alarms: Vec<_> = found.model.extrapolated(call).map(dimension).collect();
        alarms.extend((part < 1.0).then(|| KernelAlarm::Load { host: host.clone(), part }));
        alarms.extend(doubt.map(|doubt| KernelAlarm::Doubt { host, doubt }));
        Some(KernelForecast {
            seconds: Seconds::new(time.value / part),
            interval: time.interval.map(ends),
            alarms,
        })
    }

    /// The memory of a call of a kernel on a host: operands and measured work space \[B\].
    ///
    /// # Errors
    ///
    /// As [`Forecaster::kernel_time`].
    pub fn kernel_space(&self, call: &KernelCall, host: &str) -> Result<Bytes, KernelPredictError> {
        Ok(self.model.kernel(call, &self.on(host))?.model.memory(call))
    }

    /// The time of a parallel routine whose processes, row by row of the grid, are on these
    /// processors; messages take their time by a kind of model, and kernels T/a on a host with
    /// availability a \[s\].
    ///
    /// # Errors
    ///
    /// When the model lacks the kind of model, a kernel or a processor, or when two processes are
    /// on one processor.
    pub fn routine_time(
        &self,
        kind: ModelKind,
        call: &RoutineCall,
        processors: &[Processor],
    ) -> Result<RoutinePrediction, RoutinePredictError> {
        let predictor = RoutinePredictor::new(self.model, kind)?;
        let placement = Placement::new(processors.iter().copied());
        predictor.with_availability(self.availability.clone()).predict_on(
            call,
            &placement,
            &self.kernels,
        )
    }

    /// The memory of the operands of a parallel routine on each host, of all of its processes
    /// together \[B\]: processes are, row by row of the grid, on these processors. The work space
    /// of the library is left out.
    pub fn routine_space(
        &self,
        call: &RoutineCall,
        processors: &[Processor],
    ) -> BTreeMap<&'a str, Bytes> {
        self.model.routine_memory(call, processors)
    }

    /// The models of kernels for a host.
    fn on(&self, host: &str) -> KernelChoice {
        KernelChoice { host: Some(host.to_owned()), ..self.kernels.clone() }
    }
}
