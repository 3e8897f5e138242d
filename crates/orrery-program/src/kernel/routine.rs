use std::fmt;
use std::str::FromStr;

use super::Term;
use orrery_base::units::{Bytes, UnknownName};

/// The type of the elements of a matrix, by its letter in BLAS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// Real numbers of 4 bytes, `s`.
    Single,
    /// Real numbers of 8 bytes, `d`.
    Double,
    /// Complex numbers of 8 bytes, `c`.
    Complex,
    /// Complex numbers of 16 bytes, `z`.
    DoubleComplex,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Self; 4] = [Self::Single, Self::Double, Self::Complex, Self::DoubleComplex];

    /// The letter in the names of kernels.
    pub fn letter(self) -> char {
        match self {
            Self::Single => 's',
            Self::Double => 'd',
            Self::Complex => 'c',
            Self::DoubleComplex => 'z',
        }
    }

    /// The size of an element.
    pub fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Single => 4,
            Self::Double | Self::Complex => 8,
            Self::DoubleComplex => 16,
        })
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl FromStr for Precision {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let find =
            Self::ALL.into_iter().find(|one| text.len() == 1 && text.starts_with(one.letter()));
        find.ok_or_else(|| UnknownName {
            what: "precision",
            name: text.to_owned(),
            known: vec!["s", "d", "c", "z"],
        })
    }
}

/// A routine of BLAS or LAPACK, or the addition of matrices, without its precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelRoutine {
    /// C = αAB + βC with C m×n and k products for each element.
    Gemm,
    /// Solves AX = αB or XA = αB with a triangular A; B is m×n.
    Trsm,
    /// C = αAAᵀ + βC, one triangle of C n×n, A n×k.
    Syrk,
    /// y = αAx + βy with A m×n.
    Gemv,
    /// A = αxyᵀ + A with A m×n.
    Ger,
    /// B = αAB or αBA with a triangular A; B is m×n.
    Trmm,
    /// y = αx + y of n elements.
    Axpy,
    /// LU factorisation of an m×n matrix with partial pivoting.
    Getrf,
    /// Cholesky factorisation of an n×n matrix.
    Potrf,
    /// B = A + B of m×n matrices.
    Add,
}

impl KernelRoutine {
    /// All routines.
    pub const ALL: [Self; 10] = [
        Self::Gemm,
        Self::Trsm,
        Self::Syrk,
        Self::Trmm,
        Self::Gemv,
        Self::Ger,
        Self::Axpy,
        Self::Getrf,
        Self::Potrf,
        Self::Add,
    ];

    /// The name without the letter of the precision.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::Trsm => "trsm",
            Self::Syrk => "syrk",
            Self::Gemv => "gemv",
            Self::Ger => "ger",
            Self::Trmm => "trmm",
            Self::Axpy => "axpy",
            Self::Getrf => "getrf",
            Self::Potrf => "potrf",
            Self::Add => "add",
        }
    }

    /// What the routine does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Gemm => "product of matrices",
            Self::Trsm => "triangular solve with several right-hand sides",
            Self::Syrk => "product of a matrix and its transpose",
            Self::Gemv => "product of a matrix and a vector",
            Self::Ger => "sum of a matrix and the product of a column and a row",
            Self::Trmm => "product of a triangular matrix and another one",
            Self::Axpy => "sum of a scaled vector and another one",
            Self::Getrf => "LU factorisation",
            Self::Potrf => "Cholesky factorisation",
            Self::Add => "sum of matrices",
        }
    }

    /// The variants: transpositions (`n`, `t`), sides (`l`, `r`) and triangles (`u`, `l`), in the
    /// order of the arguments of the routine: `nt` of gemm, `lun` of trsm.
    pub fn variants(self) -> &'static [&'static str] {
        match self {
            Self::Gemm => &["nn", "nt", "tn", "tt"],
            Self::Trsm | Self::Trmm => &["lln", "llt", "lun", "lut", "rln", "rlt", "run", "rut"],
            Self::Syrk => &["ln", "lt", "un", "ut"],
            Self::Gemv => &["n", "t"],
            Self::Potrf => &["l", "u"],
            Self::Ger | Self::Axpy | Self::Getrf | Self::Add => &[""],
        }
    }

    /// The dimensions that the routine has, of m, n and k.
    pub fn dimensions(self) -> [bool; 3] {
        match self {
            Self::Gemm => [true, true, true],
            Self::Trsm | Self::Trmm | Self::Gemv | Self::Ger | Self::Getrf | Self::Add => {
                [true, true, false]
            }
            Self::Syrk => [false, true, true],
            Self::Axpy | Self::Potrf => [false, true, false],
        }
    }

    /// The terms of the time of a variant, the number of operations first, a constant last.
    ///
    /// | routine | terms |
    /// |---|---|
    /// | gemm | mnk, mn, mk, nk, 1 |
    /// | trsm, trmm, A on the left | m²n, mn, m², n, 1; on the right with m and n exchanged |
    /// | syrk | n²k, n², nk, n, 1 |
    /// | gemv, ger, add | mn, m, n, 1 |
    /// | axpy | n, 1 |
    /// | getrf | m n·min(m, n) as mn² and m²n, mn, n², m, n, 1 |
    /// | potrf | n³, n², n, 1 |
    pub fn terms(self, variant: &str) -> Vec<Term> {
        let powers: &[[u8; 3]] = match self {
            Self::Gemm => &[[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]],
            Self::Trsm | Self::Trmm if variant.starts_with('r') => {
                &[[1, 2, 0], [1, 1, 0], [0, 2, 0], [1, 0, 0]]
            }
            Self::Trsm | Self::Trmm => &[[2, 1, 0], [1, 1, 0], [2, 0, 0], [0, 1, 0]],
            Self::Syrk => &[[0, 2, 1], [0, 2, 0], [0, 1, 1], [0, 1, 0]],
            Self::Gemv | Self::Ger | Self::Add => &[[1, 1, 0], [1, 0, 0], [0, 1, 0]],
            Self::Axpy => &[[0, 1, 0]],
            Self::Getrf => &[[1, 2, 0], [2, 1, 0], [1, 1, 0], [0, 2, 0], [1, 0, 0], [0, 1, 0]],
            Self::Potrf => &[[0, 3, 0], [0, 2, 0], [0, 1, 0]],
        };
        powers.iter().copied().chain([[0; 3]]).map(|[m, n, k]| Term { m, n, k }).collect()
    }
}

