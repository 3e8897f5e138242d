//! Each verb that writes a file, with each kind of existing file in its place: the file is of the
//! new kind and complete, or unchanged, and the exit status says which.

mod common;
#[path = "../../orrery/tests/common/table.rs"]
mod table;
#[path = "../../orrery/tests/common/variants.rs"]
mod variants;

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{Folder, Outcome};
use orrery::sample::file::kind_of;
use rustix::fs::{CWD, Mode, mkfifoat};
use variants::few_or_all;

/// The commands, the value of the last option, and the file that is written.
const WRITERS: &str = "\
measure comm --machine sim:truth.json --min-reps 3 --max-reps 3 --size 1K -o => comm.csv => comm.csv
measure comm --machine sim:truth.json --min-reps 3 --max-reps 3 --size 1K -o => z.csv.zst
    => z.csv.zst
measure overheads --machine sim:truth.json --max-reps 5 --sizes 0,8K -o => over.csv => over.csv
measure collectives --machine sim:truth.json --max-reps 5 --sizes 1K --operations bcast -o => c.csv
    => c.csv
measure thresholds --machine sim:truth.json --max-reps 25 --sizes 1K -o => th.csv => th.csv
measure scheme three.scheme --machine sim:gigabit.json --max-reps 5 -o => times.csv => times.csv
measure kernels --blas rust --routines axpy --dimensions 8..64 --time 0.05s -o => k.csv => k.csv
fit s.csv --models hockney -o => m.json => m.json
report model.json s.csv -o => page.html => page.html
report app.json runs.json --figures => figs => figs/correlation.svg
samples import osu.txt --processors 0-3 --ppn 4 -o => osu.csv => osu.csv
samples merge s.csv -o => all.csv => all.csv
share three.scheme --sharing maxmin --svg => drawing.svg => drawing.svg
simulate gather.tit --cluster crossbar.xml --network maxmin --chrome => c.json => c.json
simulate gather.tit --cluster crossbar.xml --network maxmin --report => sim.html => sim.html
trace convert gather.tit => t.tit => t.tit
trace convert gather.tit => t.goal => t.goal
trace convert gather.tit => t.orrt => t.orrt
trace convert recorded => r.json => r.json
model export ports.json --for simgrid -o => p.xml => p.xml
model export loggp.json --for loggopsim -o => options => options
tune write ompi.csv --for openmpi-4.1 -o => tuned.conf => tuned.conf
tune write ompi.csv --for openmpi-han -o => han.conf => han.conf.tuned
tune write mpich.csv --for mpich-4.0 --base generic.json -o => tree.json => tree.json
scaling import choices.csv -o => r2.json => r2.json
scaling fit runs.json -o => terms.json => terms.json
scaling advise --plan ns --cluster cluster.toml -o => plan2.json => plan2.json
scaling run plan.json --wall --command true -o => made.json => made.json
choose configuration app.json --cluster cluster.toml --n 2600 --write => c1 => c1/hostfile
choose configuration app.json --cluster cluster.toml --n 2600 --write => c2 => c2/rankfile
choose configuration app.json --cluster cluster.toml --n 2600 --write => c3 => c3/machinefile
choose configuration app.json --cluster cluster.toml --n 2600 --write => c4 => c4/job.sbatch
choose configuration app.json --cluster cluster.toml --n 2600 --write => c5 => c5/HPL.dat
scaling advise app.json --cluster cluster.toml --n 2600 --budget 1s --write => c6 => c6/hostfile
man -o => man1 => man1/orrery-fit.1
";

/// Options that write and are not tried here: `verb --option`.
const EXEMPT: [&str; 6] = [
    "scaling advise --plan", // a name
    "demo --output",         // writes samples, a model and a page, as the verbs that do
    "trace run --output",    // in the test of the tracer
    "tune verify --output",  // needs an MPI library
    "scaling run --workdir", // new folders only
    "monitor serve --store", // a database
];

