use std::mem;

use crate::MpiError;

/// The buffers of messages. Their content has no meaning, so all sends share one buffer.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    send: Buffer,
    receive: Buffer,
}

/// Page-aligned bytes.
#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

/// The size of a page in bytes.
const PAGE: usize = 4096;

impl Memory {
    /// Allocates bytes for sends and for receives, at least one each: the pointer of an empty
    /// buffer can be `MPI_IN_PLACE`. No transfer may be pending.
    pub fn reserve(&mut self, send: usize, receive: usize) -> Result<(), MpiError> {
        self.send.grow(send.max(1))?;
        self.receive.grow(receive.max(1))
    }

    /// The buffer of sends.
    pub fn send_buffer(&self) -> *const u8 {
        self.send.bytes.as_ptr().wrapping_add(self.send.begin)
    }

    /// The buffer of receives.
    pub fn receive_buffer(&mut self) -> *mut u8 {
        self.receive.bytes.as_mut_ptr().wrapping_add(self.receive.begin)
    }

    /// Leaks the buffers: pending transfers may still use them.
    pub fn leak(&mut self) {
        mem::forget(mem::take(self));
    }
}

impl Buffer {
    /// Reallocates the buffer if it is shorter than this length.
    fn grow(&mut self, length: usize) -> Result<(), MpiError> {
        if length <= self.length {
            return Ok(());
        }
        *self = Self::default();
        let mut bytes: Vec<u8> = Vec::new();
        let all = length.saturating_add(PAGE);
        bytes.try_reserve_exact(all).map_err(|_| {
            MpiError::impossible(format!(
                "cannot allocate memory for messages of {length} bytes; use smaller ones"
            ))
        })?;
        // Every page is written, so that the system provides it before anything is timed.
        bytes.resize(all, 1);
        let begin = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        *self = Self { bytes, begin, length };
        Ok(())
    }
}
