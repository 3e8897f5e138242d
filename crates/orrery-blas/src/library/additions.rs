//! Functions that add matrices: `geadd` of OpenBLAS, `omatadd` of MKL; without these a loop.

use std::ffi::c_char;

use orrery::kernel::{KernelCall, KernelRunError};

use super::loaded::LoadedLibrary;
use super::products::dimensions;
use crate::element::{Element, Kernels as _, PreparedCall};
use crate::rust::Loops;

/// `CblasColMajor`.
const BY_COLUMNS: i32 = 102;

type Geadd<E, S> = unsafe extern "C" fn(i32, i32, i32, S, *const E, i32, S, *mut E, i32);
/// Complex scalars are values in this function.
type Omatadd<E> = unsafe extern "C" fn(
    c_char,
    c_char,
    c_char,
    usize,
    usize,
    E,
    *const E,
    usize,
    E,
    *const E,
    usize,
    *mut E,
    usize,
);

/// The names of the functions, in the order of preference.
fn symbols(letter: char) -> [String; 2] {
    [format!("cblas_{letter}geadd"), format!("MKL_{}omatadd", letter.to_ascii_uppercase())]
}

/// Returns true if the library has a function that adds matrices.
pub fn has_function(library: &LoadedLibrary) -> bool {
    symbols('d').iter().any(|symbol| library.address(symbol).is_some())
}

/// Prepares a call of B = A + B.
pub fn add<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let [geadd, omatadd] = symbols(E::LETTER);
    let [m, n, _] = dimensions(call);
    // SAFETY: the type is that of OpenBLAS.
    if let Some(function) = unsafe { library.find::<Geadd<E, E::Argument>>(&geadd) } {
        let run = move |a: &[E], _: &[E], b: &mut [E]| {
            let one = E::ONE;
            let [alpha, beta] = [one.argument(); 2];
            // SAFETY: both matrices have m rows and n columns; `one` outlives the call.
            unsafe { function(BY_COLUMNS, m, n, alpha, a.as_ptr(), m, beta, b.as_mut_ptr(), m) };
            0
        };
        return Ok(PreparedCall { symbol: geadd, run: Box::new(run) });
    }
    // SAFETY: the type is that of MKL.
    if let Some(function) = unsafe { library.find::<Omatadd<E>>(&omatadd) } {
        let [order, same] = [b'C', b'N'].map(|letter| letter as c_char);
        let [rows, columns] = [m as usize, n as usize];
        let run = move |a: &[E], _: &[E], b: &mut [E]| {
            let (a, b) = (a.as_ptr(), b.as_mut_ptr());
            // SAFETY: both matrices have m rows and n columns; the result may be the second one if
            // it is not transposed.
            unsafe {
                function(
                    order,
                    same,
                    same,
                    rows,
                    columns,
                    E::ONE,
                    a,
                    rows,
                    E::ONE,
                    b,
                    rows,
                    b,
                    rows,
                );
            };
            0
        };
        return Ok(PreparedCall { symbol: omatadd, run: Box::new(run) });
    }
    Loops.prepare(call)
}
