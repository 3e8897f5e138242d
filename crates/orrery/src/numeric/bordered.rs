use nalgebra::{DMatrix, DVector};

use super::Unidentified;
use super::cholesky::Cholesky;

/// A pivot below this, in units of a column's squared length, means that the column depends on the others.
pub(super) const DEPENDENT: f64 = 1e-12;

/// A symmetric matrix of which most unknowns come in small blocks that meet each other only through the core.
///
/// With core unknowns c and blocks k: [[A, C], [Cᵀ, B]], B block-diagonal with blocks of at most two unknowns. The blocks
/// are eliminated one by one, which leaves the Schur complement S = A − Σ_k C_k·B_k⁻¹·C_kᵀ of the size of the core. Where
/// nothing is known of blocks, all unknowns are core.
pub(super) struct Bordered {
    /// A, both triangles.
    core: DMatrix<f64>,
    blocks: Vec<Block>,
    /// For each unknown its place in the core, or its block and its place in it.
    places: Vec<Place>,
    /// The unknowns of the core.
    core_unknowns: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Core(u32),
    Block(u32, u8),
}

struct Block {
    unknowns: [usize; 2],
    width: usize,
    /// B_k: 00, 01, 11.
    own: [f64; 3],
    /// Rows of C_k that are not zero, by place in the core.
    border: Vec<(u32, [f64; 2])>,
}

impl Bordered {
    /// A matrix of zeros; `blocks` gives the unknowns of each block, all others are core.
    pub(super) fn new(unknowns: usize, blocks: &[Vec<usize>]) -> Self {
        let mut places = vec![Place::Core(0); unknowns];
        let mut in_block = vec![false; unknowns];
        let mut all = Vec::with_capacity(blocks.len());
        for (number, block) in blocks.iter().enumerate() {
            let mut own = Block { unknowns: [usize::MAX; 2], width: block.len(), own: [0.0; 3], border: Vec::new() };
            for (place, &unknown) in block.iter().enumerate() {
                own.unknowns[place] = unknown;
                places[unknown] = Place::Block(number as u32, place as u8);
                in_block[unknown] = true;
            }
            all.push(own);
        }
        let core_unknowns: Vec<usize> = (0..unknowns).filter(|&unknown| !in_block[unknown]).collect();
        core_unknowns.iter().enumerate().for_each(|(place, &unknown)| places[unknown] = Place::Core(place as u32));
        let size = core_unknowns.len();
        Self { core: DMatrix::zeros(size, size), blocks: all, places, core_unknowns }
    }

    /// Whether each of these rows touches one block at the most.
    pub(super) fn fits<'a>(
        unknowns: usize,
        blocks: &[Vec<usize>],
        rows: impl IntoIterator<Item = &'a [(u32, f64)]>,
    ) -> bool {
        let mut block_of = vec![usize::MAX; unknowns];
        blocks
            .iter()
            .enumerate()
            .for_each(|(number, block)| block.iter().for_each(|&unknown| block_of[unknown] = number));
        rows.into_iter().all(|row| {
            let mut touched =
                row.iter().map(|&(unknown, _)| block_of[unknown as usize]).filter(|&block| block != usize::MAX);
            let first = touched.next();
            touched.all(|block| Some(block) == first)
        })
    }

    /// Adds the outer product of a row with itself.
    pub(super) fn add(&mut self, row: &(impl Iterator<Item = (usize, f64)> + Clone)) {
        for (a, left) in row.clone() {
            for (b, right) in row.clone() {
                match (self.places[a], self.places[b]) {
                    (Place::Core(a), Place::Core(b)) => self.core[(a as usize, b as usize)] += left * right,
                    (Place::Core(a), Place::Block(block, place)) => {
                        self.blocks[block as usize].border(a)[place as usize] += left * right;
                    }
                    (Place::Block(block, a), Place::Block(_, b)) if a <= b => {
                        self.blocks[block as usize].own[(a + b) as usize] += left * right;
                    }
                    (Place::Block(..), _) => {}
                }
            }
        }
    }

    /// Eliminates the blocks and factors what is left, the unknowns that are not free held at zero.
    pub(super) fn factor(&self, free: &[bool]) -> Result<Factored<'_>, Unidentified> {
        let mut inverses = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            inverses.push(block.inverse(free)?);
        }
        let places: Vec<usize> = (0..self.core_unknowns.len()).filter(|&k| free[self.core_unknowns[k]]).collect();
        let mut reduced_place = vec![usize::MAX; self.core_unknowns.len()];
        places.iter().enumerate().for_each(|(reduced, &place)| reduced_place[place] = reduced);
        let mut schur = DMatrix::from_fn(places.len(), places.len(), |r, c| self.core[(places[r], places[c])]);
        for (block, inverse) in self.blocks.iter().zip(&inverses) {
            for &(a, left) in &block.border {
                let weighted = times(inverse, left);
                for &(b, right) in &block.border {
                    let (r, c) = (reduced_place[a as usize], reduced_place[b as usize]);
                    if r != usize::MAX && c != usize::MAX {
                        schur[(r, c)] -= weighted[0] * right[0] + weighted[1] * right[1];
                    }
                }
            }
        }
        let dependent = || {
            let names = dependent(&schur).into_iter().map(|k| self.core_unknowns[places[k]]).collect();
            Unidentified(names)
        };
        let factor = Cholesky::of(schur.clone()).filter(|factor| factor.pivots().all(|pivot| pivot > DEPENDENT));
        let factor = factor.ok_or_else(dependent)?;
        Ok(Factored { matrix: self, inverses, places, reduced_place, factor })
    }
}

