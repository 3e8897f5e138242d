mod application;
mod collective;
mod routine;
mod subject;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

pub use self::routine::shape;
use self::subject::{Subject, is_subject};
use crate::output::Format;
use crate::verbs::kinds::{self, Kinds};

/// Arguments of `orrery predict`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery predict bcast model.json --size 1K..1M --segments 8K,64K
  orrery predict bcast model.json --size 1K..1M --library ompi --algorithms binomial
  orrery predict dgemm model.json --m 1000 --n 1000 --k 64..512:64
  orrery predict pdgemm model.json --n 1024,2048 --grid 2x2,1x4 --block 64
  orrery predict pdgemr2d model.json --n 1024 --grid 2x2 --to 1x4
  orrery predict pdgemm model.json --n 1024 --grid 2x2 --now http://127.0.0.1:7410
  orrery predict application app.json --n 9600 --configuration athlon=1x2,pentium-ii=8x1
Kernels and parallel routines also have names with s, c or z in place of d.")]
pub struct Predict {
    #[command(subcommand)]
    subject: Subject,
}

/// What all subjects have.
#[derive(Debug, Args)]
struct Common {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t, display_order = 899)]
    format: Format,
}

/// What subjects with messages have.
#[derive(Debug, Args)]
struct Communication {
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
}

/// What subjects with a critical path have.
#[derive(Debug, Args)]
struct Explanation {
    /// Print the terms of the time along the critical path
    #[arg(long)]
    explain: bool,
}

impl Predict {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        self.subject.run()
    }
}

/// Options of the command itself that have a value.
const WITH_VALUE: [&str; 3] = ["--max-memory", "--max-operations", "--max-actions"];

/// Moves the subject of `predict MODEL SUBJECT` before the model; returns true if it was behind.
pub fn reorder(arguments: &mut Vec<OsString>) -> bool {
    let word = |place: usize| arguments.get(place).and_then(|word| word.to_str());
    let mut verb = 1;
    while let Some(option) = word(verb).filter(|word| word.starts_with('-')) {
        verb += if WITH_VALUE.contains(&option) { 2 } else { 1 };
    }
    if word(verb) != Some("predict") {
        return false;
    }
    let first = verb + 1;
    let subject = (first..arguments.len()).find(|&place| word(place).is_some_and(is_subject));
    // A subject that comes first is in order.
    let Some(subject) = subject.filter(|&place| place > first) else { return false };
    let name = arguments.remove(subject);
    arguments.insert(first, name);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_is_moved_before_the_model() {
        let after = |line: &str| {
            let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let is_moved = reorder(&mut words);
            (words.join(" ".as_ref()).into_string().unwrap(), is_moved)
        };
        let new = "orrery predict bcast m.json --size 1K";
        assert_eq!(after(new), (new.into(), false));
        assert_eq!(after("orrery predict m.json bcast --size 1K"), (new.into(), true));
        let quiet = "orrery -q --max-memory 1G predict p2p --size 1K m.json";
        assert_eq!(
            after("orrery -q --max-memory 1G predict --size 1K m.json p2p"),
            (quiet.into(), true)
        );
        let other = "orrery validate m.json bcast";
        assert_eq!(after(other), (other.into(), false));
    }
}
