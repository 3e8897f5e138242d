use std::fmt;
use std::str::FromStr;

use super::Grid;
use crate::kernel::{KernelRoutine, Precision};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, UnknownName};

orrery_base::named_enum! {
    /// A routine of PBLAS or ScaLAPACK, without its precision.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RoutineKind {
        /// C = αAB + βC with C m×n and k products for each element.
        Gemm => "gemm",
        /// Solves AX = αB or XA = αB with a triangular A; B is m×n.
        Trsm => "trsm",
        /// C = αAAᵀ + βC, one triangle of C n×n, A n×k.
        Syrk => "syrk",
        /// LU factorisation of an m×n matrix with partial pivoting.
        Getrf => "getrf",
        /// Cholesky factorisation of an n×n matrix.
        Potrf => "potrf",
        /// QR factorisation of an m×n matrix.
        Geqrf => "geqrf",
    }
}

impl RoutineKind {
    /// The kernel that does the same on one processor; none for a QR factorisation.
    const fn kernel(self) -> Option<KernelRoutine> {
        match self {
            Self::Gemm => Some(KernelRoutine::Gemm),
            Self::Trsm => Some(KernelRoutine::Trsm),
            Self::Syrk => Some(KernelRoutine::Syrk),
            Self::Getrf => Some(KernelRoutine::Getrf),
            Self::Potrf => Some(KernelRoutine::Potrf),
            Self::Geqrf => None,
        }
    }

    /// What the routine does, in a few words.
    pub fn about(self) -> &'static str {
        self.kernel().map_or("QR factorisation", KernelRoutine::about)
    }

    /// The variants: transpositions (`n`, `t`), sides (`l`, `r`) and triangles (`u`, `l`), in the
    /// order of the arguments.
    pub fn variants(self) -> &'static [&'static str] {
        self.kernel().map_or(&[""], KernelRoutine::variants)
    }

    /// The dimensions that the routine has, of m, n and k.
    pub fn dimensions(self) -> [bool; 3] {
        self.kernel().map_or([true, true, false], KernelRoutine::dimensions)
    }
}

/// A routine with its precision: `pdgemm`.
///
/// ```
/// use orrery_program::routine::{Routine, RoutineKind};
/// let routine: Routine = "pdgemm".parse()?;
/// assert_eq!((routine.kind, routine.to_string()), (RoutineKind::Gemm, "pdgemm".to_owned()));
/// # Ok::<(), orrery_base::units::UnknownName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Routine {
    /// The precision.
    pub precision: Precision,
    /// The routine.
    pub kind: RoutineKind,
}

orrery_base::serde_as_text!(Routine);

impl Routine {
    /// All routines.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |kind| Precision::ALL.map(move |precision| Self { precision, kind });
        RoutineKind::ALL.into_iter().flat_map(of)
    }
}

/// The names of the routines in double precision.
const NAMES: [&str; 6] = ["pdgemm", "pdtrsm", "pdsyrk", "pdgetrf", "pdpotrf", "pdgeqrf"];

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("p{}{}", self.precision, self.kind))
    }
}

impl FromStr for Routine {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::all().find(|routine| routine.to_string() == text);
        let known = || NAMES.into_iter().chain(["the same with s, c or z in place of d"]).collect();
        found.ok_or_else(|| UnknownName {
            what: "parallel routine",
            name: text.to_owned(),
            known: known(),
        })
    }
}

/// A call of a parallel routine on a grid of processes.
///
/// ```
/// use orrery_program::routine::{Grid, RoutineCall};
/// use orrery_base::units::Bytes;
/// let grid = Grid { rows: 2, columns: 2, block: 64 };
/// let call = RoutineCall::new("pdgemm".parse()?, "nn", [1000; 3], grid)?;
/// assert_eq!((call.operations(), call.space()), (2e9, Bytes::new(3 * 8 * 512 * 512)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoutineCall {
    routine: Routine,
    variant: &'static str,
    dimensions: [u64; 3],
    grid: Grid,
}

/// The reason why a call is impossible, or has no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutineError {
    /// The routine has no such variant.
    #[error("{routine} has no variant '{variant}'; it has {known}")]
    Variant {
        /// The routine.
        routine: Routine,
        /// The variant.
        variant: String,
        /// The variants that the routine has.
        known: String,
    },
    /// A dimension is 0 or too large.
    #[error("{name} is {value}; dimensions of {routine} must be 1 to {MAX_DIMENSION}")]
    Dimension {
        /// The routine.
        routine: Routine,
        /// The dimension.
        name: char,
        /// Its value.
        value: u64,
    },
    /// A dimension of a redistributed matrix is 0 or too large.
    #[error("{name} is {value}; dimensions of a redistributed matrix must be 1 to {MAX_DIMENSION}")]
    MatrixDimension {
        /// The dimension.
        name: char,
        /// Its value.
        value: u64,
    },
    /// A redistributed matrix has too many elements for its bytes to be counted.
    #[error(
        "a matrix of {m}x{n} is too large to be redistributed; use at most {MAX_ELEMENTS} elements"
    )]
    Elements {
        /// The number of rows.
        m: u64,
        /// The number of columns.
        n: u64,
    },
    /// The block is 0 or too large.
    #[error("the size of a block is {0}; give 1 to {MAX_DIMENSION} rows and columns")]
    Block(u64),
    /// The grid has no process, or too many.
    #[error(transparent)]
    Grid(#[from] Fault),
    /// The routine takes too many steps.
    #[error(
        "{routine} takes more than {most} steps with these dimensions; use smaller dimensions or \
            larger blocks"
    )]
    Steps {
        /// The routine.
        routine: Routine,
        /// The largest number of steps.
        most: u64,
    },
}

