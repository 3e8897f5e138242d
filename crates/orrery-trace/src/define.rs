//! The macro that defines functions of MPI for C and Fortran.
//!
//! Each argument has a kind, which gives its type in C, and its value for the record: a Fortran
//! function takes addresses of integers, which are converted to handles of C. An argument that the
//! record does not need can have its type in brackets instead. A function of C and its variant with
//! large counts (`MPI_Send_c`) have one definition: they differ in the types of counts, and have one
//! name in the record.
//!
//! A function is defined if `mpi.h` declares it: the build sets its name as a condition.

/// The type of an argument in C, and with large counts.
macro_rules! c_type {
    (Large Count) => { mpi_sys::MPI_Count };
    (Large Counts) => { *mut mpi_sys::MPI_Count };
    (Large Displacements) => { *mut mpi_sys::MPI_Aint };
    (C Count) => { std::ffi::c_int };
    (C Counts) => { *mut std::ffi::c_int };
    (C Displacements) => { *mut std::ffi::c_int };
    ($language:ident [$type:ty]) => { $type };
    ($language:ident $kind:ident) => { c_type!($kind) };
    (Address) => { *mut std::ffi::c_void };
    (Int) => { std::ffi::c_int };
    (Ints) => { *mut std::ffi::c_int };
    (Flag) => { *mut std::ffi::c_int };
    (Datatype) => { mpi_sys::MPI_Datatype };
    (Datatypes) => { *mut mpi_sys::MPI_Datatype };
    (Comm) => { mpi_sys::MPI_Comm };
    (NewComm) => { *mut mpi_sys::MPI_Comm };
    (OldComm) => { *mut mpi_sys::MPI_Comm };
    (Op) => { mpi_sys::MPI_Op };
    (Group) => { mpi_sys::MPI_Group };
    (Info) => { mpi_sys::MPI_Info };
    (NewRequest) => { *mut mpi_sys::MPI_Request };
    (OldRequest) => { *mut mpi_sys::MPI_Request };
    (Requests) => { *mut mpi_sys::MPI_Request };
    (NewMessage) => { *mut mpi_sys::MPI_Message };
    (OldMessage) => { *mut mpi_sys::MPI_Message };
    (Status) => { *mut mpi_sys::MPI_Status };
    (Win) => { mpi_sys::MPI_Win };
    (Request) => { mpi_sys::MPI_Request };
}

/// The value that a function of a language returns.
macro_rules! of_language {
    (Fortran $function:ident $argument:expr) => {
        <crate::language::Fortran as crate::language::Language>::$function($argument)
    };
    ($counts:ident $function:ident $argument:expr) => {
        <crate::language::C as crate::language::Language>::$function($argument)
    };
}

/// Prepares an argument before the call: a status that the program ignores is replaced by an own
/// one, and a handle that the call changes is kept.
macro_rules! before {
    (Fortran OldComm $name:ident) => {
        let $name = ($name, mpi_sys::RSMPI_Comm_f2c(*$name.cast()));
    };
    (Fortran OldMessage $name:ident) => {
        let $name = ($name, mpi_sys::RSMPI_Message_f2c(*$name.cast()));
    };
    ($language:ident Status $name:ident) => {
        let mut own = std::mem::MaybeUninit::uninit();
        let $name = $name.cast();
        let $name =
            if of_language!($language is_ignored $name) { own.as_mut_ptr() } else { $name };
    };
    ($language:ident OldRequest $name:ident) => {
        let $name = ($name, of_language!($language request *$name.cast()));
    };
    ($language:ident OldComm $name:ident) => {
        let $name = ($name, *$name);
    };
    ($language:ident OldMessage $name:ident) => {
        let $name = ($name, *$name);
    };
    ($language:ident $kind:tt $name:ident) => {};
}

/// The argument that is passed to the MPI library.
macro_rules! passed {
    (OldRequest $name:ident) => {
        $name.0
    };
    (OldComm $name:ident) => {
        $name.0
    };
    (OldMessage $name:ident) => {
        $name.0
    };
    ($kind:tt $name:ident) => {
        $name
    };
}

