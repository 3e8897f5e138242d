use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::file::{FaultKind, FileError, FileKind};
use orrery::trace::recording::RankTotals;
use orrery::trace::recording::file::{paths, total_bytes};
use rustix::process::{Pid, Signal, kill_process};

use super::library::{self, MpiLibrary, is_launcher};
use super::recorded;
use crate::context::{Context, ProgramFailed, Usage, interrupt_flag, warn};
use crate::output::counted;
use crate::verbs::output_file;

/// The interval in which the command is observed.
const INTERVAL: Duration = Duration::from_millis(20);

/// Arguments of `orrery trace run`.
#[derive(Debug, Args)]
pub struct Run {
    /// Write the record to this folder, with a file for each rank
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace the record in an existing folder
    #[arg(long)]
    force: bool,
    /// Library of the tracer for the MPI library of the program [default: ORRERY_TRACE_LIBRARY,
    /// otherwise next to this program or in ../lib/orrery]
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// Command that starts the program, after --
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Run {
    /// Runs the command with the tracer, and summarises the record.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        let (library, mpi) = library::find(&self.command, self.library.as_deref())?;
        let folder = prepare(&self.output, self.force)?;
        let interrupt = interrupt_flag()?;
        let passing = if mpi == MpiLibrary::OpenMpi {
            let [list, delimiter] = [LIST_VARIABLE, DELIMITER_VARIABLE].map(env::var_os);
            pass(&self.command, list.as_deref(), delimiter.as_deref())
        } else {
            Passing { command: self.command.clone(), list: None }
        };
        let mut command = Command::new(&passing.command[0]);
        let values = [preloaded(&library), folder.into_os_string()];
        command.args(&passing.command[1..]).envs(NAMES.into_iter().zip(values));
        if let Some(list) = passing.list {
            command.env(LIST_VARIABLE, list);
        }
        let name = self.command[0].to_string_lossy();
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let status = wait(child, &interrupt).with_context(|| format!("cannot wait for {name}"))?;
        let run = match recorded::totals(&self.output) {
            Err(error) if !status.success() => {
                if !is_empty(&error) {
                    warn(&error);
                }
                return Err(failed(&name, status));
            }
            Err(error) if is_empty(&error) => {
                return Err(anyhow!(
                    "no rank has recorded its calls; the program must call MPI_Init (sessions are \
                        not recorded), be linked dynamically with MPI, and not use the module \
                        mpi_f08 of MPICH; its launcher must pass LD_PRELOAD and \
                        ORRERY_TRACE_FOLDER to it"
                ));
            }
            other => other?,
        };
        recorded::warn(&run);
        let calls = run.ranks.iter().map(RankTotals::calls).fold(0, u64::saturating_add);
        let (ranks, calls) = (counted(run.ranks.len() as u64, "rank"), counted(calls, "call"));
        let bytes = total_bytes(&self.output)?;
        context
            .say(format!("{calls} of {ranks}: {bytes} bytes written to {}", self.output.display()));
        if status.success() { Ok(()) } else { Err(failed(&name, status)) }
    }
}

/// Returns true if no rank has recorded its calls.
fn is_empty(error: &FileError) -> bool {
    error.fault().is_some_and(|fault| fault.kind() == &FaultKind::NoRecord)
}

/// The error of a command that failed.
fn failed(name: &str, status: ExitStatus) -> anyhow::Error {
    ProgramFailed { name: name.to_owned(), status }.into()
}

