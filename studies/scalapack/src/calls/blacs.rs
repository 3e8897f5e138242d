//! Functions of BLACS. They have no return codes; a context is checked by its grid.

use std::ffi::{c_char, c_int};

use super::mpi::Comm;

unsafe extern "C" {
    fn Cblacs_pinfo(rank: *mut c_int, size: *mut c_int);
    fn Csys2blacs_handle(comm: mpi_sys::MPI_Comm) -> c_int;
    fn Cfree_blacs_system_handle(handle: c_int);
    fn Cblacs_gridinit(context: *mut c_int, order: *const c_char, rows: c_int, columns: c_int);
    fn Cblacs_gridinfo(
        context: c_int,
        rows: *mut c_int,
        columns: *mut c_int,
        row: *mut c_int,
        column: *mut c_int,
    );
    fn Cblacs_gridexit(context: c_int);
}

/// The context of processes outside a grid.
const NO_CONTEXT: c_int = -1;

/// Initialises BLACS after MPI.
pub(crate) fn prepare_blacs() {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI is initialised, since the communicator of `init` is needed for everything else.
    unsafe { Cblacs_pinfo(&raw mut rank, &raw mut size) };
}

/// A communicator as BLACS names it.
#[derive(Debug)]
pub(crate) struct SystemHandle<'a> {
    handle: c_int,
    comm: &'a Comm,
}

impl<'a> SystemHandle<'a> {
    /// The handle of a communicator.
    pub fn new(comm: &'a Comm) -> Self {
        // SAFETY: the communicator is valid as long as the handle.
        Self { handle: unsafe { Csys2blacs_handle(comm.raw()) }, comm }
    }
}

impl Drop for SystemHandle<'_> {
    fn drop(&mut self) {
        // SAFETY: BLACS has made the handle, and nothing uses it afterwards.
        unsafe { Cfree_blacs_system_handle(self.handle) };
    }
}

/// The place of a process in a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GridPosition {
    /// The row, from 0.
    pub row: i32,
    /// The column, from 0.
    pub column: i32,
}

/// A grid of the first ranks of a communicator, row by row.
#[derive(Debug)]
pub(crate) struct Context {
    handle: c_int,
    rows: i32,
    columns: i32,
    position: Option<GridPosition>,
}

impl Context {
    /// Makes the grid; all ranks of the communicator must call this.
    pub fn new(system: &SystemHandle<'_>, (rows, columns): (i32, i32)) -> Result<Self, String> {
        if i64::from(rows) * i64::from(columns) > system.comm.size() as i64
            || rows < 1
            || columns < 1
        {
            return Err(format!(
                "BLACS cannot make a grid of {rows}x{columns} of {} ranks",
                system.comm.size()
            ));
        }
        let mut handle = system.handle;
        // SAFETY: the handle of the communicator is valid and replaced by that of the context;
        // there are enough ranks.
        unsafe { Cblacs_gridinit(&raw mut handle, c"Row".as_ptr(), rows, columns) };
        let mut context = Self { handle, rows, columns, position: None };
        if handle != NO_CONTEXT {
            let (mut found_rows, mut found_columns, mut row, mut column) = (0, 0, 0, 0);
            // SAFETY: the context is valid; results are written before they are read.
            unsafe {
                let (found_rows, found_columns) = (&raw mut found_rows, &raw mut found_columns);
                Cblacs_gridinfo(handle, found_rows, found_columns, &raw mut row, &raw mut column);
            }
            if (found_rows, found_columns) != (rows, columns) || row < 0 || column < 0 {
                return Err(format!(
                    "BLACS makes a grid of {found_rows}x{found_columns} instead of {rows}x{columns}"
                ));
            }
            context.position = Some(GridPosition { row, column });
        }
        let is_member = (system.comm.rank() as i64) < i64::from(rows) * i64::from(columns);
        if context.position.is_some() != is_member {
            return Err(format!(
                "BLACS makes a grid of {rows}x{columns} of other ranks than the first ones"
            ));
        }
        Ok(context)
    }

    /// The handle; -1 on ranks outside the grid.
    pub(super) fn handle(&self) -> c_int {
        self.handle
    }

    /// The numbers of rows and columns.
    pub fn shape(&self) -> (i32, i32) {
        (self.rows, self.columns)
    }

    /// The place of this process; `None` outside the grid.
    pub fn position(&self) -> Option<GridPosition> {
        self.position
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.handle != NO_CONTEXT {
            // SAFETY: BLACS has made the context, and nothing uses it afterwards.
            unsafe { Cblacs_gridexit(self.handle) };
        }
    }
}
