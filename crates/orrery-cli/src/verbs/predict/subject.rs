//! What `orrery predict` predicts: a subcommand for each operation, kernel and parallel routine of
//! the registries of the library.

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args as _, Command, Error, FromArgMatches, Subcommand};
use orrery::kernel::{Kernel, Precision};
use orrery::routine::{RedistributionCall, Routine};
use orrery::schedule::CollectiveKind;

use super::application::ApplicationArguments;
use super::collective::{CollectiveArguments, MessageArguments, about};
use super::routine::{KernelArguments, RedistributionArguments, RoutineArguments};

/// What is predicted, with its arguments.
#[derive(Debug)]
pub enum Subject {
    Message(MessageArguments),
    Collective(CollectiveArguments),
    Kernel(Kernel, KernelArguments),
    Routine(Routine, RoutineArguments),
    Redistribution(Precision, RedistributionArguments),
    Application(ApplicationArguments),
}

impl Subject {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Message(arguments) => arguments.run(),
            Self::Collective(arguments) => arguments.run(),
            Self::Kernel(kernel, arguments) => arguments.run(kernel),
            Self::Routine(routine, arguments) => arguments.run(routine),
            Self::Redistribution(precision, arguments) => arguments.run(precision),
            Self::Application(arguments) => arguments.run(),
        }
    }
}

/// The name of messages as a subject.
const MESSAGE: &str = "p2p";
/// The name of applications as a subject.
const APPLICATION: &str = "application";

/// A subcommand with two examples, and with the arguments that `augment` adds.
fn subcommand(
    name: &str,
    about: &str,
    examples: [&str; 2],
    augment: impl Fn(Command) -> Command,
) -> Command {
    let lines = examples.map(|options| format!("  orrery predict {name} {options}"));
    // The description of the group of arguments would replace one that is set before.
    augment(Command::new(name.to_owned()))
        .about(about.to_owned())
        .long_about(None)
        .after_help(format!("Examples:\n{}", lines.join("\n")))
}

/// The arguments of a call with its dimensions and variants; help does not list those that it does
/// not have.
fn with_own(command: Command, (dimensions, variants): ([bool; 3], &[&str])) -> Command {
    let absent = ["m", "n", "k"].into_iter().zip(dimensions).filter(|(_, exists)| !exists);
    let command = absent.fold(command, |command, (name, _)| command.mut_arg(name, hidden));
    match variants {
        [""] => command.mut_arg("variant", hidden),
        [first, ..] => command.mut_arg("variant", |variant| {
            variant.help(format!(
                "Transpositions, side and triangle, in the order of the arguments: {} [default: \
                    {first}]",
                variants.join(", ")
            ))
        }),
        [] => command,
    }
}

/// The argument, which help does not list.
fn hidden(argument: Arg) -> Arg {
    argument.hide(true)
}

/// Returns true for kernels and routines that help does not list.
fn is_hidden(precision: Precision) -> bool {
    precision != Precision::Double
}

/// The subcommands of all subjects.
fn subcommands() -> impl Iterator<Item = Command> {
    let message = subcommand(
        MESSAGE,
        "One message between two processors",
        ["model.json --size 1K..1M", "model.json --from 2 --to 3 --size 64K --explain"],
        MessageArguments::augment_args,
    );
    let collective = |operation: CollectiveKind| {
        let examples = match operation {
            CollectiveKind::Barrier => ["model.json", "model.json --procs 4 --explain"],
            _ => ["model.json --size 1K..1M", "model.json --procs 4 --size 64K --explain"],
        };
        let augment = |command| CollectiveArguments::augment(operation, command);
        subcommand(operation.name(), about(operation), examples, augment)
    };
    let kernel = |kernel: Kernel| {
        let fields = ["--m", "--n", "--k"].into_iter().zip(kernel.routine.dimensions());
        let own: Vec<&str> = fields.filter_map(|(field, exists)| exists.then_some(field)).collect();
        let of = |values: &str| {
            let options: Vec<String> =
                own.iter().map(|field| format!("{field} {values}")).collect();
            format!("model.json {}", options.join(" "))
        };
        let (one, several) = (of("1000"), of("256..1024:256"));
        let about = format!("Kernel: {}", kernel.routine.about());
        let examples = [one.as_str(), several.as_str()];
        let own = (kernel.routine.dimensions(), kernel.routine.variants());
        let augment = |command| with_own(KernelArguments::augment_args(command), own);
        subcommand(&kernel.to_string(), &about, examples, augment).hide(is_hidden(kernel.precision))
    };
    let routine = |routine: Routine| {
        let about = format!("Parallel routine: {}", routine.kind.about());
        let examples = [
            "model.json --n 1024,2048 --grid 2x2,1x4 --block 64",
            "model.json --n 1024 --grid 2x2 --availability n1=0.5,n3=0.8",
        ];
        let own = (routine.kind.dimensions(), routine.kind.variants());
        let augment = |command| with_own(RoutineArguments::augment_args(command), own);
        subcommand(&routine.to_string(), &about, examples, augment)
            .hide(is_hidden(routine.precision))
    };
    let redistribution = |precision: Precision| {
        let about = format!("Parallel routine: {}", RedistributionCall::ABOUT);
        let examples =
            ["model.json --n 1024 --grid 2x2 --to 1x4", "model.json --n 512 --grid 1x4 --to 4x1"];
        let name = RedistributionCall::name(precision);
        subcommand(&name, &about, examples, RedistributionArguments::augment_args)
            .hide(is_hidden(precision))
    };
    let application = subcommand(
        APPLICATION,
        "A run of an application",
        [
            "app.json --n 9600 --configuration athlon=1x2,pentium-ii=8x1",
            "app.json --n 1000,2000 --processes 4,8",
        ],
        ApplicationArguments::augment_args,
    );
    std::iter::once(message)
        .chain(CollectiveKind::ALL.iter().copied().map(collective))
        .chain([application])
        .chain(Kernel::all().map(kernel))
        .chain(Routine::all().map(routine))
        .chain(Precision::ALL.map(redistribution))
}

/// Returns true if a word is the name of a subject.
pub fn is_subject(word: &str) -> bool {
    [MESSAGE, APPLICATION].contains(&word)
        || word.parse::<CollectiveKind>().is_ok()
        || word.parse::<Kernel>().is_ok()
        || word.parse::<Routine>().is_ok()
        || RedistributionCall::precision_of(word).is_some()
}

impl FromArgMatches for Subject {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, matches) =
            matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        Ok(match name {
            MESSAGE => Self::Message(MessageArguments::from_arg_matches(matches)?),
            APPLICATION => Self::Application(ApplicationArguments::from_arg_matches(matches)?),
            name => {
                if let Ok(operation) = name.parse::<CollectiveKind>() {
                    Self::Collective(CollectiveArguments::of(operation, matches)?)
                } else if let Ok(kernel) = name.parse::<Kernel>() {
                    Self::Kernel(kernel, KernelArguments::from_arg_matches(matches)?)
                } else if let Ok(routine) = name.parse::<Routine>() {
                    Self::Routine(routine, RoutineArguments::from_arg_matches(matches)?)
                } else {
                    let precision = RedistributionCall::precision_of(name)
                        .ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
                    let arguments = RedistributionArguments::from_arg_matches(matches)?;
                    Self::Redistribution(precision, arguments)
                }
            }
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Subject {
    fn augment_subcommands(command: Command) -> Command {
        // Deferred until `predict` is parsed: they are half of all options.
        command.defer(|command| command.subcommands(subcommands()))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        is_subject(name)
    }
}
