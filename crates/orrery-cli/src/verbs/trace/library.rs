//! The tracer's library for the MPI library of a program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, anyhow};

use crate::context::Usage;

/// The environment variable with the path of the tracer's library.
const LIBRARY: &str = "ORRERY_TRACE_LIBRARY";

/// An MPI library whose programs can be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiLibrary {
    /// Open MPI.
    OpenMpi,
    /// MPICH, and libraries with its binary interface.
    Mpich,
}

impl MpiLibrary {
    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "Open MPI",
            Self::Mpich => "MPICH",
        }
    }

    /// The name of the tracer's library.
    const fn file(self) -> &'static str {
        match self {
            Self::OpenMpi => "liborrery-trace-openmpi.so",
            Self::Mpich => "liborrery-trace-mpich.so",
        }
    }

    /// The library that a list of shared libraries names, as `ldd` prints it; `None` for any other
    /// one.
    fn of_list(list: &str) -> Option<Self> {
        if list.contains("libmpi.so.40") {
            return Some(Self::OpenMpi);
        }
        ["libmpich.so.12", "libmpi.so.12"]
            .iter()
            .any(|name| list.contains(name))
            .then_some(Self::Mpich)
    }

    /// The library of a launcher, by what it prints as its version; `None` for any other one.
    fn of_version(version: &str) -> Option<Self> {
        if ["Open MPI", "OpenRTE", "Open RTE", "PRRTE"].iter().any(|name| version.contains(name)) {
            return Some(Self::OpenMpi);
        }
        version.contains("HYDRA").then_some(Self::Mpich)
    }
}

/// The tracer's library for a command, and the MPI library that it is for.
///
/// `given` names the library; otherwise the environment does, or the library is that of the first
/// program of the command that uses an MPI library, next to this program, in ../lib/orrery or in
/// that folder of the architecture.
pub fn find(command: &[OsString], given: Option<&Path>) -> anyhow::Result<(PathBuf, MpiLibrary)> {
    let used = of_command(command);
    let given = given.map(Path::to_owned).or_else(|| env::var_os(LIBRARY).map(PathBuf::from));
    if let Some(path) = given {
        let path = path
            .canonicalize()
            .with_context(|| format!("{}: cannot read the library", path.display()))?;
        let of_path = libraries(&path).and_then(|list| MpiLibrary::of_list(&list));
        return match (of_path, used) {
            (None, _) => Err(anyhow!(
                "{}: this is no library for Open MPI or MPICH; name the tracer's",
                path.display()
            )),
            (Some(one), Some(other)) if one != other => {
                let (path, one, other) = (path.display(), one.name(), other.name());
                Err(anyhow!(
                    "{path}: this library is for {one}, but the program uses {other}; name the \
                        library for {other}"
                ))
            }
            (Some(one), _) => Ok((path, one)),
        };
    }
    let used = used.ok_or_else(|| {
        let is_absent = |word: &&OsString| {
            let path = Path::new(word);
            path.components().count() > 1
                && !word.to_string_lossy().starts_with('-')
                && !path.exists()
        };
        Usage(match command.iter().find(is_absent) {
            Some(word) => format!("{}: there is no such program; check its name", word.display()),
            None => "the command names no program that uses Open MPI or MPICH as shared \
                libraries; name the tracer's library with --library"
                .into(),
        })
    })?;
    let program = env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new(""));
    // Packages of Debian have libraries in a folder of each architecture.
    let of_architecture = format!("../lib/{}-linux-gnu/orrery", env::consts::ARCH);
    let places = [folder.to_owned(), folder.join("../lib/orrery"), folder.join(of_architecture)];
    let found = places.iter().map(|place| place.join(used.file())).find(|path| path.is_file());
    let found = found.and_then(|path| path.canonicalize().ok()).ok_or_else(|| {
        anyhow!(
            "the tracer's library for {}, {}, is neither next to {} nor in ../lib/orrery; install \
                the package of Orrery for this MPI library, or build the package orrery-trace with \
             its compiler wrapper in MPICC, and name the library with --library",
            used.name(),
            used.file(),
            program.display()
        )
    })?;
    Ok((found, used))
}

/// The MPI library of a command: that of the first program in it that uses one, otherwise that of
/// its launcher, which is run with --version. `None` if it is unknown.
fn of_command(command: &[OsString]) -> Option<MpiLibrary> {
    let programs = command.iter().filter_map(|word| program(word));
    let by_program =
        programs.filter_map(|path| libraries(&path)).find_map(|list| MpiLibrary::of_list(&list));
    by_program.or_else(|| {
        let launcher = command.first().filter(|word| is_launcher(word))?;
        let output = Command::new(launcher).arg("--version").output().ok()?;
        MpiLibrary::of_version(&String::from_utf8_lossy(&output.stdout))
    })
}

/// Returns true if a word of a command names a launcher of MPI programs.
pub fn is_launcher(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| name.starts_with(known))
}

/// The program that a word of a command names, by its path or in the search path; `None` if it is
/// an option or no ELF file.
fn program(word: &OsStr) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        let mut magic = [0; 4];
        path.is_file()
            && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
            && magic == *b"\x7fELF"
    };
    let path = PathBuf::from(word);
    if word.is_empty() || word.to_string_lossy().starts_with('-') {
        return None;
    }
    let mut candidates = vec![path.clone()];
    if path.components().count() == 1 {
        candidates.extend(
            env::split_paths(&env::var_os("PATH").unwrap_or_default())
                .map(|folder| folder.join(&path)),
        );
    }
    candidates.into_iter().find(is_program)
}

/// The shared libraries of a program or library; `None` if it has none.
fn libraries(path: &Path) -> Option<String> {
    let output =
        Command::new("ldd").arg(path).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_recognised() {
        let open_mpi = "\tlibmpi.so.40 => /lib/x86_64-linux-gnu/libmpi.so.40 (0x00007f)\n";
        assert_eq!(MpiLibrary::of_list(open_mpi), Some(MpiLibrary::OpenMpi));
        assert_eq!(
            MpiLibrary::of_list("\tlibmpich.so.12 => /lib/libmpich.so.12\n"),
            Some(MpiLibrary::Mpich)
        );
        assert_eq!(
            MpiLibrary::of_list("\tlibmpi.so.12 => /opt/lib/libmpi.so.12\n"),
            Some(MpiLibrary::Mpich)
        );
        assert_eq!(MpiLibrary::of_list("\tlibc.so.6 => /lib/libc.so.6\n"), None);
        assert_eq!(MpiLibrary::of_version("mpirun (Open MPI) 4.1.4\n"), Some(MpiLibrary::OpenMpi));
        assert_eq!(
            MpiLibrary::of_version("HYDRA build details:\n    Version: 4.0.2\n"),
            Some(MpiLibrary::Mpich)
        );
        assert_eq!(MpiLibrary::of_version("slurm 22.05\n"), None);
    }

    #[test]
    fn words_that_are_no_programs_are_skipped() {
        assert_eq!(program(OsStr::new("-n")), None);
        assert_eq!(program(OsStr::new("8")), None);
        assert_eq!(program(OsStr::new("")), None);
        assert!(program(OsStr::new("ldd")).is_none(), "a script");
        assert!(program(&env::current_exe().unwrap().into_os_string()).is_some());
    }
}
