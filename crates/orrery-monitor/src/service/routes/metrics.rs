//! `GET /metrics`: series, forecasts and counters for Prometheus.

use std::fmt;

use hyper::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::super::refusal::Refusal;
use super::super::state::State;
use super::prediction::SeriesState;
use super::{Access, Answer, Route, ready};
use crate::timestamp::Timestamp;

pub(super) const ROUTE: Route = Route {
    method: "GET",
    path: "/metrics",
    access: Access::Token,
    answer: |state, _| ready(answer(&state)),
};

/// Answers with the gauges of all series and the counters of the service.
fn answer(state: &State) -> Result<Answer, Refusal> {
    let now = Timestamp::now();
    let all = state.board.all();
    let states: Vec<SeriesState<'_>> =
        all.iter().map(|series| SeriesState::new(series, series.next(), now)).collect();
    let mut gauges: Vec<Gauge> = Vec::new();
    for (name, help, value) in GAUGES {
        let values = states.iter().filter_map(|state| Some((labels(state), value(state)?)));
        gauges.push(Gauge { name, help, values: values.collect() });
    }
    let mut registry = Registry::default();
    state.counters.register(&mut registry);
    registry.register_collector(Box::new(SeriesGauges {
        gauges,
        series: all.len() as u64,
        aside: state.board.aside(),
        connections: state.connections.len() as u64,
        uptime: state.started.elapsed().as_secs_f64(),
        is_stored: state.writer.failure().is_none(),
    }));
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|_| {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be written")
    })?;
    Ok(Answer::of("application/openmetrics-text; version=1.0.0; charset=utf-8", text))
}

/// The value of a gauge of a series, if it has one.
type Value = fn(&SeriesState<'_>) -> Option<f64>;

/// The gauges of each series: name, help, value.
const GAUGES: [(&str, &str, Value); 7] = [
    ("orrery_value", "Last sample of a series", |state| Some(state.last?.value)),
    ("orrery_age_seconds", "Age of the last sample", |state| Some(state.last?.age)),
    ("orrery_ahead_seconds", "Time by which the last sample is ahead", |state| {
        Some(state.last?.ahead)
    }),
    ("orrery_stale", "1 if the last sample is more than three spacings old, or ahead", |state| {
        Some(if state.stale { 1.0 } else { 0.0 })
    }),
    ("orrery_forecast", "Forecast of the next sample", |state| Some(state.forecast?.value)),
    ("orrery_forecast_low", "Lower end of the 95 % interval of the next sample", |state| {
        state.forecast?.low
    }),
    ("orrery_forecast_high", "Upper end of the 95 % interval of the next sample", |state| {
        state.forecast?.high
    }),
];

/// Names and values of labels.
type Labels = Vec<(&'static str, String)>;

/// The labels of a series.
fn labels(state: &SeriesState<'_>) -> Labels {
    let mut labels = vec![("host", state.host.to_owned()), ("quantity", state.quantity.to_owned())];
    labels.extend(state.target.map(|target| ("target", target.to_owned())));
    labels
}

/// A gauge with its value for each series.
#[derive(Debug)]
struct Gauge {
    name: &'static str,
    help: &'static str,
    values: Vec<(Labels, f64)>,
}

/// The gauges of one moment.
#[derive(Debug)]
struct SeriesGauges {
    gauges: Vec<Gauge>,
    series: u64,
    aside: u64,
    connections: u64,
    uptime: f64,
    is_stored: bool,
}

impl Collector for SeriesGauges {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let own = [
            ("orrery_series", "Number of series", self.series as f64),
            ("orrery_samples_aside", "Samples that are set aside", self.aside as f64),
            ("orrery_open_connections", "Number of open connections", self.connections as f64),
            ("orrery_uptime_seconds", "Time since the start of the service", self.uptime),
            ("orrery_store_usable", "1 while samples are stored", f64::from(self.is_stored)),
        ];
        for (name, help, value) in own {
            let gauge = ConstGauge::new(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        for gauge in &self.gauges {
            let mut metric =
                encoder.encode_descriptor(gauge.name, gauge.help, None, MetricType::Gauge)?;
            for (labels, value) in &gauge.values {
                ConstGauge::new(*value).encode(metric.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}
