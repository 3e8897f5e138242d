/// Why a series has no breakpoints to speak of.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BreakpointError {
    /// The two columns are not of one length.
    #[error("{x} values of x stand against {y} of y; give one of each for every point")]
    Lengths {
        /// Values of x.
        x: usize,
        /// Values of y.
        y: usize,
    },
    /// A value is infinite or no number.
    #[error("point {point}: {name} is {value}; only finite numbers can be fitted, leave the point out")]
    NotFinite {
        /// The point, counted from 1.
        point: usize,
        /// Which of its values.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// x goes back.
    #[error("point {point}: x goes back to {value}; segments are ranges of x, so sort the points by it")]
    NotSorted {
        /// The point, counted from 1.
        point: usize,
        /// Its x.
        value: f64,
    },
    /// x is the same everywhere.
    #[error("x is {value} at every point, so there is no slope; ask for constant segments, or measure at several x")]
    ConstantX {
        /// The one x.
        value: f64,
    },
    /// Two segments do not find room.
    #[error("{points} points are too few for two segments of {least}; measure more, or allow shorter segments")]
    TooFew {
        /// The points that there are.
        points: usize,
        /// The least points of a segment.
        least: usize,
    },
    /// A segment could be fitted exactly.
    #[error("a segment of {least} points has {coefficients} coefficients; allow no fewer than {} points", coefficients + 1)]
    TooShort {
        /// The least points of a segment.
        least: usize,
        /// The coefficients of a segment.
        coefficients: usize,
    },
    /// There are not so many breaks.
    #[error("{breaks} breaks do not fit: {points} points make room for {most} with segments of at least {least}")]
    TooMany {
        /// The breaks that were asked for.
        breaks: usize,
        /// The points that there are.
        points: usize,
        /// The most breaks.
        most: usize,
        /// The least points of a segment.
        least: usize,
    },
}
