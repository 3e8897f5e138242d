//! What is measured: routines with their variants, dimensions, blocks and grids.

use std::fmt;
use std::str::FromStr;

/// A routine of ScaLAPACK in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Routine {
    /// C = op(A)·op(B) + C.
    Gemm,
    /// A triangular solve.
    Trsm,
    /// C = op(A)·op(A)ᵀ + C.
    Syrk,
    /// The LU factorisation.
    Getrf,
    /// The Cholesky factorisation.
    Potrf,
    /// The QR factorisation.
    Geqrf,
    /// The redistribution between grids.
    Gemr2d,
}

impl Routine {
    /// All routines.
    pub const ALL: [Self; 7] =
        [Self::Gemm, Self::Trsm, Self::Syrk, Self::Getrf, Self::Potrf, Self::Geqrf, Self::Gemr2d];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gemm => "pdgemm",
            Self::Trsm => "pdtrsm",
            Self::Syrk => "pdsyrk",
            Self::Getrf => "pdgetrf",
            Self::Potrf => "pdpotrf",
            Self::Geqrf => "pdgeqrf",
            Self::Gemr2d => "pdgemr2d",
        }
    }

    /// The variants: transpositions, sides and triangles, in the order of the arguments. The first
    /// one is the default.
    pub const fn variants(self) -> &'static [&'static str] {
        match self {
            Self::Gemm => &["nn", "nt", "tn", "tt"],
            Self::Trsm => &["lun", "lut", "lln", "llt", "run", "rut", "rln", "rlt"],
            Self::Syrk => &["ln", "lt", "un", "ut"],
            Self::Potrf => &["l", "u"],
            Self::Getrf | Self::Geqrf | Self::Gemr2d => &[""],
        }
    }

    /// The dimensions that the routine has, of m, n and k.
    const fn dimensions(self) -> [bool; 3] {
        match self {
            Self::Gemm => [true; 3],
            Self::Trsm | Self::Getrf | Self::Geqrf | Self::Gemr2d => [true, true, false],
            Self::Syrk => [false, true, true],
            Self::Potrf => [false, true, false],
        }
    }
}

impl FromStr for Routine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|routine| routine.name() == text);
        found.ok_or_else(|| format!("unknown routine; the routines are {}", names()))
    }
}

/// The largest dimension.
const MAX_DIMENSION: i32 = 1_000_000;

/// The dimensions m, n and k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size([i32; 3]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<i32>, _> = text.split('x').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[n]) => Self::checked([n; 3]),
            Ok(&[m, n, k]) => Self::checked([m, n, k]),
            _ => {
                Err("a size is a number, such as 512, or three, such as 512x64x512 for m, n and k"
                    .into())
            }
        }
    }
}

impl Size {
    /// Checks dimensions.
    fn checked(dimensions: [i32; 3]) -> Result<Self, String> {
        match dimensions.into_iter().find(|dimension| !(1..=MAX_DIMENSION).contains(dimension)) {
            Some(wrong) => {
                Err(format!("a dimension is {wrong}; dimensions are 1 to {MAX_DIMENSION}"))
            }
            None => Ok(Self(dimensions)),
        }
    }
}

/// The shape of a grid of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The number of rows.
    pub rows: i32,
    /// The number of columns.
    pub columns: i32,
}

/// The largest number of rows or columns of a grid.
const MAX_GRID_SIDE: i32 = 10_000;

impl Grid {
    /// The number of processes.
    pub const fn processes(self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Rows and columns.
    pub const fn shape(self) -> (i32, i32) {
        (self.rows, self.columns)
    }
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_GRID_SIDE).contains(side));
        let grid = text
            .split_once('x')
            .and_then(|(rows, columns)| Some(Self { rows: side(rows)?, columns: side(columns)? }));
        grid.ok_or_else(|| {
            format!("a grid is ROWSxCOLUMNS, such as 2x2, each 1 to {MAX_GRID_SIDE}")
        })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// A call that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    /// The routine.
    pub routine: Routine,
    /// Its variant.
    pub variant: &'static str,
    /// The dimensions m, n and k; 1 where the routine has none.
    pub dimensions: [i32; 3],
    /// The number of rows and columns of a block.
    pub block: i32,
    /// The grid.
    pub grid: Grid,
    /// The grid to which matrices are redistributed.
    pub to: Option<Grid>,
}

