//! Data types and reductions of a program.

use std::ffi::{c_int, c_void};

use super::Comm;
use crate::MpiError;

/// A handle of a data type in C.
pub type RawDatatype = mpi_sys::MPI_Datatype;

/// A handle of a reduction in C.
pub type RawOp = mpi_sys::MPI_Op;

/// The largest number of bytes that one call packs; counts of MPI are of 31 bits.
const MAX_PACKED: usize = 1 << 30;

/// A data type of the program, with its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Datatype {
    raw: RawDatatype,
    /// The bytes of data of an element.
    pub size: usize,
    /// The distance of elements in memory, in bytes.
    pub extent: isize,
    /// True for the types of the standard.
    pub is_named: bool,
}

impl Datatype {
    /// The properties of a data type.
    ///
    /// # Safety
    ///
    /// The handle is that of a data type, and is not freed as long as this is used.
    #[allow(
        clippy::unnecessary_cast,
        reason = "MPI_Aint is another type of the same size in each library"
    )]
    pub unsafe fn of(raw: RawDatatype) -> Result<Self, MpiError> {
        let (mut size, mut low, mut extent) = (0, 0, 0);
        // SAFETY: the caller answers for the handle; results are written before they are read.
        unsafe {
            call!(MPI_Type_size_x(raw, &raw mut size))?;
            call!(MPI_Type_get_extent(raw, &raw mut low, &raw mut extent))?;
            let is_named = combiner(raw)? == combiner(mpi_sys::RSMPI_UINT8_T)?;
            Ok(Self { raw, size: size as usize, extent: extent as isize, is_named })
        }
    }

    /// True if elements lie one after the other without gaps, in the order in which they are sent.
    pub const fn is_plain(self) -> bool {
        self.is_named && self.extent == self.size as isize
    }

    /// Copies the data of some elements to a buffer of exactly their size.
    ///
    /// # Safety
    ///
    /// There are that many elements at `from`.
    pub unsafe fn pack(
        self,
        from: *const c_void,
        count: usize,
        to: &mut [u8],
        comm: Comm,
    ) -> Result<(), MpiError> {
        for (first, elements) in self.chunks(count) {
            let bytes = &mut to[first * self.size..][..elements * self.size];
            let (mut position, length) = (0, bytes.len() as c_int);
            // SAFETY: the caller answers for the elements, and the buffer has their size.
            unsafe {
                let from = from.wrapping_byte_offset(first as isize * self.extent);
                let to = bytes.as_mut_ptr().cast();
                call!(MPI_Pack(
                    from,
                    elements as c_int,
                    self.raw,
                    to,
                    length,
                    &raw mut position,
                    comm.0,
                ))
            }?;
            is_whole(position, length)?;
        }
        Ok(())
    }

    /// Copies packed data to some elements.
    ///
    /// # Safety
    ///
    /// There is room for that many elements at `to`.
    pub unsafe fn unpack(
        self,
        from: &[u8],
        to: *mut c_void,
        count: usize,
        comm: Comm,
    ) -> Result<(), MpiError> {
        for (first, elements) in self.chunks(count) {
            let bytes = &from[first * self.size..][..elements * self.size];
            let (mut position, length) = (0, bytes.len() as c_int);
            // SAFETY: the caller answers for the elements.
            unsafe {
                let to = to.wrapping_byte_offset(first as isize * self.extent);
                let from = bytes.as_ptr().cast();
                call!(MPI_Unpack(
                    from,
                    length,
                    &raw mut position,
                    to,
                    elements as c_int,
                    self.raw,
                    comm.0,
                ))
            }?;
            is_whole(position, length)?;
        }
        Ok(())
    }

    /// The first element and the number of elements of the calls that pack some elements.
    fn chunks(self, count: usize) -> impl Iterator<Item = (usize, usize)> {
        let step = (MAX_PACKED / self.size.max(1)).max(1);
        (0..count).step_by(step).map(move |first| (first, step.min(count - first)))
    }
}

/// How a data type was made.
///
/// # Safety
///
/// The handle is that of a data type.
unsafe fn combiner(raw: RawDatatype) -> Result<c_int, MpiError> {
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    // SAFETY: results are written before they are read.
    unsafe {
        let (integers, addresses, types) = (&raw mut integers, &raw mut addresses, &raw mut types);
        call!(MPI_Type_get_envelope(raw, integers, addresses, types, &raw mut combiner))
    }?;
    Ok(combiner)
}

/// Returns an error unless packed data have the size of the elements; they have it where all ranks
/// represent numbers alike.
fn is_whole(position: c_int, length: c_int) -> Result<(), MpiError> {
    if position == length {
        return Ok(());
    }
    Err(MpiError::impossible(format!(
        "MPI packs {length} bytes as {position}; use a type without such a representation"
    )))
}

/// A reduction of elements of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduction {
    raw: RawOp,
    datatype: Datatype,
}

impl Reduction {
    /// A reduction of the program; `None` if the order of its operands counts.
    ///
    /// # Safety
    ///
    /// The handle is that of a reduction of this type, and is not freed as long as this is used.
    pub unsafe fn commuting(raw: RawOp, datatype: Datatype) -> Result<Option<Self>, MpiError> {
        let mut commutes = 0;
        // SAFETY: the caller answers for the handle.
        unsafe { call!(MPI_Op_commutative(raw, &raw mut commutes)) }?;
        Ok((commutes != 0).then_some(Self { raw, datatype }))
    }

    /// Combines `count` elements with those at `into`.
    ///
    /// # Safety
    ///
    /// There are that many elements in both places, which do not overlap.
    pub unsafe fn combine(
        self,
        elements: *const u8,
        into: *mut u8,
        count: usize,
    ) -> Result<(), MpiError> {
        let count = c_int::try_from(count)
            .map_err(|_| MpiError::impossible("more than 2^31 - 1 elements; send fewer at once"))?;
        // SAFETY: the caller answers for the elements.
        unsafe {
            call!(MPI_Reduce_local(
                elements.cast(),
                into.cast(),
                count,
                self.datatype.raw,
                self.raw,
            ))
        }
    }
}

/// The arguments of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct ReduceArguments {
    /// The vector of this rank, or MPI_IN_PLACE at the root.
    pub send: *const c_void,
    /// The result, at the root.
    pub receive: *mut c_void,
    /// The number of elements.
    pub count: c_int,
    /// The type of the elements.
    pub datatype: RawDatatype,
    /// The reduction.
    pub op: RawOp,
    /// The rank that receives the result.
    pub root: c_int,
}

impl ReduceArguments {
    /// Calls `MPI_Reduce`.
    ///
    /// # Safety
    ///
    /// They are valid arguments of it.
    pub(crate) unsafe fn call_library(self, comm: Comm) -> Result<(), MpiError> {
        let Self { send, receive, count, datatype, op, root } = self;
        // SAFETY: the caller answers for the arguments.
        unsafe { call!(MPI_Reduce(send, receive, count, datatype, op, root, comm.0)) }
    }
}
