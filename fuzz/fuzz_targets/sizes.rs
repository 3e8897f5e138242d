//! No size or list of sizes brings its reader down, and each is read back as it is shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::units::{Bytes, SizeList};

fuzz_target!(|text: &str| {
    if let Ok(size) = text.parse::<Bytes>() {
        assert_eq!(size.to_string().parse(), Ok(size));
    }
    if let Ok(sizes) = text.parse::<SizeList>() {
        assert_eq!(sizes.to_string().parse(), Ok(sizes));
    }
});
