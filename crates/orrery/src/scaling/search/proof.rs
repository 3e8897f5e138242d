use std::fmt;

/// What the claim rests on that nothing is better: what was covered, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimalityProof {
    /// The selections of elements and processes in question, Π (1 + n_k·M_k) − 1; each with every layout of its number of
    /// processes.
    pub selections: f64,
    /// The layouts in question.
    pub layouts: u64,
    /// Layouts that were looked at more closely; the bounds of all others are above the best.
    pub examined_layouts: u64,
    /// Pairs of a layout and a time for which it was asked whether the processes can be placed.
    pub feasibility_tests: u64,
    /// Dynamic programmes that were solved.
    pub dynamic_programs: u64,
    /// The work done, in steps of about a nanosecond.
    pub steps: u64,
    /// The best value that was found.
    pub best_value: f64,
    /// No configuration has a value below this.
    pub lower_bound: f64,
}

impl OptimalityProof {
    /// Whether nothing can be better.
    pub fn is_optimal(&self) -> bool {
        self.lower_bound >= self.best_value
    }

    /// How much better something else might be, as a part of the best value that was found: 0 when that is the optimum.
    pub fn gap(&self) -> f64 {
        if self.is_optimal() { 0.0 } else { 1.0 - self.lower_bound / self.best_value }
    }
}

impl fmt::Display for OptimalityProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            selections,
            layouts,
            examined_layouts: examined,
            feasibility_tests: tested,
            dynamic_programs: programmes,
            ..
        } = *self;
        let others = if self.is_optimal() {
            write!(f, "nothing is better: ")?;
            "ruled out by bounds"
        } else {
            write!(f, "the search was cut short, something may be {:.1} % better: ", 100.0 * self.gap())?;
            "not examined"
        };
        let selections = if selections < 1e6 { format!("{selections}") } else { format!("{selections:.1e}") };
        write!(
            f,
            "{selections} selections in {layouts} layouts; layouts examined: {examined}, {others}: {}; times tested: \
             {tested}; dynamic programmes: {programmes}",
            layouts - examined
        )
    }
}
