//! One value for each pair of processors as a coloured square.

use maud::{Markup, html};

use crate::numeric::Estimate;
use crate::platform::{PerPair, Processor};

/// More processors than this are not drawn.
const MOST: usize = 64;
/// Up to so many processors the values are written into the squares.
const MOST_WITH_NUMBERS: usize = 20;

/// The unit in which all squares are written: how many of it one SI unit is, and its name.
pub(super) struct Unit {
    scale: f64,
    name: &'static str,
}

impl Unit {
    /// A unit of time in which the value is 1 or more.
    pub(super) fn of_time(value: f64) -> Self {
        let units = [(1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")];
        Self::first(&units, value)
    }

    /// A unit of rates in which the value is 1 or more.
    pub(super) fn of_rate(value: f64) -> Self {
        let units = [(1e-9, "GB/s"), (1e-6, "MB/s"), (1e-3, "kB/s"), (1.0, "B/s")];
        Self::first(&units, value)
    }

    fn first(units: &[(f64, &'static str)], value: f64) -> Self {
        let fits = units.iter().find(|(scale, _)| value * scale >= 0.995);
        let (scale, name) = fits.or(units.last()).copied().unwrap_or((1.0, ""));
        Self { scale, name }
    }
}

/// The map; `value` says what is shown of an estimate, in SI units.
pub(super) fn render(
    title: &str,
    estimates: &PerPair<Estimate>,
    value: impl Fn(f64) -> f64,
    unit: impl Fn(f64) -> Unit,
) -> Markup {
    let n = estimates.pairs().processors();
    let values: Vec<f64> = estimates.values().iter().map(|estimate| value(estimate.value)).collect();
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (Some(low), Some(high)) = (finite().reduce(f64::min), finite().reduce(f64::max)) else { return html! {} };
    if n > MOST {
        return html! { p.note { (title) ": too many processors to draw (" (n) ")." } };
    }
    let unit = unit(crate::report::format::median(values.iter().copied()).unwrap_or(high));
    let numbers = n <= MOST_WITH_NUMBERS;
    let at = |i: u32, j: u32| values.get(estimates.pairs().index(Processor(i), Processor(j))).copied();
    let caption = format!("{title} [{}], {} to {}", unit.name, write(low * unit.scale), write(high * unit.scale));
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.heat.dense[!numbers] {
                caption { (caption) }
                thead { tr { td {} @for j in 0..n { th scope="col" { (j) } } } }
                tbody { @for i in 0..n as u32 { tr {
                    th scope="row" { (i) }
                    @for j in 0..n as u32 {
                        @if i == j { td.self {} } @else { (square((i, j), at(i, j), (low, high), &unit, numbers)) }
                    }
                } } }
            }
        }
    }
}

fn square(pair: (u32, u32), value: Option<f64>, range: (f64, f64), unit: &Unit, numbers: bool) -> Markup {
    let Some(value) = value.filter(|value| value.is_finite()) else { return html! { td { "–" } } };
    let words = write(value * unit.scale);
    let share = ((value - range.0) / (range.1 - range.0)).clamp(0.0, 1.0);
    let share = if share.is_finite() { share } else { 0.0 };
    let title = format!("{}-{}: {words} {}", pair.0, pair.1, unit.name);
    html! {
        td style={ "--share:" (format!("{:.0}%", share * 100.0)) } title=(title) {
            @if numbers { (words) } @else { span.hidden { (words) } }
        }
    }
}

/// Three significant digits.
fn write(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}
