use super::PLogP;
use crate::numeric::breakpoints::{Breakpoints, OrderedSeries, Partition, Shape, breakpoints};
use crate::units::Bytes;

/// A piece of the gap has at least so many sizes.
const LEAST: usize = 3;

/// Lines that are off by less than this part of the greatest gap are exact.
const EXACT: f64 = 1e-9;

/// Without a switch one line would be off by more than this part of the gap.
const LEAP: f64 = 0.05;

/// Where the protocol changes: messages of `last` bytes still go by the former one, those of `first` by the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolSwitch {
    /// The largest size before it.
    pub last: Bytes,
    /// The smallest size behind it.
    pub first: Bytes,
}

impl PLogP {
    /// The switches of the protocol: breaks of the line of gap over size, where one line through the pieces on
    /// both sides would be off by more than a twentieth. None where fewer than six sizes are known.
    ///
    /// Source: Bai and Perron, see [`breakpoints`].
    pub fn switches(&self) -> Vec<ProtocolSwitch> {
        let sizes: Vec<f64> = self.gap.sizes().iter().map(|size| size.get() as f64).collect();
        let gaps: Vec<f64> = self.gap.values().iter().map(|estimate| estimate.value).collect();
        let Ok(series) = OrderedSeries::new(&sizes, &gaps, Shape::Linear) else { return Vec::new() };
        let Ok(found) = breakpoints(&series, LEAST, None) else { return Vec::new() };
        let partition = chosen(&found, &gaps);
        let mut ends = [&[0], &partition.breaks[..], &[gaps.len()]].concat();
        // The misfit of one line through the pieces on both sides of each break.
        let misfit = |three: &[usize]| {
            let both = three[0]..three[2];
            let line = line(&sizes[both.clone()], &gaps[both.clone()]);
            both.map(|k| (gaps[k] / line(sizes[k]) - 1.0).abs()).fold(0.0, f64::max)
        };
        loop {
            let least = ends.windows(3).map(misfit).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
            match least {
                Some((place, misfit)) if misfit <= LEAP => ends.remove(place + 1),
                _ => break,
            };
        }
        let places = ends.windows(3).map(|three| three[1]);
        places
            .map(|place| ProtocolSwitch { last: self.gap.sizes()[place - 1], first: self.gap.sizes()[place] })
            .collect()
    }
}

/// The partition with the fewest breaks that is exact, or else the one of the least BIC.
fn chosen<'a>(found: &'a Breakpoints, gaps: &[f64]) -> &'a Partition {
    let greatest = gaps.iter().copied().fold(0.0, f64::max);
    let rounding = gaps.len() as f64 * (EXACT * greatest).powi(2);
    found.by_count.iter().find(|partition| partition.rss <= rounding).unwrap_or_else(|| found.best_by_bic())
}

/// The line of least squares through these points.
fn line(x: &[f64], y: &[f64]) -> impl Fn(f64) -> f64 {
    let (mean_x, mean_y) = (crate::numeric::mean(x), crate::numeric::mean(y));
    let of = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(x, y)| f(*x, *y)).sum::<f64>();
    let slope = of(&|x, y| (x - mean_x) * (y - mean_y)) / of(&|x, _| (x - mean_x).powi(2));
    move |at| mean_y + slope * (at - mean_x)
}