/// The value of an argument after the call.
macro_rules! value {
    (Fortran Flag $name:ident) => {
        *$name.cast::<mpi_sys::RSMPI_Fint>() != 0
    };
    (Fortran Int $name:ident) => {
        *$name.cast::<mpi_sys::RSMPI_Fint>()
    };
    (Fortran Ints $name:ident) => {
        $name.cast::<std::ffi::c_int>()
    };
    (Fortran Datatype $name:ident) => {
        mpi_sys::RSMPI_Type_f2c(*$name.cast())
    };
    (Fortran Datatypes $name:ident) => {
        |index: usize| mpi_sys::RSMPI_Type_f2c(*$name.cast::<mpi_sys::RSMPI_Fint>().add(index))
    };
    (Fortran Comm $name:ident) => {
        mpi_sys::RSMPI_Comm_f2c(*$name.cast())
    };
    (Fortran NewComm $name:ident) => {
        mpi_sys::RSMPI_Comm_f2c(*$name.cast())
    };
    (Fortran NewMessage $name:ident) => {
        mpi_sys::RSMPI_Message_f2c(*$name.cast())
    };
    (Fortran Requests $name:ident) => {
        |index: usize| mpi_sys::RSMPI_Request_f2c(*$name.cast::<mpi_sys::RSMPI_Fint>().add(index))
    };
    (Fortran Count $name:ident) => {
        i64::from(*$name.cast::<mpi_sys::RSMPI_Fint>())
    };
    (Fortran Counts $name:ident) => {
        |index: usize| i64::from(*$name.cast::<mpi_sys::RSMPI_Fint>().add(index))
    };
    ($language:ident Flag $name:ident) => {
        *$name != 0
    };
    ($language:ident NewComm $name:ident) => {
        *$name
    };
    ($language:ident NewRequest $name:ident) => {
        of_language!($language request *$name.cast())
    };
    ($language:ident NewMessage $name:ident) => {
        *$name
    };
    ($language:ident Status $name:ident) => {
        of_language!($language status $name)
    };
    ($language:ident Datatypes $name:ident) => {
        |index: usize| *$name.add(index)
    };
    ($language:ident Requests $name:ident) => {
        |index: usize| *$name.add(index)
    };
    ($language:ident Count $name:ident) => {
        i64::from($name)
    };
    ($language:ident Counts $name:ident) => {
        |index: usize| i64::from(*$name.add(index))
    };
    ($language:ident OldRequest $name:ident) => {
        $name.1
    };
    ($language:ident OldComm $name:ident) => {
        $name.1
    };
    ($language:ident OldMessage $name:ident) => {
        $name.1
    };
    ($language:ident $kind:tt $name:ident) => {
        $name
    };
}

/// Any type, for the address of an argument of Fortran.
#[cfg(open_mpi)]
macro_rules! address {
    ($name:ident) => { *mut std::ffi::c_void };
}

/// Calls the function of Fortran with the second name, without an effect if the program has none.
#[cfg(open_mpi)]
macro_rules! call_fortran {
    ($name:ident ($($argument:expr),*), $ierror:ident, ($($parameter:ident),*)) => {{
        static SECOND: crate::language::Symbol = crate::language::Symbol::new(concat!("p", stringify!($name)));
        let address = SECOND.address();
        if !address.is_null() {
            let function: unsafe extern "C" fn($(address!($parameter),)* *mut mpi_sys::RSMPI_Fint) =
                std::mem::transmute(address);
            function($($argument.cast(),)* $ierror);
        }
    }};
}

/// Defines a function for C, with counts of `c_int` (C) or of `MPI_Count` (Large):
/// `C Name: C-name second-name (argument: Kind, …) |tracer| record`.
macro_rules! function_of_c {
    ($counts:ident $function:ident: $mpi:ident $pmpi:ident ($($name:ident: $kind:tt),*) |$tracer:ident| $record:expr) => {
        /// The function for C.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg($mpi)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $mpi($($name: c_type!($counts $kind)),*) -> std::ffi::c_int {
            let entry = crate::start::Entry::begin();
            // SAFETY: the program passes valid arguments to MPI; results are read after a call that
            // succeeded.
            #[allow(unused_variables)]
            unsafe {
                $(before!($counts $kind $name);)*
                let code = mpi_sys::$pmpi($(passed!($kind $name)),*);
                entry.end(orrery::trace::recording::Function::$function, code, |$tracer| {
                    $(let $name = value!($counts $kind $name);)*
                    $record;
                });
                code
            }
        }
    };
}

