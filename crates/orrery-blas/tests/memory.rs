//! The peak of memory of calls; a program of its own, because the peak belongs to the process.

use orrery::kernel::{KernelCall, KernelMachine, Operands};
use orrery_blas::{Options, RustKernels};

#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

use skip::skip;

#[test]
fn the_peak_of_memory_covers_the_operands_of_each_call() {
    let mut machine = RustKernels::new(Options::default()).unwrap();
    // A large call first: what it leaves does not belong to the next one.
    for (rows, operands) in [(2048, Operands::Warm), (512, Operands::Warm), (1024, Operands::Cold)]
    {
        let call = KernelCall::new("dadd".parse().unwrap(), "", [rows, 1 << 10, 1]).unwrap();
        let space = call.space().get();
        let Some(memory) = machine.run(&call, operands, 2).unwrap().memory else {
            skip("the peak of memory cannot be reset");
            return;
        };
        // The system counts pages in batches.
        assert!(
            (space * 9 / 10..space * 11 / 10 + (1 << 20)).contains(&memory.get()),
            "{rows}: {memory} of {space}"
        );
    }
    // Copies of operands for the many calls of a reading do not count.
    let call = KernelCall::new("dpotrf".parse().unwrap(), "l", [1, 24, 1]).unwrap();
    let memory = machine.run(&call, Operands::Cold, 2).unwrap().memory.unwrap();
    assert!(memory.get() < 1 << 20, "{memory} of {}", call.space());
}
