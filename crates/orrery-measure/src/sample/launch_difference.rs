/// A difference between launches of a campaign that the spread of their readings does not explain.
///
/// Placement of processes, memory layout and other load change from launch to launch and from day
/// to day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaunchDifference {
    /// The largest number of launches that measured one experiment.
    pub launches: usize,
    /// The typical standard deviation of the medians of launches, relative to their mean.
    pub between: f64,
    /// The typical standard deviation of such medians if launches do not differ.
    pub expected: f64,
}
