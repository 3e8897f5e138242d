//! Myrinet's sets: counted, listed, estimated.

use orrery::sharing::{
    Emission, Myrinet, PenaltyModel, Sampling, SharingError, Transfer, components,
    maximal_sending_sets,
};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::transfers;

/// Transfers from each of a number of sources to each of a number of destinations.
fn complete(sources: u32, destinations: u32) -> Vec<Transfer> {
    let row = |s: u32| (0..destinations).map(move |d| Transfer::between(s, sources + d));
    (0..sources).flat_map(row).collect()
}

/// Each node of a torus sends to its four neighbours.
fn torus(side: u32) -> Vec<Transfer> {
    let node = |x: u32, y: u32| (x % side) * side + y % side;
    let mut all = Vec::new();
    for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
        for (i, j) in [(x + 1, y), (x + side - 1, y), (x, y + 1), (x, y + side - 1)] {
            all.push(Transfer::between(node(x, y), node(i, j)));
        }
    }
    all
}

fn factorial(n: u64) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

fn emissions(arcs: &[Transfer]) -> Vec<Emission> {
    Myrinet::default().emissions(arcs).unwrap()
}

proptest! {
    /// The count without listing equals the number of listed sets.
    #[test]
    fn counts_equal_the_number_of_listed_sets(arcs in prop::collection::vec((0..6_u32, 0..6_u32), 1..16)) {
        let arcs = transfers(&arcs);
        let counted = emissions(&arcs);
        for component in components(&arcs) {
            let members: Vec<_> = component.iter().map(|&k| arcs[k]).collect();
            let sets = maximal_sending_sets(&members, 100_000).unwrap();
            for (place, &k) in component.iter().enumerate() {
                let with = sets.iter().filter(|set| set.contains(&place)).count();
                prop_assert_eq!((counted[k].sets, counted[k].all_sets), (with as f64, sets.len() as f64));
            }
        }
    }

    /// The list contains exactly the maximal sets, compared with an enumeration of all sets of
    /// transfers.
    #[test]
    fn listed_sets_are_all_maximal_matchings(arcs in prop::collection::vec((0..5_u32, 5..9_u32), 1..9)) {
        let arcs = transfers(&arcs);
        let apart = |a: usize, b: usize| arcs[a].source != arcs[b].source && arcs[a].destination != arcs[b].destination;
        let mut every = Vec::new();
        for bits in 0..1_u32 << arcs.len() {
            let set: Vec<usize> = (0..arcs.len()).filter(|k| bits >> k & 1 == 1).collect();
            let matching = set.iter().all(|&a| set.iter().all(|&b| a == b || apart(a, b)));
            let maximal = (0..arcs.len()).all(|k| set.contains(&k) || set.iter().any(|&a| !apart(a, k)));
            if matching && maximal {
                every.push(set);
            }
        }
        every.sort();
        prop_assert_eq!(maximal_sending_sets(&arcs, 1 << 9), Some(every));
    }
}

/// n! sets, each transfer in (n − 1)! of them, so the penalty is n.
#[test]
fn complete_graphs_have_factorial_counts() {
    for n in [1, 2, 3, 8, 14] {
        for emission in emissions(&complete(n, n)) {
            assert_eq!(emission.all_sets, factorial(n.into()));
            assert_eq!(emission.sets, factorial(u64::from(n) - 1));
            assert_eq!(emission.penalty, f64::from(n));
        }
    }
}

/// All-to-all: derangements of 10 nodes and what leaves some of them out, the same for each
/// transfer by symmetry.
#[test]
fn all_to_all_is_symmetric() {
    let arcs: Vec<_> = complete(10, 10)
        .into_iter()
        .map(|t| Transfer::between(t.source.0, t.destination.0 - 10))
        .collect();
    let all = emissions(&arcs);
    let first = all.iter().find(|emission| emission.all_sets > 1.0).unwrap();
    for (transfer, emission) in arcs.iter().zip(&all).filter(|(t, _)| !t.is_local()) {
        assert_eq!(emission, first, "{transfer:?}");
    }
    assert!(first.penalty > 9.0 && first.penalty < 10.0, "{}", first.penalty);
}

