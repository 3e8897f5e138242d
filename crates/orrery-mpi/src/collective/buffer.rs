//! Buffers of the program as bytes.

use std::ffi::{c_int, c_void};

use crate::MpiError;
use crate::calls::{Comm, Datatype, RawDatatype};

/// A buffer of the program, as in the arguments of MPI.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    /// Its address, or MPI_IN_PLACE.
    pub data: *mut c_void,
    /// The number of elements of a block.
    pub count: c_int,
    /// Their type.
    pub datatype: RawDatatype,
}

/// True for MPI_IN_PLACE, which is 1 in Open MPI and −1 in MPICH: addresses that no buffer has.
pub(super) fn is_in_place(data: *const c_void) -> bool {
    matches!(data as usize, 1 | usize::MAX)
}

/// The elements of a block in a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    data: *mut c_void,
    count: usize,
    datatype: Datatype,
    comm: Comm,
}

/// Bytes: those of a buffer, or packed ones.
pub(super) struct Content {
    pub(super) start: *mut u8,
    /// The bytes, if they are packed.
    packed: Option<Vec<u8>>,
}

impl Content {
    /// Bytes of its own.
    pub(super) fn of(mut bytes: Vec<u8>) -> Self {
        Self { start: bytes.as_mut_ptr(), packed: Some(bytes) }
    }
}

impl Elements {
    /// The elements of a buffer, which `what` names in errors.
    ///
    /// # Safety
    ///
    /// The type is valid.
    pub(super) unsafe fn of(buffer: Buffer, what: &str, comm: Comm) -> Result<Self, MpiError> {
        let Buffer { data, count, datatype } = buffer;
        let count = usize::try_from(count).map_err(|_| {
            MpiError::impossible(format!("the count of {what} is {count}; give 0 or more"))
        })?;
        // SAFETY: the caller answers for the type.
        let elements = Self { data, count, datatype: unsafe { Datatype::of(datatype) }?, comm };
        // The displacements of a derived type may be addresses.
        if data.is_null() && elements.datatype.is_plain() && elements.bytes() > 0 {
            return Err(MpiError::impossible(format!(
                "{what} is null; give a buffer of {} bytes",
                elements.bytes()
            )));
        }
        Ok(elements)
    }

    /// The number of bytes of a block.
    pub(super) const fn bytes(self) -> usize {
        self.count * self.datatype.size
    }

    /// The bytes of some blocks that follow each other in the buffer.
    ///
    /// # Safety
    ///
    /// The buffer has that many blocks.
    pub(super) unsafe fn read(self, blocks: usize) -> Result<Content, MpiError> {
        if let Some(content) = self.direct() {
            return Ok(content);
        }
        let mut bytes = vec![0; blocks * self.bytes()];
        // SAFETY: the caller answers for the buffer.
        unsafe { self.datatype.pack(self.data, blocks * self.count, &mut bytes, self.comm) }?;
        Ok(Content::of(bytes))
    }

    /// A place for some blocks; [`Elements::write`] copies them to the buffer where they are not
    /// there already.
    pub(super) fn place(self, blocks: usize) -> Content {
        self.direct().unwrap_or_else(|| Content::of(vec![0; blocks * self.bytes()]))
    }

    /// The buffer itself, if its bytes lie in the order in which they are sent.
    pub(super) fn direct(self) -> Option<Content> {
        self.datatype.is_plain().then_some(Content { start: self.data.cast(), packed: None })
    }

    /// Copies blocks of the content from block `first` on to the same blocks of the buffer; nothing
    /// if the content is the buffer.
    ///
    /// # Safety
    ///
    /// The buffer has these blocks, and the content their bytes.
    pub(super) unsafe fn write(
        self,
        content: &Content,
        first: usize,
        blocks: usize,
    ) -> Result<(), MpiError> {
        let Some(bytes) = &content.packed else { return Ok(()) };
        let bytes = &bytes[first * self.bytes()..][..blocks * self.bytes()];
        // SAFETY: the caller answers for the buffer.
        unsafe { self.write_bytes(bytes, first) }
    }

    /// Copies bytes that are not those of the buffer to it, from its block `first` on.
    ///
    /// # Safety
    ///
    /// The buffer has these blocks.
    pub(super) unsafe fn write_bytes(self, bytes: &[u8], first: usize) -> Result<(), MpiError> {
        let elements = first * self.count;
        let to = self.data.wrapping_byte_offset(elements as isize * self.datatype.extent);
        if self.datatype.is_plain() {
            // SAFETY: the caller answers for the buffer, and the bytes do not overlap it.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
            return Ok(());
        }
        let count = bytes.len() / self.datatype.size.max(1);
        // SAFETY: as above.
        unsafe { self.datatype.unpack(bytes, to, count, self.comm) }
    }
}
