use orrery_base::names::nearest;
use orrery_cluster::sharing::task_error;

/// Measured times of the tasks of an application, from a CSV table.
///
/// The first line names the columns: `task` (or `rank`), and `communicating` (S_m, the sum of the
/// durations of the task's communications) or `seconds` (the time to its end), both in seconds.
/// Other columns are ignored, and `#` starts a comment. The CSV output of a simulation has this
/// form.
///
/// ```
/// use orrery_play::simulate::{MeasuredTimes, Quantity};
/// let measured = MeasuredTimes::parse("task,communicating\n0,0.5\n1,0.25\n", "m.csv", None)?;
/// assert_eq!(measured.quantity, Quantity::Communicating);
/// let compared = measured.compare(&[0.4, 0.25])?;
/// assert!((compared.rows[0].error.unwrap() - 20.0).abs() < 1e-12);
/// assert!((compared.mean.unwrap() - 10.0).abs() < 1e-12);
/// # Ok::<(), orrery_play::simulate::MeasuredTimesError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTimes {
    /// The measured quantity.
    pub quantity: Quantity,
    file: String,
    /// Task, time in seconds, line.
    rows: Vec<(usize, f64, usize)>,
}

orrery_base::named_enum! {
    /// A measured quantity of tasks, by its column.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Quantity {
        /// The time in communication.
        Communicating => "communicating",
        /// The time to the end of the task.
        Seconds => "seconds",
    }
}

/// The reason why measured times cannot be read or compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {problem}")]
pub struct MeasuredTimesError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The problem and the remedy.
    pub problem: String,
}

/// Measured and predicted time of a task, S_m and S_p, and the error E_abs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskComparison {
    /// The task.
    pub task: usize,
    /// S_m in seconds.
    pub measured: f64,
    /// S_p in seconds.
    pub predicted: f64,
    /// E_abs = |(S_p − S_m) / S_m| × 100; `None` if S_m = 0.
    pub error: Option<f64>,
}

/// A comparison of measured and predicted times.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The measured tasks, in the order of the file.
    pub rows: Vec<TaskComparison>,
    /// The mean of E_abs over these tasks, in percent.
    pub mean: Option<f64>,
}

impl MeasuredTimes {
    /// Parses a table; `file` is its name in errors. The default of `quantity` is `communicating`
    /// if present, else `seconds`.
    ///
    /// # Errors
    ///
    /// Missing columns, invalid tasks and times, and duplicate tasks, with line and column.
    pub fn parse(
        text: &str,
        file: &str,
        quantity: Option<Quantity>,
    ) -> Result<Self, MeasuredTimesError> {
        let error = |line, column, problem: String| MeasuredTimesError {
            file: file.to_owned(),
            line,
            column,
            problem,
        };
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let (head, names) = lines.next().ok_or_else(|| {
            error(
                1,
                1,
                "the file is empty; write a line \"task,communicating\" and one line per task"
                    .into(),
            )
        })?;
        let names: Vec<&str> = names.split(',').map(unquoted).collect();
        let find = |word: &str| names.iter().position(|name| *name == word);
        let instead = |word: &str| {
            Some(format!(", but {:?}: rename it", nearest(word, names.iter().copied())?))
        };
        let task_column = find("task").or_else(|| find("rank"));
        let task_column = task_column.ok_or_else(|| {
            error(
                head + 1,
                1,
                format!(
                    "there is no column task (or rank){}; the first line names the columns",
                    instead("task").or_else(|| instead("rank")).unwrap_or_default()
                ),
            )
        })?;
        let wanted = quantity
            .map_or(vec![Quantity::Communicating, Quantity::Seconds], |quantity| vec![quantity]);
        let found = wanted.iter().find_map(|&quantity| Some((quantity, find(quantity.name())?)));
        let (quantity, time_column) = found.ok_or_else(|| {
            let words: Vec<_> = wanted.iter().map(|quantity| quantity.name()).collect();
            error(
                head + 1,
                1,
                format!(
                    "there is no column {}{}; the first line names the columns",
                    words.join(" or "),
                    words.iter().find_map(|word| instead(word)).unwrap_or_default()
                ),
            )
        })?;
        let mut rows: Vec<(usize, f64, usize)> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for (k, line) in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let column = |cell: usize| {
                cells.iter().take(cell).map(|cell| cell.chars().count() + 1).sum::<usize>() + 1
            };
            let wrong = |cell: usize, expected: &str| {
                let found = cells.get(cell).map_or("", |cell| unquoted(cell));
                error(
                    k + 1,
                    column(cell),
                    format!("{found:?} is not allowed here; expected {expected}"),
                )
            };
            let cell = |cell: usize| cells.get(cell).map_or("", |cell| unquoted(cell));
            let task = cell(task_column)
                .parse()
                .map_err(|_| wrong(task_column, "the number of a task, from 0"))?;
            let time = cell(time_column)
                .parse()
                .ok()
                .filter(|time: &f64| time.is_finite() && *time >= 0.0);
            let time = time.ok_or_else(|| wrong(time_column, "a time in seconds, 0 or more"))?;
            if !known.insert(task) {
                return Err(error(
                    k + 1,
                    column(task_column),
                    format!("task {task} has two lines; keep one"),
                ));
            }
            rows.push((task, time, k + 1));
        }
        if rows.is_empty() {
            return Err(error(
                head + 1,
                1,
                "there are no tasks below the names of the columns; add a line for each".into(),
            ));
        }
        Ok(Self { quantity, file: file.to_owned(), rows })
    }

    /// Compares the measured times with predictions for the tasks 0, 1, ….
    ///
    /// S_m and S_p are sums over the communications of a task. Source: Vienne, Martinasso, Vincent,
    /// Méhaut, "Predictive models for bandwidth sharing in high performance clusters", section VI.
    ///
    /// # Errors
    ///
    /// A measured task without a prediction.
    pub fn compare(&self, predicted: &[f64]) -> Result<Comparison, MeasuredTimesError> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for &(task, measured, line) in &self.rows {
            let &predicted = predicted.get(task).ok_or_else(|| MeasuredTimesError {
                file: self.file.clone(),
                line,
                column: 1,
                problem: match predicted.len().checked_sub(1) {
                    Some(last) => format!(
                        "there is no task {task}; the tasks of the application are 0 to {last}"
                    ),
                    None => format!("there is no task {task}: the application has no task"),
                },
            })?;
            let error = (measured > 0.0).then(|| task_error(&[(predicted, measured)])).flatten();
            rows.push(TaskComparison { task, measured, predicted, error });
        }
        let errors: Vec<f64> = rows.iter().filter_map(|row| row.error).collect();
        let mean = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        Ok(Comparison { rows, mean })
    }
}

