//! Functions of ScaLAPACK. Matrices are whole ones; their first element is at process (0, 0).

use std::ffi::{c_char, c_int};

use super::blacs::Context;

unsafe extern "C" {
    fn numroc_(
        n: *const c_int,
        block: *const c_int,
        process: *const c_int,
        first: *const c_int,
        processes: *const c_int,
    ) -> c_int;
    fn pdgemm_(
        transa: *const c_char,
        transb: *const c_char,
        m: *const c_int,
        n: *const c_int,
        k: *const c_int,
        alpha: *const f64,
        a: *const f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        b: *const f64,
        ib: *const c_int,
        jb: *const c_int,
        descb: *const c_int,
        beta: *const f64,
        c: *mut f64,
        ic: *const c_int,
        jc: *const c_int,
        descc: *const c_int,
        lengths: usize,
        _: usize,
    );
    fn pdtrsm_(
        side: *const c_char,
        uplo: *const c_char,
        trans: *const c_char,
        diag: *const c_char,
        m: *const c_int,
        n: *const c_int,
        alpha: *const f64,
        a: *const f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        b: *mut f64,
        ib: *const c_int,
        jb: *const c_int,
        descb: *const c_int,
        lengths: usize,
        _: usize,
        _: usize,
        _: usize,
    );
    fn pdsyrk_(
        uplo: *const c_char,
        trans: *const c_char,
        n: *const c_int,
        k: *const c_int,
        alpha: *const f64,
        a: *const f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        beta: *const f64,
        c: *mut f64,
        ic: *const c_int,
        jc: *const c_int,
        descc: *const c_int,
        lengths: usize,
        _: usize,
    );
    fn pdgetrf_(
        m: *const c_int,
        n: *const c_int,
        a: *mut f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        pivots: *mut c_int,
        info: *mut c_int,
    );
    fn pdgetrs_(
        trans: *const c_char,
        n: *const c_int,
        columns: *const c_int,
        a: *const f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        pivots: *const c_int,
        b: *mut f64,
        ib: *const c_int,
        jb: *const c_int,
        descb: *const c_int,
        info: *mut c_int,
        length: usize,
    );
    fn pdpotrf_(
        uplo: *const c_char,
        n: *const c_int,
        a: *mut f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        info: *mut c_int,
        length: usize,
    );
    fn pdpotrs_(
        uplo: *const c_char,
        n: *const c_int,
        columns: *const c_int,
        a: *const f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        b: *mut f64,
        ib: *const c_int,
        jb: *const c_int,
        descb: *const c_int,
        info: *mut c_int,
        length: usize,
    );
    fn pdgeqrf_(
        m: *const c_int,
        n: *const c_int,
        a: *mut f64,
        ia: *const c_int,
        ja: *const c_int,
        desca: *const c_int,
        tau: *mut f64,
        work: *mut f64,
        lwork: *const c_int,
        info: *mut c_int,
    );
    fn Cpdgemr2d(
        m: c_int,
        n: c_int,
        a: *const f64,
        ia: c_int,
        ja: c_int,
        desca: *const c_int,
        b: *mut f64,
        ib: c_int,
        jb: c_int,
        descb: *const c_int,
        context: c_int,
    );
}

/// The index of the first row and column.
static FIRST: c_int = 1;

/// The number of rows or columns of a matrix that one of `processes` holds in blocks.
pub(crate) fn local_count(n: i32, block: i32, process: i32, processes: i32) -> i32 {
    let first = 0;
    // SAFETY: all arguments are read only.
    unsafe {
        numroc_(
            &raw const n,
            &raw const block,
            &raw const process,
            &raw const first,
            &raw const processes,
        )
    }
}

/// The descriptor of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptor([c_int; 9]);

impl Descriptor {
    /// Describes a matrix of m×n in blocks on a grid, whose local part has `leading` rows.
    pub fn new(context: &Context, (m, n): (i32, i32), block: i32, leading: i32) -> Self {
        Self([1, context.handle(), m, n, block, block, 0, 0, leading.max(1)])
    }

    /// The number of rows.
    fn rows(&self) -> i32 {
        self.0[2]
    }

    /// The number of columns.
    fn columns(&self) -> i32 {
        self.0[3]
    }
}

