use crate::sharing::task_error;

/// What was measured of the tasks of an application: a table in CSV.
///
/// The first line names the columns: `task` (or `rank`), `communicating` (S_m: how long the task communicated, the sum of
/// the durations of its communications) or `seconds` (how long it ran), in seconds; other columns are passed over, and
/// `#` begins a remark. The table that a simulation prints is one.
///
/// ```
/// use orrery::simulate::{MeasuredTimes, Quantity};
/// let measured = MeasuredTimes::parse("task,communicating\n0,0.5\n1,0.25\n", "m.csv", None)?;
/// assert_eq!(measured.quantity, Quantity::Communicating);
/// let compared = measured.compare(&[0.4, 0.25])?;
/// assert!((compared.rows[0].error.unwrap() - 20.0).abs() < 1e-12);
/// assert!((compared.mean.unwrap() - 10.0).abs() < 1e-12);
/// # Ok::<(), orrery::simulate::MeasuredTimesError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTimes {
    /// What was measured.
    pub quantity: Quantity,
    file: String,
    /// Task, seconds, line.
    rows: Vec<(usize, f64, usize)>,
}

/// What is compared of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// How long it communicated.
    Communicating,
    /// How long it ran.
    Seconds,
}

impl Quantity {
    /// The column that holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Communicating => "communicating",
            Self::Seconds => "seconds",
        }
    }
}

/// Measurements that cannot be read, or are of other tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {problem}")]
pub struct MeasuredTimesError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What is wrong, and what to do.
    pub problem: String,
}

/// A task: S_m, S_p and E_abs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskComparison {
    /// The task.
    pub task: usize,
    /// S_m in seconds.
    pub measured: f64,
    /// S_p in seconds.
    pub predicted: f64,
    /// E_abs = |(S_p − S_m) / S_m| × 100; `None` where nothing was measured, S_m = 0.
    pub error: Option<f64>,
}

/// Predictions beside measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The tasks that were measured, in the order of the file.
    pub rows: Vec<TaskComparison>,
    /// The mean of E_abs over them in percent.
    pub mean: Option<f64>,
}

