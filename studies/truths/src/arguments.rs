//! The options of the program.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use orrery::units::{Bytes, SizeList};

/// Measure a cluster inside a simulator: communication, overheads and collective operations.
///
/// Writes FOLDER/NAME.comm.csv, .over.csv, .coll.csv and .sg.csv in the samples format.
#[derive(Debug, Parser)]
#[command(name = "orrery-truths", version, color = clap::ColorChoice::Never)]
pub(crate) struct Arguments {
    /// Write the samples into this folder
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Name of the cluster
    #[arg(long)]
    pub name: String,
    /// File with the host of each processor, one in a line
    #[arg(long, value_name = "FILE")]
    pub hosts: PathBuf,
    /// Simulator and its version, for the provenance of the samples
    #[arg(long, value_name = "TEXT")]
    pub simulator: String,
    /// Parameters of the cluster, for the provenance of the samples
    #[arg(long, value_name = "TEXT")]
    pub parameters: String,
    /// Seed of the noise and of the order of experiments
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Relative standard deviation of the noise that multiplies each time
    #[arg(long, value_name = "PART", default_value_t = 0.02)]
    pub noise: f64,
    /// Simulate each repetition by itself, since its time differs from the others
    #[arg(long)]
    pub varies: bool,
    /// Size of the messages of one-to-two experiments
    #[arg(long, value_name = "SIZE", default_value = "32K")]
    pub size: Bytes,
    /// Further sizes of round trips
    #[arg(long, value_name = "SIZES")]
    pub sizes: Option<SizeList>,
    /// Sizes of trains
    #[arg(
        long,
        value_name = "SIZES",
        default_value = "0,64,256,1K,2K,4K,8K,12K,16K,24K,32K,48K,64K"
    )]
    pub train_sizes: SizeList,
    /// Sizes of collective operations
    #[arg(long, value_name = "SIZES", default_value = "1K,4K,16K,64K,256K")]
    pub collective_sizes: SizeList,
    /// Largest size of the blocks of allgathers and alltoalls
    #[arg(long, value_name = "SIZE", default_value = "256K")]
    pub largest_block: Bytes,
    /// Command of the player
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub player: Vec<OsString>,
}