/// Defines a function for Fortran: `Name: C-name Fortran-name (argument: Kind, …) |tracer| record`.
macro_rules! function_of_fortran {
    ($function:ident: $mpi:ident $fortran:ident ($($name:ident: $kind:tt),*) |$tracer:ident| $record:expr) => {
        /// The function for Fortran.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg(all(open_mpi, $mpi))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fortran($($name: address!($name),)* ierror: *mut mpi_sys::RSMPI_Fint) {
            let entry = crate::start::Entry::begin();
            // SAFETY: as above.
            #[allow(unused_variables)]
            unsafe {
                $(before!(Fortran $kind $name);)*
                call_fortran!($fortran ($(passed!($kind $name)),*), ierror, ($($name),*));
                entry.end(orrery::trace::recording::Function::$function, *ierror, |$tracer| {
                    $(let $name = value!(Fortran $kind $name);)*
                    $record;
                });
            }
        }
    };
}

/// Defines functions with the same arguments and record: `Name, …: [variant …] (argument: Kind, …)
/// |tracer| record;`.
///
/// The variants are `C` (`MPI_Send`), `Large` with large counts (`MPI_Send_c`), and `Fortran`
/// (`mpi_send_`) with the function of the module `mpi_f08` or the one that it calls in Open MPI,
/// `ompi_send_f`; where that has logical arguments it is `mpi_test_f08_`, and the variant is `F08`.
macro_rules! functions {
    ($($($function:ident),+: $variants:tt $arguments:tt |$tracer:ident| $record:expr;)*) => { $($(
        function! { $variants $function $arguments |$tracer| $record }
    )+)* };
}

/// Defines the variants of a function.
macro_rules! function {
    ([] $function:ident $arguments:tt |$tracer:ident| $record:expr) => {};
    ([C $($others:ident)*] $function:ident $arguments:tt |$tracer:ident| $record:expr) => {
        pastey::paste! {
            function_of_c! {
                C $function: [<MPI_ $function>] [<PMPI_ $function>] $arguments |$tracer| $record
            }
        }
        function! { [$($others)*] $function $arguments |$tracer| $record }
    };
    ([Large $($others:ident)*] $function:ident $arguments:tt |$tracer:ident| $record:expr) => {
        pastey::paste! {
            function_of_c! {
                Large $function: [<MPI_ $function _c>] [<PMPI_ $function _c>]
                    $arguments |$tracer| $record
            }
        }
        function! { [$($others)*] $function $arguments |$tracer| $record }
    };
    ([Fortran] $function:ident $arguments:tt |$tracer:ident| $record:expr) => {
        pastey::paste! {
            function_of_fortran! {
                $function: [<MPI_ $function>] [<mpi_ $function:lower _>] $arguments
                    |$tracer| $record
            }
            function_of_f08! {
                [<MPI_ $function>] [<ompi_ $function:lower _f>] [<mpi_ $function:lower _>]
                    $arguments
            }
        }
    };
    ([F08] $function:ident $arguments:tt |$tracer:ident| $record:expr) => {
        pastey::paste! {
            function_of_fortran! {
                $function: [<MPI_ $function>] [<mpi_ $function:lower _>] $arguments
                    |$tracer| $record
            }
            function_of_f08! {
                [<MPI_ $function>] [<mpi_ $function:lower _f08_>] [<mpi_ $function:lower _>]
                    $arguments
            }
        }
    };
}

/// Defines the function of the module `mpi_f08`, or the one that it calls, by that for Fortran.
macro_rules! function_of_f08 {
    ($mpi:ident $inner:ident $fortran:ident ($($name:ident $(: $kind:tt)?),*)) => {
        /// The function of the module `mpi_f08`, or the one that it calls.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg(all(open_mpi, $mpi))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $inner($($name: address!($name),)* ierror: *mut mpi_sys::RSMPI_Fint) {
            let mut own = 0;
            let ierror = if ierror.is_null() { &raw mut own } else { ierror };
            // SAFETY: the program passes valid arguments; the code is optional.
            unsafe { $fortran($($name,)* ierror) }
        }
    };
}