/// Files of users and other programs.
const FOREIGN: [(&str, &[u8]); 8] = [
    ("text", b"mine\n"),
    ("binary", b"\0\x01\xff\n"),
    ("scheme", b"a: 0 -> 1\n"),
    ("hostfile", b"# the hosts of my group\nnode1 slots=4\n"),
    ("table", b"experiment,i,note\n1,2,mine\n"),
    ("JSON", b"{\"name\": \"package\", \"version\": \"1.0.0\"}\n"),
    ("page", b"<!DOCTYPE html>\n<html><body>mine</body></html>\n"),
    ("HPL.dat", include_bytes!("../../../examples/HPL.dat")),
];

#[derive(Clone)]
struct Writer {
    words: String,
    /// The value of the option: the file or its folder.
    argument: String,
    file: String,
    /// What it writes.
    fresh: Vec<u8>,
}

/// How the old file is there.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    File,
    SymbolicLink,
    HardLink,
    ReadOnly,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A folder with the inputs of all writers.
fn inputs() -> Result<Folder> {
    let folder = Folder::new()?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (from, name) in [
        ("scheme.in/three.scheme", "three.scheme"),
        ("scheme.in/gigabit.json", "gigabit.json"),
        ("osu.in/own-1.txt", "osu.txt"),
        ("simulate.in/gather.tit", "gather.tit"),
        ("simulate.in/crossbar.xml", "crossbar.xml"),
        ("ports.in/model.json", "ports.json"),
        ("ports.in/loggp.json", "loggp.json"),
        ("tune.in/ompi.csv", "ompi.csv"),
        ("tune.in/mpich.csv", "mpich.csv"),
        ("tune.in/generic.json", "generic.json"),
        ("choices.in/choices.csv", "choices.csv"),
        ("choices.in/cluster.toml", "cluster.toml"),
        ("../options/files/plan.json", "plan.json"),
    ] {
        fs::copy(project.join("tests/transcripts").join(from), folder.path(name))?;
    }
    fs::create_dir(folder.path("recorded"))?;
    for entry in fs::read_dir(project.join("tests/transcripts/trace.in/recorded"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.path("recorded").join(entry.file_name()))?;
    }
    folder.done("measure comm --machine sim:truth.json --min-reps 3 --max-reps 3 -o s.csv")?;
    folder.done("fit s.csv --models hockney -o model.json")?;
    folder.done("scaling import choices.csv -o runs.json")?;
    folder.done("scaling fit runs.json -o app.json")?;
    Ok(folder)
}

