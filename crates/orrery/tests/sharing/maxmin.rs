//! Laws of max-min sharing: the fast allocation is the plain one, and both are what the definition
//! says.

use orrery::sharing::maxmin::{Demand, MaxMin, progressive_filling};
use proptest::prelude::*;

const LINKS: usize = 8;

/// A flow over some links, with weights as forward (1), as answers (0.05) or both.
fn demand() -> impl Strategy<Value = Demand> {
    let weight = prop_oneof![Just(1.0), Just(0.05), Just(1.05)];
    let uses = prop::collection::btree_map(0..LINKS, weight, 1..5);
    let share = prop_oneof![Just(1.0), Just(2e-4), 1e-4..1e-2];
    let bound = prop_oneof![3 => Just(f64::INFINITY), 1 => 0.1..50.0, 1 => Just(5.0)];
    (uses, share, bound).prop_map(|(uses, share, bound)| Demand {
        links: uses.into_iter().collect(),
        inverse_weight: share,
        bound,
    })
}

fn capacities() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(10.0), 1.0..100.0], LINKS)
}

/// What each link carries.
fn loads(flows: &[Demand], rates: &[f64]) -> Vec<f64> {
    let mut loads = vec![0.0; LINKS];
    for (flow, rate) in flows.iter().zip(rates) {
        flow.links.iter().for_each(|&(link, weight)| loads[link] += weight * rate);
    }
    loads
}

fn assert_is_maxmin(capacities: &[f64], flows: &[Demand], rates: &[f64]) {
    let loads = loads(flows, rates);
    for (load, capacity) in loads.iter().zip(capacities) {
        assert!(*load <= capacity * (1.0 + 1e-9), "a link carries {load} of {capacity}");
    }
    let level = |f: usize| rates[f] * flows[f].inverse_weight;
    for (f, flow) in flows.iter().enumerate() {
        let is_bounded = rates[f] >= flow.bound * (1.0 - 1e-9);
        let is_held = |link: usize| {
            let is_full = loads[link] >= capacities[link] * (1.0 - 1e-9);
            let on_it =
                (0..flows.len()).filter(|&g| flows[g].links.iter().any(|&(used, _)| used == link));
            is_full && on_it.into_iter().all(|g| level(g) <= level(f) * (1.0 + 1e-9))
        };
        assert!(
            is_bounded || flow.links.iter().any(|&(link, _)| is_held(link)),
            "nothing holds flow {f}: {rates:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn progressive_filling_is_max_min_fair(capacities in capacities(), flows in prop::collection::vec(demand(), 1..20)) {
        assert_is_maxmin(&capacities, &flows, &progressive_filling(&capacities, &flows));
    }

    /// Flows start and stop in any order, several between two rate_updates.
    #[test]
    fn incremental_allocation_equals_progressive_filling(
        capacities in capacities(),
        steps in prop::collection::vec((0..24_usize, demand(), any::<bool>()), 1..60),
    ) {
        let mut sharing = MaxMin::new(&capacities);
        let mut running: Vec<Option<Demand>> = vec![None; 24];
        let mut rates = [0.0; 24];
        for (number, demand, settles) in steps {
            match running[number].take() {
                Some(_) => {
                    sharing.stop(number);
                    rates[number] = 0.0;
                }
                None => {
                    sharing.start(number, &demand);
                    running[number] = Some(demand);
                }
            }
            if !settles {
                continue;
            }
            for &changed in sharing.update_rates() {
                rates[changed as usize] = f64::NAN;
            }
            let numbers: Vec<usize> = (0..24).filter(|&k| running[k].is_some()).collect();
            let flows: Vec<Demand> = running.iter().flatten().cloned().collect();
            for (&number, plain) in numbers.iter().zip(progressive_filling(&capacities, &flows)) {
                let fast = sharing.rate(number);
                prop_assert!((fast - plain).abs() <= 1e-9 * plain, "flow {}: {} is \
                    not {}", number, fast, plain);
                // A flow that is not reported has kept its rate.
                prop_assert!(rates[number].is_nan() || rates[number].total_cmp(&fast).is_eq());
                rates[number] = fast;
            }
        }
    }
}

#[test]
fn changes_update_only_their_neighbourhood() {
    let pair = |link: usize| Demand {
        links: vec![(link, 1.0)],
        inverse_weight: 1.0,
        bound: f64::INFINITY,
    };
    let mut sharing = MaxMin::new(&vec![1.0; 1000]);
    for flow in 0..2000 {
        sharing.start(flow, &pair(flow / 2));
    }
    assert_eq!(sharing.update_rates().len(), 2000);
    let before = sharing.level_updates();
    sharing.stop(1);
    assert_eq!(sharing.update_rates(), [0]);
    assert_eq!(sharing.level_updates() - before, 1);
}
