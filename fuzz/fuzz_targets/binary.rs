//! The reader of binary traces does not panic; a trace that is read is equal after writing and
//! reading again, and can be replayed.
//!
//! Half of the inputs are given sound checksums, or nothing would be found behind them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::schedule::{Rank, operations};
use orrery::trace::{binary, tit};
use orrery::units::Seconds;

fuzz_target!(|input: &[u8]| {
    let Some((mode, rest)) = input.split_first() else { return };
    let built =
        if mode % 2 == 0 { rest.to_vec() } else { valid_trace(usize::from(mode / 2 % 4), rest) };
    let Ok(trace) = binary::read(&built, "fuzz") else { return };
    let again = binary::read(&binary::write(&trace), "fuzz").expect("what was written can be read");
    assert_eq!(again.profile(), trace.profile());
    let speeds = vec![1e9; trace.ranks()];
    let (schedule, other) =
        (trace.schedule(&speeds, Seconds::ZERO), again.schedule(&speeds, Seconds::ZERO));
    for rank in Rank::first(trace.ranks()).take(8) {
        assert!(operations(&schedule, rank).take(1000).eq(operations(&other, rank).take(1000)));
        assert!(trace.location(rank, 3).is_none_or(|place| place.file.len() < built.len()));
    }
    if trace.actions() < 1000 && trace.ranks() < 50 {
        let mut text = Vec::new();
        let _ = tit::write(&trace, &mut text);
    }
});

/// A binary trace with valid checksums, two source files, one communicator and `ranks` + 1 ranks,
/// whose parts are separated by 0xAA in `rest`.
fn valid_trace(ranks: usize, rest: &[u8]) -> Vec<u8> {
    let mut parts = rest.split(|&byte| byte == 0xAA);
    let parts: Vec<&[u8]> = (0..=ranks).map(|_| parts.next().unwrap_or(&[0])).collect();
    let mut file = b"\x89ORT\r\n\x1a\n\x01".to_vec();
    file.push(ranks as u8 + 1);
    file.extend(b"\x02\x01a\x01b\x01\x01");
    file.push(2 * ranks as u8);
    for part in &parts {
        let length = part.len() + 4;
        file.extend([length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8 & 0x7F]);
    }
    file.extend(checksum(&file));
    for part in parts {
        file.extend(part);
        file.extend(checksum(part));
    }
    file
}

/// The CRC-32 of some bytes.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut sum = u32::MAX;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    (!sum).to_le_bytes()
}
