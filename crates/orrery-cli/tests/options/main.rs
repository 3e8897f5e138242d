//! Every option of every verb changes an answer, or is refused.
//!
//! `examples.txt` lists commands, and options to add to them. An example fails if the option leaves
//! the exit status, the output and the files as they are; an option of the completions without an
//! example fails, too, and a command that ends otherwise if the names of its files are no text. Sections of the examples begin with `files`:
//!
//! ```text
//! files FOLDER…       copies the files of these folders, below `tests/transcripts` or the project
//! prepare WORDS       runs a command that writes further files
//! $ WORDS             a command to which each option of the section is added; commas divide the
//!                     second words of several commands
//! ~ WORDS             such a command whose numbers differ from run to run
//! --option WORDS      the option, which replaces the one in the command
//! --option … | WORDS  the same, where these words belong to both commands
//! ```

#[path = "../common/copy.rs"]
mod copy;
mod example;
mod extremes;
mod outcome;
#[path = "../common/output.rs"]
mod output;
#[path = "../../../orrery/tests/common/variants.rs"]
mod variants;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::example::{Example, sections};
use crate::outcome::{Prepared, Result, completions};

/// Options without an example, with the reason. `*` is any verb.
const EXEMPT: &[(&str, &str, &str)] = &[
    ("*", "help", "of the parser"),
    ("*", "version", "of the parser"),
    ("*", "time-limit", "needs a machine that does not respond"),
    ("demo", "*", "takes seconds; its options are those of measure comm"),
    ("*", "warm-up", "repetitions without readings leave no trace"),
    ("measure scheme", "nodes", "needs hosts of several processors"),
    ("scaling fit", "undivided", "needs runs without the times of parts"),
    ("trace run", "*", "needs the tracer and an MPI program"),
    ("tune verify", "*", "needs an MPI library that rules can change"),
    ("choose network", "jobs", "changes the time of the simulations only"),
    ("monitor agent", "*", "needs the feature monitor, and measures for hours"),
    ("monitor serve", "*", "needs the feature monitor and a network"),
];

/// Options of the whole command, which need an example of one verb.
const GLOBAL: [&str; 3] = ["quiet", "max-memory", "max-operations"];

/// Returns true for kernels and routines of other precisions than double, which have the options of
/// those of double precision.
fn is_other_precision(verb: &str, options: &Options) -> bool {
    let Some(name) = verb.strip_prefix("predict ") else { return false };
    let (parallel, kernel) = name.strip_prefix('p').map_or(("", name), |kernel| ("p", kernel));
    kernel.strip_prefix(['s', 'c', 'z']).is_some_and(|routine| {
        options.get(&format!("predict {parallel}d{routine}")) == options.get(verb)
    })
}

/// Returns true if a verb needs no example of an option.
fn is_exempt(verb: &str, option: &str) -> bool {
    EXEMPT.iter().any(|(verbs, options, _)| {
        (*verbs == "*" || verb == *verbs || verb.starts_with(&format!("{verbs} ")))
            && (*options == "*" || option == *options)
    })
}

/// The names of options by verb.
type Options = BTreeMap<String, BTreeSet<String>>;

/// The long options of each verb, from the completions of the shell fish, whose lines are
/// `complete … -n "CONDITION" … -l OPTION …`.
fn options() -> Result<Options> {
    options_with(|_| true)
}

/// The options of each verb that have a value.
fn valued_options() -> Result<Options> {
    options_with(|flags| flags.contains("' -r"))
}

/// The options of each verb whose line of the completions meets a condition.
fn options_with(is_meant: impl Fn(&str) -> bool) -> Result<Options> {
    let mut all = Options::new();
    for line in completions("fish")?.lines() {
        let Some((_, rest)) = line.split_once("__fish_orrery_using_subcommand ") else { continue };
        let Some((condition, rest)) = rest.split_once('"') else { continue };
        let (verb, condition) = condition.split_once("; and ").unwrap_or((condition, ""));
        let below = condition.strip_prefix("__fish_seen_subcommand_from ");
        let words = below.map_or(verb.to_owned(), |below| format!("{verb} {below}"));
        // The description begins after the names.
        let names = rest.split(" -d ").next().unwrap_or_default();
        let known = all.entry(words).or_default();
        if !is_meant(rest) {
            continue;
        }
        let mut names = names.split(" -l ").skip(1).filter_map(|part| part.split(' ').next());
        // Behind the first name are its aliases.
        known.extend(names.next().map(str::to_owned));
    }
    Ok(all)
}

#[test]
fn every_option_has_an_effect_or_is_refused() -> Result<()> {
    let sections = sections(include_str!("examples.txt"));
    let options = options()?;
    let count: usize = options.values().map(BTreeSet::len).sum();
    assert!(count > 400, "the completions name {count} options");
    let mut failures = untried(&options, &sections.iter().flat_map(|s| &s.examples));
    let failed = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(section) = sections.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = Prepared::new(section)
                        .and_then(|prepared| prepared.failures(section))
                        .unwrap_or_else(|error| vec![format!("{}: {error}", section.name)]);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                }
            });
        }
    });
    failures.extend(failed.into_inner()?);
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
    Ok(())
}

/// The options without an example and without an exemption.
fn untried<'a>(
    options: &Options,
    examples: &(impl Iterator<Item = &'a Example> + Clone),
) -> Vec<String> {
    let has = |verb: &str, option: &str| {
        let is_any = GLOBAL.contains(&option);
        examples.clone().any(|one| one.option == option && (is_any || one.verb(options) == verb))
    };
    let mut untried = Vec::new();
    for (verb, names) in options.iter().filter(|(verb, _)| !is_other_precision(verb, options)) {
        for option in names {
            if !is_exempt(verb, option) && !has(verb, option) {
                untried.push(format!("orrery {verb} --{option} has no example"));
            }
        }
    }
    untried
}
