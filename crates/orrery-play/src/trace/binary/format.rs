//! The codes of the format.

/// The first bytes of a file; a transfer in text mode alters them.
pub(super) const MAGIC: [u8; 8] = *b"\x89ORT\r\n\x1a\n";

/// The number of bytes of a checksum: CRC-32 as in ISO 3309 (reflected, polynomial 0xEDB88320),
/// lowest byte first.
pub(super) const CHECKSUM_BYTES: usize = 4;

/// Ends a loop.
pub(super) const END: u8 = 0;
/// Begins a loop: iterations.
pub(super) const LOOP: u8 = 1;
/// Computation: a whole number of operations.
pub(super) const COMPUTE: u8 = 2;
/// Computation: a number of operations with a fraction, or a large one.
pub(super) const COMPUTE_F64: u8 = 3;
/// A pause: seconds.
pub(super) const SLEEP: u8 = 4;
/// A blocking send: receiver, tag, size. The next code is that of a receive: sender, tag, size.
pub(super) const SEND: u8 = 5;
/// A blocking receive from any source: tag, size.
pub(super) const RECEIVE_ANY: u8 = 7;
/// A nonblocking send: request, receiver, tag, size. The next code is that of a receive: request,
/// sender, tag, size.
pub(super) const POST_SEND: u8 = 8;
/// A nonblocking receive from any source: request, tag, size.
pub(super) const POST_RECEIVE_ANY: u8 = 10;
/// A wait: request.
pub(super) const WAIT: u8 = 11;
/// A test: request.
pub(super) const TEST: u8 = 12;
/// A wait for several requests: their number, requests.
pub(super) const WAIT_ALL: u8 = 13;
/// A probe.
pub(super) const PROBE: u8 = 14;
/// The first collective operation: communicator, root if it has one, own size, sizes if it has a
/// list.
pub(super) const COLLECTIVE: u8 = 16;
