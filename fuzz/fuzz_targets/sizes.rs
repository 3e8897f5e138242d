//! The readers of sizes and lists of sizes do not panic, and the text of each is read back as the
//! same value.
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