/// The local part of a matrix, which has the size of its descriptor on this process.
#[derive(Debug)]
pub(crate) struct Operand<'a> {
    /// The elements, column by column.
    pub elements: &'a mut [f64],
    /// The matrix.
    pub descriptor: Descriptor,
}

/// A letter in the upper case, as an argument.
fn letter(letter: u8) -> c_char {
    letter.to_ascii_uppercase() as c_char
}

/// C = op(A)·op(B) + C, with the letters of the transpositions and k.
pub(crate) fn pdgemm(
    variant: [u8; 2],
    k: i32,
    a: &Operand<'_>,
    b: &Operand<'_>,
    c: &mut Operand<'_>,
) {
    let ([ta, tb], one) = (variant.map(letter), 1.0);
    let (m, n, desca, descb, descc) = (
        c.descriptor.rows(),
        c.descriptor.columns(),
        a.descriptor.0,
        b.descriptor.0,
        c.descriptor.0,
    );
    let first = &raw const FIRST;
    // SAFETY: local parts have the sizes of their descriptors, which PBLAS checks against m, n and
    // k.
    unsafe {
        pdgemm_(
            &raw const ta,
            &raw const tb,
            &raw const m,
            &raw const n,
            &raw const k,
            &raw const one,
            a.elements.as_ptr(),
            first,
            first,
            desca.as_ptr(),
            b.elements.as_ptr(),
            first,
            first,
            descb.as_ptr(),
            &raw const one,
            c.elements.as_mut_ptr(),
            first,
            first,
            descc.as_ptr(),
            1,
            1,
        );
    }
}

/// B = op(A)⁻¹·B or B·op(A)⁻¹, with the letters of side, triangle and transposition.
pub(crate) fn pdtrsm(variant: [u8; 3], a: &Operand<'_>, b: &mut Operand<'_>) {
    let ([side, uplo, trans], diag, one) = (variant.map(letter), letter(b'n'), 1.0);
    let (m, n, desca, descb) =
        (b.descriptor.rows(), b.descriptor.columns(), a.descriptor.0, b.descriptor.0);
    let first = &raw const FIRST;
    // SAFETY: as for pdgemm.
    unsafe {
        pdtrsm_(
            &raw const side,
            &raw const uplo,
            &raw const trans,
            &raw const diag,
            &raw const m,
            &raw const n,
            &raw const one,
            a.elements.as_ptr(),
            first,
            first,
            desca.as_ptr(),
            b.elements.as_mut_ptr(),
            first,
            first,
            descb.as_ptr(),
            1,
            1,
            1,
            1,
        );
    }
}

/// C = op(A)·op(A)ᵀ + C in one triangle, with the letters of triangle and transposition, and k.
pub(crate) fn pdsyrk(variant: [u8; 2], k: i32, a: &Operand<'_>, c: &mut Operand<'_>) {
    let ([uplo, trans], one) = (variant.map(letter), 1.0);
    let (n, desca, descc) = (c.descriptor.rows(), a.descriptor.0, c.descriptor.0);
    let first = &raw const FIRST;
    // SAFETY: as for pdgemm.
    unsafe {
        pdsyrk_(
            &raw const uplo,
            &raw const trans,
            &raw const n,
            &raw const k,
            &raw const one,
            a.elements.as_ptr(),
            first,
            first,
            desca.as_ptr(),
            &raw const one,
            c.elements.as_mut_ptr(),
            first,
            first,
            descc.as_ptr(),
            1,
            1,
        );
    }
}

/// The LU factorisation of A. Pivots have an element for each local row, and a block more. Returns
/// `info`.
pub(crate) fn pdgetrf(a: &mut Operand<'_>, pivots: &mut [i32]) -> i32 {
    let (m, n, desc, mut info) = (a.descriptor.rows(), a.descriptor.columns(), a.descriptor.0, 0);
    let first = &raw const FIRST;
    assert!(pivots.len() as i64 >= i64::from(desc[8]) + i64::from(desc[4]), "pivots are too short");
    // SAFETY: the local part has the size of its descriptor, the pivots are checked.
    unsafe {
        pdgetrf_(
            &raw const m,
            &raw const n,
            a.elements.as_mut_ptr(),
            first,
            first,
            desc.as_ptr(),
            pivots.as_mut_ptr(),
            &raw mut info,
        );
    }
    info
}

