//! The completion of requests.

#![allow(unsafe_code, non_snake_case)]

use std::ffi::c_int;
#[cfg(open_mpi)]
use std::ffi::c_void;
use std::mem::MaybeUninit;

use mpi_sys::{MPI_Request, MPI_Status};
use orrery::trace::recording::Function;

#[cfg(open_mpi)]
use crate::language::Fortran;
use crate::language::{C, Key, Language, key};
use crate::requests::Pending;
use crate::start::Entry;

/// The requests of a call before it.
#[derive(Debug, Default)]
struct Before {
    /// The transfers in progress, with their indices.
    active: Vec<(Key, Pending, usize)>,
    needs_status: bool,
}

/// The requests of a list whose transfers are in progress before the call; none if the call is not
/// recorded.
///
/// # Safety
///
/// There are `count` requests.
unsafe fn before<L: Language>(
    entry: &mut Entry,
    count: c_int,
    requests: *const L::Request,
) -> Before {
    let mut found = Before::default();
    let Some(tracer) = entry.tracer() else { return found };
    tracer.requests.begin_scan();
    for index in 0..count.max(0) as usize {
        // SAFETY: the caller answers for the length.
        let handle = key(L::request(unsafe { *requests.add(index) }));
        if let Some(pending) = tracer.requests.next_active(handle) {
            found.needs_status |= pending.needs_status();
            found.active.push((handle, pending, index));
        }
    }
    found
}

/// Records a call that completes one request at most. `call` takes the status, and returns the code
/// and what it has completed.
///
/// # Safety
///
/// There are `count` requests, and the status is valid or ignored.
unsafe fn complete_one<L: Language>(
    mut entry: Entry,
    function: Function,
    (count, requests): (c_int, *const L::Request),
    status: *mut L::Status,
    call: impl FnOnce(*mut L::Status) -> (c_int, Completed),
) -> c_int {
    // SAFETY: the caller answers for the length.
    let before = unsafe { before::<L>(&mut entry, count, requests) };
    let mut own = MaybeUninit::<L::Status>::uninit();
    let status =
        if before.needs_status && L::is_ignored(status) { own.as_mut_ptr() } else { status };
    let (code, completed) = call(status);
    entry.end(function, code, |tracer| match completed {
        Completed::Nothing => tracer.poll(),
        Completed::Index(completed) => {
            let of_index = |&&(_, _, index): &&(Key, Pending, usize)| index as c_int == completed;
            let found =
                before.active.iter().find(of_index).map(|&(handle, pending, _)| (handle, pending));
            // SAFETY: a call that has completed a request has written its status.
            tracer.complete_one(found, || unsafe { L::status(status) });
        }
    });
    code
}

/// What a call has completed.
#[derive(Debug, Clone, Copy, Default)]
enum Completed {
    /// No request is complete yet.
    #[default]
    Nothing,
    /// The request with this index, or none if there is no such request.
    Index(c_int),
}

/// Records a call that completes several requests. `call` takes the statuses, and returns the code
/// and the requests in the order of the statuses; `None` if no request is complete yet.
///
/// # Safety
///
/// There are `count` requests, and as many statuses or none.
unsafe fn complete_several<L: Language>(
    mut entry: Entry,
    function: Function,
    (count, requests): (c_int, *const L::Request),
    statuses: *mut L::Status,
    call: impl FnOnce(*mut L::Status) -> (c_int, Option<Order>),
) -> c_int {
    // SAFETY: the caller answers for the length.
    let before = unsafe { before::<L>(&mut entry, count, requests) };
    let mut own: Vec<MaybeUninit<L::Status>> = Vec::new();
    let mut statuses = statuses;
    if before.needs_status && L::is_ignored(statuses) {
        own.resize_with(count as usize, MaybeUninit::uninit);
        statuses = own.as_mut_ptr().cast();
    }
    let (code, order) = call(statuses);
    entry.end(function, code, |tracer| {
        // SAFETY: a call that has completed requests has written their statuses.
        let status = |index: usize| unsafe { L::status(statuses.add(index)) };
        match order {
            None => tracer.poll(),
            Some(Order::All) => tracer.complete(before.active.into_iter(), status),
            Some(Order::Listed(indices)) => {
                let at = |(place, index): (usize, &c_int)| {
                    let found =
                        before.active.iter().find(|(_, _, other)| *other as c_int == *index)?;
                    Some((found.0, found.1, place))
                };
                tracer.complete(indices.iter().enumerate().filter_map(at), status);
            }
        }
    });
    code
}

/// The completed requests in the order of the statuses.
#[derive(Debug)]
enum Order {
    /// All requests of the call.
    All,
    /// The requests with these indices.
    Listed(Vec<c_int>),
}

/// The indices that a call has listed, from 0; none if there were no requests.
///
/// # Safety
///
/// There are `count` indices.
unsafe fn listed<L: Language>(count: c_int, indices: *const c_int) -> Vec<c_int> {
    // SAFETY: the caller answers for the length.
    (0..count.max(0) as usize).map(|at| unsafe { *indices.add(at) } - L::FIRST).collect()
}

