//! The reader of HPL.dat does not panic; a variant that is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::run::hpl::dat::parse;
use orrery::tuning::hpl::Input;

fuzz_target!(|content: &[u8]| {
    if let Ok(dat) = parse(content, "fuzz") {
        let block = dat.block.unwrap_or(64);
        let input = Input { order: 100, block, grid: (1, 2), variant: dat.variant };
        let text = input.text(2, "fuzz").expect("what was read can be written");
        let again = parse(text, "fuzz").expect("what was written can be read");
        assert_eq!((again.variant, again.block), (dat.variant, Some(block)));
    }
});
