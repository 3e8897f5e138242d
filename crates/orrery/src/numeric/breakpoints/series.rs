use super::BreakpointError;

/// What a segment is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// y = intercept + slope·x.
    #[default]
    Linear,
    /// y = intercept.
    Constant,
}

impl Shape {
    /// How many coefficients a segment has.
    pub const fn coefficients(self) -> usize {
        match self {
            Self::Linear => 2,
            Self::Constant => 1,
        }
    }
}

/// Points in the order of x, of which neighbours may have the same x.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderedSeries<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    pub(super) shape: Shape,
}

impl<'a> OrderedSeries<'a> {
    /// Points (x, y), to be cut into segments of this shape.
    ///
    /// # Errors
    ///
    /// When x and y are not of one length, a number is not finite, x goes back, or never changes though segments have a
    /// slope.
    pub fn new(x: &'a [f64], y: &'a [f64], shape: Shape) -> Result<Self, BreakpointError> {
        if x.len() != y.len() {
            return Err(BreakpointError::Lengths { x: x.len(), y: y.len() });
        }
        for (name, values) in [("x", x), ("y", y)] {
            if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                return Err(BreakpointError::NotFinite { point: place + 1, name, value: values[place] });
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

    /// x and y.
    pub const fn points(&self) -> (&'a [f64], &'a [f64]) {
        (self.x, self.y)
    }

    /// What its segments are.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}
