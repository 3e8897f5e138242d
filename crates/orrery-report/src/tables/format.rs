//! Numbers as cells and as texts with units.

use super::table::Cell;
use orrery::numeric::Estimate;
use orrery::run::Metric;
use orrery::units::{Seconds, SecondsPerByte, rounded_bytes};

/// A cell with a time.
pub(crate) fn seconds(value: f64) -> Cell {
    Cell::number(value, Seconds::new(value).to_string())
}

/// A cell with a time, or null for `None`.
pub(crate) fn maybe_seconds(value: Option<f64>) -> Cell {
    value.map_or(Cell::Null, seconds)
}

/// The text of a delay per byte: `8.05 ns/B`.
pub(crate) fn byte_delay(value: f64) -> String {
    format!("{}/B", Seconds::new(value))
}

/// The text of the rate that is the inverse of a delay per byte: `124 MB/s`.
pub(crate) fn rate(value: f64) -> String {
    if value > 0.0 { SecondsPerByte::new(value).rate().to_string() } else { "unlimited".to_owned() }
}

/// A cell with the rate that is the inverse of a delay per byte; null if the delay is not positive.
pub(crate) fn rate_cell(byte_delay: f64) -> Cell {
    if byte_delay > 0.0 { Cell::number(1.0 / byte_delay, rate(byte_delay)) } else { Cell::Null }
}

/// The text of a relative error with its sign: `+3.4 %`.
pub(crate) fn signed_percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let text =
        if percent.abs() < 99.95 { format!("{percent:+.1} %") } else { format!("{percent:+.0} %") };
    text.replace('-', "−").replace("−0.0 %", "0.0 %").replace("+0.0 %", "0.0 %")
}

/// The text of a share: `3.4 %`.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 99.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A cell with a share: 0.034 for programs, `3.4 %` for people.
pub fn percent_cell(fraction: f64) -> Cell {
    Cell::number(fraction, percent(fraction))
}

/// A cell with a relative error: 0.034 for programs, `+3.4 %` for people.
pub(crate) fn error_cell(fraction: f64) -> Cell {
    Cell::number(fraction, signed_percent(fraction))
}

/// A cell with a ratio of three decimals.
pub(crate) fn factor_cell(value: f64) -> Cell {
    Cell::number(value, format!("{value:.3}"))
}

/// A cell with a value of a metric: a time, or four significant digits.
pub(crate) fn metric_cell(metric: &Metric, value: Seconds) -> Cell {
    Cell::number(value.get(), metric_text(metric, value))
}

/// The text of a value of a metric: a time, or four significant digits.
pub(crate) fn metric_text(metric: &Metric, value: Seconds) -> String {
    if metric.is_time() { value.to_string() } else { significant_text(value.get(), 4) }
}

/// What a value of a metric is called in sentences.
pub(crate) fn metric_noun(metric: &Metric) -> &'static str {
    if metric.is_time() { "time" } else { "value" }
}

/// The key and the title of the values of a metric.
pub(crate) fn metric_names(metric: &Metric) -> (&'static str, String) {
    if metric.is_time() {
        ("seconds", "time".to_owned())
    } else {
        ("value", metric.name().to_owned())
    }
}

/// A cell with a number as it is.
pub(crate) fn plain_cell(value: f64) -> Cell {
    Cell::number(value, value.to_string())
}

/// A cell with a p-value.
pub(crate) fn p_value_cell(p: f64) -> Cell {
    Cell::number(p, if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") })
}

/// A cell with operations per second, `1.25 G/s` for people.
pub(crate) fn operations_cell(rate: f64) -> Cell {
    Cell::number(rate, format!("{:.2} G/s", rate / 1e9))
}

/// A cell with half the width of an interval relative to its value: `±3.4 %`; null for `None`.
pub(crate) fn half_width_cell(fraction: Option<f64>) -> Cell {
    fraction
        .map_or(Cell::Null, |fraction| Cell::number(fraction, format!("±{}", percent(fraction))))
}

/// A cell with the interval of an estimate as text: `49.1 … 51.5 µs`; `show` formats each end.
pub(crate) fn interval(estimate: &Estimate, show: impl Fn(f64) -> String) -> Cell {
    let Some(interval) = estimate.interval else { return Cell::Null };
    Cell::Text(span(&show(interval.low), &show(interval.high)))
}

/// The text of a range, with the unit once if both ends have the same: `49.1 … 51.5 µs`.
pub(crate) fn span(low: &str, high: &str) -> String {
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} … {high}"),
        _ => format!("{low} … {high}"),
    }
}

/// The mean of the finite numbers; `None` if there are none.
pub(crate) fn mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let finite: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
    (!finite.is_empty()).then(|| finite.iter().sum::<f64>() / finite.len() as f64)
}

/// The median of the finite numbers; `None` if there are none.
pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    quantile(numbers, 0.5)
}

/// The quantile q of the finite numbers by linear interpolation; `None` if there are none.
pub(crate) fn quantile(numbers: impl IntoIterator<Item = f64>, q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    Some(below + (above - below) * position.fract())
}

/// The text of a share with a no-break space: `3.4 %`.
pub(crate) fn unbroken_percent(fraction: f64) -> String {
    percent(fraction).replace(' ', "\u{a0}")
}

/// A list in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A cell with a number, shown with this number of significant digits, without zeros at the end.
pub(crate) fn significant_cell(value: f64, digits: usize) -> Cell {
    Cell::number(value, significant_text(value, digits))
}

/// The text of a number with this number of significant digits, without zeros at the end.
fn significant_text(value: f64, digits: usize) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e7).contains(&size) {
        let before_point = size.max(f64::MIN_POSITIVE).log10().floor() as i32 + 1;
        let decimals = (digits as i32 - before_point).clamp(0, digits as i32 + 2) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.*e}", digits - 1)
    }
}

/// A count and its noun, with an s unless the count is 1: `12,345 readings`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of bytes with three digits, in units of 1024.
pub(super) fn memory_text(bytes: f64) -> String {
    rounded_bytes(bytes)
}
