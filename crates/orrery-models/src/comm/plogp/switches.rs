use super::PLogP;
use orrery_base::numeric::breakpoints::{
    Breakpoints, OrderedSeries, Partition, Shape, breakpoints,
};
use orrery_base::units::Bytes;

/// The smallest number of sizes in a piece of the gap.
const MIN_SIZES_PER_PIECE: usize = 3;

/// The relative deviation, as a fraction of the largest gap, below which a line counts as exact.
const MAX_ROUNDING: f64 = 1e-9;

/// The smallest misfit of one line through both sides of a break, as a fraction of the gap, that
/// shows a switch.
const MIN_MISFIT: f64 = 0.05;

/// A change of protocol: messages of `last` bytes use one protocol, messages of `first` bytes the
/// next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolSwitch {
    /// The largest measured size before the change.
    pub last: Bytes,
    /// The smallest measured size after the change.
    pub first: Bytes,
}

impl PLogP {
    /// Returns the switches of the protocol: breaks of the line of gap over size at which one line
    /// through both adjacent pieces misfits by more than a twentieth of the gap. Empty if fewer
    /// than six sizes are known.
    ///
    /// Source: Bai and Perron, see [`breakpoints`].
    pub fn switches(&self) -> Vec<ProtocolSwitch> {
        let sizes: Vec<f64> = self.gap.sizes().iter().map(|size| size.get() as f64).collect();
        let gaps: Vec<f64> = self.gap.values().iter().map(|estimate| estimate.value).collect();
        let Ok(series) = OrderedSeries::new(&sizes, &gaps, Shape::Linear) else {
            return Vec::new();
        };
        let Ok(found) = breakpoints(&series, MIN_SIZES_PER_PIECE, None) else { return Vec::new() };
        let partition = chosen(&found, &gaps);
        let mut ends = [&[0], &partition.breaks[..], &[gaps.len()]].concat();
        // The misfit of one line through the pieces on both sides of each break.
        let misfit = |three: &[usize]| {
            let both = three[0]..three[2];
            let line = line(&sizes[both.clone()], &gaps[both.clone()]);
            both.map(|k| (gaps[k] / line(sizes[k]) - 1.0).abs()).fold(0.0, f64::max)
        };
        loop {
            let least =
                ends.windows(3).map(misfit).enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
            match least {
                Some((place, misfit)) if misfit <= MIN_MISFIT => ends.remove(place + 1),
                _ => break,
            };
        }
        let places = ends.windows(3).map(|three| three[1]);
        places
            .map(|place| ProtocolSwitch {
                last: self.gap.sizes()[place - 1],
                first: self.gap.sizes()[place],
            })
            .collect()
    }
}

/// Returns the exact partition with the fewest breaks, or else the partition with the smallest BIC.
fn chosen<'a>(found: &'a Breakpoints, gaps: &[f64]) -> &'a Partition {
    let greatest = gaps.iter().copied().fold(0.0, f64::max);
    let rounding = gaps.len() as f64 * (MAX_ROUNDING * greatest).powi(2);
    found
        .by_count
        .iter()
        .find(|partition| partition.rss <= rounding)
        .unwrap_or_else(|| found.best_by_bic())
}

/// Returns the least-squares line through these points, which need two different x.
fn line(x: &[f64], y: &[f64]) -> impl Fn(f64) -> f64 {
    let (mean_x, mean_y) = (orrery_base::numeric::mean(x), orrery_base::numeric::mean(y));
    let of = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(x, y)| f(*x, *y)).sum::<f64>();
    let slope = of(&|x, y| (x - mean_x) * (y - mean_y)) / of(&|x, _| (x - mean_x).powi(2));
    move |at| mean_y + slope * (at - mean_x)
}
