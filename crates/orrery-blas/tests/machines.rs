//! Machines with kernels: readings, and errors that name what is missing.

use orrery::kernel::{KernelCall, KernelMachine, KernelReadings, KernelRunError, Operands};
use orrery::units::Bytes;
use orrery_blas::{BlasError, LibraryKernels, Options, RustKernels};

#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

use skip::skip;

fn call(kernel: &str, variant: &str, dimensions: [u64; 3]) -> KernelCall {
    KernelCall::new(kernel.parse().unwrap(), variant, dimensions).unwrap()
}

fn rust() -> RustKernels {
    RustKernels::new(Options::default()).unwrap()
}

/// OpenBLAS, or the line of the skipped test.
fn openblas(options: Options) -> Option<LibraryKernels> {
    match LibraryKernels::open("libopenblas.so.0", options) {
        Ok(library) => Some(library),
        Err(error @ BlasError::Load { .. }) => {
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A library with functions of C that are none of BLAS; `None` on systems without it.
fn libm(options: Options) -> Option<Result<LibraryKernels, BlasError>> {
    match LibraryKernels::open("libm.so.6", options) {
        Err(BlasError::Load { .. }) => {
            skip("there is no libm.so.6");
            None
        }
        result => Some(result),
    }
}

#[test]
fn every_repetition_has_a_reading() {
    for (kernel, variant, dimensions) in [
        ("daxpy", "", [1, 1, 1]),
        ("sgemm", "nn", [40, 30, 20]),
        ("zpotrf", "u", [1, 3, 1]),
        ("ctrsm", "rut", [2, 2, 1]),
    ] {
        for operands in [Operands::Warm, Operands::Cold] {
            let readings = rust().run(&call(kernel, variant, dimensions), operands, 4).unwrap();
            assert_eq!(readings.seconds.len(), 4, "{kernel} {operands:?}");
            assert!(
                readings.seconds.iter().all(|time| time.get() > 0.0),
                "{kernel} {operands:?}: {readings:?}"
            );
        }
    }
}

#[test]
fn no_repetitions_only_find_the_kernel() {
    let largest = call("dgemm", "nn", [1 << 31; 3]);
    assert_eq!(rust().run(&largest, Operands::Cold, 0), Ok(KernelReadings::default()));
    if let Some(library) = libm(Options::default()) {
        let error =
            library.unwrap().run(&call("dgemm", "nn", [1; 3]), Operands::Warm, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "libm.so.6 has no cblas_dgemm; leave out this kernel, or name another library"
        );
    }
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let error =
        rust().run(&call("dadd", "", [1 << 31, 1 << 20, 1]), Operands::Warm, 1).unwrap_err();
    let KernelRunError::Memory { needed, free } = error else { panic!("{error}") };
    assert!(needed == Bytes::new(1 << 55) && free < needed);
}

#[test]
fn missing_libraries_and_functions_are_named() {
    let error = LibraryKernels::open("libmissing.so.7", Options::default()).err().unwrap();
    let text = error.to_string();
    assert!(
        text.starts_with("cannot load libmissing.so.7: cannot open shared object file"),
        "{text}"
    );
    let Some(library) = libm(Options::default()) else { return };
    let mut library = library.unwrap();
    assert_eq!(library.description().threads, None);
    for (kernel, variant, symbol) in [
        ("ctrsm", "lln", "cblas_ctrsm"),
        ("zgetrf", "", "zgetrf_ or LAPACKE_zgetrf"),
        ("spotrf", "l", "spotrf_ or LAPACKE_spotrf"),
    ] {
        let symbol = symbol.to_owned();
        let expected = KernelRunError::NoSymbol { library: "libm.so.6".to_owned(), symbol };
        assert_eq!(library.run(&call(kernel, variant, [2; 3]), Operands::Warm, 1), Err(expected));
    }
    assert_eq!(library.run(&call("cadd", "", [2; 3]), Operands::Warm, 2).unwrap().seconds.len(), 2);
}

#[test]
fn threads_and_processors_are_checked() {
    let options = |threads, processor| Options { threads, processor };
    for impossible in [options(Some(0), None), options(Some(2), Some(0))] {
        assert!(matches!(RustKernels::new(impossible), Err(BlasError::ImpossibleThreads { .. })));
    }
    assert!(matches!(
        RustKernels::new(options(Some(2), None)),
        Err(BlasError::OtherThreads { actual: 1, .. })
    ));
    assert!(matches!(
        RustKernels::new(options(None, Some(1 << 20))),
        Err(BlasError::Processor { .. })
    ));
    if let Some(result) = libm(options(Some(1), None)) {
        let text = result.err().unwrap().to_string();
        assert!(
            text.starts_with("libm.so.6 has no function that sets the number of threads; set its"),
            "{text}"
        );
    }
}

#[test]
fn the_thread_is_bound_while_the_machine_exists() {
    let allowed = || rustix::thread::sched_getaffinity(None).unwrap();
    let before = allowed();
    let first = (0..u32::MAX).find(|processor| before.is_set(*processor as usize)).unwrap();
    let machine =
        RustKernels::new(Options { processor: Some(first), ..Options::default() }).unwrap();
    assert!(allowed().count() == 1 && allowed().is_set(first as usize));
    drop(machine);
    assert_eq!(allowed(), before);
}

#[test]
fn openblas_runs_with_its_threads() {
    let Some(mut library) = openblas(Options::default()) else { return };
    let description = library.description();
    assert_eq!((description.threads, description.adds_by_own_loop), (Some(1), false));
    assert!(description.path.is_some_and(|path| path.is_absolute()));
    assert!(description.version.is_some_and(|version| version.starts_with("OpenBLAS ")));
    for operands in [Operands::Warm, Operands::Cold] {
        assert_eq!(
            library.run(&call("dgemm", "nt", [64; 3]), operands, 3).unwrap().seconds.len(),
            3
        );
    }
    let too_large =
        library.run(&call("saxpy", "", [1, 1 << 31, 1]), Operands::Warm, 1).unwrap_err();
    assert!(matches!(too_large, KernelRunError::Integers { value: 0x8000_0000, .. }));
}
