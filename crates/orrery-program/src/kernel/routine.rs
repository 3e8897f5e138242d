use std::fmt;
use std::str::FromStr;

use super::Term;
use orrery_base::units::{Bytes, UnknownName};

orrery_base::named_enum! {
    /// The type of the elements of a matrix, by its letter in BLAS.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Precision: "precision" {
        /// Real numbers of 4 bytes.
        Single => "s",
        /// Real numbers of 8 bytes.
        Double => "d",
        /// Complex numbers of 8 bytes.
        Complex => "c",
        /// Complex numbers of 16 bytes.
        DoubleComplex => "z",
    }
}

impl Precision {
    /// The size of an element.
    pub fn element(self) -> Bytes {
        Bytes::new(match self {
            Self::Single => 4,
            Self::Double | Self::Complex => 8,
            Self::DoubleComplex => 16,
        })
    }
}

orrery_base::named_enum! {
    /// A routine of BLAS or LAPACK, or the addition of matrices, without its precision.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum KernelRoutine {
        /// C = αAB + βC with C m×n and k products for each element.
        Gemm = 0 => "gemm",
        /// Solves AX = αB or XA = αB with a triangular A; B is m×n.
        Trsm = 1 => "trsm",
        /// C = αAAᵀ + βC, one triangle of C n×n, A n×k.
        Syrk = 2 => "syrk",
        /// B = αAB or αBA with a triangular A; B is m×n.
        Trmm = 5 => "trmm",
        /// y = αAx + βy with A m×n.
        Gemv = 3 => "gemv",
        /// A = αxyᵀ + A with A m×n.
        Ger = 4 => "ger",
        /// y = αx + y of n elements.
        Axpy = 6 => "axpy",
        /// LU factorisation of an m×n matrix with partial pivoting.
        Getrf = 7 => "getrf",
        /// Cholesky factorisation of an n×n matrix.
        Potrf = 8 => "potrf",
        /// B = A + B of m×n matrices.
        Add = 9 => "add",
    }
}

impl KernelRoutine {
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
    /// The number of floating-point operations of a variant on elements, by the leading terms of the
    /// usual formulas.
    pub fn operations(self, variant: &str, dimensions: [u64; 3]) -> f64 {
        let [m, n, k] = dimensions.map(|dimension| dimension as f64);
        match self {
            Self::Gemm => 2.0 * m * n * k,
            Self::Trsm | Self::Trmm if variant.starts_with('r') => m * n * n,
            Self::Trsm | Self::Trmm => m * m * n,
            Self::Syrk => n * n * k,
            Self::Gemv | Self::Ger => 2.0 * m * n,
            Self::Axpy => 2.0 * n,
            Self::Getrf => {
                let short = m.min(n);
                2.0 * m * n * short - (m + n) * short.powi(2) + 2.0 / 3.0 * short.powi(3)
            }
            Self::Potrf => n.powi(3) / 3.0,
            Self::Add => m * n,
        }
    }

    /// The sizes of the operands of a variant as powers of m, n and k, and the number of operands of
    /// each size.
    fn operands(self, variant: &str) -> (&'static [[u8; 3]], u64) {
        match self {
            Self::Gemm => (&[[1, 0, 1], [0, 1, 1], [1, 1, 0]], 1),
            Self::Trsm | Self::Trmm if variant.starts_with('r') => (&[[1, 1, 0], [0, 2, 0]], 1),
            Self::Trsm | Self::Trmm => (&[[1, 1, 0], [2, 0, 0]], 1),
            Self::Syrk => (&[[0, 1, 1], [0, 2, 0]], 1),
            Self::Gemv | Self::Ger => (&[[1, 1, 0], [1, 0, 0], [0, 1, 0]], 1),
            Self::Axpy => (&[[0, 1, 0]], 2),
            Self::Getrf => (&[[1, 1, 0]], 1),
            Self::Add => (&[[1, 1, 0]], 2),
            Self::Potrf => (&[[0, 2, 0]], 1),
        }
    }

    /// The terms of the memory of a variant: the sizes of its operands.
    pub fn operand_terms(self, variant: &str) -> Vec<Term> {
        self.operands(variant).0.iter().map(|&[m, n, k]| Term { m, n, k }).collect()
    }

    /// The number of elements of all operands of a variant.
    pub(super) fn elements(self, variant: &str, dimensions: [u64; 3]) -> u64 {
        let (operands, count) = self.operands(variant);
        let elements = |powers: &[u8; 3]| {
            dimensions
                .iter()
                .zip(powers)
                .map(|(one, power)| one.pow((*power).into()))
                .product::<u64>()
        };
        count * operands.iter().map(elements).sum::<u64>()
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

orrery_base::serde_as_text!(Precision, Kernel);

/// The names of the kernels in double precision.
const NAMES: [&str; 10] =
    ["dgemm", "dtrsm", "dsyrk", "dtrmm", "dgemv", "dger", "daxpy", "dgetrf", "dpotrf", "dadd"];

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", self.precision, self.routine))
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