impl Block {
    fn border(&mut self, place: u32) -> &mut [f64; 2] {
        let at = match self.border.iter().position(|(other, _)| *other == place) {
            Some(at) => at,
            None => {
                self.border.push((place, [0.0; 2]));
                self.border.len() - 1
            }
        };
        &mut self.border[at].1
    }

    /// B_k⁻¹ as 00, 01, 11, with zeros for what is not free.
    fn inverse(&self, free: &[bool]) -> Result<[f64; 3], Unidentified> {
        let is_free = |place: usize| place < self.width && free[self.unknowns[place]];
        let [b00, b01, b11] = self.own;
        let unidentified = || Unidentified((0..self.width).map(|place| self.unknowns[place]).collect());
        match (is_free(0), is_free(1)) {
            (false, false) => Ok([0.0; 3]),
            (true, false) if b00 > DEPENDENT => Ok([1.0 / b00, 0.0, 0.0]),
            (false, true) if b11 > DEPENDENT => Ok([0.0, 0.0, 1.0 / b11]),
            (true, true) => {
                let determinant = b00 * b11 - b01 * b01;
                if determinant <= DEPENDENT * b00 * b11 {
                    return Err(unidentified());
                }
                Ok([b11 / determinant, -b01 / determinant, b00 / determinant])
            }
            _ => Err(unidentified()),
        }
    }
}

fn times(inverse: &[f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    [inverse[0] * x + inverse[1] * y, inverse[1] * x + inverse[2] * y]
}

/// A factored matrix: solutions and variances.
pub(super) struct Factored<'a> {
    matrix: &'a Bordered,
    inverses: Vec<[f64; 3]>,
    /// The places of the core that are free, and back.
    places: Vec<usize>,
    reduced_place: Vec<usize>,
    factor: Cholesky,
}

impl Factored<'_> {
    /// Solves for this right-hand side; what is not free is zero.
    pub(super) fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        let matrix = self.matrix;
        let of_block =
            |block: &Block| std::array::from_fn(|k| if k < block.width { rhs[block.unknowns[k]] } else { 0.0 });
        let mut reduced =
            DVector::from_iterator(self.places.len(), self.places.iter().map(|&p| rhs[matrix.core_unknowns[p]]));
        for (block, inverse) in matrix.blocks.iter().zip(&self.inverses) {
            let weighted = times(inverse, of_block(block));
            for &(a, c) in &block.border {
                let place = self.reduced_place[a as usize];
                if place != usize::MAX {
                    reduced[place] -= c[0] * weighted[0] + c[1] * weighted[1];
                }
            }
        }
        let core = self.factor.solve(reduced);
        let mut x = vec![0.0; rhs.len()];
        self.places.iter().zip(core.iter()).for_each(|(&place, value)| x[matrix.core_unknowns[place]] = *value);
        for (block, inverse) in matrix.blocks.iter().zip(&self.inverses) {
            let mut rest: [f64; 2] = of_block(block);
            for &(a, c) in &block.border {
                let place = self.reduced_place[a as usize];
                if place != usize::MAX {
                    rest[0] -= c[0] * core[place];
                    rest[1] -= c[1] * core[place];
                }
            }
            let values = times(inverse, rest);
            (0..block.width).for_each(|k| x[block.unknowns[k]] = values[k]);
        }
        x
    }

    /// The diagonal of the inverse: diag S⁻¹ for the core, diag(B⁻¹ + B⁻¹·Cᵀ·S⁻¹·C·B⁻¹) for the blocks.
    pub(super) fn inverse_diagonal(&self) -> Vec<f64> {
        let matrix = self.matrix;
        let inverse = self.factor.inverse();
        let mut diagonal = vec![0.0; matrix.places.len()];
        for (reduced, &place) in self.places.iter().enumerate() {
            diagonal[matrix.core_unknowns[place]] = inverse[(reduced, reduced)];
        }
        for (block, own) in matrix.blocks.iter().zip(&self.inverses) {
            let border: Vec<(usize, [f64; 2])> = block
                .border
                .iter()
                .map(|&(a, c)| (self.reduced_place[a as usize], times(own, c)))
                .filter(|(place, _)| *place != usize::MAX)
                .collect();
            for k in 0..block.width {
                let mut variance = own[2 * k];
                for &(r, left) in &border {
                    for &(c, right) in &border {
                        variance += left[k] * inverse[(r, c)] * right[k];
                    }
                }
                diagonal[block.unknowns[k]] = variance;
            }
        }
        diagonal
    }
}

/// The unknowns that take part in directions along which the sum of squares does not change.
fn dependent(matrix: &DMatrix<f64>) -> Vec<usize> {
    let eigen = nalgebra::SymmetricEigen::new(matrix.clone());
    let flat = |e: usize| eigen.eigenvalues[e] < DEPENDENT * matrix.nrows() as f64;
    let takes_part = |k: usize, e: usize| flat(e) && eigen.eigenvectors[(k, e)].abs() > 1e-6;
    (0..matrix.nrows()).filter(|&k| (0..matrix.nrows()).any(|e| takes_part(k, e))).collect()
}
