/// How the processes of a run are laid out, whatever elements they run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layout {
    /// The number of processes, P.
    pub processes: u32,
    /// Rows and columns of the process grid, where the program has one; their product is `processes`.
    pub grid: Option<(u32, u32)>,
    /// The block size, where the program has one.
    pub block: Option<u32>,
}

/// How long the processing elements of each kind take, for a problem of one size: what a search minimises.
pub trait ElementTime {
    /// T_i in seconds of an element of this kind, by its place among the kinds of the cluster, with so many processes on
    /// it; `None` where the model says nothing of it.
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64>;
}
