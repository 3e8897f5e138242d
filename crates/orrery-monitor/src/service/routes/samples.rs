//! `POST /v1/samples`: stores samples of agents.

use std::borrow::Cow;
use std::sync::Arc;

use orrery::forecast::MAX_MAGNITUDE;
use orrery::units::Seconds;
use serde::{Deserialize, Serialize};

use super::super::refusal::Refusal;
use super::super::state::State;
use super::{Access, Answer, Call, Route};
use crate::name::SeriesName;
use crate::sample::Sample;
use crate::timestamp::Timestamp;

/// The time in seconds by which an accepted sample is ahead at most: clocks that drift for months
/// differ by less.
const MAX_ACCEPTED_AHEAD: f64 = 3_600.0;

pub(super) const ROUTE: Route = Route {
    method: "POST",
    path: "/v1/samples",
    access: Access::Token,
    answer: |state, call| Box::pin(answer(state, call)),
};

/// The body of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'a> {
    #[serde(borrow)]
    samples: Vec<Given<'a>>,
}

/// A sample as it is sent: the time in seconds since 1970.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given<'a> {
    #[serde(borrow)]
    series: Cow<'a, str>,
    time: f64,
    value: f64,
}

/// The answer when the samples are on the disk.
#[derive(Serialize)]
struct Stored {
    accepted: usize,
    duplicates: usize,
}

/// Stores the samples of the body; answers when they are on the disk.
async fn answer(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let samples = parse(&call.body, Timestamp::now())?;
    if state.board.would_exceed(samples.iter().map(|sample| &sample.series)) {
        let limit = state.board.limit();
        let message = format!(
            "there would be more than {limit} series; start the service with a larger --max-series"
        );
        return Err(Refusal::new(hyper::StatusCode::INSUFFICIENT_STORAGE, message));
    }
    let count = samples.len();
    let accepted = state.writer.append(samples).await?;
    let duplicates = count - accepted;
    state.counters.count_samples(accepted, duplicates);
    Answer::json(&Stored { accepted, duplicates })
}

/// The samples of a body, all valid.
fn parse(body: &[u8], now: Timestamp) -> Result<Vec<Sample>, Refusal> {
    let example =
        r#"send {"samples": [{"series": "node1/load", "time": 1772452800.5, "value": 0.5}]}"#;
    let body: Body<'_> = serde_json::from_slice(body)
        .map_err(|error| Refusal::bad(format!("these are no samples: {error}; {example}")))?;
    let mut last: Option<SeriesName> = None;
    let sample = |(number, given): (usize, Given<'_>)| {
        let fault = |reason: String| Refusal::sample(format!("sample {}: {reason}", number + 1));
        let series = match last.take().filter(|last| is_name(last, &given.series)) {
            Some(same) => same,
            None => {
                given.series.parse().map_err(|error: crate::NameError| fault(error.to_string()))?
            }
        };
        last = Some(series.clone());
        if given.value.abs() > MAX_MAGNITUDE {
            return Err(fault(format!(
                "the value {} is above {MAX_MAGNITUDE:e}; leave it out",
                given.value
            )));
        }
        if given.time < 0.0 {
            let reason = "is before 1970; send seconds since 1970";
            return Err(fault(format!("the time {} {reason}", given.time)));
        }
        if given.time > now.seconds().get() + MAX_ACCEPTED_AHEAD {
            return Err(Refusal::ahead(format!(
                "sample {}: the time {} is more than an hour ahead of the service; set the clocks, \
                    and send it again later",
                number + 1,
                given.time
            )));
        }
        Ok(Sample {
            series,
            time: Timestamp::from_seconds(Seconds::new(given.time)),
            value: given.value,
        })
    };
    body.samples.into_iter().enumerate().map(sample).collect()
}

/// Returns true if a text is this name of a series.
fn is_name(name: &SeriesName, text: &str) -> bool {
    let mut parts = text.splitn(3, '/');
    (parts.next(), parts.next(), parts.next())
        == (Some(name.host()), Some(name.quantity().name()), name.target())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_valid_or_refused_with_the_reason() {
        let now = Timestamp::from_micros(2_000_000_000);
        let body = r#"{"samples": [{"series": "a/load", "time": 1.5, "value": 2}, {"series": "a/load", "time": 3, "value": 0},
            {"series": "a/disk_free//tmp\u002fx", "time": 1.5, "value": 2}]}"#;
        let samples = parse(body.as_bytes(), now).expect("they are valid");
        assert_eq!(
            (samples.len(), samples[0].time.micros(), samples[1].value),
            (3, 1_500_000, 0.0)
        );
        assert_eq!(samples[2].series.target(), Some("/tmp/x"));
        for (series, time, value, reason) in [
            ("a", "1", "1", "sample 1: 'a' is no name"),
            ("a/load", "1e300", "1", "sample 1: the time"),
            ("a/load", "-1", "1", "sample 1: the time"),
            ("a/load", "5601", "1", "sample 1: the time 5601 is more than an hour"),
            ("a/load", "1", "1e101", "sample 1: the value"),
            ("a/load", "1", "null", "these are no samples"),
            ("a/load", "1", "1, \"x\": 1", "these are no samples"),
        ] {
            let body = format!(
                r#"{{"samples": [{{"series": "{series}", "time": {time}, "value": {value}}}]}}"#
            );
            let message = parse(body.as_bytes(), now).expect_err(reason).message;
            assert!(message.starts_with(reason), "{message}");
        }
    }
}
