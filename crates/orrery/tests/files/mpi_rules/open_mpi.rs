use std::collections::BTreeSet;

use orrery::comm::{Hlmo, Lmo};
use orrery::model::{Model, ModelKind};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::PerPair;
use orrery::sample::{Library, LibraryAlgorithm};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::tuning::mpi::{
    CommunicatorRules, Defaults, Reason, Rules, Target, by_model, han_rules, open_mpi_rules, probes,
};
use orrery::units::Bytes;
use proptest::prelude::*;

use super::{any_rules, expected, rule, sizes_of};

/// The numbers in a file, without comments.
fn numbers(text: &str) -> Vec<u64> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).map(|word| word.parse().expect("a number")).collect()
}

/// The algorithm, the fan-out and the segment size that coll/tuned finds for an operation, a
/// communicator and a number of bytes, as `ompi_coll_tuned_get_com_rule_ptr` and
/// `ompi_coll_tuned_get_target_method_params` do.
fn found(numbers: &[u64], operation: u64, procs: u64, bytes: u64) -> Option<[u64; 3]> {
    let mut rest = numbers.iter().copied();
    let mut next = || rest.next().expect("the file is complete");
    let mut answer = None;
    for _ in 0..next() {
        let number = next();
        for place in 0..next() {
            let (size, count) = (next(), next());
            let is_of = number == operation && (place == 0 || size <= procs);
            for of_rule in 0..count {
                let (from, chosen) = (next(), [next(), next(), next()]);
                assert!(of_rule > 0 || from == 0, "the first rule is for 0 bytes");
                if is_of && (of_rule == 0 || from <= bytes) {
                    answer = Some(chosen);
                }
            }
        }
    }
    assert_eq!(rest.next(), None, "nothing follows");
    answer
}

/// The number of an operation, and how many bytes a call has to rules.
fn of_operation(kind: CollectiveKind, procs: u64, size: u64) -> (u64, u64) {
    use CollectiveKind as K;
    let number = match kind {
        K::Allgather => 0,
        K::Allreduce => 2,
        K::Alltoall => 3,
        K::Barrier => 6,
        K::Broadcast => 7,
        K::Exscan => 8,
        K::Gather => 9,
        K::Reduce => 11,
        K::ReduceScatter => 13,
        K::Scan => 14,
        K::Scatter => 15,
    };
    let is_vector = matches!(kind, K::Broadcast | K::Reduce | K::Allreduce);
    (number, if is_vector { size } else { size * procs })
}

proptest! {
    /// Each call gets the algorithm of its rule, and communicators without rules the default.
    #[test]
    fn files_are_read_as_meant(rules in any_rules(Target::OpenMpi41)) {
        let text = open_mpi_rules(&rules, "a test\nof two lines");
        let numbers = numbers(&text);
        let sizes = sizes_of(&rules);
        for kind in CollectiveKind::ALL {
            for procs in 1..25 {
                for &size in sizes.iter().chain(&[0, 1, 1 << 30]) {
                    let size = if kind == CollectiveKind::Barrier { 0 } else { size };
                    let (number, bytes) = of_operation(kind, procs, size);
                    let [algorithm, fanout, segment] = found(&numbers, number, procs, bytes).unwrap_or_default();
                    let place = usize::try_from(algorithm).unwrap();
                    let named = place.checked_sub(1).and_then(|place| Library::OpenMpi.algorithm_names(kind)[place].1);
                    let wanted = expected(&rules, kind, procs as usize, size);
                    prop_assert_eq!(named, wanted, "{} on {} of {}:\n{}", kind, procs, size, text);
                    if let Some(LibraryAlgorithm::Scheduled(wanted)) = wanted {
                        let chains = if let Algorithm::Chain(chains, _) = wanted { u64::from(chains) } else { 0 };
                        prop_assert_eq!((fanout, segment), (chains, wanted.segment().get()));
                    }
                }
            }
        }
    }
}

