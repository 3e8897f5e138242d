//! The memory of calls of kernels.

use orrery::kernel::{Kernel, KernelCall, fit_memory};
use orrery::model::fit_kernels;
use orrery::sample::file::parse_table;
use orrery::units::Bytes;

/// Calls of a kernel at a grid of dimensions, with their memory by a function.
fn calls(
    kernel: Kernel,
    variant: &str,
    memory: impl Fn(&KernelCall) -> u64,
) -> Vec<(KernelCall, Bytes)> {
    let mut all = Vec::new();
    for number in 0..512_u64 {
        let dimensions = [number % 8, number / 8 % 8, number / 64].map(|one| 20 * (one + 1));
        let call = KernelCall::new(kernel, variant, dimensions).unwrap();
        all.push((call, Bytes::new(memory(&call))));
    }
    all
}

#[test]
fn terms_of_memory_are_the_operands() {
    for kernel in Kernel::all() {
        for variant in kernel.routine.variants() {
            let calls = calls(kernel, variant, |call| call.space().get());
            let terms = fit_memory(&calls);
            let element = kernel.precision.element().get() as f64;
            for (call, space) in calls {
                let bytes: f64 =
                    terms.iter().map(|one| one.bytes * one.term.value(call.dimensions())).sum();
                assert!((bytes / space.get() as f64 - 1.0).abs() < 1e-9, "{kernel} {variant}");
            }
            assert!(
                terms.iter().all(|one| one.bytes == 0.0 || one.bytes > 0.9 * element),
                "{kernel} {variant}: {terms:?}"
            );
        }
    }
}

#[test]
fn work_space_is_found() {
    let kernel: Kernel = "dgetrf".parse().unwrap();
    // A copy of the matrix, and a block.
    let terms = fit_memory(&calls(kernel, "", |call| 2 * call.space().get() + 10_000));
    assert_eq!(terms.len(), 2);
    assert!(
        (terms[0].bytes - 16.0).abs() < 1e-6 && (terms[1].bytes - 10_000.0).abs() < 1e-3,
        "{terms:?}"
    );
    // The first call has memory that the library keeps.
    let first = fit_memory(&calls(kernel, "", |call| {
        call.space().get() + if call.dimensions() == [20, 20, 1] { 1 << 20 } else { 0 }
    }));
    assert!((first[0].bytes - 8.0).abs() < 0.5, "{first:?}");
    assert_eq!(fit_memory(&calls(kernel, "", |_| 1)[..3]), []);
}

/// A file with memory gives a model of it, one without it that of the operands.
#[test]
fn memory_is_predicted() {
    for has_memory in [true, false] {
        let mut lines = vec!["# format: orrery-kernels 1\nkernel,m,n,k,seconds,memory".to_owned()];
        for (call, memory) in calls("dgemm".parse().unwrap(), "nn", |call| 2 * call.space().get()) {
            let [m, n, k] = call.dimensions();
            let memory = if has_memory { memory.get().to_string() } else { String::new() };
            lines.push(format!("dgemm,{m},{n},{k},{:e},{memory}", 1e-10 * (m * n * k) as f64));
        }
        let timings = parse_table(lines.join("\n") + "\n", "k.csv").unwrap().samples;
        let model = &fit_kernels(&timings, 0.95).unwrap().models[0].model;
        let call = KernelCall::new("dgemm".parse().unwrap(), "nn", [1000, 500, 100]).unwrap();
        let factor = if has_memory { 2 } else { 1 };
        assert_eq!(
            (model.memory(&call), model.memory.is_empty()),
            (call.space() * factor, !has_memory)
        );
    }
}
