//! What `orrery predict` predicts: an operation, a kernel or a parallel routine.

use clap::ValueEnum as _;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use orrery::kernel::{Kernel, Precision};
use orrery::routine::{RedistributionCall, Routine};

use super::Operation;

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Operation(Operation),
    Kernel(Kernel),
    Routine(Routine),
    Redistribution(Precision),
}

/// Parses the name of an operation, a kernel or a parallel routine; help lists double precision
/// only.
pub fn subjects() -> impl TypedValueParser<Value = Subject> {
    let operations = Operation::value_variants().iter().filter_map(Operation::to_possible_value);
    let kernel = |kernel: Kernel| {
        let is_shown = kernel.precision == Precision::Double;
        let help =
            format!("Kernel: {} (also with s, c or z in place of d)", kernel.routine.about());
        PossibleValue::new(kernel.to_string()).help(help).hide(!is_shown)
    };
    let routine = |routine: Routine| {
        let is_shown = routine.precision == Precision::Double;
        let help = format!(
            "Parallel routine: {} (also with s, c or z in place of d)",
            routine.kind.about()
        );
        PossibleValue::new(routine.to_string()).help(help).hide(!is_shown)
    };
    let redistribution = |precision: Precision| {
        let help = format!(
            "Parallel routine: {} (also with s, c or z in place of d)",
            RedistributionCall::ABOUT
        );
        PossibleValue::new(RedistributionCall::name(precision))
            .help(help)
            .hide(precision != Precision::Double)
    };
    let all = operations.chain(Kernel::all().map(kernel)).chain(Routine::all().map(routine));
    let all = all.chain(Precision::ALL.map(redistribution));
    PossibleValuesParser::new(all).map(|name| {
        let operation = Operation::from_str(&name, false).ok().map(Subject::Operation);
        let kernel = || name.parse().ok().map(Subject::Kernel);
        let routine = || name.parse().ok().map(Subject::Routine);
        let redistribution =
            || RedistributionCall::precision_of(&name).map(Subject::Redistribution);
        operation
            .or_else(kernel)
            .or_else(routine)
            .or_else(redistribution)
            .unwrap_or_else(|| unreachable!("a possible value"))
    })
}
