use super::paper::PaperError;
use crate::run::variable;

/// Why runs cannot be fitted, or a model cannot predict.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScalingError {
    /// There is nothing to fit.
    #[error("there is no run to fit; import some, or loosen the conditions")]
    NoRuns,
    /// A number of a run that no model can take.
    #[error("{run}: {name} is {value}; numbers are finite, and sizes, processes and times above 0")]
    Value {
        /// The run.
        run: String,
        /// The number.
        name: String,
        /// Its value.
        value: f64,
    },
    /// All runs are alike.
    #[error(
        "{run}: all of the runs, {runs}, are of one point ({point}); what never changes teaches nothing: run other sizes or \
         other numbers of processes"
    )]
    NothingVaries {
        /// The first run.
        run: String,
        /// How many runs there are.
        runs: usize,
        /// The point.
        point: String,
    },
    /// Fewer points than coefficients.
    #[error(
        "{run} and the others are runs of {points} different points, but {model} has {needed} coefficients; run at least \
         {} more",
        needed - points
    )]
    TooFew {
        /// The first run.
        run: String,
        /// How many different points there are.
        points: usize,
        /// What is to be fitted.
        model: String,
        /// How many points it needs.
        needed: usize,
    },
    /// A run lacks a variable that others have.
    #[error(
        "{run}: there is no {name}, which other runs have; give it, or leave out one or the other with a condition"
    )]
    Lacks {
        /// The run.
        run: String,
        /// The variable.
        name: String,
    },
    /// A family whose terms do not explain these runs.
    #[error("{run}: the terms of {family} do not take {name}, which varies; take another family, or leave it out")]
    Unexplained {
        /// The first run.
        run: String,
        /// The family.
        family: &'static str,
        /// The variable.
        name: String,
    },
    /// More variables than the general terms combine.
    #[error("{} variables vary ({}), but terms combine at most four; fix some with conditions", names.len(), names.join(", "))]
    TooMany {
        /// Their names.
        names: Vec<String>,
    },
    /// A variable that a prediction needs and was not given.
    #[error("the model needs {}, which was not given; add {}", words(name), option(name))]
    NotGiven {
        /// The variable.
        name: String,
    },
    /// A kind that the model does not know.
    #[error("the model knows nothing of {kind:?}; it knows {}", known(kinds))]
    UnknownKind {
        /// The kind.
        kind: String,
        /// Those that it knows.
        kinds: Vec<String>,
    },
    /// Another value than the only one that was measured.
    #[error(
        "all measured runs had {} {kept}, so that the model says nothing of {asked}; measure runs with other values",
        known_as(name)
    )]
    NeverVaried {
        /// The variable.
        name: String,
        /// Its only measured value.
        kept: f64,
        /// The value that was asked for.
        asked: f64,
    },
    /// The time does not depend on what would be chosen.
    #[error(
        "the time of this model depends neither on the processes nor on the elements that take part, so that there is \
         nothing to choose; import runs with their configuration or their numbers of processes"
    )]
    NothingToChoose,
    /// A region that there is not.
    #[error("there is no region {name:?}; there are {}", listed(known))]
    UnknownRegion {
        /// The region.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Several regions, and none was named.
    #[error("which region? name one with --region: {}", listed(known))]
    WhichRegion {
        /// Those that there are.
        known: Vec<String>,
    },
    /// The number of processes does not fit the grid.
    #[error("{run}: a grid of {rows}×{columns} has {} processes, but there are {processes}", rows * columns)]
    Grid {
        /// The run, or the question.
        run: String,
        /// Rows.
        rows: f64,
        /// Columns.
        columns: f64,
        /// The processes that were given.
        processes: f64,
    },
    /// The models of the paper cannot be made, or say nothing.
    #[error(transparent)]
    Paper(#[from] PaperError),
}

/// How a variable is given on the command line.
fn option(name: &str) -> String {
    match name {
        variable::PROCESSES_PER_ELEMENT | variable::SPANS_ELEMENTS | "configuration" => {
            "--configuration and kind=elements x processes on each".to_owned()
        }
        variable::PROBLEM_SIZE
        | variable::PROCESSES
        | variable::GRID_ROWS
        | variable::GRID_COLUMNS
        | variable::BLOCK_SIZE => {
            format!("--{name} and a value")
        }
        other => format!("--set {other}=VALUE"),
    }
}

/// A variable with its value behind it.
fn known_as(name: &str) -> String {
    match name {
        variable::PROCESSES_PER_ELEMENT => "processes on each element =".to_owned(),
        variable::SPANS_ELEMENTS => "between_elements (1 where several elements take part) =".to_owned(),
        other => format!("{other} ="),
    }
}

/// A variable in words.
fn words(name: &str) -> String {
    match name {
        variable::PROBLEM_SIZE => "the size of the problem n".to_owned(),
        variable::PROCESSES => "the number of processes".to_owned(),
        variable::GRID_ROWS => "the rows of the process grid p".to_owned(),
        variable::GRID_COLUMNS => "the columns of the process grid q".to_owned(),
        variable::BLOCK_SIZE => "the block size".to_owned(),
        variable::PROCESSES_PER_ELEMENT | variable::SPANS_ELEMENTS => {
            "the processing elements that take part".to_owned()
        }
        other => other.to_owned(),
    }
}

fn known(kinds: &[String]) -> String {
    if kinds.is_empty() { "no kinds: all elements were alike".to_owned() } else { kinds.join(", ") }
}

/// Names, the first few of many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut words: Vec<String> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    if names.len() > MOST {
        words.push(format!("and {} more", names.len() - MOST));
    }
    words.join(", ")
}
