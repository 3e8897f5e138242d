//! A small library in C in place of those that a test machine need not have.

use std::path::{Path, PathBuf};
use std::process::Command;

use orrery::kernel::{KernelCall, KernelMachine, KernelRunError, Operands};
use orrery_blas::{BlasError, LibraryKernels, Options};

/// Compiles the library with a definition.
fn compiled(name: &str, definition: &str) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stub.c");
    let library: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let mut command = Command::new(compiler);
    command
        .args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", definition, "-o"])
        .arg(&library)
        .arg(source);
    assert!(command.status().unwrap().success(), "{command:?} fails");
    library.to_str().unwrap().to_owned()
}

#[test]
fn the_c_interface_of_lapack_serves_without_fortran() {
    let library = compiled("libnarrow.so", "-DNARROW");
    let mut machine =
        LibraryKernels::open(&library, Options { threads: Some(2), processor: None }).unwrap();
    let expected =
        format!("{library}, stub of tests, 2 threads; matrices are added by a loop of Orrery");
    assert_eq!(machine.description().to_string(), expected);
    for (kernel, variant, symbol) in
        [("dpotrf", "u", "LAPACKE_dpotrf"), ("zgetrf", "", "LAPACKE_zgetrf")]
    {
        let dimensions = if variant.is_empty() { [4, 2, 1] } else { [1, 3, 1] };
        let call = KernelCall::new(kernel.parse().unwrap(), variant, dimensions).unwrap();
        let (library, symbol) = (library.clone(), symbol.to_owned());
        let expected = KernelRunError::Failed { library, symbol, code: 100 };
        assert_eq!(machine.run(&call, Operands::Warm, 1), Err(expected));
    }
}

#[test]
fn other_numbers_of_threads_are_reported() {
    let library = compiled("libthreads.so", "-DNARROW");
    let error = LibraryKernels::open(&library, Options { threads: Some(3), processor: None }).err();
    assert_eq!(error, Some(BlasError::OtherThreads { library, requested: 3, actual: 2 }));
}

#[test]
fn integers_of_64_bits_are_refused() {
    let library = compiled("libwide.so", "-DWIDE");
    let error = LibraryKernels::open(&library, Options::default()).err();
    assert_eq!(error, Some(BlasError::Integers { library }));
}
