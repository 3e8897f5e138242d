//! Finds ScaLAPACK, and compiles the recorder of messages and kernels.

use std::env;
use std::process::{Command, exit};

/// The variable with the name of ScaLAPACK's pkg-config file.
const PACKAGE: &str = "SCALAPACK_PKG_CONFIG";

fn main() {
    println!("cargo:rerun-if-changed=src/recorder.c");
    for variable in [PACKAGE, "MPICC"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let mpicc = env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    if Command::new(&mpicc).arg("--version").output().is_err() {
        fail(&format!(
            "cannot run the compiler {mpicc:?} of an MPI library; install one, or set MPICC"
        ));
    }
    // The recorder comes before ScaLAPACK, whose calls it replaces.
    let recorder = cc::Build::new()
        .compiler(&mpicc)
        .file("src/recorder.c")
        .std("gnu11")
        .warnings(true)
        .try_compile("recorder");
    if let Err(error) = recorder {
        fail(&format!("{mpicc} cannot compile src/recorder.c: {error}"));
    }
    link_scalapack(&mpicc);
}

/// Links the ScaLAPACK of the MPI library of a compiler, such as that of Open MPI for
/// `mpicc.openmpi`.
fn link_scalapack(mpicc: &str) {
    let names = env::var(PACKAGE).map_or_else(|_| names_for(mpicc), |name| vec![name]);
    let mut reasons = Vec::new();
    for name in &names {
        // Libraries that ScaLAPACK requires are its own dependencies; BLAS and LAPACK are found
        // through it at run time.
        let mut search = pkg_config::Config::new();
        match search.cargo_metadata(false).print_system_libs(false).probe(name) {
            Ok(found) => {
                for path in &found.link_paths {
                    println!("cargo:rustc-link-search=native={}", path.display());
                }
                for library in found.libs.iter().filter(|library| library.contains("scalapack")) {
                    println!("cargo:rustc-link-lib=dylib={library}");
                }
                println!("cargo:rustc-env=SCALAPACK_VERSION={name} {}", found.version);
                return;
            }
            Err(error) => reasons.push(format!("{name}: {error}")),
        }
    }
    fail(&format!(
        "ScaLAPACK is missing: pkg-config finds none of {}; install libscalapack-openmpi-dev or \
            libscalapack-mpich-dev, or set {PACKAGE} \
         to the name of its file\n{}",
        names.join(", "),
        reasons.join("\n")
    ));
}

/// The names of pkg-config files, those of the MPI library of a compiler first.
fn names_for(mpicc: &str) -> Vec<String> {
    let names: &[&str] = if mpicc.contains("mpich") {
        &["scalapack-mpich", "scalapack"]
    } else {
        &["scalapack-openmpi", "scalapack"]
    };
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Ends the build with a reason.
fn fail(reason: &str) -> ! {
    eprintln!("orrery-scalapack: {reason}");
    exit(1);
}
