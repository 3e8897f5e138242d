//! The numbers that stand for things in the file.

/// The first bytes; they show whether a transfer took the file for text.
pub(super) const MAGIC: [u8; 8] = *b"\x89ORT\r\n\x1a\n";

/// The version of the format.
pub(super) const VERSION: u8 = 1;

/// Ends a block that is repeated.
pub(super) const END: u8 = 0;
/// Begins one: how often.
pub(super) const REPEAT: u8 = 1;
/// Computes: a whole number of operations.
pub(super) const COMPUTE: u8 = 2;
/// Computes: a number of operations with a fraction, or a large one.
pub(super) const COMPUTE_F64: u8 = 3;
/// Waits by the clock: seconds.
pub(super) const SLEEP: u8 = 4;
/// Sends: receiver, tag, size.
pub(super) const SEND: u8 = 5;
/// Receives: sender, tag, size.
pub(super) const RECEIVE: u8 = 6;
/// Receives from any: tag, size.
pub(super) const RECEIVE_ANY: u8 = 7;
/// Begins to send: request, receiver, tag, size.
pub(super) const POST_SEND: u8 = 8;
/// Begins to receive: request, sender, tag, size.
pub(super) const POST_RECEIVE: u8 = 9;
/// Begins to receive from any: request, tag, size.
pub(super) const POST_RECEIVE_ANY: u8 = 10;
/// Waits: request.
pub(super) const WAIT: u8 = 11;
/// Tests: request.
pub(super) const TEST: u8 = 12;
/// Waits for several: how many, requests.
pub(super) const WAIT_ALL: u8 = 13;
/// Asks for a message.
pub(super) const PROBE: u8 = 14;
/// The first collective operation: communicator, root where there is one, own size, sizes where there are several.
pub(super) const COLLECTIVE: u8 = 16;
