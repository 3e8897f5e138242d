use super::argmax::{distribution, quantile};
use super::search::Partition;
use super::segment::Segment;
use super::series::{OrderedSeries, Shape};

/// Where a break may as well lie: places of the last point of the segment before it, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakInterval {
    /// The first place.
    pub low: usize,
    /// The last place.
    pub high: usize,
}

impl Partition {
    /// The intervals of the breaks at this level; none for a break of which the data say too little.
    ///
    /// With δ the change of the coefficients, Q_k = Σ z·zᵀ/n_k over the regressors z of the segment before (1) and behind
    /// (2) it, and σ_k² = RSS_k/n_k, an estimated break lies σ₁²/(δᵀQ₁δ)·s points beyond the true one, where s is the place
    /// of the greatest value of a walk with ξ = δᵀQ₂δ/δᵀQ₁δ and φ = ξ·σ₂²/σ₁². Ends are rounded outwards and kept within
    /// the series. Noise and regressors may differ from segment to segment; the noise has to be independent.
    ///
    /// Source: Bai, "Estimation of a change point in multiple regression models", Review of Economics and Statistics 79,
    /// 1997.
    pub fn intervals(&self, series: &OrderedSeries<'_>, level: f64) -> Vec<Option<BreakInterval>> {
        let segments = self.segments(series);
        let of = |pair: &[Segment]| {
            let (before, behind) = (pair[0], pair[1]);
            let change = (behind.intercept - before.intercept, behind.slope - before.slope);
            let (q1, q2) = (moved(series, &before, change), moved(series, &behind, change));
            let (v1, v2) = (variance(&before), variance(&behind));
            if q1 <= 0.0 || q2 <= 0.0 {
                return None;
            }
            let place = before.end as f64;
            if v1 <= 0.0 || v2 <= 0.0 {
                // Without noise a break is where it is.
                let here = BreakInterval { low: before.end, high: before.end };
                return (v1 <= 0.0 && v2 <= 0.0).then_some(here);
            }
            let xi = q2 / q1;
            let phi = xi * v2 / v1;
            let tail = f64::midpoint(1.0, -level);
            let at = distribution(0.0, xi, phi);
            if !(tail..=1.0 - tail).contains(&at) {
                return None;
            }
            let scale = v1 / q1;
            let (low, high) = (quantile(tail, xi, phi) * scale, quantile(1.0 - tail, xi, phi) * scale);
            let inside = |place: f64| place.clamp(1.0, series.len() as f64) as usize;
            Some(BreakInterval { low: inside(place - high.ceil()), high: inside(place - low.floor()) })
        };
        segments.windows(2).map(of).collect()
    }
}

/// δᵀQδ: the mean square of what the change of the line makes at the points of a segment.
fn moved(series: &OrderedSeries<'_>, segment: &Segment, (intercept, slope): (f64, f64)) -> f64 {
    let slope = if series.shape == Shape::Linear { slope } else { 0.0 };
    let x = &series.x[segment.start..segment.end];
    x.iter().map(|x| (intercept + slope * x).powi(2)).sum::<f64>() / x.len() as f64
}

fn variance(segment: &Segment) -> f64 {
    segment.squares / segment.points() as f64
}