impl Case {
    /// The number of the ranks that take part.
    pub fn processes(&self) -> usize {
        self.grid.processes().max(self.to.map_or(0, Grid::processes))
    }

    /// The letters of the variant.
    pub fn letters<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|place| self.variant.as_bytes()[place])
    }

    /// The first fields of a row: routine, variant, dimensions and block.
    pub fn fields(&self) -> String {
        let dimension = |place: usize| {
            let exists = self.routine.dimensions()[place];
            if exists { self.dimensions[place].to_string() } else { String::new() }
        };
        let [m, n, k] = [0, 1, 2].map(dimension);
        format!("{},{},{m},{n},{k},{}", self.routine.name(), self.variant, self.block)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.routine.name())?;
        if !self.variant.is_empty() {
            write!(f, " {}", self.variant)?;
        }
        for ((name, exists), dimension) in
            ["m", "n", "k"].iter().zip(self.routine.dimensions()).zip(self.dimensions)
        {
            if exists {
                write!(f, " {name}={dimension}")?;
            }
        }
        write!(f, " block {} on {}", self.block, self.grid)?;
        self.to.map_or(Ok(()), |to| write!(f, " to {to}"))
    }
}

/// What is requested: all combinations are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    /// The routines.
    pub routines: Vec<Routine>,
    /// The variants, or `all`; empty for the default of each routine.
    pub variants: Vec<String>,
    /// The grids.
    pub grids: Vec<Grid>,
    /// The dimensions.
    pub sizes: Vec<Size>,
    /// The blocks.
    pub blocks: Vec<i32>,
}

impl Request {
    /// The cases of a job with `ranks` ranks, each one once.
    ///
    /// # Errors
    ///
    /// When a grid is larger than the job, no routine has a variant, or a redistribution lacks a
    /// second grid.
    pub fn cases(&self, ranks: usize) -> Result<Vec<Case>, String> {
        if let Some(grid) = self.grids.iter().find(|grid| grid.processes() > ranks) {
            let needed = grid.processes();
            return Err(format!(
                "the grid {grid} has {needed} processes, but the job has {ranks}; start it with \
                    mpirun -n {needed}"
            ));
        }
        self.check_variants()?;
        let mut cases = Vec::new();
        for &routine in &self.routines {
            for &block in &self.blocks {
                for &Size(mut dimensions) in &self.sizes {
                    for (dimension, exists) in dimensions.iter_mut().zip(routine.dimensions()) {
                        *dimension = if exists { *dimension } else { 1 };
                    }
                    for &variant in &self.variants_of(routine) {
                        for (grid, to) in self.grids_of(routine)? {
                            let case = Case { routine, variant, dimensions, block, grid, to };
                            if !cases.contains(&case) {
                                cases.push(case);
                            }
                        }
                    }
                }
            }
        }
        Ok(cases)
    }

    /// Checks that each variant is one of a routine.
    fn check_variants(&self) -> Result<(), String> {
        let known: Vec<&str> = self
            .routines
            .iter()
            .flat_map(|routine| routine.variants())
            .copied()
            .filter(|one| !one.is_empty())
            .collect();
        match self.variants.iter().find(|one| *one != "all" && !known.contains(&one.as_str())) {
            Some(_) if known.is_empty() => {
                Err("these routines have no variants; leave out --variants".into())
            }
            Some(wrong) => Err(format!(
                "no routine has the variant {wrong:?}; the variants are all, {}",
                known.join(", ")
            )),
            None => Ok(()),
        }
    }

