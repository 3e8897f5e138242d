//! Plots for a terminal in Braille characters, with linear or logarithmic axes.

/// The bits of the dots of a Braille character above U+2800, by row and column.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// An axis on which the largest value is at least this many times the smallest may be logarithmic.
const MIN_LOGARITHMIC_RANGE: f64 = 8.0;

/// The range of an axis and whether it is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// True if 0 is drawn at the low end of a logarithmic axis.
    has_zero: bool,
}

impl Axis {
    /// An axis from the smallest to the largest of some values.
    ///
    /// It is logarithmic if no value is negative and the median of the positive values is nearer to
    /// the middle on a logarithmic axis than on a linear one, as for sizes that double. Zeros are
    /// drawn at the low end, at half the smallest positive value.
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) =
            (sorted.first().copied().unwrap_or(0.0), sorted.last().copied().unwrap_or(0.0));
        if high <= low {
            return Self { low: low - 0.5, high: low + 0.5, logarithmic: false, has_zero: false };
        }
        let zeros = sorted.iter().take_while(|value| **value == 0.0).count();
        let (least, middle) = (sorted[zeros], sorted[zeros + (sorted.len() - zeros) / 2]);
        let logarithmic = least > 0.0 && high / least >= MIN_LOGARITHMIC_RANGE && {
            let linear_share = (middle - least) / (high - least);
            let logarithmic_share = (middle / least).ln() / (high / least).ln();
            (logarithmic_share - 0.5).abs() < (linear_share - 0.5).abs()
        };
        let has_zero = zeros > 0;
        let low = if logarithmic && has_zero { least / 2.0 } else { low };
        Self { low, high, logarithmic, has_zero }
    }

    /// Returns true if the axis is logarithmic.
    pub(crate) const fn is_logarithmic(self) -> bool {
        self.logarithmic
    }

    /// The smallest and the largest value.
    pub(crate) const fn ends(self) -> (f64, f64) {
        (if self.logarithmic && self.has_zero { 0.0 } else { self.low }, self.high)
    }

    /// The position of a value: 0 at the low end, 1 at the high end.
    pub(crate) fn position(self, value: f64) -> f64 {
        if self.logarithmic {
            let value = if self.has_zero { value.max(self.low) } else { value };
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// The value at a position.
    pub(crate) fn value(self, position: f64) -> f64 {
        if self.logarithmic {
            self.low * (self.high / self.low).powf(position)
        } else {
            self.low + (self.high - self.low) * position
        }
    }
}

/// A grid of dots, each Braille character with two columns and four rows of dots.
#[derive(Debug, Clone)]
pub(crate) struct BraillePlot {
    columns: usize,
    cells: Vec<u8>,
    x: Axis,
    y: Axis,
}

impl BraillePlot {
    /// An empty plot of `columns` times `rows` characters.
    pub(crate) fn new((columns, rows): (usize, usize), x: Axis, y: Axis) -> Self {
        let (columns, rows) = (columns.max(1), rows.max(1));
        Self { columns, cells: vec![0; columns * rows], x, y }
    }

    /// The height in characters.
    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// The width in dots.
    pub(crate) fn width_in_dots(&self) -> usize {
        2 * self.columns
    }

    /// The x value of a column of dots.
    pub(crate) fn x_of_dot(&self, dot: usize) -> f64 {
        self.x.value(dot as f64 / (self.width_in_dots() - 1) as f64)
    }

    /// Sets the dot nearest to a point. Points outside of the axes are not drawn.
    pub(crate) fn set_dot(&mut self, x: f64, y: f64) {
        let dot = |position: f64, dots: usize| {
            let at = (position * (dots - 1) as f64).round();
            (at >= 0.0 && at < dots as f64).then_some(at as usize)
        };
        let columns = dot(self.x.position(x), self.width_in_dots());
        let (Some(x), Some(y)) = (columns, dot(self.y.position(y), 4 * self.rows())) else {
            return;
        };
        let row = self.rows() - 1 - y / 4;
        self.cells[row * self.columns + x / 2] |= DOTS[3 - y % 4][x % 2];
    }

    /// The lines of text from top to bottom.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let character = |cell: &u8| char::from_u32(0x2800 + u32::from(*cell)).unwrap_or(' ');
        self.cells.chunks(self.columns).map(move |row| row.iter().map(character).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_set_the_nearest_dots() {
        let axis = Axis { low: 0.0, high: 3.0, logarithmic: false, has_zero: false };
        let mut plot = BraillePlot::new((2, 1), axis, axis);
        for (x, y) in [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (9.0, 0.0), (f64::NAN, 1.0)]
        {
            plot.set_dot(x, y);
        }
        assert_eq!(plot.lines().collect::<Vec<_>>(), ["⡠⠊"]);
        assert!((plot.x_of_dot(3) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn axes_of_doubling_sizes_are_logarithmic() {
        let doubling: Vec<f64> = (0..12).map(|k| 2.0_f64.powi(k)).collect();
        let axis = Axis::of(&doubling);
        assert!(axis.is_logarithmic());
        assert!(
            (axis.position(2.0) - 1.0 / 11.0).abs() < 1e-12
                && (axis.value(1.0) - 2048.0).abs() < 1e-9
        );
        let even: Vec<f64> = (1..100).map(f64::from).collect();
        assert!(!Axis::of(&even).is_logarithmic());
        let with_zero = Axis::of(&[0.0, 1.0, 2.0, 4.0, 8.0, 16.0]);
        assert!(with_zero.is_logarithmic());
        assert_eq!((with_zero.ends(), with_zero.position(0.0)), ((0.0, 16.0), 0.0));
        assert!((with_zero.position(1.0) - 0.2).abs() < 1e-12);
        assert!(!Axis::of(&[-1.0, 1.0, 2.0, 4.0, 8.0, 16.0]).is_logarithmic());
        assert!(!Axis::of(&[5.0, 5.0]).is_logarithmic());
    }
}
