use std::collections::BTreeMap;

use crate::run::{Configuration, Run, Share, variable};

/// The numbers that a processing element of one kind sees of a run: the variables, and how many processes it has itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ElementVariables {
    numbers: BTreeMap<String, f64>,
}

impl ElementVariables {
    /// From names and numbers.
    pub fn new<'a>(numbers: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        Self { numbers: numbers.into_iter().map(|(name, number)| (name.to_owned(), number)).collect() }
    }

    /// All names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.numbers.iter().map(|(name, &number)| (name.as_str(), number))
    }

    /// A number by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }
}

/// What decides how long a run takes, apart from chance: its variables and its configuration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Point {
    /// The variables by name.
    pub variables: BTreeMap<String, f64>,
    /// The processing elements that take part; empty where all are alike.
    pub configuration: Configuration,
}

impl Point {
    /// That of a run.
    pub fn of(run: &Run) -> Self {
        Self { variables: run.variables.clone(), configuration: run.configuration.clone() }
    }

    /// What the elements of each kind see; one view where all are alike.
    pub(super) fn views(&self) -> Vec<ElementVariables> {
        if self.configuration.shares.is_empty() {
            return vec![self.view(None)];
        }
        self.configuration.shares.iter().map(|share| self.view(Some(share))).collect()
    }

    /// What an element sees: of the kind that `share` describes, or of the only kind that there is.
    ///
    /// The number of processes comes from the configuration, from the grid, or as it was given. Where there are processes
    /// but no grid, it is one row of them: 1×P.
    pub fn view(&self, share: Option<&Share>) -> ElementVariables {
        let mut numbers = self.variables.clone();
        let get = |name: &str| self.variables.get(name).copied();
        let grid = get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS)).map(|(rows, columns)| rows * columns);
        let configured = Some(self.configuration.processes()).filter(|&processes| processes > 0);
        let processes = configured.map(|processes| processes as f64).or(grid).or(get(variable::PROCESSES));
        if let Some(processes) = processes {
            numbers.insert(variable::PROCESSES.to_owned(), processes);
            if get(variable::GRID_ROWS).is_none() && get(variable::GRID_COLUMNS).is_none() {
                numbers.insert(variable::GRID_ROWS.to_owned(), 1.0);
                numbers.insert(variable::GRID_COLUMNS.to_owned(), processes);
            }
        }
        if let Some(share) = share {
            numbers.insert(variable::PROCESSES_PER_ELEMENT.to_owned(), f64::from(share.processes));
            let between = f64::from(u8::from(self.configuration.elements() > 1));
            numbers.insert(variable::SPANS_ELEMENTS.to_owned(), between);
        }
        ElementVariables { numbers }
    }
}