/// Solves A·X = B with the factors of [`pdgetrf`]. Returns `info`.
pub(crate) fn pdgetrs(a: &Operand<'_>, pivots: &[i32], b: &mut Operand<'_>) -> i32 {
    let (n, columns, desca, descb) =
        (a.descriptor.rows(), b.descriptor.columns(), a.descriptor.0, b.descriptor.0);
    let (trans, mut info) = (letter(b'n'), 0);
    let first = &raw const FIRST;
    assert!(
        pivots.len() as i64 >= i64::from(desca[8]) + i64::from(desca[4]),
        "pivots are too short"
    );
    // SAFETY: as for pdgetrf.
    unsafe {
        pdgetrs_(
            &raw const trans,
            &raw const n,
            &raw const columns,
            a.elements.as_ptr(),
            first,
            first,
            desca.as_ptr(),
            pivots.as_ptr(),
            b.elements.as_mut_ptr(),
            first,
            first,
            descb.as_ptr(),
            &raw mut info,
            1,
        );
    }
    info
}

/// The Cholesky factorisation of A, with the letter of the triangle. Returns `info`.
pub(crate) fn pdpotrf(uplo: u8, a: &mut Operand<'_>) -> i32 {
    let (uplo, n, desc, mut info) = (letter(uplo), a.descriptor.rows(), a.descriptor.0, 0);
    let first = &raw const FIRST;
    // SAFETY: the local part has the size of its descriptor.
    unsafe {
        pdpotrf_(
            &raw const uplo,
            &raw const n,
            a.elements.as_mut_ptr(),
            first,
            first,
            desc.as_ptr(),
            &raw mut info,
            1,
        );
    };
    info
}

/// Solves A·X = B with the factor of [`pdpotrf`]. Returns `info`.
pub(crate) fn pdpotrs(uplo: u8, a: &Operand<'_>, b: &mut Operand<'_>) -> i32 {
    let (n, columns, desca, descb) =
        (a.descriptor.rows(), b.descriptor.columns(), a.descriptor.0, b.descriptor.0);
    let (uplo, mut info) = (letter(uplo), 0);
    let first = &raw const FIRST;
    // SAFETY: as for pdpotrf.
    unsafe {
        pdpotrs_(
            &raw const uplo,
            &raw const n,
            &raw const columns,
            a.elements.as_ptr(),
            first,
            first,
            desca.as_ptr(),
            b.elements.as_mut_ptr(),
            first,
            first,
            descb.as_ptr(),
            &raw mut info,
            1,
        );
    }
    info
}

/// The QR factorisation of A. `tau` has an element for each local column. Returns `info`; without
/// work space, `work` becomes its size.
pub(crate) fn pdgeqrf(a: &mut Operand<'_>, tau: &mut [f64], work: &mut Vec<f64>) -> i32 {
    let (m, n, desc, mut info) = (a.descriptor.rows(), a.descriptor.columns(), a.descriptor.0, 0);
    let first = &raw const FIRST;
    let is_query = work.is_empty();
    let length = if is_query { -1 } else { work.len().min(i32::MAX as usize) as c_int };
    if is_query {
        work.push(0.0);
    }
    // SAFETY: the local part has the size of its descriptor; ScaLAPACK checks the length of the
    // work space.
    unsafe {
        pdgeqrf_(
            &raw const m,
            &raw const n,
            a.elements.as_mut_ptr(),
            first,
            first,
            desc.as_ptr(),
            tau.as_mut_ptr(),
            work.as_mut_ptr(),
            &raw const length,
            &raw mut info,
        );
    }
    info
}

/// Copies A to B, which has another layout. All processes of `context` call this, those of neither
/// grid too.
pub(crate) fn pdgemr2d(a: &Operand<'_>, b: &mut Operand<'_>, context: &Context) {
    let (m, n) = (a.descriptor.rows(), a.descriptor.columns());
    // SAFETY: local parts have the sizes of their descriptors, and are not accessed outside their
    // grids.
    unsafe {
        Cpdgemr2d(
            m,
            n,
            a.elements.as_ptr(),
            FIRST,
            FIRST,
            a.descriptor.0.as_ptr(),
            b.elements.as_mut_ptr(),
            FIRST,
            FIRST,
            b.descriptor.0.as_ptr(),
            context.handle(),
        );
    }
}
