//! `HPL.dat`, the input of High-Performance Linpack.

use orrery_applications::run::hpl::{HplVariant, PanelForm, ProcessMapping, Swapping};
use orrery_base::file::Fault;

/// The parameters of a run of HPL that are written to its input.
///
/// The output goes to the screen; the threshold of the residual check is that of the `HPL.dat` that
/// HPL is distributed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// The order N of the matrix.
    pub order: u64,
    /// The block size NB.
    pub block: u32,
    /// The numbers of rows P and of columns Q of the process grid.
    pub grid: (u32, u32),
    /// The variant of the algorithm.
    pub variant: HplVariant,
}

/// The swapping threshold if rows are not swapped by a mix; HPL ignores it then.
const UNUSED_SWAPPING_THRESHOLD: u32 = 64;

/// The maximum length of the title, in characters: HPL reads lines of limited length.
const MAX_TITLE_LENGTH: usize = 120;

impl Input {
    /// The text of `HPL.dat` for a number of processes; `reason` is its title.
    ///
    /// HPL reads its 31 lines by position: two titles, then on each line a value and its
    /// description.
    ///
    /// # Errors
    ///
    /// A parameter that is 0, a grid with another number of processes, and a parameter of the
    /// variant that is unknown.
    pub fn text(&self, processes: u64, reason: &str) -> Result<String, Fault> {
        let Self { order, block, grid: (p, q), variant } = *self;
        let parameters = [
            ("order N", order),
            ("block size", block.into()),
            ("number of rows of the grid", p.into()),
            ("number of columns of the grid", q.into()),
        ];
        if let Some((parameter, _)) = parameters.into_iter().find(|(_, value)| *value == 0) {
            return Err(Fault::new(format!("the {parameter} is 0; give a whole number above 0")));
        }
        let product = u64::from(p) * u64::from(q);
        if product != processes {
            return Err(Fault::new(format!(
                "the grid {p}x{q} has {product} processes, not {processes}; give P and Q with P·Q \
                    = {processes}"
            )));
        }
        let HplVariant {
            code: Some(code),
            swap: Some(swap),
            l1: Some(l1),
            u: Some(u),
            equilibration: Some(equilibration),
            alignment: Some(alignment),
        } = variant
        else {
            return Err(Fault::new(format!(
                "the variant is unknown: {}; give it, or an HPL.dat that has it",
                variant.missing().join(", ")
            )));
        };
        let (swap, threshold) = match swap {
            Swapping::BinaryExchange => (0, UNUSED_SWAPPING_THRESHOLD),
            Swapping::SpreadRoll => (1, UNUSED_SWAPPING_THRESHOLD),
            Swapping::Mix { threshold } => (2, threshold),
        };
        let form = |form: PanelForm| u8::from(form == PanelForm::NotTransposed).to_string();
        let pmap = u8::from(code.mapping == ProcessMapping::ColumnMajor);
        let title: String = reason
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_TITLE_LENGTH)
            .collect();
        let values: [(String, &str); 29] = [
            ("HPL.out".into(), "output file name (if any)"),
            ("6".into(), "device out (6=stdout,7=stderr,file)"),
            ("1".into(), "# of problems sizes (N)"),
            (order.to_string(), "Ns"),
            ("1".into(), "# of NBs"),
            (block.to_string(), "NBs"),
            (pmap.to_string(), "PMAP process mapping (0=Row-,1=Column-major)"),
            ("1".into(), "# of process grids (P x Q)"),
            (p.to_string(), "Ps"),
            (q.to_string(), "Qs"),
            ("16.0".into(), "threshold"),
            ("1".into(), "# of panel fact"),
            ((code.panel as u8).to_string(), "PFACTs (0=left, 1=Crout, 2=Right)"),
            ("1".into(), "# of recursive stopping criterium"),
            (code.min_columns.to_string(), "NBMINs (>= 1)"),
            ("1".into(), "# of panels in recursion"),
            (code.divisions.to_string(), "NDIVs"),
            ("1".into(), "# of recursive panel fact."),
            ((code.recursive as u8).to_string(), "RFACTs (0=left, 1=Crout, 2=Right)"),
            ("1".into(), "# of broadcast"),
            ((code.broadcast as u8).to_string(), "BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)"),
            ("1".into(), "# of lookahead depth"),
            (code.depth.to_string(), "DEPTHs (>=0)"),
            (swap.to_string(), "SWAP (0=bin-exch,1=long,2=mix)"),
            (threshold.to_string(), "swapping threshold"),
            (form(l1), "L1 in (0=transposed,1=no-transposed) form"),
            (form(u), "U  in (0=transposed,1=no-transposed) form"),
            (u8::from(equilibration).to_string(), "Equilibration (0=no,1=yes)"),
            (alignment.to_string(), "memory alignment in double (> 0)"),
        ];
        let lines = values.map(|(value, description)| format!("{value:<12} {description}\n"));
        Ok(format!("HPL input file written by Orrery\n{title}\n{}", lines.concat()))
    }
}
