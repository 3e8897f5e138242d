//! The campaigns: communication, overheads, and collective operations with several algorithms.

use std::error::Error;
use std::path::Path;

use orrery::measure::{
    Campaign, CollectiveDesign, CommDesign, Design, OverheadDesign, Precision, TrainDesign,
    TrainPairs, TrainSizes,
};
use orrery::sample::{Provenance, file};
use orrery::schedule::{Algorithm, CollectiveKind, Timing};
use orrery::units::{Bytes, SizeList};
use orrery::{Experiment, Machine, Processor, Samples};

use crate::arguments::Arguments;
use crate::player::{Options, Player};

/// The number of readings of each experiment.
const REPETITIONS: u32 = 3;

/// The operations with the algorithms that are compared.
const OPERATIONS: &[(CollectiveKind, &[&str])] = &[
    (CollectiveKind::Broadcast, &["linear", "binomial", "pipeline:8K", "scatter-allgather"]),
    (CollectiveKind::Scatter, &["linear", "binomial"]),
    (CollectiveKind::Gather, &["linear", "binomial"]),
    (CollectiveKind::Reduce, &["linear", "binomial"]),
    (CollectiveKind::Allgather, &["linear-nb", "ring", "bruck"]),
    (CollectiveKind::Alltoall, &["linear-nb", "pairwise", "bruck"]),
    (CollectiveKind::Allreduce, &["ring", "recursive-doubling", "rabenseifner"]),
    (CollectiveKind::Barrier, &["dissemination", "tree"]),
];

/// The sizes of send-receive experiments and of combinations in KiB.
const SEND_RECEIVES: [u64; 2] = [128, 512];
const COMBINATIONS: [u64; 3] = [8, 64, 256];

/// Runs all campaigns and writes a file for each.
///
/// # Errors
///
/// When the player fails or a file cannot be written.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let provenance = provenance(arguments)?;
    let &Arguments { noise, seed, varies, .. } = arguments;
    let mut player = Player::start(&arguments.player, Options { provenance, noise, seed, varies })?;
    let processors = player.processors();
    let path = |kind| arguments.output.join(format!("{}.{kind}.csv", arguments.name));

    let comm = measure(&mut player, seed, &[communication(arguments)])?;
    write(&path("comm"), &comm, |_| true)?;

    // Users who ask for reductions measure combinations together with them.
    let mut overheads = measure(&mut player, seed, &[trains(arguments)])?;
    overheads.extend(&measure(&mut player, seed, &[combinations(processors)])?);
    write(&path("over"), &overheads, |one| !one.is_collective())?;

    let operations = measure(&mut player, seed, &collectives(arguments, processors)?)?;
    write(&path("coll"), &operations, Experiment::is_collective)?;
    write(&path("sg"), &operations, |one| is_first(one, arguments, processors))?;
    Ok(player.finish()?)
}

/// The description of the samples.
fn provenance(arguments: &Arguments) -> Result<Provenance, String> {
    let hosts = orrery::file::read_string(&arguments.hosts)
        .map_err(|error| format!("{}: {error}", arguments.hosts.display()))?;
    Ok(Provenance::new()
        .with("machine", arguments.simulator.as_str())
        .with("hosts", hosts.split_whitespace().collect::<Vec<_>>().join(" "))
        .with("timing", Timing::Global.description())
        .with("cluster", arguments.name.as_str())
        .with("parameters", arguments.parameters.as_str())
        .with("noise", arguments.noise.to_string())
        .with("machine-seed", arguments.seed.to_string()))
}

/// The readings of some designs, each experiment with a fixed number of repetitions.
fn measure(
    player: &mut Player,
    seed: u64,
    designs: &[impl Design],
) -> Result<Samples, Box<dyn Error>> {
    let precision =
        Precision { min_reps: REPETITIONS, max_reps: REPETITIONS, ..Precision::default() };
    let mut samples = Samples::new(player.provenance());
    for design in designs {
        let campaign = Campaign::new(player, &mut samples);
        campaign.precision(precision).timing(Timing::Global).seed(seed).measure(design)?;
    }
    Ok(samples)
}

/// The experiments of `measure comm`.
fn communication(arguments: &Arguments) -> CommDesign {
    CommDesign {
        sizes: arguments.sizes.iter().flat_map(SizeList::iter).collect(),
        shared_links: true,
        ..CommDesign::new(arguments.size)
    }
}

/// The experiments of `measure overheads`, on a ring of pairs.
fn trains(arguments: &Arguments) -> TrainDesign {
    TrainDesign {
        overheads: OverheadDesign { pairs: TrainPairs::Ring, ..OverheadDesign::default() },
        sizes: TrainSizes::Listed(arguments.train_sizes.iter().collect()),
        send_receives: SEND_RECEIVES.map(|kib| Bytes::new(kib << 10)).to_vec(),
    }
}

/// The collective operations on all processors from three roots, and on half of them from the
/// first.
fn collectives(
    arguments: &Arguments,
    processors: usize,
) -> Result<Vec<CollectiveDesign>, Box<dyn Error>> {
    let mut designs = Vec::new();
    let ends = [0, processors / 2 + 1, processors - 1].map(|root| Processor(root as u32));
    for (procs, roots) in [(processors, &ends[..]), (processors / 2, &ends[..1])] {
        for &(kind, names) in OPERATIONS {
            let mut operations = Vec::new();
            for name in names {
                operations.push((kind, name.parse()?));
            }
            let has_all_blocks = kind.has_blocks() && !kind.has_root();
            let sizes = arguments.collective_sizes.iter();
            let sizes: Vec<Bytes> =
                sizes.filter(|size| !has_all_blocks || *size <= arguments.largest_block).collect();
            let roots = roots.to_vec();
            designs.push(CollectiveDesign {
                operations,
                roots,
                ..CollectiveDesign::new(procs, sizes)
            });
        }
    }
    Ok(designs)
}

/// A reduction, with which a campaign measures the combination of each processor.
fn combinations(processors: usize) -> CollectiveDesign {
    let sizes = COMBINATIONS.map(|kib| Bytes::new(kib << 10)).to_vec();
    let operations = vec![(CollectiveKind::Reduce, Algorithm::Binomial)];
    CollectiveDesign { operations, ..CollectiveDesign::new(processors, sizes) }
}

/// Returns true for the scatters and gathers that a user might measure first: from processor 0, on
/// all processors, with the smallest size and the second largest.
fn is_first(experiment: &Experiment, arguments: &Arguments, processors: usize) -> bool {
    let sizes: Vec<Bytes> = arguments.collective_sizes.iter().collect();
    let sizes = [sizes.first(), sizes.iter().rev().nth(1)];
    match experiment {
        Experiment::Collective { kind, root, procs, size, .. } => {
            CollectiveKind::SCATTER_GATHER.contains(kind)
                && *root == Processor(0)
                && *procs == processors
                && sizes.contains(&Some(size))
        }
        _ => false,
    }
}

/// Writes the readings of some experiments to a file, in one step.
fn write(
    path: &Path,
    samples: &Samples,
    is_written: impl Fn(&Experiment) -> bool,
) -> Result<(), Box<dyn Error>> {
    let mut written = samples.clone();
    written.retain(|experiment, _| is_written(experiment));
    Ok(file::write(path, &written, true)?)
}