/// An integer that C passes as a value and Fortran as an address.
trait Integer {
    /// The value.
    ///
    /// # Safety
    ///
    /// An address is that of an integer.
    unsafe fn number(self) -> c_int;
}

impl Integer for c_int {
    unsafe fn number(self) -> c_int {
        self
    }
}

#[cfg(open_mpi)]
impl Integer for *mut c_void {
    unsafe fn number(self) -> c_int {
        // SAFETY: the caller answers for the address.
        unsafe { *self.cast::<c_int>() }
    }
}

/// Defines functions for C and Fortran that complete requests:
/// `how Name: C-name second-name Fortran-name name-in-Open-MPI (argument: type, …) (count, requests, status) Language completed;`.
macro_rules! completions {
    ($($how:ident $function:ident: $mpi:ident $pmpi:ident $fortran:ident $inner:ident
        ($($name:ident: $type:ty),*) ($count:expr, $requests:ident, $status:ident) $language:ident $completed:expr;)*) => { $(
        /// The function for C.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $mpi($($name: $type),*) -> c_int {
            #[allow(dead_code)]
            type $language = C;
            // SAFETY: the program passes valid arguments to MPI; results are read after a call that
            // succeeded.
            unsafe {
                $how::<C>(Entry::begin(), Function::$function, ($count, $requests), $status, |$status| {
                    let code = mpi_sys::$pmpi($($name),*);
                    (code, if code == SUCCESS { $completed } else { Default::default() })
                })
            }
        }

        /// The function for Fortran.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg(open_mpi)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fortran($($name: address!($name),)* ierror: *mut mpi_sys::RSMPI_Fint) {
            #[allow(dead_code)]
            type $language = Fortran;
            // SAFETY: as above.
            unsafe {
                $how::<Fortran>(Entry::begin(), Function::$function, ($count, $requests.cast()), $status.cast(), |$status| {
                    call_fortran!($fortran ($($name),*), ierror, ($($name),*));
                    (*ierror, if *ierror == SUCCESS { $completed } else { Default::default() })
                });
            }
        }

        function_of_f08! { $mpi $inner $fortran ($($name),*) }
    )* };
}

/// The code of a call that succeeded.
const SUCCESS: c_int = mpi_sys::MPI_SUCCESS as c_int;

completions! {
    complete_one Wait: MPI_Wait PMPI_Wait mpi_wait_ ompi_wait_f
        (request: *mut MPI_Request, status: *mut MPI_Status) (1, request, status) L Completed::Index(0);
    complete_one Test: MPI_Test PMPI_Test mpi_test_ mpi_test_f08_
        (request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status) (1, request, status) L
        if *flag.cast::<c_int>() != 0 { Completed::Index(0) } else { Completed::Nothing };
    complete_several Waitall: MPI_Waitall PMPI_Waitall mpi_waitall_ ompi_waitall_f
        (count: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status) (count.number(), requests, statuses) L
        Some(Order::All);
    complete_several Testall: MPI_Testall PMPI_Testall mpi_testall_ mpi_testall_f08_
        (count: c_int, requests: *mut MPI_Request, flag: *mut c_int, statuses: *mut MPI_Status)
        (count.number(), requests, statuses) L
        (*flag.cast::<c_int>() != 0).then_some(Order::All);
    complete_one Waitany: MPI_Waitany PMPI_Waitany mpi_waitany_ ompi_waitany_f
        (count: c_int, requests: *mut MPI_Request, index: *mut c_int, status: *mut MPI_Status)
        (count.number(), requests, status) L
        Completed::Index(*index.cast::<c_int>() - L::FIRST);
    complete_one Testany: MPI_Testany PMPI_Testany mpi_testany_ mpi_testany_f08_
        (count: c_int, requests: *mut MPI_Request, index: *mut c_int, flag: *mut c_int, status: *mut MPI_Status)
        (count.number(), requests, status) L
        if *flag.cast::<c_int>() != 0 {
            Completed::Index(*index.cast::<c_int>() - L::FIRST)
        } else {
            Completed::Nothing
        };
    complete_several Waitsome: MPI_Waitsome PMPI_Waitsome mpi_waitsome_ ompi_waitsome_f
        (count: c_int, requests: *mut MPI_Request, completed: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status)
        (count.number(), requests, statuses) L
        Some(Order::Listed(listed::<L>(*completed.cast(), indices.cast())));
    complete_several Testsome: MPI_Testsome PMPI_Testsome mpi_testsome_ mpi_testsome_f08_
        (count: c_int, requests: *mut MPI_Request, completed: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status)
        (count.number(), requests, statuses) L
        (*completed.cast::<c_int>() != 0).then(|| Order::Listed(listed::<L>(*completed.cast(), indices.cast())));
}
