//! Distributed matrices whose elements are known functions of their indices, so that each process
//! can check results.

use crate::calls::{Context, Descriptor, GridPosition, Operand, local_count};

/// The local part of a matrix in square blocks on a grid.
#[derive(Debug)]
pub(crate) struct Matrix {
    descriptor: Descriptor,
    /// The place of this process; `None` outside the grid.
    position: Option<GridPosition>,
    grid: (i32, i32),
    block: i32,
    rows: usize,
    columns: usize,
    elements: Vec<f64>,
}

/// The number of local rows and columns of a process.
pub(crate) fn local_shape(
    (m, n): (i32, i32),
    block: i32,
    grid: (i32, i32),
    position: GridPosition,
) -> (usize, usize) {
    let rows = local_count(m, block, position.row, grid.0);
    let columns = local_count(n, block, position.column, grid.1);
    (rows as usize, columns as usize)
}

impl Matrix {
    /// Allocates a matrix of m×n.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub fn new(context: &Context, shape: (i32, i32), block: i32) -> Result<Self, String> {
        let (position, grid) = (context.position(), context.shape());
        let (rows, columns) =
            position.map_or((0, 0), |position| local_shape(shape, block, grid, position));
        let descriptor = Descriptor::new(context, shape, block, rows as i32);
        Ok(Self {
            descriptor,
            position,
            grid,
            block,
            rows,
            columns,
            elements: zeros(rows * columns)?,
        })
    }

    /// Sets all elements by their row and column.
    pub fn fill(&mut self, element: impl Fn(u64, u64) -> f64) {
        let Some(position) = self.position else { return };
        for column in 0..self.columns {
            let global_column = global(column, self.block, position.column, self.grid.1);
            for row in 0..self.rows {
                let global_row = global(row, self.block, position.row, self.grid.0);
                self.elements[column * self.rows + row] = element(global_row, global_column);
            }
        }
    }

    /// The local elements with their rows and columns.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64, f64)> {
        let position = self.position.unwrap_or(GridPosition { row: 0, column: 0 });
        self.elements.iter().enumerate().map(move |(place, &value)| {
            let row = global(place % self.rows, self.block, position.row, self.grid.0);
            let column = global(place / self.rows, self.block, position.column, self.grid.1);
            (row, column, value)
        })
    }

    /// The number of local rows.
    pub fn local_rows(&self) -> usize {
        self.rows
    }

    /// The number of local columns.
    pub fn local_columns(&self) -> usize {
        self.columns
    }

    /// The rows of the local part.
    pub fn rows(&self) -> Vec<u64> {
        let position = self.position.map_or(0, |position| position.row);
        (0..self.rows).map(|row| global(row, self.block, position, self.grid.0)).collect()
    }

    /// The columns of the local part.
    pub fn columns(&self) -> Vec<u64> {
        let position = self.position.map_or(0, |position| position.column);
        (0..self.columns).map(|column| global(column, self.block, position, self.grid.1)).collect()
    }

    /// The matrix as an operand.
    pub fn operand(&mut self) -> Operand<'_> {
        Operand { elements: &mut self.elements, descriptor: self.descriptor }
    }
}

/// The row or column of the matrix that is the `local` one of a process.
fn global(local: usize, block: i32, process: i32, processes: i32) -> u64 {
    let (local, block) = (local as u64, block as u64);
    (local / block * processes as u64 + process as u64) * block + local % block
}

/// Numbers that are 0, one at least: pointers to local parts without elements are valid.
///
/// # Errors
///
/// When memory does not suffice.
pub(crate) fn zeros(count: usize) -> Result<Vec<f64>, String> {
    let mut numbers = Vec::new();
    numbers
        .try_reserve_exact(count.max(1))
        .map_err(|_| format!("too little memory for {count} numbers"))?;
    numbers.resize(count, 0.0);
    Ok(numbers)
}

/// A number from -0.5 to 0.5 that looks random, by row, column and matrix.
pub(crate) fn noise(row: u64, column: u64, matrix: u64) -> f64 {
    // The mixing of SplitMix64.
    let mut bits = (row << 32 ^ column)
        .wrapping_add(matrix.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_rows_are_those_of_the_blocks() {
        let of = |process| -> Vec<u64> {
            (0..local_count(10, 3, process, 2))
                .map(|local| global(local as usize, 3, process, 2))
                .collect()
        };
        assert_eq!((of(0), of(1)), (vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5, 9]));
    }

    #[test]
    fn noise_is_centred() {
        let mean =
            (0..100).flat_map(|row| (0..100).map(move |column| noise(row, column, 1))).sum::<f64>()
                / 1e4;
        assert!(mean.abs() < 0.02, "{mean}");
        let differ = |a: f64, b: f64| (a - b).abs() > 1e-9;
        assert!(differ(noise(1, 2, 3), noise(2, 1, 3)) && differ(noise(1, 2, 3), noise(1, 2, 4)));
    }
}
