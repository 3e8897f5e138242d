//! Calls whose programs are approximations of those of the library.

use super::stages::PANEL;
use super::{RoutineCall, RoutineKind, trsm};

/// A part of a program that differs from the library's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Approximation {
    /// The panels of a triangular solve in blocks that are no multiple of 32 rows and columns.
    Panels,
    /// A triangular solve on several rows and columns of processes in which the right-hand sides
    /// move, since they are few.
    FewSides,
    /// The pivots of an LU factorisation, which depend on the matrix: they decide between which
    /// processes rows are exchanged.
    Pivots,
}

impl RoutineCall {
    /// The parts of the program of the call that are approximated.
    ///
    /// ```
    /// use orrery_program::routine::{Approximation, Grid, RoutineCall};
    /// let approximations = |routine: &str, variant, n, block| {
    ///     let grid = Grid { rows: 2, columns: 2, block };
    ///     Ok::<_, Box<dyn std::error::Error>>(RoutineCall::new(routine.parse()?, variant, [1024, n, 1], grid)?.approximations())
    /// };
    /// assert_eq!(approximations("pdtrsm", "lln", 1024, 64)?, []);
    /// assert_eq!(approximations("pdtrsm", "lln", 1024, 48)?, [Approximation::Panels]);
    /// assert_eq!(approximations("pdtrsm", "lln", 1, 64)?, [Approximation::FewSides]);
    /// assert_eq!(approximations("pdgetrf", "", 1024, 64)?, [Approximation::Pivots]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn approximations(&self) -> Vec<Approximation> {
        let grid = self.grid();
        match self.routine().kind {
            RoutineKind::Trsm if grid.processes() > 1 => {
                let moves_sides = trsm::moves_sides(self);
                let few = moves_sides && grid.rows > 1 && grid.columns > 1;
                let panels = !moves_sides && !grid.block.is_multiple_of(PANEL);
                let both = [
                    few.then_some(Approximation::FewSides),
                    panels.then_some(Approximation::Panels),
                ];
                both.into_iter().flatten().collect()
            }
            RoutineKind::Getrf if grid.rows > 1 => vec![Approximation::Pivots],
            _ => Vec::new(),
        }
    }
}
