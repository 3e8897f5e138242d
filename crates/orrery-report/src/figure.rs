use super::plot;

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
    pub(super) fn class(self) -> String {
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
    pub(super) fn is_drawable(&self) -> bool {
        self.x.is_finite() && self.x >= 0.0 && self.y.is_finite() && self.y > 0.0
    }
}

impl Figure {
    /// The chart as an SVG element, without colours of its own: classes that a style sheet colours, text in the font of
    /// the page. `id` must be unique on the page.
    pub fn svg(&self, id: &str) -> String {
        plot::svg(self, id)
    }

    /// How many points have no place on logarithmic axes.
    pub fn left_out(&self) -> usize {
        self.series.iter().flat_map(|series| &series.points).filter(|point| !point.is_drawable()).count()
    }
}
