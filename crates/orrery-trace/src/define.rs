//! The macro that defines functions of MPI for C and Fortran.
//!
//! Each argument has a kind, which gives its type in C, and its value for the record: a Fortran function takes addresses
//! of integers, which are converted to handles of C.

/// The type of an argument in C.
macro_rules! c_type {
    (Address) => { *mut std::ffi::c_void };
    (Int) => { std::ffi::c_int };
    (Ints) => { *mut std::ffi::c_int };
    (Flag) => { *mut std::ffi::c_int };
    (Text) => { *mut std::ffi::c_char };
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
    (NewWin) => { *mut mpi_sys::MPI_Win };
    (File) => { mpi_sys::MPI_File };
    (NewFile) => { *mut mpi_sys::MPI_File };
    (Aint) => { mpi_sys::MPI_Aint };
    (Aints) => { *mut mpi_sys::MPI_Aint };
    (Offset) => { mpi_sys::MPI_Offset };
}

/// Prepares an argument before the call: a status that the program ignores is replaced by an own one, and a handle that the
/// call changes is kept.
macro_rules! before {
    (C Status $name:ident) => {
        let mut own = std::mem::MaybeUninit::<mpi_sys::MPI_Status>::uninit();
        let $name =
            if <crate::language::C as crate::language::Language>::is_ignored($name) { own.as_mut_ptr() } else { $name };
    };
    (Fortran Status $name:ident) => {
        let mut own = std::mem::MaybeUninit::<crate::language::FortranStatus>::uninit();
        let $name = $name.cast::<crate::language::FortranStatus>();
        let $name = if <crate::language::Fortran as crate::language::Language>::is_ignored($name) {
            own.as_mut_ptr()
        } else {
            $name
        };
    };
    (C OldRequest $name:ident) => {
        let $name = ($name, *$name);
    };
    (Fortran OldRequest $name:ident) => {
        let $name = ($name, mpi_sys::RSMPI_Request_f2c(*$name.cast()));
    };
    (C OldComm $name:ident) => {
        let $name = ($name, *$name);
    };
    (Fortran OldComm $name:ident) => {
        let $name = ($name, mpi_sys::RSMPI_Comm_f2c(*$name.cast()));
    };
    (C OldMessage $name:ident) => {
        let $name = ($name, *$name);
    };
    (Fortran OldMessage $name:ident) => {
        let $name = ($name, mpi_sys::RSMPI_Message_f2c(*$name.cast()));
    };
    ($language:ident $kind:ident $name:ident) => {};
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
    ($kind:ident $name:ident) => {
        $name
    };
}

/// The value of an argument after the call.
macro_rules! value {
    (C Flag $name:ident) => {
        *$name != 0
    };
    (C NewComm $name:ident) => {
        *$name
    };
    (C NewRequest $name:ident) => {
        *$name
    };
    (C NewMessage $name:ident) => {
        *$name
    };
    (C Status $name:ident) => {
        <crate::language::C as crate::language::Language>::status($name)
    };
    (C Datatypes $name:ident) => {
        |index: usize| *$name.add(index)
    };
    (C Requests $name:ident) => {
        |index: usize| *$name.add(index)
    };
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
    (Fortran NewRequest $name:ident) => {
        mpi_sys::RSMPI_Request_f2c(*$name.cast())
    };
    (Fortran NewMessage $name:ident) => {
        mpi_sys::RSMPI_Message_f2c(*$name.cast())
    };
    (Fortran Requests $name:ident) => {
        |index: usize| mpi_sys::RSMPI_Request_f2c(*$name.cast::<mpi_sys::RSMPI_Fint>().add(index))
    };
    (Fortran Status $name:ident) => {
        <crate::language::Fortran as crate::language::Language>::status($name)
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
    ($language:ident $kind:ident $name:ident) => {
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

/// Defines functions for C: `Name: C-name second-name (argument: Kind, …) |tracer| record;`.
macro_rules! functions_of_c {
    ($($function:ident: $mpi:ident $pmpi:ident ($($name:ident: $kind:ident),*) |$tracer:ident| $record:expr;)*) => { $(
        /// The function for C.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $mpi($($name: c_type!($kind)),*) -> std::ffi::c_int {
            let entry = crate::entry::Entry::begin();
            // SAFETY: the program passes valid arguments to MPI; results are read after a call that succeeded.
            #[allow(unused_variables, clippy::ptr_as_ptr, clippy::ptr_cast_constness)]
            unsafe {
                $(before!(C $kind $name);)*
                let code = mpi_sys::$pmpi($(passed!($kind $name) as _),*);
                entry.end(orrery::trace::recording::Function::$function, code, |$tracer| {
                    $(let $name = value!(C $kind $name);)*
                    $record;
                });
                code
            }
        }
    )* };
}

/// Defines functions for C and Fortran:
/// `Name: C-name second-name Fortran-name name-in-Open-MPI (argument: Kind, …) |tracer| record;`.
macro_rules! functions {
    ($($function:ident: $mpi:ident $pmpi:ident $fortran:ident $inner:ident
        ($($name:ident: $kind:ident),*) |$tracer:ident| $record:expr;)*) => { $(
        functions_of_c! { $function: $mpi $pmpi ($($name: $kind),*) |$tracer| $record; }

        /// The function for Fortran.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg(open_mpi)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $fortran($($name: address!($name),)* ierror: *mut mpi_sys::RSMPI_Fint) {
            let entry = crate::entry::Entry::begin();
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

        function_of_f08! { $inner $fortran ($($name),*) }
    )* };
}

/// Defines the function of the module `mpi_f08`, or the one that it calls, by that for Fortran.
macro_rules! function_of_f08 {
    ($inner:ident $fortran:ident ($($name:ident),*)) => {
        /// The function of the module `mpi_f08`, or the one that it calls.
        ///
        /// # Safety
        ///
        /// As the function of MPI.
        // SAFETY: a function with this name replaces that of the MPI library, with the same type.
        #[cfg(open_mpi)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $inner($($name: address!($name),)* ierror: *mut mpi_sys::RSMPI_Fint) {
            let mut own = 0;
            let ierror = if ierror.is_null() { &raw mut own } else { ierror };
            // SAFETY: the program passes valid arguments; the code is optional.
            unsafe { $fortran($($name,)* ierror) }
        }
    };
}
