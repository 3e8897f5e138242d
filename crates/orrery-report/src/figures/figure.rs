use crate::tables::format::signed_percent;
use orrery::units::Seconds;

/// What a series stands for: it decides colour, marker and dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Observed times: the colour of the text.
    Observed,
    /// One of the models by its place among all kinds, or one of several groups; there are eight.
    Model(u8),
    /// How far times spread: a quiet colour.
    Spread,
}

impl Ink {
    /// The class that the style sheet colours.
    pub(crate) fn class(self) -> String {
        match self {
            Self::Observed => "observed".to_owned(),
            Self::Model(place) => format!("model-{place}"),
            Self::Spread => "spread".to_owned(),
        }
    }
}

/// What stands on the upright axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Times in seconds.
    Time,
    /// Predicted over observed times, written as errors: 1.2 is +20 %.
    Ratio,
}

/// What stands on the axis across.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Across {
    /// Sizes in bytes.
    Bytes,
    /// Numbers without a unit.
    Numbers,
    /// Times in seconds, as on the upright axis: the chart is square and has a diagonal.
    Times,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Points with whiskers.
    Points,
    /// Points joined by lines.
    Line,
    /// A line without points, with all that lies in the intervals about it.
    Band,
    /// What lies in the intervals alone.
    Area,
}

/// One point: x and y, and its interval where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct FigurePoint {
    /// Where it stands on the axis across.
    pub x: f64,
    /// Where it stands on the upright axis.
    pub y: f64,
    /// The ends of its whisker in seconds.
    pub interval: Option<(f64, f64)>,
    /// What is read when the pointer rests on it.
    pub words: String,
}

/// A series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureSeries {
    /// Its name in the legend.
    pub name: String,
    /// What it stands for.
    pub ink: Ink,
    /// How it is drawn.
    pub kind: Kind,
    /// Its points in the order of x.
    pub points: Vec<FigurePoint>,
}

/// A place on the axis across that has a name: an upright line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureMark {
    /// Where it stands.
    pub x: f64,
    /// What is written at its upper end, a letter or two, or nothing.
    pub name: &'static str,
}

/// A chart of times over sizes or other times, both axes logarithmic; what draws it can be exchanged.
///
/// A size of 0 has a place of its own at the left end. Times that are not positive have no place on a logarithmic axis
/// and are left out; [`Figure::left_out`] counts them.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it shows; also its name for those who do not see it.
    pub title: String,
    /// What is to be seen, in a sentence, for those who do not see it.
    pub description: String,
    /// The title of the axis across.
    pub x_title: String,
    /// The title of the upright axis.
    pub y_title: String,
    /// What stands on the axis across.
    pub across: Across,
    /// What stands on the upright axis; a chart of ratios is lower.
    pub measure: Measure,
    /// Upright lines below everything that is drawn.
    pub marks: Vec<FigureMark>,
    /// What is drawn, the last on top.
    pub series: Vec<FigureSeries>,
}

impl FigurePoint {
    /// Whether the point has a place on the axes.
    pub(crate) fn is_drawable(&self) -> bool {
        self.x.is_finite() && self.x >= 0.0 && self.y.is_finite() && self.y > 0.0
    }
}

impl Figure {
    /// How many points have no place on logarithmic axes.
    pub fn left_out(&self) -> usize {
        self.series.iter().flat_map(|series| &series.points).filter(|point| !point.is_drawable()).count()
    }
}

/// Labels of the axis of sizes, so that they keep their distance at the width of a chart.
const MOST_SIZES: usize = 8;

/// The ranges of both axes and their labels.
pub(crate) struct Axes {
    pub(crate) x: (f64, f64),
    pub(crate) y: (f64, f64),
    /// The labels of the axis across.
    pub(crate) sizes: Vec<f64>,
    /// The labels of the upright axis.
    pub(crate) times: Vec<f64>,
    /// Where size 0 stands, when there is one.
    pub(crate) zero: Option<f64>,
}

