//! What `orrery predict` predicts: an operation or a kernel.

use clap::ValueEnum as _;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use orrery::kernel::{Kernel, Precision};

use super::Operation;

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Operation(Operation),
    Kernel(Kernel),
}

/// Parses the name of an operation or a kernel; help lists kernels in double precision only.
pub fn subjects() -> impl TypedValueParser<Value = Subject> {
    let operations = Operation::value_variants().iter().filter_map(Operation::to_possible_value);
    let kernel = |kernel: Kernel| {
        let is_shown = kernel.precision == Precision::Double;
        let help = format!("Kernel: {} (also with s, c or z in place of d)", kernel.routine.about());
        PossibleValue::new(kernel.to_string()).help(help).hide(!is_shown)
    };
    PossibleValuesParser::new(operations.chain(Kernel::all().map(kernel))).map(|name| {
        let operation = Operation::from_str(&name, false).ok().map(Subject::Operation);
        let kernel = || name.parse().ok().map(Subject::Kernel);
        operation.or_else(kernel).unwrap_or_else(|| unreachable!("a possible value"))
    })
}