/// The largest dimension of a call.
pub(super) const MAX_DIMENSION: u64 = 1 << 31;

/// The largest number of elements of a redistributed matrix, whose bytes are below 2⁶⁴.
pub(super) const MAX_ELEMENTS: u64 = 1 << 59;

/// The largest number of processes of a grid.
pub(super) const MAX_PROCESSES: u64 = 1 << 20;

impl RoutineCall {
    /// A call with dimensions m, n and k; those that the routine does not have are ignored.
    ///
    /// # Errors
    ///
    /// When the routine has no such variant, when a dimension or the block is 0 or larger than 2³¹,
    /// or when the grid has no process or more than 2²⁰.
    pub fn new(
        routine: Routine,
        variant: &str,
        dimensions: [u64; 3],
        grid: Grid,
    ) -> Result<Self, RoutineError> {
        let variants = routine.kind.variants();
        let Some(variant) = variants.iter().find(|known| **known == variant) else {
            let known = if variants == [""] { "none".to_owned() } else { variants.join(", ") };
            return Err(RoutineError::Variant { routine, variant: variant.to_owned(), known });
        };
        let mut own = dimensions;
        // n comes first: it is the one that all routines have.
        for (place, name) in [(1, 'n'), (0, 'm'), (2, 'k')] {
            let value = &mut own[place];
            if !routine.kind.dimensions()[place] {
                *value = 1;
            } else if *value == 0 || *value > MAX_DIMENSION {
                return Err(RoutineError::Dimension { routine, name, value: *value });
            }
        }
        grid.check()?;
        Ok(Self { routine, variant, dimensions: own, grid })
    }

    /// The routine.
    pub fn routine(&self) -> Routine {
        self.routine
    }

    /// The variant, one of [`RoutineKind::variants`].
    pub fn variant(&self) -> &'static str {
        self.variant
    }

    /// The dimensions m, n and k; 1 for those that the routine does not have.
    pub fn dimensions(&self) -> [u64; 3] {
        self.dimensions
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The number of floating-point operations on elements, by the leading terms of the usual
    /// formulas.
    pub fn operations(&self) -> f64 {
        if let Some(kernel) = self.routine.kind.kernel() {
            return kernel.operations(self.variant, self.dimensions);
        }
        // 2mn² − ⅔n³ for m ≥ n; a wide matrix has m reflectors, which are applied to n columns.
        let [m, n, _] = self.dimensions.map(|dimension| dimension as f64);
        let short = m.min(n);
        4.0 * m * n * short - 2.0 * (m + n) * short.powi(2) + 4.0 / 3.0 * short.powi(3)
    }

    /// The memory of the operands at the process with the largest parts, without the work space of
    /// the library.
    pub fn space(&self) -> Bytes {
        self.space_at(0, 0)
    }

    /// The memory of the operands at the process in this row and column of the grid, without the
    /// work space of the library.
    pub fn space_at(&self, row: u32, column: u32) -> Bytes {
        let [m, n, k] = self.dimensions;
        let part = |rows: u64, columns: u64| {
            let Grid { rows: p, columns: q, .. } = self.grid;
            self.grid
                .count_before(rows, row, p)
                .saturating_mul(self.grid.count_before(columns, column, q))
        };
        let transposed =
            |rows, columns, is: bool| if is { part(columns, rows) } else { part(rows, columns) };
        let letter = |place: usize, letter: char| self.variant.chars().nth(place) == Some(letter);
        let parts = match self.routine.kind {
            RoutineKind::Gemm => {
                [transposed(m, k, letter(0, 't')), transposed(k, n, letter(1, 't')), part(m, n)]
                    .into_iter()
                    .collect()
            }
            RoutineKind::Trsm if letter(0, 'r') => vec![part(n, n), part(m, n)],
            RoutineKind::Trsm => vec![part(m, m), part(m, n)],
            RoutineKind::Syrk => vec![transposed(n, k, letter(1, 't')), part(n, n)],
            RoutineKind::Getrf | RoutineKind::Geqrf => vec![part(m, n)],
            RoutineKind::Potrf => vec![part(n, n)],
        };
        let elements = parts.into_iter().fold(0_u64, u64::saturating_add);
        Bytes::new(elements.saturating_mul(self.routine.precision.element().get()))
    }
}
