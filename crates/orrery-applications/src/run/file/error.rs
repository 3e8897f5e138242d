use crate::run::RunProblem;
use orrery_base::file::Fault;

/// The fault of a wrong run; `origin` is the file and line that it was read from, if known.
pub(super) fn wrong_run(origin: &str, problem: &RunProblem) -> Fault {
    let space = if origin.is_empty() { "" } else { " " };
    Fault::new(format!("run{space}{origin}: {problem}"))
}
