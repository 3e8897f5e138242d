use std::ops::Range;

use nalgebra::DMatrix;

use super::partition::{Grouping, Part, Partition, Place};
use super::{Rows, Unidentified};

/// A pivot below this, in units of a column's squared length, means that the column depends on the others.
pub(super) const DEPENDENT: f64 = 1e-12;

/// What the rows of consecutive blocks add to the normal matrix AᵀA, stored flat.
///
/// The rows of a block speak of its two unknowns and of its border: the few unknowns of the core that stand in them.
pub(super) struct Blocks {
    /// The numbers of these blocks.
    numbers: Range<usize>,
    /// The products of the unknowns of each block: 00, 01, 11.
    own: Vec<[f64; 3]>,
    /// The borders by place in the core, ascending, one after the other, each with its products with the block.
    border: Vec<(u32, [f64; 2])>,
    /// Where each border ends.
    ends: Vec<u32>,
    /// The products of each border with itself, lower triangles row by row, until the core has them.
    within: Vec<f64>,
}

/// A block: B_k, and the rows of C_k that are not zero.
pub(super) struct Block<'a> {
    pub(super) number: usize,
    own: [f64; 3],
    pub(super) border: &'a [(u32, [f64; 2])],
}

/// The place of a product in a lower triangle that is stored row by row.
const fn packed(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Blocks {
    /// Those of a piece of the partition.
    pub(super) fn of(rows: &Rows, partition: &Partition, grouping: &Grouping, piece: usize) -> Self {
        let numbers = partition.piece(piece);
        let (own, ends) = (Vec::with_capacity(numbers.len()), Vec::with_capacity(numbers.len()));
        let mut this = Self { numbers: numbers.clone(), own, border: Vec::new(), ends, within: Vec::new() };
        let mut scratch = Scratch::default();
        for number in numbers {
            scratch.fill(rows, partition, grouping.rows(number));
            let Scratch { border, products, .. } = &scratch;
            this.own.push([products[0], products[1], products[2]]);
            for (row, &place) in (2..).zip(border) {
                this.border.push((place, [products[packed(row, 0)], products[packed(row, 1)]]));
                this.within.extend_from_slice(&products[packed(row, 2)..=packed(row, row)]);
            }
            this.ends.push(this.border.len() as u32);
        }
        this
    }

    /// Hands the products of the borders with themselves over to the core, of which this is the lower triangle.
    pub(super) fn give(&mut self, core: &mut DMatrix<f64>) {
        let within = std::mem::take(&mut self.within);
        let mut within = within.into_iter();
        for block in self.iter() {
            for (row, (a, _)) in block.border.iter().enumerate() {
                for ((b, _), product) in block.border[..=row].iter().zip(within.by_ref()) {
                    core[(*a as usize, *b as usize)] += product;
                }
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Block<'_>> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let borders = begins.zip(&self.ends).map(|(begin, &end)| &self.border[begin as usize..end as usize]);
        let blocks = self.numbers.clone().zip(&self.own).zip(borders);
        blocks.map(|((number, &own), border)| Block { number, own, border })
    }

    /// The product with a vector, of which `core` is the part of the core; what the core has to do with itself apart.
    pub(super) fn times(&self, partition: &Partition, vector: &[f64], core: &[f64]) -> Part {
        let mut part = self.part(partition);
        for Block { number, own: [b00, b01, b11], border } in self.iter() {
            let [x, y] = partition.of_block(vector, number);
            let mut sums = [b00 * x + b01 * y, b01 * x + b11 * y];
            for &(place, [c0, c1]) in border {
                let place = place as usize;
                sums[0] += c0 * core[place];
                sums[1] += c1 * core[place];
                part.core[place] += c0 * x + c1 * y;
            }
            part.blocks.push(sums);
        }
        part
    }

    /// The squared lengths of the columns of the blocks.
    pub(super) fn squares(&self, partition: &Partition) -> Part {
        Part { blocks: self.own.iter().map(|own| [own[0], own[2]]).collect(), ..self.part(partition) }
    }

    /// The inverse of each block with the unknowns that are not free held at zero.
    pub(super) fn inverses(&self, partition: &Partition, free: &[bool]) -> Result<Vec<Inverse>, Unidentified> {
        let inverse = |block: Block| {
            let inverse = block.inverse(partition.of_block(free, block.number));
            inverse.ok_or_else(|| Unidentified(partition.block(block.number).collect()))
        };
        self.iter().map(inverse).collect()
    }

    /// A part with room for these blocks.
    pub(super) fn part(&self, partition: &Partition) -> Part {
        Part { core: vec![0.0; partition.core().count()], blocks: Vec::with_capacity(self.numbers.len()) }
    }
}

impl Block<'_> {
    /// C_k·X·C_kᵀ for the X of this inverse: places in the core, the first not below the second, and the product.
    pub(super) fn reduction(&self, inverse: Inverse) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.border.iter().enumerate().flat_map(move |(row, &(a, left))| {
            let [x, y] = inverse.times(left);
            let columns = self.border[..=row].iter();
            columns.map(move |&(b, right)| (a as usize, b as usize, x * right[0] + y * right[1]))
        })
    }

    fn inverse(&self, free: [bool; 2]) -> Option<Inverse> {
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
struct Scratch {
    /// The places in the core of the border, ascending.
    border: Vec<u32>,
    /// The products of the two unknowns of the block, then of the border: the lower triangle row by row.
    products: Vec<f64>,
    terms: Vec<(usize, f64)>,
}

impl Scratch {
    /// The products of these rows.
    fn fill(&mut self, rows: &Rows, partition: &Partition, touching: impl Iterator<Item = usize> + Clone) {
        let Self { border, products, terms } = self;
        border.clear();
        for (unknown, _) in touching.clone().flat_map(|row| rows.terms(row)) {
            if let Place::Core(place) = partition.place(unknown)
                && !border.contains(&place)
            {
                border.push(place);
            }
        }
        border.sort_unstable();
        products.clear();
        products.resize(packed(2 + border.len(), 0), 0.0);
        for row in touching {
            terms.clear();
            terms.extend(rows.terms(row).map(|(unknown, factor)| match partition.place(unknown) {
                Place::Block(_, place) => (usize::from(place), factor),
                Place::Core(place) => (2 + border.partition_point(|&other| other < place), factor),
            }));
            for &(a, left) in &*terms {
                for &(b, right) in terms.iter().filter(|(b, _)| *b <= a) {
                    products[packed(a, b)] += left * right;
                }
            }
        }
    }
}
