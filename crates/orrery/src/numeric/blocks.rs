use super::SparseRows;
use super::partition::{Partition, Place};

/// A pivot below this, in units of a column's squared length, means that the column depends on the others.
pub(super) const DEPENDENT: f64 = 1e-12;

/// What the rows of a block add to the normal equations AᵀA·x = Aᵀy.
///
/// They speak of its two unknowns and of its border: the few unknowns of the core that stand in them.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// The products of the unknowns of the block: 00, 01, 11.
    own: [f64; 3],
    /// Their products with y.
    pub(super) target: [f64; 2],
    /// The border by place in the core, ascending, with its products with the unknowns of the block.
    pub(super) border: Box<[(u32, [f64; 2])]>,
    /// The products of the border with itself, the lower triangle row by row, and then with y.
    within: Box<[f64]>,
}

/// The place of a product in a lower triangle that is stored row by row.
const fn packed(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Block {
    /// The products of the border with itself: places in the core, the first not below the second, and the product.
    pub(super) fn within(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let places = self.border.iter().enumerate().flat_map(|(row, &(a, _))| {
            let columns = self.border[..=row].iter();
            columns.map(move |&(b, _)| (a as usize, b as usize))
        });
        places.zip(&*self.within).map(|((a, b), &product)| (a, b, product))
    }

    /// The products of the border with y, by place in the core.
    pub(super) fn border_target(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let products = &self.within[self.within.len() - self.border.len()..];
        self.border.iter().zip(products).map(|(&(place, _), &product)| (place as usize, product))
    }

    /// C_k·X·C_kᵀ for the X of this inverse: places in the core, the first not below the second, and the product.
    pub(super) fn reduction(&self, inverse: Inverse) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.border.iter().enumerate().flat_map(move |(row, &(a, left))| {
            let [x, y] = inverse.times(left);
            let columns = self.border[..=row].iter();
            columns.map(move |&(b, right)| (a as usize, b as usize, x * right[0] + y * right[1]))
        })
    }

    /// What a right-hand side leaves for the block once these values of the core are known.
    pub(super) fn rest(&self, target: [f64; 2], core: &[f64]) -> [f64; 2] {
        self.border.iter().fold(target, |[x, y], &(place, [c0, c1])| {
            let value = core[place as usize];
            [x - c0 * value, y - c1 * value]
        })
    }

    /// Half the gradient with respect to the block's unknowns: B_k·values − rest.
    pub(super) fn gradient(&self, [x, y]: [f64; 2], rest: [f64; 2]) -> [f64; 2] {
        let [b00, b01, b11] = self.own;
        [b00 * x + b01 * y - rest[0], b01 * x + b11 * y - rest[1]]
    }

    /// The squared lengths of the columns of its unknowns.
    pub(super) fn squares(&self) -> [f64; 2] {
        [self.own[0], self.own[2]]
    }

    /// Which of its unknowns are free at the best non-negative values for this right-hand side, the core being given.
    pub(super) fn best(&self, rest: [f64; 2]) -> [bool; 2] {
        let is_best = |free: &[bool; 2]| {
            self.inverse(*free).is_some_and(|inverse| {
                let values = inverse.times(rest);
                let gradient = self.gradient(values, rest);
                (0..2).all(|k| if free[k] { values[k] >= 0.0 } else { gradient[k] >= 0.0 })
            })
        };
        [[true, true], [true, false], [false, true]].into_iter().find(is_best).unwrap_or([false, false])
    }

    /// The inverse with the unknowns that are not free held at zero; `None` when it does not exist.
    pub(super) fn inverse(&self, free: [bool; 2]) -> Option<Inverse> {
        let [b00, b01, b11] = self.own;
        let determinant = b00 * b11 - b01 * b01;
        match free {
            [false, false] => Some(Inverse::HELD),
            [true, false] => (b00 > 0.0).then(|| Inverse([1.0 / b00, 0.0, 0.0])),
            [false, true] => (b11 > 0.0).then(|| Inverse([0.0, 0.0, 1.0 / b11])),
            [true, true] => (determinant > DEPENDENT * b00 * b11)
                .then(|| Inverse([b11 / determinant, -b01 / determinant, b00 / determinant])),
        }
    }
}

/// The inverse of a block as 00, 01, 11, with zeros for what is not free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inverse([f64; 3]);

impl Inverse {
    /// That of a block of which nothing is free.
    pub(super) const HELD: Self = Self([0.0; 3]);

    pub(super) fn times(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [i00, i01, i11] = self.0;
        [i00 * x + i01 * y, i01 * x + i11 * y]
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }

    pub(super) fn diagonal(&self) -> [f64; 2] {
        [self.0[0], self.0[2]]
    }
}

/// Room for the products of one block after the other.
#[derive(Default)]
pub(super) struct Scratch {
    /// The places in the core of the border, ascending.
    border: Vec<u32>,
    /// The products of the two unknowns of the block, then of the border, then of y: the lower triangle row by row.
    products: Vec<f64>,
    terms: Vec<(usize, f64)>,
}

impl Scratch {
    /// The block of these rows.
    pub(super) fn block(
        &mut self,
        rows: &SparseRows,
        partition: &Partition,
        touching: impl Iterator<Item = usize> + Clone,
    ) -> Block {
        let Self { border, products, terms } = self;
        border.clear();
        for (unknown, _) in touching.clone().flat_map(|row| rows.terms(row)) {
            if let Place::Core(place) = partition.place(unknown)
                && border.last() != Some(&place)
            {
                border.push(place);
            }
        }
        border.sort_unstable();
        border.dedup();
        let y = 2 + border.len();
        products.clear();
        products.resize(packed(y + 1, 0), 0.0);
        for row in touching {
            terms.clear();
            terms.extend(rows.terms(row).map(|(unknown, factor)| match partition.place(unknown) {
                Place::Block(_, place) => (usize::from(place), factor),
                Place::Core(place) => (2 + border.partition_point(|&other| other < place), factor),
            }));
            terms.push((y, rows.observation(row)));
            for &(a, left) in &*terms {
                for &(b, right) in terms.iter().filter(|(b, _)| *b <= a) {
                    products[packed(a, b)] += left * right;
                }
            }
        }
        let with_block = |(row, &place): (usize, &u32)| (place, [products[packed(row, 0)], products[packed(row, 1)]]);
        Block {
            own: [products[0], products[1], products[2]],
            target: [products[packed(y, 0)], products[packed(y, 1)]],
            border: (2..).zip(&*border).map(with_block).collect(),
            within: (2..=y)
                .flat_map(|row| &products[packed(row, 2)..packed(row, row) + usize::from(row < y)])
                .copied()
                .collect(),
        }
    }
}
