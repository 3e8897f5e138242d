//! Functions of BLAS in its C interface, for matrices that are stored by columns.
//!
//! Source: BLAS Technical Forum Standard, 2001, appendix B (legacy BLAS in C). Complex scalars are
//! pointers.

use orrery::kernel::{KernelCall, KernelRunError};

use super::loaded::LoadedLibrary;
use crate::element::{Element, PreparedCall};

/// `CblasColMajor`.
const BY_COLUMNS: i32 = 102;
/// `CblasNonUnit`.
const DIAGONAL_IS_READ: i32 = 131;

type Gemm<E, S> = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    i32,
    i32,
    i32,
    S,
    *const E,
    i32,
    *const E,
    i32,
    S,
    *mut E,
    i32,
);
type Triangular<E, S> =
    unsafe extern "C" fn(i32, i32, i32, i32, i32, i32, i32, S, *const E, i32, *mut E, i32);
type Syrk<E, S> = unsafe extern "C" fn(i32, i32, i32, i32, i32, S, *const E, i32, S, *mut E, i32);
type Gemv<E, S> =
    unsafe extern "C" fn(i32, i32, i32, i32, S, *const E, i32, *const E, i32, S, *mut E, i32);
type Ger<E, S> = unsafe extern "C" fn(i32, i32, i32, S, *const E, i32, *const E, i32, *mut E, i32);
type Axpy<E, S> = unsafe extern "C" fn(i32, S, *const E, i32, *mut E, i32);

/// The dimensions as integers of the library, which the caller has checked.
pub fn dimensions(call: &KernelCall) -> [i32; 3] {
    call.dimensions().map(|dimension| dimension as i32)
}

/// The letter of a variant at a place.
pub fn letter(call: &KernelCall, place: usize) -> char {
    call.variant().chars().nth(place).unwrap_or('n')
}

/// `CblasTrans` or `CblasNoTrans`.
fn transposition(call: &KernelCall, place: usize) -> i32 {
    if letter(call, place) == 't' { 112 } else { 111 }
}

/// `CblasUpper` or `CblasLower`.
fn triangle(call: &KernelCall, place: usize) -> i32 {
    if letter(call, place) == 'u' { 121 } else { 122 }
}

/// The name of a function of BLAS.
fn symbol<E: Element>(name: &str) -> String {
    format!("cblas_{}{name}", E::LETTER)
}

/// Prepares a call of C = AB + C.
pub fn gemm<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let symbol = symbol::<E>("gemm");
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Gemm<E, E::Argument>>(&symbol)? };
    let ([m, n, k], [of_a, of_b]) =
        (dimensions(call), [0, 1].map(|place| transposition(call, place)));
    let (lda, ldb) = (if of_a == 111 { m } else { k }, if of_b == 111 { k } else { n });
    let run = move |a: &[E], b: &[E], c: &mut [E]| {
        let (a, b, c, one) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), E::ONE);
        let [alpha, beta] = [one.argument(); 2];
        // SAFETY: the matrices have mk, kn and mn elements, in columns of lda, ldb and m; `one`
        // outlives the call.
        unsafe { function(BY_COLUMNS, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c, m) };
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}

/// Prepares a call that solves AX = B or XA = B (`name` is `trsm`), or of B = AB or BA (`trmm`),
/// with a triangular A.
pub fn triangular<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
    name: &str,
) -> Result<PreparedCall<E>, KernelRunError> {
    let symbol = symbol::<E>(name);
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Triangular<E, E::Argument>>(&symbol)? };
    let ([m, n, _], of_a) = (dimensions(call), transposition(call, 2));
    let (triangle, diagonal) = (triangle(call, 1), DIAGONAL_IS_READ);
    let (side, order) = if letter(call, 0) == 'l' { (141, m) } else { (142, n) };
    let run = move |a: &[E], _: &[E], b: &mut [E]| {
        let (a, b, one) = (a.as_ptr(), b.as_mut_ptr(), E::ONE);
        let alpha = one.argument();
        // SAFETY: A is a square of the order of its side, B has m rows and n columns; `one`
        // outlives the call.
        unsafe {
            function(BY_COLUMNS, side, triangle, of_a, diagonal, m, n, alpha, a, order, b, m);
        };
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}

/// Prepares a call of one triangle of C = AAᵀ + C.
pub fn syrk<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let symbol = symbol::<E>("syrk");
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Syrk<E, E::Argument>>(&symbol)? };
    let ([_, n, k], triangle, of_a) = (dimensions(call), triangle(call, 0), transposition(call, 1));
    let lda = if of_a == 111 { n } else { k };
    let run = move |a: &[E], _: &[E], c: &mut [E]| {
        let (a, c, one) = (a.as_ptr(), c.as_mut_ptr(), E::ONE);
        let [alpha, beta] = [one.argument(); 2];
        // SAFETY: A has nk elements in columns of lda, C is a square of order n; `one` outlives the
        // call.
        unsafe { function(BY_COLUMNS, triangle, of_a, n, k, alpha, a, lda, beta, c, n) };
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}

/// Prepares a call of y = Ax + y.
pub fn gemv<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let symbol = symbol::<E>("gemv");
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Gemv<E, E::Argument>>(&symbol)? };
    let ([m, n, _], of_a) = (dimensions(call), transposition(call, 0));
    let run = move |a: &[E], x: &[E], y: &mut [E]| {
        let (a, x, y, one) = (a.as_ptr(), x.as_ptr(), y.as_mut_ptr(), E::ONE);
        let [alpha, beta] = [one.argument(); 2];
        // SAFETY: A has m rows and n columns, x and y have their numbers of elements, in the order
        // of the transposition; `one` outlives the call.
        unsafe { function(BY_COLUMNS, of_a, m, n, alpha, a, m, x, 1, beta, y, 1) };
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}

/// Prepares a call of A = xyᵀ + A.
pub fn ger<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    // Complex matrices have a function with the transpose and one with the adjoint.
    let symbol = symbol::<E>(if matches!(E::LETTER, 'c' | 'z') { "geru" } else { "ger" });
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Ger<E, E::Argument>>(&symbol)? };
    let [m, n, _] = dimensions(call);
    let run = move |x: &[E], y: &[E], a: &mut [E]| {
        let one = E::ONE;
        // SAFETY: x has m elements, y has n, A has m rows and n columns; `one` outlives the call.
        unsafe {
            function(
                BY_COLUMNS,
                m,
                n,
                one.argument(),
                x.as_ptr(),
                1,
                y.as_ptr(),
                1,
                a.as_mut_ptr(),
                m,
            );
        }
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}

/// Prepares a call of y = x + y.
pub fn axpy<E: Element>(
    library: &LoadedLibrary,
    call: &KernelCall,
) -> Result<PreparedCall<E>, KernelRunError> {
    let symbol = symbol::<E>("axpy");
    // SAFETY: the type is that of the standard.
    let function = unsafe { library.function::<Axpy<E, E::Argument>>(&symbol)? };
    let [_, n, _] = dimensions(call);
    let run = move |x: &[E], _: &[E], y: &mut [E]| {
        let one = E::ONE;
        // SAFETY: x and y have n elements; `one` outlives the call.
        unsafe { function(n, one.argument(), x.as_ptr(), 1, y.as_mut_ptr(), 1) };
        0
    };
    Ok(PreparedCall { symbol, run: Box::new(run) })
}