/// Returns a cell of the table without quotes and surrounding blanks.
fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_requested_column_is_compared() {
        let text = "# from a tracer\n\"host\",\"rank\",\"seconds\",\"communicating\"\na,1,2.0,0.5\nb,0,4,0\n";
        let read = |quantity| MeasuredTimes::parse(text, "m", quantity).unwrap();
        let compared = read(Some(Quantity::Seconds)).compare(&[5.0, 1.0]).unwrap();
        assert_eq!(compared.rows.iter().map(|row| row.task).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((compared.rows[0].error, compared.rows[1].error), (Some(50.0), Some(25.0)));
        assert_eq!(compared.mean, Some(37.5));
        // The measured time of task 0 is 0, so it has no relative error.
        let compared = read(None).compare(&[5.0, 1.0]).unwrap();
        assert_eq!((compared.rows[1].error, compared.mean), (None, Some(100.0)));
    }

    #[test]
    fn an_application_without_tasks_is_an_error() {
        let measured = MeasuredTimes::parse("task,seconds\n0,1\n", "m", None).unwrap();
        let error = measured.compare(&[]).unwrap_err().to_string();
        assert_eq!(error, "m:2:1: there is no task 0: the application has no task");
    }

    #[test]
    fn errors_have_line_and_column() {
        for (text, message) in [
            ("", "m:1:1: the file is empty"),
            ("host,seconds\na,1\n", "m:1:1: there is no column task"),
            ("task,time\n0,1\n", "m:1:1: there is no column communicating or seconds"),
            ("task,seconds\n", "m:1:1: there are no tasks below"),
            (
                "task,seconds\n\n0,1\n1,fast\n",
                "m:4:3: \"fast\" is not allowed here; expected a time",
            ),
            ("task,seconds\n0,-1\n", "m:2:3: \"-1\" is not allowed here; expected a time"),
            ("task,seconds\n0\n", "m:2:3: \"\" is not allowed here; expected a time"),
            (
                "seconds,task\n1,x\n",
                "m:2:3: \"x\" is not allowed here; expected the number of a task",
            ),
            ("task,seconds\n0,1\n0,2\n", "m:3:1: task 0 has two lines"),
            (
                "task,seconds\n0,1\n7,2\n",
                "m:3:1: there is no task 7; the tasks of the application are 0 to 1",
            ),
        ] {
            let read = MeasuredTimes::parse(text, "m", None)
                .and_then(|measured| measured.compare(&[1.0, 1.0]));
            let error = read.unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}\nfor {message}");
        }
    }
}
