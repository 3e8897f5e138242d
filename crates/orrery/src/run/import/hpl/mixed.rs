//! HPL-MxP, which prints no table: `N = 258048, NB = 1024, NPROW = 4, NPCOL = 2`, then `GFLOPS = 4.3468e+05`.

use super::super::{Fault, Refused, Result};
use super::row::operations;
use crate::run::{Run, variable};
use crate::units::Seconds;

/// What was said of a run so far.
#[derive(Default)]
pub(super) struct Mixed {
    run: Option<Run>,
    /// The check of the result, which stands above the run.
    pub(super) passed: Option<bool>,
    /// How many runs were read.
    pub(super) runs: usize,
}

/// The numbers of a line that tells the size of a run, with their names.
pub(super) fn size(line: &str) -> Option<Vec<(&'static str, f64)>> {
    let line = line.trim_start();
    if !line.starts_with("N = ") {
        return None;
    }
    let words = [
        ("N", variable::PROBLEM_SIZE),
        ("NB", variable::BLOCK_SIZE),
        ("NPROW", variable::GRID_ROWS),
        ("NPCOL", variable::GRID_COLUMNS),
    ];
    let entries: Vec<_> = line.split(',').filter_map(|entry| entry.split_once('=')).collect();
    let number = |word: &str| {
        let (_, number) = entries.iter().find(|(name, _)| name.trim() == word)?;
        number.trim().parse::<u32>().ok().filter(|&number| number > 0)
    };
    words.into_iter().map(|(word, name)| Some((name, f64::from(number(word)?)))).collect()
}

impl Mixed {
    /// The run whose rate was not printed so far.
    pub(super) fn begun(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// Takes a line; a run and its check when it was told to its end.
    pub(super) fn take(&mut self, line: &str, byte: usize) -> Result<Option<(Run, Option<bool>)>> {
        if let Some(numbers) = size(line) {
            let mut run = Run::new(Seconds::new(0.0));
            run.variables = numbers.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
            run.labels.insert("variant".to_owned(), "HPL-MxP".to_owned());
            self.run = Some(run);
            return Ok(None);
        }
        let Some(rate) = line.trim_start().strip_prefix("GFLOPS = ") else { return Ok(None) };
        let Some(mut run) = self.run.take() else { return Ok(None) };
        let found = rate.split([',', ' ']).next().unwrap_or_default();
        let rate = found.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
        let rate = rate.ok_or_else(|| {
            let (column, found) = ("GFLOPS".to_owned(), found.to_owned());
            let fault = Fault::Value { run: super::in_words(&run), column, found, expected: "a rate above 0" };
            Refused { byte, fault }
        })?;
        run.seconds = Seconds::new(operations(run.variables[variable::PROBLEM_SIZE]) / (rate * 1e9));
        self.runs += 1;
        Ok(Some((run, self.passed.take())))
    }
}