proptest! {
    /// Calls of the sizes of a probe meet an invalid rule on each number of processes with rules,
    /// and only calls that have an algorithm do.
    #[test]
    fn probes_are_invalid_where_rules_name_an_algorithm(rules in any_rules(Target::OpenMpiHan)) {
        let found_probes = probes(Target::OpenMpiHan, &open_mpi_rules(&rules, "a test")).expect("a file of rules");
        let replacing: BTreeSet<_> = rules.communicators.iter().filter(|one| one.replaces()).map(|one| one.operation).collect();
        prop_assert_eq!(found_probes.iter().map(|probe| probe.operation).collect::<BTreeSet<_>>(), replacing);
        for probe in &found_probes {
            let numbers = numbers(&probe.text);
            let is_invalid = |procs: usize, size: u64| {
                let (number, bytes) = of_operation(probe.operation, procs as u64, size);
                found(&numbers, number, procs as u64, bytes).is_some_and(|[algorithm, ..]| algorithm == 255)
            };
            for one in rules.communicators.iter().filter(|one| one.replaces() && one.operation == probe.operation) {
                let meets = |size: &Bytes| is_invalid(one.procs, size.get());
                prop_assert!(probe.sizes.iter().any(meets), "{} on {}: {:?}\n{}", one.operation, one.procs, probe.sizes, probe.text);
                for &size in sizes_of(&rules).iter().chain(&[0, 1, 4, 1 << 30]) {
                    let size = if one.operation == CollectiveKind::Barrier { 0 } else { size };
                    let named = expected(&rules, one.operation, one.procs, size);
                    prop_assert!(named.is_some() || !is_invalid(one.procs, size), "{} bytes:\n{}", size, probe.text);
                }
            }
        }
    }
}

#[test]
fn rules_name_fan_outs_and_segments_with_reasons() {
    let algorithm = |name: &str| Some(LibraryAlgorithm::Scheduled(name.parse().unwrap()));
    let mut rules = vec![
        rule(0, None),
        rule(8192, algorithm("pipeline:8K")),
        rule(65536, algorithm("chain-2:64K")),
    ];
    rules.push(rule(1 << 20, algorithm("knomial-2:128K")));
    let (seconds, default) = (orrery::Seconds::new(1e-3), orrery::Seconds::new(2e-3));
    rules[1].reason = Reason::Faster { seconds, default, saved: 0.31 };
    let broadcast = CommunicatorRules {
        operation: CollectiveKind::Broadcast,
        procs: 8,
        per_host: Some(2),
        rules,
    };
    let rules = Rules { target: Target::OpenMpi41, communicators: vec![broadcast] };
    let text = open_mpi_rules(&rules, "Rules of a test.");
    let expected = "# Rules of a test.
1 # collective operations
7 # bcast; sizes are bytes of the vector
3 # communicator sizes
0 # processes
1 # rules
0 0 0 0 # the default
8 # processes, 2 on each host
4 # rules
0 0 0 0 # the default: not compared
8192 3 0 8192 # pipeline:8K: 1.00 ms instead of 2.00 ms, at least 31 % less
65536 2 2 65536 # chain-2:64K: not compared
1048576 6 0 131072 # knomial-2:128K: not compared
9 # processes
1 # rules
0 0 0 0 # the default
";
    assert_eq!(text, expected);
    let han = han_rules(&rules, "Rules of a test.");
    let lines: Vec<&str> = han.lines().map(|line| line.split(" #").next().unwrap()).collect();
    assert_eq!(
        lines[1..],
        [
            "1",
            "bcast",
            "1",
            "global_communicator",
            "3",
            "1",
            "1",
            "0 han",
            "8",
            "4",
            "0 han",
            "8192 tuned",
            "65536 tuned",
            "1048576 tuned",
            "9",
            "1",
            "0 han"
        ]
    );
}