/// Creates the folder, or empties it of an earlier record; returns its absolute path.
fn prepare(folder: &Path, force: bool) -> anyhow::Result<PathBuf> {
    let name = folder.display();
    output_file::check_folder(folder, force, "-o")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {name}"))?;
    let old = paths(folder)?;
    old.iter().try_for_each(|path| check_record(path))?;
    for path in old {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    folder.canonicalize().with_context(|| format!("cannot read the folder {name}"))
}

/// Returns an error if a file with the name of a record is none; the record of a rank that was
/// killed may begin with zeros.
fn check_record(path: &Path) -> anyhow::Result<()> {
    let path_name = path.display();
    if !path.is_file() {
        let words = "this is not a file; write to another folder with -o";
        return Err(Usage(format!("{path_name}: {words}")).into());
    }
    let mut first = [0];
    let read = fs::File::open(path).and_then(|mut file| file.read(&mut first));
    match read.with_context(|| format!("cannot read {path_name}"))? {
        1 if first == [0] => Ok(()),
        _ => output_file::check_kind(path, FileKind::Recording).map(drop),
    }
}

/// The libraries to be loaded first: the tracer's, then those of the environment.
fn preloaded(library: &Path) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// Waits for the command. An interrupt is passed on to it, and the record up to there is kept.
fn wait(mut child: Child, interrupt: &AtomicBool) -> std::io::Result<ExitStatus> {
    let mut is_passed = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.load(Ordering::SeqCst) && !is_passed {
            is_passed = true;
            // The command may have ended just now.
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        thread::sleep(INTERVAL);
    }
}

/// The environment variables that each rank needs.
pub const NAMES: [&str; 2] = ["LD_PRELOAD", "ORRERY_TRACE_FOLDER"];

/// The parameter of Open MPI that lists variables to pass to all ranks.
const LIST: &str = "mca_base_env_list";

/// The environment variable that sets this list.
pub const LIST_VARIABLE: &str = "OMPI_MCA_mca_base_env_list";

/// The environment variable that sets what separates the variables of the list.
pub const DELIMITER_VARIABLE: &str = "OMPI_MCA_mca_base_env_list_delimiter";

/// A command of Open MPI that passes the variables, and the list of its environment.
#[derive(Debug, PartialEq, Eq)]
pub struct Passing {
    /// The command.
    pub command: Vec<OsString>,
    /// The value of [`LIST_VARIABLE`]; `None` leaves it as it is.
    pub list: Option<OsString>,
}

/// Makes a command pass the variables; `list` and `delimiter` are the values of the environment.
///
/// The launcher takes either a list or options `-x`, and a list of the command in place of that of
/// the environment. So the names are added to what the user has: the list of the command, the list
/// of the environment, the options. They come first, since the launcher ignores what follows a
/// variable that is not set.
pub fn pass(command: &[OsString], list: Option<&OsStr>, delimiter: Option<&OsStr>) -> Passing {
    let delimiter = delimiter.filter(|text| !text.is_empty()).unwrap_or(OsStr::new(";"));
    let joined = |own: &OsStr| {
        let mut all = OsString::from(NAMES[0]);
        NAMES[1..].iter().map(OsStr::new).chain(Some(own).filter(|own| !own.is_empty())).for_each(
            |name| {
                all.push(delimiter);
                all.push(name);
            },
        );
        all
    };
    let mut command = command.to_vec();
    if let Some(place) = command.iter().position(|word| word == LIST)
        && let Some(own) = command.get_mut(place + 1)
    {
        *own = joined(own);
        return Passing { command, list: None };
    }
    let list = list.filter(|own| !own.is_empty());
    if list.is_none() && command.iter().any(|word| word == "-x") {
        // A command that is no launcher may start one with options of its own.
        if command.first().is_some_and(|word| is_launcher(word)) {
            command.splice(1..1, NAMES.iter().flat_map(|name| ["-x".into(), OsString::from(name)]));
        }
        return Passing { command, list: None };
    }
    Passing { list: Some(joined(list.unwrap_or_default())), command }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command and the list, as texts.
    fn passed(
        command: &str,
        list: Option<&str>,
        delimiter: Option<&str>,
    ) -> (String, Option<String>) {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let Passing { command, list } =
            pass(&words, list.map(OsStr::new), delimiter.map(OsStr::new));
        let words: Vec<_> = command.iter().map(|word| word.to_str().unwrap()).collect();
        (words.join(" "), list.map(|list| list.into_string().unwrap()))
    }

    #[test]
    fn variables_of_the_user_are_kept() {
        let names = "LD_PRELOAD;ORRERY_TRACE_FOLDER";
        let plain = "mpirun -n 2 ./app";
        assert_eq!(passed(plain, None, None), (plain.into(), Some(names.into())));
        assert_eq!(passed(plain, Some(""), None), (plain.into(), Some(names.into())));
        assert_eq!(
            passed(plain, Some("A;B=2"), None),
            (plain.into(), Some(format!("{names};A;B=2")))
        );
        let with_comma = "LD_PRELOAD,ORRERY_TRACE_FOLDER,A,B=2";
        assert_eq!(
            passed(plain, Some("A,B=2"), Some(",")),
            (plain.into(), Some(with_comma.into()))
        );
    }

    #[test]
    fn a_list_of_the_command_has_priority() {
        let expected = "mpirun --mca mca_base_env_list LD_PRELOAD;ORRERY_TRACE_FOLDER;A ./app";
        assert_eq!(
            passed("mpirun --mca mca_base_env_list A ./app", Some("B"), None),
            (expected.into(), None)
        );
    }

    #[test]
    fn options_are_not_mixed_with_a_list() {
        let expected = "/opt/mpirun -x LD_PRELOAD -x ORRERY_TRACE_FOLDER -x A ./app";
        assert_eq!(passed("/opt/mpirun -x A ./app", None, None), (expected.into(), None));
        // Here the option can be the program's only, since the launcher refuses both.
        let list = "LD_PRELOAD;ORRERY_TRACE_FOLDER;B";
        assert_eq!(
            passed("mpirun ./app -x 1", Some("B"), None),
            ("mpirun ./app -x 1".into(), Some(list.into()))
        );
        assert_eq!(passed("./script -x A", None, None), ("./script -x A".into(), None));
    }
}