impl Axes {
    pub(crate) fn of(figure: &Figure) -> Option<Self> {
        let points = || figure.series.iter().flat_map(|series| &series.points).filter(|point| point.is_drawable());
        let mut sizes: Vec<f64> = points().map(|point| point.x).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        // What is drawn between the points of a band is no size that anyone asked for.
        let asked = figure.series.iter().filter(|series| !matches!(series.kind, Kind::Band | Kind::Area));
        let asked = asked.flat_map(|series| &series.points);
        let mut asked: Vec<f64> = asked.map(|point| point.x).filter(|size| *size > 0.0).collect();
        asked.sort_by(f64::total_cmp);
        asked.dedup();
        let positive: Vec<f64> = sizes.iter().copied().filter(|size| *size > 0.0).collect();
        let (smallest, largest) = (positive.first().copied().unwrap_or(4.0), positive.last().copied().unwrap_or(4.0));
        // Size 0 has its place as far to the left as a tenth of the axis.
        let zero = (sizes.first() == Some(&0.0)).then(|| smallest / (largest / smallest).powf(0.12).max(4.0));
        let whiskers = points().filter_map(|point| point.interval).flat_map(|(low, high)| [low, high]);
        let times: Vec<f64> =
            points().map(|point| point.y).chain(whiskers).filter(|time| time.is_finite() && *time > 0.0).collect();
        let times = if figure.measure == Measure::Ratio { [times, vec![0.97, 1.03]].concat() } else { times };
        let low = times.iter().copied().reduce(f64::min)?;
        let high = times.iter().copied().reduce(f64::max)?;
        let left = zero.unwrap_or(smallest);
        let room = (largest / left).powf(0.03).max(1.1);
        let air = if figure.measure == Measure::Time { 1.25 } else { (high / low).powf(0.08) };
        let y = ((low / air).max(f64::MIN_POSITIVE), (high * air).min(f64::MAX));
        let x = (left / room, largest * room);
        if figure.across == Across::Times {
            let both = (x.0.min(y.0), x.1.max(y.1));
            return Some(Self { x: both, y: both, sizes: time_labels(both), times: time_labels(both), zero: None });
        }
        let times = if figure.measure == Measure::Time { time_labels(y) } else { ratio_labels(y) };
        Some(Self { x, y, sizes: size_labels(&asked, zero), times, zero })
    }

    pub(crate) fn place(&self, x: f64) -> f64 {
        if x > 0.0 { x } else { self.zero.unwrap_or(self.x.0) }
    }
}

/// The measured sizes, thinned out evenly until few enough.
fn size_labels(positive: &[f64], zero: Option<f64>) -> Vec<f64> {
    let span = |low: f64, high: f64| (high / low).ln();
    let (Some(&first), Some(&last)) = (positive.first(), positive.last()) else { return zero.into_iter().collect() };
    let least = span(zero.unwrap_or(first), last) / MOST_SIZES as f64 * 0.9;
    let mut labels: Vec<f64> = zero.into_iter().collect();
    // Powers of two read best; without them the measured sizes themselves.
    let round: Vec<f64> = positive.iter().copied().filter(|size| size.log2().fract() == 0.0).collect();
    for &size in if round.len() >= 2 { &round } else { positive } {
        if labels.last().is_none_or(|&before| span(before, size) >= least.max(1e-9)) {
            labels.push(size);
        }
    }
    labels
}

/// Powers of ten in the range; with 2 and 5 where there are few of them, and finer where there are none.
fn time_labels((low, high): (f64, f64)) -> Vec<f64> {
    let decades = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let ladder = |steps: &[f64]| -> Vec<f64> {
        let all = decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
        all.filter(|time| *time >= low && *time <= high).collect()
    };
    let ladders: [&[f64]; 3] = [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]];
    let found = ladders.into_iter().map(ladder).find(|labels| labels.len() >= 3);
    let labels = found.unwrap_or_else(|| vec![low * (high / low).powf(0.2), low * (high / low).powf(0.8)]);
    let step = labels.len().div_ceil(8);
    labels.into_iter().step_by(step).collect()
}

/// 1 and round ratios on both sides of it, as far from one another as letters need.
fn ratio_labels((low, high): (f64, f64)) -> Vec<f64> {
    const ROUND: [f64; 14] = [1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
    const BELOW: [f64; 12] = [0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1, 0.05, 0.01];
    let least = (high / low).ln() / 5.0;
    let mut labels = vec![1.0];
    for side in [&ROUND[..], &BELOW[..]] {
        let mut before = 1.0_f64;
        for &ratio in side.iter().filter(|ratio| **ratio >= low && **ratio <= high) {
            if (ratio / before).ln().abs() >= least {
                labels.push(ratio);
                before = ratio;
            }
        }
    }
    labels
}

/// `+20 %`: a ratio as an error.
pub(crate) fn ratio_words(ratio: f64) -> String {
    signed_percent(ratio - 1.0).replace(".0 %", " %").replace(' ', "\u{202f}")
}

/// `100 µs`, `1 ms`: a label without idle digits.
pub(crate) fn time_words(time: f64) -> String {
    let words = Seconds::new(time).to_string();
    match words.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => words,
    }
}
