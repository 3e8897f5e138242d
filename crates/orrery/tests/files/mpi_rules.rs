//! Rules for MPI libraries, read back as the libraries read them.

mod mpich;
mod open_mpi;

use orrery::platform::Processor;
use orrery::sample::{Experiment, Library, LibraryAlgorithm, NativeAlgorithm, Sample, Samples};
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{
    CommunicatorRules, Reason, Rule, Rules, Target, Verdict, by_samples, launch_order, verify,
};
use orrery::units::{Bytes, Seconds};
use proptest::prelude::*;

/// A rule from a size on.
fn rule(from: u64, algorithm: Option<LibraryAlgorithm>) -> Rule {
    Rule { from: Bytes::new(from), algorithm, default: None, reason: Reason::NotCompared }
}

/// Rules of some operations and numbers of processes, each with algorithms that the library has.
fn any_rules(target: Target) -> impl Strategy<Value = Rules> {
    let library = target.library();
    let algorithms = move |kind: CollectiveKind, procs: usize| -> Vec<Option<LibraryAlgorithm>> {
        let runs = |one: &LibraryAlgorithm| {
            NativeAlgorithm { library, algorithm: *one }.runs_on(kind, procs, Bytes::new(1 << 30))
        };
        let named =
            library.algorithms(kind).into_iter().map(LibraryAlgorithm::Scheduled).filter(runs);
        // Rules of Open MPI have no limit of messages in flight.
        let can_be_named = |one: &LibraryAlgorithm| {
            library == Library::Mpich
                || kind != CollectiveKind::Alltoall
                || one.to_string() != "linear-sync"
        };
        std::iter::once(None).chain(named.filter(can_be_named).map(Some)).collect()
    };
    let one =
        (0..CollectiveKind::ALL.len(), 2..20_usize).prop_flat_map(move |(kind, procs)| {
            let kind = CollectiveKind::ALL[kind];
            let known = algorithms(kind, procs);
            let place = proptest::sample::select(known);
            let sizes = proptest::collection::btree_set(1..100_000_u64, 0..5);
            (sizes, proptest::collection::vec(place, 6)).prop_map(move |(sizes, algorithms)| {
                let sizes = std::iter::once(0)
                    .chain(sizes)
                    .take(if kind == CollectiveKind::Barrier { 1 } else { 6 });
                let rules =
                    sizes.zip(algorithms).map(|(size, algorithm)| rule(size, algorithm)).collect();
                CommunicatorRules { operation: kind, procs, per_host: None, rules }
            })
        });
    let all = proptest::collection::vec(one, 0..12);
    (all, proptest::option::of(1..4_usize)).prop_map(move |(mut all, per_host)| {
        all.iter_mut().for_each(|one: &mut CommunicatorRules| one.per_host = per_host);
        all.sort_by_key(|one| (one.operation, one.procs));
        all.dedup_by_key(|one| (one.operation, one.procs));
        Rules { target, communicators: all }
    })
}

/// The algorithm that rules name for a call; `None` for the default.
fn expected(
    rules: &Rules,
    kind: CollectiveKind,
    procs: usize,
    size: u64,
) -> Option<LibraryAlgorithm> {
    let of = rules.communicators.iter().find(|one| one.operation == kind && one.procs == procs)?;
    of.at(Bytes::new(size))?.algorithm
}

/// Sizes around those of rules.
fn sizes_of(rules: &Rules) -> Vec<u64> {
    let all = rules.communicators.iter().flat_map(|one| &one.rules).map(|rule| rule.from.get());
    all.flat_map(|from| [from.saturating_sub(1), from, from + 1]).collect()
}

#[test]
fn releases_have_names_and_versions() {
    for target in Target::ALL {
        assert_eq!(target.name().parse(), Ok(target));
    }
    let hydra = |version| {
        format!("HYDRA build details:\n    Version:                                 {version}\n")
    };
    for (text, expected) in [
        ("mpirun (Open MPI) 4.1.4\n\nReport bugs".to_owned(), Some(Target::OpenMpi41)),
        ("mpirun (Open MPI) 5.0.9\n".into(), Some(Target::OpenMpi50)),
        ("mpirun (Open MPI) 6.0.0\n".into(), None),
        (hydra("4.0.2"), Some(Target::Mpich40)),
        (hydra("4.2.3"), Some(Target::Mpich42)),
        (hydra("3.4.3"), None),
        ("mpirun 4.0".into(), None),
        (String::new(), None),
    ] {
        assert_eq!(Target::of_version(&text).ok(), expected, "{text}");
    }
}

/// Samples of the library's own choice whose launches have these medians.
fn own_choices(launches: &[f64], size: u64) -> Samples {
    let mut samples = Samples::default();
    for (launch, seconds) in launches.iter().enumerate() {
        for (rep, factor) in [0.9, 1.0, 1.5].into_iter().enumerate() {
            let experiment = Experiment::Native {
                kind: CollectiveKind::Broadcast,
                algorithm: None,
                root: Processor(0),
                procs: 4,
                size: Bytes::new(size),
            };
            let seconds = Seconds::new(seconds * factor);
            samples.push(Sample { experiment, launch: launch as u32, rep: rep as u32, seconds });
        }
    }
    samples
}

