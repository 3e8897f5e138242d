//! Numbers as cells and as words for people.

use super::table::Cell;
use orrery::numeric::Estimate;
use orrery::units::{Seconds, SecondsPerByte};

/// A time as a cell.
pub(crate) fn seconds(value: f64) -> Cell {
    Cell::number(value, Seconds::new(value).to_string())
}

/// A time that may not be known as a cell.
pub(crate) fn maybe_seconds(value: Option<f64>) -> Cell {
    value.map_or(Cell::Null, seconds)
}

/// A delay per byte: `8.05 ns/B`.
pub(crate) fn byte_delay(value: f64) -> String {
    format!("{}/B", Seconds::new(value))
}

/// A delay per byte as the rate that is its inverse: `124 MB/s`.
pub(crate) fn rate(value: f64) -> String {
    if value > 0.0 { SecondsPerByte::new(value).rate().to_string() } else { "unlimited".to_owned() }
}

/// The rate that is the inverse of a delay per byte as a cell; null where the delay is not positive.
pub(crate) fn rate_cell(byte_delay: f64) -> Cell {
    if byte_delay > 0.0 { Cell::number(1.0 / byte_delay, rate(byte_delay)) } else { Cell::Null }
}

/// A relative error with its sign: `+3.4 %`.
pub(crate) fn signed_percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let text = if percent.abs() < 99.95 { format!("{percent:+.1} %") } else { format!("{percent:+.0} %") };
    text.replace('-', "−").replace("−0.0 %", "0.0 %").replace("+0.0 %", "0.0 %")
}

/// A share: `3.4 %`.
pub(crate) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 99.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A share as a cell.
pub fn percent_cell(fraction: f64) -> Cell {
    Cell::number(fraction, percent(fraction))
}

/// An interval in words, each end by `show`: `49.1 µs … 51.5 µs`, the unit of the lower end left out where both agree.
pub(crate) fn interval(estimate: &Estimate, show: impl Fn(f64) -> String) -> Cell {
    let Some(interval) = estimate.interval else { return Cell::Null };
    Cell::Text(span(&show(interval.low), &show(interval.high)))
}

/// Two numbers with units as one span: `49.1 … 51.5 µs`.
pub(crate) fn span(low: &str, high: &str) -> String {
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} … {high}"),
        _ => format!("{low} … {high}"),
    }
}

/// The mean of numbers, those that are not finite left out; `None` without any.
pub(crate) fn mean(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let finite: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
    (!finite.is_empty()).then(|| finite.iter().sum::<f64>() / finite.len() as f64)
}

/// The median of numbers, those that are not finite left out; `None` without any.
pub(crate) fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    quantile(numbers, 0.5)
}

/// The quantile q of numbers by linear interpolation, those that are not finite left out; `None` without any.
pub(crate) fn quantile(numbers: impl IntoIterator<Item = f64>, q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = numbers.into_iter().filter(|number| number.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = sorted[place.floor() as usize];
    let above = sorted[place.ceil() as usize];
    Some(below + (above - below) * place.fract())
}

/// A share that is not broken between the number and its unit.
pub(crate) fn unbroken_percent(fraction: f64) -> String {
    percent(fraction).replace(' ', "\u{a0}")
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn and(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 processor`, `12,345 readings`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

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
