use std::ops::Range;

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
    /// The borders by place in the core, ascending, one after the other, and where each ends.
    borders: Vec<u32>,
    ends: Vec<u32>,
    /// The products of the unknowns of the block, then of its border: lower triangles row by row, one after the other.
    products: Vec<f64>,
}

/// A block with its border and its products.
pub(super) struct Block<'a> {
    number: usize,
    border: &'a [u32],
    products: &'a [f64],
}

/// The place of a product in a lower triangle that is stored row by row.
const fn packed(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Blocks {
    /// Those of a piece of the partition.
    pub(super) fn of(rows: &Rows, partition: &Partition, grouping: &Grouping, piece: usize) -> Self {
        let numbers = partition.piece(piece);
        let mut this = Self { numbers: numbers.clone(), borders: Vec::new(), ends: Vec::new(), products: Vec::new() };
        numbers.for_each(|block| this.push(rows, partition, grouping.rows(block)));
        this
    }

    fn push(&mut self, rows: &Rows, partition: &Partition, touching: impl Iterator<Item = usize> + Clone) {
        let begin = self.borders.len();
        for (unknown, _) in touching.clone().flat_map(|row| rows.terms(row)) {
            if let Place::Core(place) = partition.place(unknown)
                && !self.borders[begin..].contains(&place)
            {
                self.borders.push(place);
            }
        }
        let border = &mut self.borders[begin..];
        border.sort_unstable();
        let width = 2 + border.len();
        let first = self.products.len();
        self.products.resize(first + packed(width, 0), 0.0);
        let products = &mut self.products[first..];
        let mut terms: Vec<(usize, f64)> = Vec::with_capacity(width);
        for row in touching {
            terms.clear();
            terms.extend(rows.terms(row).map(|(unknown, factor)| match partition.place(unknown) {
                Place::Block(_, place) => (usize::from(place), factor),
                Place::Core(place) => (2 + border.partition_point(|&other| other < place), factor),
            }));
            for &(a, left) in &terms {
                for &(b, right) in terms.iter().filter(|(b, _)| *b <= a) {
                    products[packed(a, b)] += left * right;
                }
            }
        }
        self.ends.push(self.borders.len() as u32);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Block<'_>> {
        let (mut borders, mut products, mut begin) = (&self.borders[..], &self.products[..], 0);
        self.numbers.clone().zip(&self.ends).map(move |(number, &end)| {
            let (border, other_borders) = borders.split_at((end - begin) as usize);
            let (own, other_products) = products.split_at(packed(2 + border.len(), 0));
            (borders, products, begin) = (other_borders, other_products, end);
            Block { number, border, products: own }
        })
    }

    /// The product with a vector, of which `core` is the part of the core.
    pub(super) fn times(&self, partition: &Partition, vector: &[f64], core: &[f64]) -> Part {
        let mut part = self.part(partition);
        let (mut values, mut sums) = (Vec::new(), Vec::new());
        for block in self.iter() {
            values.clear();
            values.extend(partition.of_block(vector, block.number));
            values.extend(block.border.iter().map(|&place| core[place as usize]));
            sums.clear();
            sums.resize(values.len(), 0.0);
            for row in 0..values.len() {
                for column in 0..row {
                    let product = block.products[packed(row, column)];
                    sums[row] += product * values[column];
                    sums[column] += product * values[row];
                }
                sums[row] += block.products[packed(row, row)] * values[row];
            }
            part.blocks.push([sums[0], sums[1]]);
            block.border.iter().zip(&sums[2..]).for_each(|(&place, sum)| part.core[place as usize] += sum);
        }
        part
    }

    /// What they add to the squared lengths of the columns.
    pub(super) fn squares(&self, partition: &Partition) -> Part {
        let mut part = self.part(partition);
        for block in self.iter() {
            part.blocks.push([block.products[packed(0, 0)], block.products[packed(1, 1)]]);
            for (row, &place) in (2..).zip(block.border) {
                part.core[place as usize] += block.products[packed(row, row)];
            }
        }
        part
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
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The places in the core that it borders on, each with its products with the unknowns of the block.
    pub(super) fn border(&self) -> impl Iterator<Item = (usize, [f64; 2])> + '_ {
        let products = |row| [self.products[packed(row, 0)], self.products[packed(row, 1)]];
        (2..).zip(self.border).map(move |(row, &place)| (place as usize, products(row)))
    }

    /// The products of the border that are left when the block has been eliminated: places in the core, the first not
    /// below the second, and the product.
    pub(super) fn eliminated(&self, inverse: &Inverse) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let inverse = *inverse;
        self.border().enumerate().flat_map(move |(row, (a, left))| {
            let weighted = inverse.times(left);
            let products = &self.products[packed(2 + row, 2)..=packed(2 + row, 2 + row)];
            let columns = self.border().zip(products);
            columns.map(move |((b, right), product)| (a, b, product - weighted[0] * right[0] - weighted[1] * right[1]))
        })
    }

    fn inverse(&self, free: [bool; 2]) -> Option<Inverse> {
        let [b00, b01, b11] = [0, 1, 2].map(|product| self.products[product]);
        let determinant = b00 * b11 - b01 * b01;
        match free {
            [false, false] => Some(Inverse([0.0; 3])),
            [true, false] => (b00 > 0.0).then(|| Inverse([1.0 / b00, 0.0, 0.0])),
            [false, true] => (b11 > 0.0).then(|| Inverse([0.0, 0.0, 1.0 / b11])),
            [true, true] => (determinant > DEPENDENT * b00 * b11)
                .then(|| Inverse([b11 / determinant, -b01 / determinant, b00 / determinant])),
        }
    }
}

/// The inverse of a block as 00, 01, 11, with zeros for what is not free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inverse([f64; 3]);

impl Inverse {
    pub(super) fn times(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [i00, i01, i11] = self.0;
        [i00 * x + i01 * y, i01 * x + i11 * y]
    }

    pub(super) fn diagonal(&self) -> [f64; 2] {
        [self.0[0], self.0[2]]
    }
}