impl Writer {
    /// Runs the command; its exit status and error output.
    fn run(&self, folder: &Folder, force: bool) -> Result<(Option<i32>, String)> {
        let force = if force { " --force" } else { "" };
        let output = folder.run(&format!("{} {}{force}", self.words, self.argument))?;
        Ok((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.file).extension().is_some_and(|own| own == extension)
    }

    /// Removes what was written.
    fn clean(&self, folder: &Folder) {
        let path = folder.path(&self.argument);
        for path in [path, folder.path(&self.file)] {
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(path);
        }
        if self.has_extension("tuned") {
            let _ = fs::remove_file(folder.path(self.file.trim_end_matches(".tuned")));
        }
    }

    /// Creates the folder of the file.
    fn make_folder(&self, folder: &Folder) -> std::io::Result<PathBuf> {
        let path = folder.path(&self.file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        Ok(path)
    }

    /// Returns true if a content is all of what the command writes.
    fn is_written(&self, content: &[u8]) -> bool {
        let lines = |content: &[u8]| {
            let text = String::from_utf8_lossy(content).replace(" --force", "");
            let is_record = |line: &&str| line.contains("command") || line.contains("date");
            text.lines().filter(|line| !is_record(line)).map(str::to_owned).collect::<Vec<_>>()
        };
        let (now, fresh) = (lines(content), lines(&self.fresh));
        let is_complete = if self.words.contains("kernels") {
            // The number of readings is random.
            now.len() > 1
                && now.last().map(|line| line.split(',').count())
                    == fresh.last().map(|line| line.split(',').count())
        } else if self.has_extension("zst") {
            now.len().abs_diff(fresh.len()) < 3
        } else {
            now.len() == fresh.len() && (now == fresh || self.words.contains("scaling run"))
        };
        kind_of(content) == kind_of(&self.fresh) && is_complete
    }

    /// The failures with an old file of this content, which is replaced or not.
    fn failures(
        &self,
        folder: &Folder,
        (name, old): (&str, &[u8]),
        place: Place,
        force: bool,
    ) -> Result<Vec<String>> {
        let path = self.make_folder(folder)?;
        let other = folder.path(&format!("other-{}", self.argument));
        match place {
            Place::File => fs::write(&path, old)?,
            Place::SymbolicLink => {
                fs::write(&other, old)?;
                symlink(&other, &path)?;
            }
            Place::HardLink => {
                fs::write(&other, old)?;
                fs::hard_link(&other, &path)?;
            }
            Place::ReadOnly => {
                fs::write(&path, old)?;
                fs::set_permissions(&path, Permissions::from_mode(0o444))?;
            }
        }
        let is_own = kind_of(old).is_some() && kind_of(old) == kind_of(&self.fresh);
        let may_write = place != Place::ReadOnly && (old.is_empty() || is_own && force);
        let (status, stderr) = self.run(folder, force)?;
        let now = fs::read(&path)?;
        let mut failures = Vec::new();
        let mut check = |holds: bool, words: &str| {
            if !holds {
                let case = format!("{} {} (--force: {force})", self.words, self.argument);
                failures.push(format!("{case}, {place:?}: {name}: {words}: {stderr}"));
            }
        };
        let statuses: &[i32] = match (may_write, place, is_own || old.is_empty()) {
            (true, ..) => &[0],
            (false, Place::ReadOnly, _) | (false, _, true) => &[1],
            (false, _, false) => &[2],
        };
        check(status.is_some_and(|status| statuses.contains(&status)), &format!("{status:?}"));
        if may_write {
            check(self.is_written(&now), "the new file is not complete");
            check(path.is_symlink() == (place == Place::SymbolicLink), "the link is replaced");
        } else {
            check(now == old, "the old file is changed");
            let argument = folder.path(&self.argument);
            let has_others = if argument.is_dir() {
                fs::read_dir(&argument)?.count() > 1
            } else {
                argument != path && argument.exists()
            };
            check(!has_others, "other files are written");
            check(stderr.contains(&self.file), "no word of the file");
        }
        if place == Place::HardLink {
            check(fs::read(&other)? == old || old.is_empty(), "the other name is changed");
        }
        let _ = fs::remove_file(other);
        self.clean(folder);
        Ok(failures)
    }

    /// The failures with what is no file: a folder, a link to nothing, a pipe.
    fn special_failures(&self, folder: &Folder, force: bool) -> Result<Vec<String>> {
        let mut failures = Vec::new();
        let mut check = |holds: bool, words: &str| {
            if !holds {
                failures.push(format!("{} (--force: {force}): {words}", self.words));
            }
        };
        let path = self.make_folder(folder)?;
        fs::create_dir(&path).or_else(|_| fs::create_dir_all(&path))?;
        let (status, stderr) = self.run(folder, force)?;
        check(status == Some(1), &format!("a folder: {status:?}: {stderr}"));
        check(fs::read_dir(&path)?.next().is_none(), "the folder is written to");
        self.clean(folder);

        let path = self.make_folder(folder)?;
        symlink("nothing", &path)?;
        let (status, stderr) = self.run(folder, force)?;
        check(status == Some(1), &format!("a link to nothing: {status:?}: {stderr}"));
        check(path.is_symlink() && !path.exists(), "the link to nothing is written to");
        self.clean(folder);

        let path = self.make_folder(folder)?;
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR)?;
        let content = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut content = Vec::new();
                File::open(&path)?.read_to_end(&mut content)?;
                Ok::<_, std::io::Error>(content)
            });
            let (status, stderr) = self.run(folder, force)?;
            check(status == Some(0), &format!("a pipe: {status:?}: {stderr}"));
            if !reader.is_finished() {
                // Nothing was written: the reader must not wait for ever.
                drop(File::options().read(true).write(true).open(&path)?);
            }
            Ok::<_, Box<dyn Error>>(reader.join().map_err(|_| "no reader")??)
        })?;
        check(self.is_written(&content), "the pipe does not take all");
        self.clean(folder);
        Ok(failures)
    }
}

