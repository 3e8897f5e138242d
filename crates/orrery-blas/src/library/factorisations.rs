//! Functions of LAPACK, by their symbols of Fortran or, without these, by the C interface.
//!
//! Programs call the functions of Fortran; those of the C interface search the matrix for values
//! that are no numbers, which takes time.

use std::ffi::c_char;

use orrery::kernel::{KernelCall, KernelRunError};

use super::loaded::LoadedLibrary;
use super::products::{dimensions, letter};
use crate::element::{Element, PreparedCall};

/// `LAPACK_COL_MAJOR`.
const BY_COLUMNS: i32 = 102;

type Getrf<E> = unsafe extern "C" fn(&i32, &i32, *mut E, &i32, *mut i32, &mut i32);
type LapackeGetrf<E> = unsafe extern "C" fn(i32, i32, i32, *mut E, i32, *mut i32) -> i32;
/// The last argument is the length of the text, which compilers of Fortran append.
type Potrf<E> = unsafe extern "C" fn(&c_char, &i32, *mut E, &i32, &mut i32, usize);
type LapackePotrf<E> = unsafe extern "C" fn(i32, c_char, i32, *mut E, i32) -> i32;

/// The names of a function: in Fortran and in the C interface.
fn symbols<E: Element>(name: &str) -> [String; 2] {
    [format!("{}{name}_", E::LETTER), format!("LAPACKE_{}{name}", E::LETTER)]
}

/// Prepares a call of PA = LU with partial pivoting.
pub fn getrf<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let [fortran, c] = symbols::<E>("getrf");
    let [m, n, _] = dimensions(call);
    let mut pivots = vec![0_i32; m.min(n) as usize];
    // SAFETY: the type is that of LAPACK.
    if let Some(function) = unsafe { library.find::<Getrf<E>>(&fortran) } {
        let run = move |_: &[E], _: &[E], a: &mut [E]| {
            let mut info = 0;
            // SAFETY: A has m rows and n columns, and there is a pivot for each of the smaller
            // number.
            unsafe { function(&m, &n, a.as_mut_ptr(), &m, pivots.as_mut_ptr(), &mut info) };
            info
        };
        return Ok(PreparedCall { symbol: fortran, run: Box::new(run) });
    }
    // SAFETY: the type is that of LAPACKE.
    let function = unsafe { library.find::<LapackeGetrf<E>>(&c) };
    let function = function.ok_or_else(|| library.no_symbol(&format!("{fortran} or {c}")))?;
    let run = move |_: &[E], _: &[E], a: &mut [E]| {
        // SAFETY: as above.
        unsafe { function(BY_COLUMNS, m, n, a.as_mut_ptr(), m, pivots.as_mut_ptr()) }
    };
    Ok(PreparedCall { symbol: c, run: Box::new(run) })
}

/// Prepares a call of A = LLᴴ or UᴴU.
pub fn potrf<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let [fortran, c] = symbols::<E>("potrf");
    let [_, n, _] = dimensions(call);
    let triangle = letter(call, 0).to_ascii_uppercase() as u8 as c_char;
    // SAFETY: the type is that of LAPACK; a function that does not read the length ignores it.
    if let Some(function) = unsafe { library.find::<Potrf<E>>(&fortran) } {
        let run = move |_: &[E], _: &[E], a: &mut [E]| {
            let mut info = 0;
            // SAFETY: A is a square of order n, the text has one letter.
            unsafe { function(&triangle, &n, a.as_mut_ptr(), &n, &mut info, 1) };
            info
        };
        return Ok(PreparedCall { symbol: fortran, run: Box::new(run) });
    }
    // SAFETY: the type is that of LAPACKE.
    let function = unsafe { library.find::<LapackePotrf<E>>(&c) };
    let function = function.ok_or_else(|| library.no_symbol(&format!("{fortran} or {c}")))?;
    let run = move |_: &[E], _: &[E], a: &mut [E]| {
        // SAFETY: as above.
        unsafe { function(BY_COLUMNS, triangle, n, a.as_mut_ptr(), n) }
    };
    Ok(PreparedCall { symbol: c, run: Box::new(run) })
}