    /// The requested variants of a routine, its default if there are none.
    fn variants_of(&self, routine: Routine) -> Vec<&'static str> {
        let is_requested = |one: &&&str| {
            self.variants.iter().any(|requested| requested == "all" || requested == **one)
        };
        let requested: Vec<&str> =
            routine.variants().iter().filter(is_requested).copied().collect();
        if requested.is_empty() { vec![routine.variants()[0]] } else { requested }
    }

    /// The grids of a routine; pairs of different ones for a redistribution.
    fn grids_of(&self, routine: Routine) -> Result<Vec<(Grid, Option<Grid>)>, String> {
        if routine != Routine::Gemr2d {
            return Ok(self.grids.iter().map(|&grid| (grid, None)).collect());
        }
        let pairs =
            self.grids.iter().flat_map(|&from| self.grids.iter().map(move |&to| (from, Some(to))));
        let pairs: Vec<_> = pairs.filter(|&(from, to)| to != Some(from)).collect();
        if pairs.is_empty() {
            return Err(
                "pdgemr2d copies matrices between two grids; name another one with --grids".into(),
            );
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(routines: &[Routine], variants: &[&str], grids: &[&str], sizes: &[&str]) -> Request {
        Request {
            routines: routines.to_vec(),
            variants: variants.iter().map(|&one| one.to_owned()).collect(),
            grids: grids.iter().map(|grid| grid.parse().expect("a grid")).collect(),
            sizes: sizes.iter().map(|size| size.parse().expect("a size")).collect(),
            blocks: vec![64],
        }
    }

    #[test]
    fn cases_are_all_combinations_once() {
        let all = request(
            &[Routine::Gemm, Routine::Potrf],
            &["nt", "nn"],
            &["2x2", "1x4"],
            &["256", "512x256x64"],
        );
        let cases = all.cases(4).expect("cases");
        // Both sizes are the same one of pdpotrf.
        assert_eq!(cases.len(), 2 * 2 * 2 + 2);
        assert_eq!(cases[0].to_string(), "pdgemm nn m=256 n=256 k=256 block 64 on 2x2");
        assert_eq!(cases[8].fields(), "pdpotrf,l,,256,,64");
    }

    #[test]
    fn redistributions_have_two_grids() {
        let cases = request(&[Routine::Gemr2d], &[], &["2x2", "1x4", "4x1"], &["8"])
            .cases(4)
            .expect("cases");
        assert_eq!(cases.len(), 6);
        assert!(cases.iter().all(|case| case.to.is_some_and(|to| to != case.grid)));
        let one = request(&[Routine::Gemr2d], &[], &["2x2"], &["8"]).cases(4);
        assert!(one.is_err_and(|reason| reason.contains("another one with --grids")));
    }

    #[test]
    fn wrong_requests_are_refused() {
        let large =
            request(&[Routine::Gemm], &[], &["2x3"], &["8"]).cases(4).expect_err("too few ranks");
        assert_eq!(
            large,
            "the grid 2x3 has 6 processes, but the job has 4; start it with mpirun -n 6"
        );
        let variant = request(&[Routine::Gemm], &["lun"], &["1x1"], &["8"])
            .cases(4)
            .expect_err("another routine's");
        assert_eq!(
            variant,
            "no routine has the variant \"lun\"; the variants are all, nn, nt, tn, tt"
        );
        let none =
            request(&[Routine::Getrf], &["l"], &["1x1"], &["8"]).cases(4).expect_err("no variants");
        assert_eq!(none, "these routines have no variants; leave out --variants");
        for wrong in ["", "0", "-1", "8x8", "8x8x8x8", "1e3", "2000000", "8x0x8"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong:?}");
        }
        for wrong in ["", "4", "2x", "0x4", "2x2x2", "-1x4"] {
            assert!(wrong.parse::<Grid>().is_err(), "{wrong:?}");
        }
        assert!("dgemm".parse::<Routine>().is_err_and(|reason| reason.contains("pdgemm, pdtrsm")));
    }
}