#[test]
fn rules_are_verified_by_launches() {
    let default = own_choices(&[1.0, 1.1, 1.2, 1.3, 1.4], 1024);
    for (tuned, verdict, p_value) in [
        ([0.5, 0.6, 0.7, 0.8, 0.9], Verdict::Helps, 2.0 / 252.0),
        ([1.5, 1.6, 1.7, 1.8, 1.9], Verdict::Hurts, 2.0 / 252.0),
        ([1.0, 1.1, 1.2, 1.3, 1.4], Verdict::NoDifference, 1.0),
    ] {
        let [one] = &verify(&default, &own_choices(&tuned, 1024), 0.95)[..] else {
            panic!("one point")
        };
        assert_eq!(one.verdict, verdict);
        assert!((one.p_value - p_value).abs() < 1e-12, "{one:?}");
        let (low, high) = one.interval.expect("five launches are enough");
        assert!(low <= one.ratio && one.ratio <= high);
        assert_eq!(verdict == Verdict::Helps, high < 1.0);
        assert_eq!((one.default, one.tuned), (Seconds::new(1.2), Seconds::new(tuned[2])));
    }
    assert_eq!(verify(&default, &own_choices(&[1.0; 5], 2048), 0.95), [], "no size in common");
    let order = launch_order(5, 1);
    assert_eq!(order, launch_order(5, 1));
    assert_ne!(order, launch_order(5, 2));
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted.len(), 10);
    assert!(sorted.windows(2).all(|two| two[0] != two[1]) && !order.is_sorted());
}

/// Samples of a broadcast on four processes: an algorithm (or the own choice), a size, and the
/// times of launches.
fn broadcasts(rows: &[(&str, u64, &[f64])]) -> Samples {
    let mut samples = Samples::default();
    for (name, size, launches) in rows {
        for (launch, seconds) in launches.iter().enumerate() {
            let algorithm = (!name.is_empty()).then(|| name.parse().unwrap());
            let (kind, root, size) = (CollectiveKind::Broadcast, Processor(0), Bytes::new(*size));
            let experiment = Experiment::Native { kind, algorithm, root, procs: 4, size };
            samples.push(Sample {
                experiment,
                launch: launch as u32,
                rep: 0,
                seconds: Seconds::new(*seconds),
            });
        }
    }
    samples
}

/// The rules of the only operation: the size from which each holds, and its algorithm.
fn rules_of(samples: &Samples) -> Vec<(u64, Option<String>)> {
    let [all] = &by_samples(samples, Target::OpenMpi41).unwrap().rules[..] else {
        panic!("one operation")
    };
    all.rules
        .iter()
        .map(|rule| (rule.from.get(), rule.algorithm.map(|one| one.to_string())))
        .collect()
}

#[test]
fn rules_end_where_their_algorithm_loses() {
    let (fast, own, slow) =
        ([1.0, 1.1, 1.2, 1.3, 1.4], [2.0, 2.1, 2.2, 2.3, 2.4], [9.0, 9.1, 9.2, 9.3, 9.4]);
    let samples = broadcasts(&[
        ("", 1024, &own),
        ("ompi/binomial", 1024, &fast),
        ("ompi/pipeline", 1024, &slow),
        ("", 4096, &own),
        ("ompi/binomial", 4096, &fast),
        ("ompi/pipeline", 4096, &slow),
        ("", 1 << 20, &own),
        ("ompi/binomial", 1 << 20, &slow),
        ("ompi/pipeline", 1 << 20, &fast),
    ]);
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(
        rules_of(&samples),
        [
            (0, None),
            (1024, named("binomial")),
            (4097, None),
            (1 << 20, named("pipeline")),
            ((1 << 20) + 1, None)
        ]
    );
}

#[test]
fn scattered_times_give_no_rules() {
    // Equal algorithms whose launches differ by 15 %.
    let mut state = 1_u64;
    let mut draw = || {
        // Sums of uniform numbers, nearly normal.
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0.15 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)).exp()
    };
    let names = [
        "",
        "ompi/linear",
        "ompi/binomial",
        "ompi/pipeline",
        "ompi/binary",
        "ompi/knomial-4",
        "ompi/chain-4",
    ];
    let mut replaced = 0;
    for _ in 0..100 {
        let times: Vec<Vec<f64>> = names.iter().map(|_| (0..6).map(|_| draw()).collect()).collect();
        let rows: Vec<(&str, u64, &[f64])> =
            names.iter().zip(&times).map(|(name, times)| (*name, 4096, &times[..])).collect();
        replaced += usize::from(
            rules_of(&broadcasts(&rows)).iter().any(|(_, algorithm)| algorithm.is_some()),
        );
    }
    assert!(replaced <= 5, "{replaced} of 100");
}

#[test]
fn few_readings_give_no_rules() {
    let samples = broadcasts(&[("", 4096, &[2.0]), ("ompi/binomial", 4096, &[1.0])]);
    assert!(rules_of(&samples).iter().all(|(_, algorithm)| algorithm.is_none()));
    let found = by_samples(&samples, Target::OpenMpi41).unwrap();
    assert_eq!((found.launches, found.one_root), (1, true));
    let of_mpich = broadcasts(&[("", 4096, &[2.0; 5]), ("mpich/binomial", 4096, &[1.0; 5])]);
    let error = by_samples(&of_mpich, Target::OpenMpi41).unwrap_err().to_string();
    assert!(
        error.contains("no algorithm of ompi") && error.contains("but those of mpich"),
        "{error}"
    );
}
