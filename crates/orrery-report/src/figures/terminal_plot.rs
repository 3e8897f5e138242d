//! Plots for a terminal: eight dots in each character.

/// Dots of a BraillePlot character by row and column, as bits above U+2800.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A field of dots, (0, 0) at the lower left, in ranges of x and y.
#[derive(Debug, Clone)]
pub(crate) struct BraillePlot {
    columns: usize,
    cells: Vec<u8>,
    x: (f64, f64),
    y: (f64, f64),
}

impl BraillePlot {
    /// So many characters wide and high.
    pub(crate) fn new((columns, rows): (usize, usize), x: (f64, f64), y: (f64, f64)) -> Self {
        let wide = |(low, high): (f64, f64)| if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        Self { columns: columns.max(1), cells: vec![0; columns.max(1) * rows.max(1)], x: wide(x), y: wide(y) }
    }

    fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    /// How many dots it is wide.
    pub(crate) fn dots_across(&self) -> usize {
        2 * self.columns
    }

    /// The x of a dot.
    pub(crate) fn x_of(&self, dot: usize) -> f64 {
        self.x.0 + (self.x.1 - self.x.0) * dot as f64 / (self.dots_across() - 1) as f64
    }

    /// Sets the dot nearest to a point; one outside is left out.
    pub(crate) fn dot(&mut self, x: f64, y: f64) {
        let place = |value: f64, (low, high): (f64, f64), dots: usize| {
            let at = ((value - low) / (high - low) * (dots - 1) as f64).round();
            (at >= 0.0 && at < dots as f64).then_some(at as usize)
        };
        let (Some(x), Some(y)) = (place(x, self.x, self.dots_across()), place(y, self.y, 4 * self.rows())) else {
            return;
        };
        let row = self.rows() - 1 - y / 4;
        self.cells[row * self.columns + x / 2] |= DOTS[3 - y % 4][x % 2];
    }

    /// The lines from top to bottom.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let character = |cell: &u8| char::from_u32(0x2800 + u32::from(*cell)).unwrap_or(' ');
        self.cells.chunks(self.columns).map(move |row| row.iter().map(character).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_where_they_should() {
        let mut field = BraillePlot::new((2, 1), (0.0, 3.0), (0.0, 3.0));
        for (x, y) in [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (9.0, 0.0), (f64::NAN, 1.0)] {
            field.dot(x, y);
        }
        assert_eq!(field.lines().collect::<Vec<_>>(), ["⡠⠊"]);
        assert!((field.x_of(3) - 3.0).abs() < 1e-12);
    }
}
