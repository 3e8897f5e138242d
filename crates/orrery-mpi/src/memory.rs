use std::mem;

use crate::MpiError;

/// The bytes of messages: what is in them does not matter, so all sends share one buffer.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    out: Buffer,
    back: Buffer,
}

/// Bytes that begin at the beginning of a page.
#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

const PAGE: usize = 4096;

impl Memory {
    /// Makes room for sends and for receives. Only when no transfer is under way.
    pub fn make_room(&mut self, out: usize, back: usize) -> Result<(), MpiError> {
        self.out.grow(out)?;
        self.back.grow(back)
    }

    /// Where sends find their bytes.
    pub fn out(&self) -> *const u8 {
        self.out.bytes.as_ptr().wrapping_add(self.out.begin)
    }

    /// Where receives put their bytes.
    pub fn back(&mut self) -> *mut u8 {
        self.back.bytes.as_mut_ptr().wrapping_add(self.back.begin)
    }

    /// Gives the buffers up without freeing them: transfers that were not waited for may still use them.
    pub fn abandon(&mut self) {
        mem::forget(mem::take(self));
    }
}

impl Buffer {
    fn grow(&mut self, length: usize) -> Result<(), MpiError> {
        if length <= self.length {
            return Ok(());
        }
        *self = Self::default();
        let mut bytes: Vec<u8> = Vec::new();
        let all = length.saturating_add(PAGE);
        bytes
            .try_reserve_exact(all)
            .map_err(|_| MpiError::impossible(format!("there is no memory for messages of {length} bytes")))?;
        // Written and not just reserved: every page is there before anything is timed.
        bytes.resize(all, 1);
        let begin = bytes.as_ptr().align_offset(PAGE).min(PAGE);
        *self = Self { bytes, begin, length };
        Ok(())
    }
}