/// The writers, each with what it writes where nothing was before.
fn writers(folder: &Folder) -> Result<Vec<Writer>> {
    let rows = table::rows::<3>(WRITERS);
    rows.into_iter()
        .map(|[words, argument, file]| {
            let mut writer = Writer { words, argument, file, fresh: Vec::new() };
            let (status, stderr) = writer.run(folder, false)?;
            assert_eq!(status, Some(0), "{}: {stderr}", writer.words);
            writer.fresh = fs::read(folder.path(&writer.file))?;
            assert!(kind_of(&writer.fresh).is_some(), "{}: of no kind", writer.words);
            writer.clean(folder);
            Ok(writer)
        })
        .collect()
}

/// All cases of a writer; `number` chooses a few of the files of other kinds.
fn cases(folder: &Folder, writer: &Writer, all: &[Writer], number: usize) -> Result<Vec<String>> {
    let others: Vec<(&str, &[u8])> =
        all.iter().map(|other| (&*other.words, &*other.fresh)).chain(FOREIGN).collect();
    let step = few_or_all(13, 1);
    let mut failures = Vec::new();
    for force in [false, true] {
        let own = ("its own kind", &*writer.fresh);
        for place in [Place::File, Place::SymbolicLink, Place::HardLink, Place::ReadOnly] {
            failures.extend(writer.failures(folder, own, place, force)?);
        }
        let kinds = others.iter().cycle().skip(number).step_by(step);
        for (k, &other) in kinds.take(others.len().div_ceil(step)).enumerate() {
            let place = [Place::File, Place::SymbolicLink, Place::HardLink][(number + k) % 3];
            failures.extend(writer.failures(folder, other, place, force)?);
        }
        failures.extend(writer.failures(folder, ("empty", b""), Place::File, force)?);
        failures.extend(writer.special_failures(folder, force)?);
    }
    Ok(failures)
}

#[test]
fn outputs_are_of_the_new_kind_or_unchanged() -> Outcome {
    let folder = inputs()?;
    let all = writers(&folder)?;
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(writer) = all.get(number) else { break };
                    let found = cases(&folder, writer, &all, number);
                    let found = found.unwrap_or_else(|error| vec![format!("{error}")]);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner()?;
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    Ok(())
}

/// Every option of the completions that writes is tried above.
#[test]
fn all_options_that_write_are_tried() -> Outcome {
    let folder = Folder::new()?;
    let mut missing = BTreeSet::new();
    for line in folder.done("completions fish")?.lines() {
        let Some((_, rest)) = line.split_once("__fish_orrery_using_subcommand ") else { continue };
        let Some((condition, rest)) = rest.split_once('"') else { continue };
        let (verb, below) = condition
            .split_once("; and __fish_seen_subcommand_from ")
            .map_or((condition, ""), |(verb, below)| (verb, below));
        let verb = format!("{verb} {below}");
        let Some((names, help)) = rest.split_once(" -d ") else { continue };
        let Some(option) = names.split(" -l ").nth(1).and_then(|part| part.split(' ').next())
        else {
            continue;
        };
        let help = help.trim_start_matches('\'');
        let writes = help.starts_with("Write ") || help.starts_with("Draw ");
        let is_tried = |words: &str| {
            let is_short = option == "output" && words.ends_with(" -o");
            words.starts_with(verb.trim()) && (is_short || words.ends_with(&format!(" --{option}")))
        };
        let name = format!("{} --{option}", verb.trim());
        let tried = table::rows::<3>(WRITERS).iter().any(|[words, ..]| is_tried(words));
        if writes && !tried && !EXEMPT.contains(&&*name) {
            missing.insert(name);
        }
    }
    assert!(missing.is_empty(), "no writer for {missing:?}");
    Ok(())
}
