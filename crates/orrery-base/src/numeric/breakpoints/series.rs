/// The reason why breakpoints of a series cannot be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BreakpointError {
    /// The two columns have different lengths.
    #[error("there are {x} values of x and {y} of y; give one of each per point")]
    Lengths {
        /// The number of values of x.
        x: usize,
        /// The number of values of y.
        y: usize,
    },
    /// A value is infinite or NaN.
    #[error("point {point}: {name} is {value}; values must be finite: remove the point")]
    NotFinite {
        /// The number of the point, from 1.
        point: usize,
        /// The column, `x` or `y`.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// x decreases.
    #[error("point {point}: x decreases to {value}; sort the points by x")]
    NotSorted {
        /// The number of the point, from 1.
        point: usize,
        /// Its x.
        value: f64,
    },
    /// All x are equal.
    #[error(
        "x is {value} at every point, which determines no slope; use constant segments, or measure \
            at several x"
    )]
    ConstantX {
        /// The common x.
        value: f64,
    },
    /// There are too few points for two segments.
    #[error(
        "two segments of at least {min_points} points do not fit into {points}; measure more \
            points, or allow shorter segments"
    )]
    TooFew {
        /// The number of points.
        points: usize,
        /// The minimum number of points of a segment.
        min_points: usize,
    },
    /// A segment has no more points than coefficients.
    #[error("the least number of points of a segment is {min_points}; give {} or more, since \
        a segment has {coefficients} coefficients", coefficients + 1)]
    TooShort {
        /// The minimum number of points of a segment.
        min_points: usize,
        /// The number of coefficients of a segment.
        coefficients: usize,
    },
    /// The series is too short for the number of breaks.
    #[error(
        "the number of breaks is {breaks}, but {points} points allow at most {max_breaks} with \
            segments of at least {min_points}; give fewer breaks or shorter segments"
    )]
    TooMany {
        /// The requested number of breaks.
        breaks: usize,
        /// The number of points.
        points: usize,
        /// The maximum number of breaks.
        max_breaks: usize,
        /// The minimum number of points of a segment.
        min_points: usize,
    },
}

crate::named_enum! {
    /// The regression of a segment.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Shape: "shape" {
        /// y = intercept + slope·x.
        #[default]
        Linear => "linear": "Lines in the size M: T ~ M",
        /// y = intercept.
        Constant => "constant": "Constants: T ~ 1, as in the CPM module",
    }
}

impl Shape {
    /// The number of coefficients of a segment.
    pub const fn coefficients(self) -> usize {
        match self {
            Self::Linear => 2,
            Self::Constant => 1,
        }
    }
}

/// Points (x, y) with non-decreasing x, and the regression of their segments.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderedSeries<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) shape: Shape,
}

impl<'a> OrderedSeries<'a> {
    /// Creates a series from its columns.
    ///
    /// # Errors
    ///
    /// Returns an error if the columns differ in length, a value is not finite, x decreases, or all
    /// x are equal and the segments are linear.
    pub fn new(x: &'a [f64], y: &'a [f64], shape: Shape) -> Result<Self, BreakpointError> {
        if x.len() != y.len() {
            return Err(BreakpointError::Lengths { x: x.len(), y: y.len() });
        }
        for (name, values) in [("x", x), ("y", y)] {
            if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                return Err(BreakpointError::NotFinite {
                    point: place + 1,
                    name,
                    value: values[place],
                });
            }
        }
        if let Some(place) = x.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(BreakpointError::NotSorted { point: place + 2, value: x[place + 1] });
        }
        if shape == Shape::Linear
            && let (Some(first), Some(last)) = (x.first(), x.last())
            && first >= last
        {
            return Err(BreakpointError::ConstantX { value: *first });
        }
        Ok(Self { x, y, shape })
    }

    /// The columns x and y.
    pub const fn points(&self) -> (&'a [f64], &'a [f64]) {
        (self.x, self.y)
    }

    /// The regression of the segments.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Returns true if there are no points.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}