/// Numbers of sets beyond f64: a chain 0→1, 2→1, 2→3, 4→3, … Its ends are not hindered more than
/// those of a short one.
#[test]
fn long_chains_are_counted() {
    let chain = |arcs: u32| -> Vec<Transfer> {
        (0..arcs).map(|k| Transfer::between(k.div_ceil(2) * 2, k / 2 * 2 + 1)).collect()
    };
    let (long, short) = (emissions(&chain(4000)), emissions(&chain(60)));
    assert!(long[0].all_sets.is_infinite());
    for (one, other) in long.iter().zip(&short).take(20) {
        assert!((one.penalty - other.penalty).abs() < 1e-4, "{one:?} {other:?}");
    }
}

/// All nodes send to one node, and that node to all: many transfers, but few open vertices.
#[test]
fn stars_are_counted_quickly() {
    let star: Vec<_> =
        (1..20_000).flat_map(|k| [Transfer::between(k, 0), Transfer::between(0, k)]).collect();
    assert!(
        Myrinet::default().penalties(&star).unwrap().iter().all(|&penalty| penalty == 19_999.0)
    );
}

#[test]
fn random_graphs_of_small_components_are_counted() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let group = |rng: &mut ChaCha8Rng, base: u32| {
        (0..20)
            .map(|_| {
                Transfer::between(base + rng.random_range(0..7), base + 7 + rng.random_range(0..7))
            })
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = (0..10).flat_map(|k| group(&mut rng, 14 * k)).collect();
    assert_eq!(all.len(), 200);
    let emissions = emissions(&all);
    assert!(emissions.iter().all(|e| e.penalty >= 1.0 && e.sets >= 1.0 && e.sets <= e.all_sets));
}

#[test]
fn uncountable_components_are_rejected_with_their_size() {
    let error = Myrinet::default().penalties(&complete(40, 41)).unwrap_err();
    assert_eq!(error, SharingError::TooLarge { transfers: 1640, sources: 40, destinations: 41 });
    assert!(error.to_string().contains("1640 transfers from 40 sources to 41 destinations"));
    let error = Myrinet::default()
        .with_sampling(Sampling::default())
        .penalties(&complete(600, 600))
        .unwrap_err();
    assert_eq!(
        error,
        SharingError::NoSample { transfers: 360_000, sources: 600, destinations: 600 }
    );
}

/// Every transfer of a torus has the same true penalty, so the intervals of all can be held against
/// one another; those of a complete graph are known.
#[test]
fn sampling_intervals_cover_exact_counts() {
    let sampled = Myrinet::default().with_sampling(Sampling::default());
    let known = sampled.emissions(&complete(24, 24)).unwrap();
    let covered = known
        .iter()
        .filter(|e| e.interval.is_some_and(|i| i.low <= 24.0 && 24.0 <= i.high))
        .count();
    assert!(covered >= known.len() * 9 / 10, "{covered} of {}", known.len());
    let torus = torus(14);
    let all = sampled.emissions(&torus).unwrap();
    // The mean over all transfers of the share of sets in which one sends is known better than any
    // of them.
    let pooled =
        all.iter().map(|e| e.all_sets).sum::<f64>() / all.iter().map(|e| e.sets).sum::<f64>();
    assert!((4.0..6.0).contains(&pooled), "{pooled}");
    let covers = |e: &Emission| {
        e.interval.is_some_and(|i| 4.0 <= i.low && i.low <= pooled && pooled <= i.high)
    };
    assert!(all.iter().filter(|e| covers(e)).count() >= all.len() * 9 / 10);
    assert!(all.iter().all(|e| e.penalty >= 4.0));
}
