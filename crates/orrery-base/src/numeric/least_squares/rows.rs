/// A sparse linear system of rows Σ factor × unknown = observation, each multiplied by the weight
/// of its observation.
///
/// ```
/// use orrery_base::numeric::SparseRows;
/// let mut rows = SparseRows::new();
/// rows.push([(0, 1.0), (2, 3.0)], 10.0, 0.5);
/// assert_eq!(rows.residual(0, &[4.0, 100.0, 1.0]), -1.5); // half of 4 + 3·1 − 10
/// let mut others = rows.clone();
/// others.push([(1, 1.0)], 1.0, 1.0);
/// rows.append(&others);
/// rows.push_from(&others, 1);
/// assert!(rows.has(3, &others, 1) && !rows.has(0, &others, 1));
/// rows.truncate(3);
/// assert_eq!((rows.len(), rows.terms(2).next()), (3, Some((1, 1.0))));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseRows {
    /// The terms of all rows, one row after the other, and where each row ends.
    unknowns: Vec<u32>,
    factors: Vec<f64>,
    ends: Vec<usize>,
    observations: Vec<f64>,
}

impl SparseRows {
    /// An empty system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the equation Σ factor × unknown = observation, multiplied by `weight`.
    pub fn push(
        &mut self,
        terms: impl IntoIterator<Item = (usize, f64)>,
        observation: f64,
        weight: f64,
    ) {
        for (unknown, factor) in terms {
            self.unknowns.push(unknown as u32);
            self.factors.push(factor * weight);
        }
        self.ends.push(self.unknowns.len());
        self.observations.push(observation * weight);
    }

    /// Appends a copy of one row of `other`.
    pub fn push_from(&mut self, other: &Self, row: usize) {
        self.push(other.terms(row), other.observations[row], 1.0);
    }

    /// Appends copies of all rows of `other`.
    pub fn append(&mut self, other: &Self) {
        let begin = self.unknowns.len();
        self.unknowns.extend_from_slice(&other.unknowns);
        self.factors.extend_from_slice(&other.factors);
        self.ends.extend(other.ends.iter().map(|end| begin + end));
        self.observations.extend_from_slice(&other.observations);
    }

    /// Returns true if a row has the same terms, observation and weight as the row `other` of
    /// `others`.
    pub fn has(&self, row: usize, others: &Self, other: usize) -> bool {
        self.observations[row..=row] == others.observations[other..=other]
            && self.terms(row).eq(others.terms(other))
    }

    /// Removes all rows after the first `rows`.
    pub fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.observations.truncate(rows);
        let end = self.ends.last().copied().unwrap_or(0);
        self.unknowns.truncate(end);
        self.factors.truncate(end);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The unknowns of a row and their weighted factors.
    pub fn terms(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        let terms = begin..self.ends[row];
        let unknowns = self.unknowns[terms.clone()].iter().map(|&unknown| unknown as usize);
        unknowns.zip(self.factors[terms].iter().copied())
    }

    /// The weighted observation of a row.
    pub fn observation(&self, row: usize) -> f64 {
        self.observations[row]
    }

    /// The weighted residual of a row: Σ factor × unknown − observation.
    pub fn residual(&self, row: usize, unknowns: &[f64]) -> f64 {
        self.terms(row).map(|(unknown, factor)| factor * unknowns[unknown]).sum::<f64>()
            - self.observations[row]
    }

    /// The weighted residuals of all rows.
    pub fn residuals(&self, unknowns: &[f64]) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|row| self.residual(row, unknowns))
    }
}