impl KernelRoutine {
    /// The terms of the memory of a variant: the sizes of its operands.
    pub fn operand_terms(self, variant: &str) -> Vec<Term> {
        let powers: &[[u8; 3]] = match self {
            Self::Gemm => &[[1, 0, 1], [0, 1, 1], [1, 1, 0]],
            Self::Trsm | Self::Trmm if variant.starts_with('r') => &[[1, 1, 0], [0, 2, 0]],
            Self::Trsm | Self::Trmm => &[[1, 1, 0], [2, 0, 0]],
            Self::Syrk => &[[0, 1, 1], [0, 2, 0]],
            Self::Gemv | Self::Ger => &[[1, 1, 0], [1, 0, 0], [0, 1, 0]],
            Self::Axpy => &[[0, 1, 0]],
            Self::Getrf | Self::Add => &[[1, 1, 0]],
            Self::Potrf => &[[0, 2, 0]],
        };
        powers.iter().map(|&[m, n, k]| Term { m, n, k }).collect()
    }
}

/// A routine with its precision: `dgemm`.
///
/// ```
/// use orrery_program::kernel::{Kernel, KernelRoutine, Precision};
/// let kernel: Kernel = "dgemm".parse()?;
/// assert_eq!(kernel, Kernel { precision: Precision::Double, routine: KernelRoutine::Gemm });
/// assert_eq!(kernel.to_string(), "dgemm");
/// # Ok::<(), orrery_base::units::UnknownName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kernel {
    /// The precision.
    pub precision: Precision,
    /// The routine.
    pub routine: KernelRoutine,
}

impl Kernel {
    /// All kernels.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |routine| Precision::ALL.map(move |precision| Self { precision, routine });
        KernelRoutine::ALL.into_iter().flat_map(of)
    }
}

impl Kernel {
    /// The kernel whose times replace those of one that was not measured: axpy for ger, trsm for
    /// trmm. `None` for other kernels.
    pub fn substitute(self) -> Option<Self> {
        let routine = match self.routine {
            KernelRoutine::Ger => KernelRoutine::Axpy,
            KernelRoutine::Trmm => KernelRoutine::Trsm,
            _ => return None,
        };
        Some(Self { routine, ..self })
    }
}

/// The names of the kernels in double precision.
const NAMES: [&str; 10] =
    ["dgemm", "dtrsm", "dsyrk", "dtrmm", "dgemv", "dger", "daxpy", "dgetrf", "dpotrf", "dadd"];

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", self.precision.letter(), self.routine.name()))
    }
}

impl FromStr for Kernel {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::all().find(|kernel| kernel.to_string() == text);
        let known = || NAMES.into_iter().chain(["the same with s, c or z in place of d"]).collect();
        found.ok_or_else(|| UnknownName { what: "kernel", name: text.to_owned(), known: known() })
    }
}