#[test]
fn defaults_are_those_of_the_sources() {
    let at = |kind: &str, procs, size| {
        let kind: CollectiveKind = kind.parse().unwrap();
        let ranges = Defaults::OpenMpi.ranges(kind, procs, 1);
        let found = ranges.into_iter().rev().find(|(from, _)| from.get() <= size);
        found.and_then(|(_, algorithm)| algorithm).map(|algorithm| algorithm.to_string())
    };
    for (kind, procs, size, expected) in [
        ("bcast", 16, 4096, Some("binomial")),
        ("bcast", 16, 1 << 20, Some("scatter-allgather")),
        // One chain.
        ("bcast", 4, 1 << 20, Some("pipeline")),
        // Recursive doubling needs a power of two.
        ("allgather", 8, 1, Some("recursive-doubling")),
        ("allgather", 6, 1, Some("bruck")),
        // Neighbour exchange needs an even number.
        ("allgather", 33, 2048, Some("ring")),
        ("allgather", 2, 1, Some("ring")),
        // Fewer doubles than the largest power of two.
        ("allreduce", 4, 4, Some("recursive-doubling")),
        ("allreduce", 64, 1 << 20, Some("rabenseifner")),
        ("reduce-scatter", 8, 32, None),
        ("barrier", 300, 0, Some("tree")),
        ("scan", 8, 8, Some("linear")),
    ] {
        assert_eq!(at(kind, procs, size).as_deref(), expected, "{kind} on {procs} of {size}");
    }
}

/// A model of eight equal processors whose parameters have intervals of this relative half-width.
fn model(width: f64) -> Model {
    let estimate = |value: f64| {
        let interval =
            Interval { low: value * (1.0 - width), high: value * (1.0 + width), level: 0.95 };
        Estimate { interval: Some(interval), ..Estimate::exact(value) }
    };
    let lmo = Hlmo::from_estimates([10e-6, 1e-9, 20e-6, 8e-9].map(estimate)).as_lmo(8);
    Model::new(8).with(ModelKind::Lmo, &lmo)
}

#[test]
fn defaults_are_replaced_beyond_doubt_only() {
    let of = |model: &Model, operation| {
        let sizes = (Bytes::new(1), Bytes::new(4 << 20));
        let release = (Target::OpenMpi41, Defaults::OpenMpi);
        by_model(model, ModelKind::Lmo, release, (operation, 8), sizes).unwrap()
    };
    let (exact, vague) = (model(0.01), model(0.9));
    let count = |rules: &CommunicatorRules| {
        rules.rules.iter().filter(|rule| rule.algorithm.is_some()).count()
    };
    let (mut replaced, mut by_vague) = (0, 0);
    for operation in CollectiveKind::ALL {
        let rules = of(&exact, operation);
        assert_eq!(rules.rules[0].from, Bytes::ZERO);
        assert!(rules.rules.is_sorted_by(|a, b| a.from < b.from), "{rules:?}");
        for rule in rules.rules.iter().filter(|rule| rule.algorithm.is_some()) {
            let Reason::Faster { seconds, default, saved } = rule.reason else {
                panic!("{rule:?}")
            };
            assert!(seconds < default && saved > 0.0, "{rule:?}");
        }
        (replaced, by_vague) = (replaced + count(&rules), by_vague + count(&of(&vague, operation)));
        assert!(
            !of(&model(0.01).without_intervals(), operation).replaces(),
            "{operation}: nothing is known of losses"
        );
    }
    assert!(replaced > 2 && by_vague < replaced, "{replaced} rules, {by_vague} by wide intervals");
    // Ranks of a scatter may see different sizes: at most one rule.
    assert_eq!(of(&exact, CollectiveKind::Scatter).rules.len(), 1);
}

/// A model without the intervals of its parameters.
trait WithoutIntervals {
    fn without_intervals(self) -> Self;
}

impl WithoutIntervals for Model {
    fn without_intervals(self) -> Self {
        let mut lmo: Lmo = self.get(ModelKind::Lmo).unwrap();
        let exact = |estimate: &mut Estimate| *estimate = Estimate::exact(estimate.value);
        lmo.fixed_delay.iter_mut().chain(&mut lmo.byte_delay).for_each(exact);
        let pairs = lmo
            .link_byte_delay
            .values()
            .iter()
            .map(|estimate| Estimate::exact(estimate.value))
            .collect();
        lmo.link_byte_delay = PerPair::new(8, pairs).unwrap();
        lmo.link_latency = Some(PerPair::from_fn(8, |_, _| Estimate::exact(20e-6)));
        Model::new(8).with(ModelKind::Lmo, &lmo)
    }
}
