use super::SparseRows;
use super::block_structure::{BlockStructure, Position};

/// The smallest pivot of an independent column, relative to the squared norm of the column.
pub(super) const MIN_RELATIVE_PIVOT: f64 = 1e-12;

/// The contribution of the rows of one block to the normal equations AᵀA·x = Aᵀy.
///
/// The rows contain the one or two unknowns of the block and its border: a few unknowns of the
/// core.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// The entries 00, 01, 11 of AᵀA for the unknowns of the block.
    gram: [f64; 3],
    /// The entries of Aᵀy for the unknowns of the block.
    pub(super) rhs: [f64; 2],
    /// The border by ascending position in the core, with the entries of AᵀA for it and the
    /// unknowns of the block.
    pub(super) border: Box<[(u32, [f64; 2])]>,
    /// The lower triangle of AᵀA for the border, row by row, followed by the border's entries of
    /// Aᵀy.
    border_gram: Box<[f64]>,
}

/// The index of an entry of a lower triangle that is stored row by row.
const fn packed_index(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Block {
    /// The entries of AᵀA for the border: row and column in the core (row ≥ column) and the value.
    pub(super) fn border_products(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let positions = self.border.iter().enumerate().flat_map(|(row, &(a, _))| {
            let columns = self.border[..=row].iter();
            columns.map(move |&(b, _)| (a as usize, b as usize))
        });
        positions.zip(&*self.border_gram).map(|((a, b), &product)| (a, b, product))
    }

    /// The entries of Aᵀy for the border, by position in the core.
    pub(super) fn border_rhs(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let products = &self.border_gram[self.border_gram.len() - self.border.len()..];
        self.border.iter().zip(products).map(|(&(place, _), &product)| (place as usize, product))
    }

    /// The entries of C_k·X·C_kᵀ, where X is `inverse`: row and column in the core (row ≥ column)
    /// and the value.
    pub(super) fn schur_update(
        &self,
        inverse: Inverse,
    ) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.border.iter().enumerate().flat_map(move |(row, &(a, left))| {
            let [x, y] = inverse.apply(left);
            let columns = self.border[..=row].iter();
            columns.map(move |&(b, right)| (a as usize, b as usize, x * right[0] + y * right[1]))
        })
    }

    /// The right-hand side of the block for given values of the core: target − C_kᵀ·core.
    pub(super) fn reduced_rhs(&self, target: [f64; 2], core: &[f64]) -> [f64; 2] {
        self.border.iter().fold(target, |[x, y], &(place, [c0, c1])| {
            let value = core[place as usize];
            [x - c0 * value, y - c1 * value]
        })
    }

    /// Half the gradient of the sum of squares for the unknowns of the block: B_k·values − rest.
    pub(super) fn gradient(&self, [x, y]: [f64; 2], rest: [f64; 2]) -> [f64; 2] {
        let [b00, b01, b11] = self.gram;
        [b00 * x + b01 * y - rest[0], b01 * x + b11 * y - rest[1]]
    }

    /// The squared norms of the columns of the unknowns of the block.
    pub(super) fn squared_norms(&self) -> [f64; 2] {
        [self.gram[0], self.gram[2]]
    }

    /// The free unknowns of the optimal non-negative solution of the block for this right-hand
    /// side.
    pub(super) fn optimal_free_set(&self, rest: [f64; 2]) -> [bool; 2] {
        let is_best = |free: &[bool; 2]| {
            self.inverse(*free).is_some_and(|inverse| {
                let values = inverse.apply(rest);
                let gradient = self.gradient(values, rest);
                (0..2).all(|k| if free[k] { values[k] >= 0.0 } else { gradient[k] >= 0.0 })
            })
        };
        [[true, true], [true, false], [false, true]]
            .into_iter()
            .find(is_best)
            .unwrap_or([false, false])
    }

    /// The inverse of the block restricted to its free unknowns; `None` if it is singular.
    pub(super) fn inverse(&self, free: [bool; 2]) -> Option<Inverse> {
        let [b00, b01, b11] = self.gram;
        let determinant = b00 * b11 - b01 * b01;
        match free {
            [false, false] => Some(Inverse::ZERO),
            [true, false] => (b00 > 0.0).then(|| Inverse([1.0 / b00, 0.0, 0.0])),
            [false, true] => (b11 > 0.0).then(|| Inverse([0.0, 0.0, 1.0 / b11])),
            [true, true] => (determinant > MIN_RELATIVE_PIVOT * b00 * b11)
                .then(|| Inverse([b11 / determinant, -b01 / determinant, b00 / determinant])),
        }
    }
}

/// The inverse of a block: its entries 00, 01, 11, which are zero for unknowns that are not free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inverse([f64; 3]);

impl Inverse {
    /// The inverse of a block without free unknowns.
    pub(super) const ZERO: Self = Self([0.0; 3]);

    /// The product of the inverse and a vector.
    pub(super) fn apply(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [i00, i01, i11] = self.0;
        [i00 * x + i01 * y, i01 * x + i11 * y]
    }

    /// The difference of two inverses.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

/// Buffers for assembling blocks one after the other.
#[derive(Default)]
pub(super) struct BlockAssembler {
    /// The positions of the border in the core, ascending.
    border: Vec<u32>,
    /// The lower triangle of (A y)ᵀ(A y), row by row: unknowns of the block, then the border, then
    /// y.
    products: Vec<f64>,
    terms: Vec<(usize, f64)>,
}

impl BlockAssembler {
    /// Assembles the block of the rows `touching` it.
    pub(super) fn assemble(
        &mut self,
        rows: &SparseRows,
        structure: &BlockStructure,
        touching: impl Iterator<Item = usize> + Clone,
    ) -> Block {
        let Self { border, products, terms } = self;
        border.clear();
        for (unknown, _) in touching.clone().flat_map(|row| rows.terms(row)) {
            if let Position::Core(place) = structure.position(unknown)
                && border.last() != Some(&place)
            {
                border.push(place);
            }
        }
        border.sort_unstable();
        border.dedup();
        let y = 2 + border.len();
        products.clear();
        products.resize(packed_index(y + 1, 0), 0.0);
        for row in touching {
            terms.clear();
            terms.extend(rows.terms(row).map(
                |(unknown, factor)| match structure.position(unknown) {
                    Position::Block(_, place) => (usize::from(place), factor),
                    Position::Core(place) => {
                        (2 + border.partition_point(|&other| other < place), factor)
                    }
                },
            ));
            terms.push((y, rows.observation(row)));
            for &(a, left) in &*terms {
                for &(b, right) in terms.iter().filter(|(b, _)| *b <= a) {
                    products[packed_index(a, b)] += left * right;
                }
            }
        }
        let with_block = |(row, &place): (usize, &u32)| {
            (place, [products[packed_index(row, 0)], products[packed_index(row, 1)]])
        };
        Block {
            gram: [products[0], products[1], products[2]],
            rhs: [products[packed_index(y, 0)], products[packed_index(y, 1)]],
            border: (2..).zip(&*border).map(with_block).collect(),
            border_gram: (2..=y)
                .flat_map(|row| {
                    &products[packed_index(row, 2)..packed_index(row, row) + usize::from(row < y)]
                })
                .copied()
                .collect(),
        }
    }
}
