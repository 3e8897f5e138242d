//! Memory of operands, mapped for itself.
//!
//! The allocator keeps freed memory, which would distort the peak of the next call; mapped memory
//! is returned, and begins at a page.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use super::element::Element;

/// A mapped slice, filled with 0.
pub struct Buffer<E> {
    start: NonNull<E>,
    length: usize,
}

impl<E: Element> Buffer<E> {
    /// Maps memory for a number of elements.
    ///
    /// # Errors
    ///
    /// When the system has not enough memory.
    pub fn new(length: usize) -> io::Result<Self> {
        if length == 0 {
            return Ok(Self { start: NonNull::dangling(), length });
        }
        let bytes =
            length.checked_mul(size_of::<E>()).filter(|bytes| isize::try_from(*bytes).is_ok());
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the address is chosen by the system, so that the mapping replaces no other.
        let start = unsafe {
            mmap_anonymous(
                null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )?
        };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length })
    }
}

impl<E> Drop for Buffer<E> {
    fn drop(&mut self) {
        if self.length > 0 {
            let start: *mut c_void = self.start.as_ptr().cast();
            // SAFETY: `new` has mapped these bytes, and no slice of them outlives the buffer.
            // An error leaves them mapped, which is harmless.
            let _ = unsafe { munmap(start, self.length * size_of::<E>()) };
        }
    }
}

impl<E> Deref for Buffer<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        // SAFETY: the mapping holds `length` elements at an aligned address, or the pointer dangles
        // and the length is 0. New bytes are 0, which is a valid element.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl<E> DerefMut for Buffer<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        // SAFETY: as in `deref`; the buffer is borrowed mutably and owns its mapping.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }
}