impl MeasuredTimes {
    /// Reads a table; `file` is its name in errors. Without `quantity` it is what the table has, communication first.
    ///
    /// # Errors
    ///
    /// Columns that lack, what is no task and no time, and tasks that stand twice, with line and column.
    pub fn parse(text: &str, file: &str, quantity: Option<Quantity>) -> Result<Self, MeasuredTimesError> {
        let error = |line, column, problem: String| MeasuredTimesError { file: file.to_owned(), line, column, problem };
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let (head, names) = lines.next().ok_or_else(|| {
            error(1, 1, "there is nothing in it; write a line \"task,communicating\" and one for each task".into())
        })?;
        let names: Vec<&str> = names.split(',').map(unquoted).collect();
        let find = |word: &str| names.iter().position(|name| *name == word);
        let task_column = find("task").or_else(|| find("rank"));
        let task_column = task_column.ok_or_else(|| {
            error(head + 1, 1, "there is no column task (or rank); the first line names the columns".into())
        })?;
        let wanted = quantity.map_or(vec![Quantity::Communicating, Quantity::Seconds], |quantity| vec![quantity]);
        let found = wanted.iter().find_map(|&quantity| Some((quantity, find(quantity.name())?)));
        let (quantity, time_column) = found.ok_or_else(|| {
            let words: Vec<_> = wanted.iter().map(|quantity| quantity.name()).collect();
            error(head + 1, 1, format!("there is no column {}", words.join(" or ")))
        })?;
        let mut rows: Vec<(usize, f64, usize)> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for (k, line) in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let column = |cell: usize| cells.iter().take(cell).map(|cell| cell.chars().count() + 1).sum::<usize>() + 1;
            let wrong = |cell: usize, expected: &str| {
                let found = cells.get(cell).map_or("", |cell| unquoted(cell));
                error(k + 1, column(cell), format!("this is {found:?}, but {expected} should stand here"))
            };
            let cell = |cell: usize| cells.get(cell).map_or("", |cell| unquoted(cell));
            let task = cell(task_column).parse().map_err(|_| wrong(task_column, "the number of a task, from 0,"))?;
            let time = cell(time_column).parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
            let time = time.ok_or_else(|| wrong(time_column, "a time in seconds, 0 or more,"))?;
            if !known.insert(task) {
                return Err(error(k + 1, column(task_column), format!("task {task} stands twice")));
            }
            rows.push((task, time, k + 1));
        }
        if rows.is_empty() {
            return Err(error(head + 1, 1, "there is no task below the names of the columns".into()));
        }
        Ok(Self { quantity, file: file.to_owned(), rows })
    }

    /// Predictions for the tasks 0, 1, … beside the measurements.
    ///
    /// S_m and S_p are sums over the communications of a task. Source: Vienne, Martinasso, Vincent, Méhaut, "Predictive
    /// models for bandwidth sharing in high performance clusters", section VI.
    ///
    /// # Errors
    ///
    /// A measured task that is not predicted.
    pub fn compare(&self, predicted: &[f64]) -> Result<Comparison, MeasuredTimesError> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for &(task, measured, line) in &self.rows {
            let &predicted = predicted.get(task).ok_or_else(|| MeasuredTimesError {
                file: self.file.clone(),
                line,
                column: 1,
                problem: format!("there is no task {task}: the application has tasks 0 to {}", predicted.len() - 1),
            })?;
            let error = (measured > 0.0).then(|| task_error(&[(predicted, measured)])).flatten();
            rows.push(TaskComparison { task, measured, predicted, error });
        }
        let errors: Vec<f64> = rows.iter().filter_map(|row| row.error).collect();
        let mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        Ok(Comparison { rows, mean })
    }
}

fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_compared() {
        let text = "# from a tracer\n\"host\",\"rank\",\"seconds\",\"communicating\"\na,1,2.0,0.5\nb,0,4,0\n";
        let read = |quantity| MeasuredTimes::parse(text, "m", quantity).unwrap();
        let compared = read(Some(Quantity::Seconds)).compare(&[5.0, 1.0]).unwrap();
        assert_eq!(compared.rows.iter().map(|row| row.task).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((compared.rows[0].error, compared.rows[1].error), (Some(50.0), Some(25.0)));
        assert_eq!(compared.mean, Some(37.5));
        // Nothing was measured of task 0, which says nothing of the prediction.
        let compared = read(None).compare(&[5.0, 1.0]).unwrap();
        assert_eq!((compared.rows[1].error, compared.mean), (None, Some(100.0)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, message) in [
            ("", "m:1:1: there is nothing in it"),
            ("host,seconds\na,1\n", "m:1:1: there is no column task"),
            ("task,time\n0,1\n", "m:1:1: there is no column communicating or seconds"),
            ("task,seconds\n", "m:1:1: there is no task below"),
            ("task,seconds\n\n0,1\n1,fast\n", "m:4:3: this is \"fast\", but a time"),
            ("task,seconds\n0,-1\n", "m:2:3: this is \"-1\", but a time"),
            ("task,seconds\n0\n", "m:2:3: this is \"\", but a time"),
            ("seconds,task\n1,x\n", "m:2:3: this is \"x\", but the number of a task"),
            ("task,seconds\n0,1\n0,2\n", "m:3:1: task 0 stands twice"),
            ("task,seconds\n0,1\n7,2\n", "m:3:1: there is no task 7: the application has tasks 0 to 1"),
        ] {
            let read = MeasuredTimes::parse(text, "m", None).and_then(|measured| measured.compare(&[1.0, 1.0]));
            let told = read.unwrap_err().to_string();
            assert!(told.starts_with(message), "{told}\nfor {message}");
        }
    }
}
