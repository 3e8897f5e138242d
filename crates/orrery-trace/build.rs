//! Sets `open_mpi` for builds with Open MPI, whose functions of Fortran are replaced, too, and the
//! name of each function that `mpi.h` declares, such as `MPI_Send`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A text with the declarations of MPI, and with a line that is there for Open MPI only.
const QUESTION: &[u8] = b"#include <mpi.h>\n#ifdef OPEN_MPI\nis_open_mpi\n#endif\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rustc-check-cfg=cfg(open_mpi)");
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let mut preprocessor = Command::new(&compiler)
        .args(["-E", "-P", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!("cannot start {compiler}: {error}; name the compiler wrapper of MPI in MPICC")
        })?;
    preprocessor.stdin.take().ok_or("no input")?.write_all(QUESTION)?;
    let output = preprocessor.wait_with_output()?;
    if !output.status.success() {
        return Err(format!(
            "{compiler} cannot include mpi.h; name the compiler wrapper of MPI in MPICC"
        )
        .into());
    }
    let declarations = String::from_utf8_lossy(&output.stdout);
    if declarations.lines().any(|line| line.trim() == "is_open_mpi") {
        println!("cargo:rustc-cfg=open_mpi");
    }
    for function in functions(&declarations) {
        println!("cargo:rustc-cfg={function}");
    }
    Ok(())
}

/// The functions of MPI that a text declares: names before a parenthesis.
fn functions(declarations: &str) -> BTreeSet<&str> {
    let before_parentheses = declarations.split('(').map(str::trim_end);
    let names = before_parentheses.filter_map(|text| {
        text.rsplit(|one: char| !one.is_ascii_alphanumeric() && one != '_').next()
    });
    names.filter(|name| name.starts_with("MPI_")).collect()
}
