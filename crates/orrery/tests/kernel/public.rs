//! Public times of dgemm on one processor: of the sorted shapes, every other one is fitted, the
//! others are predicted.

use std::collections::BTreeMap;

use orrery::kernel::{KernelCall, KernelTime, fit};
use orrery::numeric::mean;
use orrery::units::Seconds;

use crate::public_data::public_data;

#[test]
fn dgemm_of_unseen_shapes_is_predicted() {
    let Some(folder) = public_data() else { return };
    let text = std::fs::read_to_string(folder.join("dgemm/dgemm.csv")).unwrap();
    let mut shapes: BTreeMap<[u64; 3], Vec<KernelTime>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let dimensions = [0, 1, 2].map(|place: usize| fields[place].parse().unwrap());
        let call = KernelCall::new("dgemm".parse().unwrap(), "nn", dimensions).unwrap();
        let seconds = Seconds::new(fields[3].parse().unwrap());
        shapes.entry(dimensions).or_default().push(KernelTime { call, seconds });
    }
    let half = |first: usize| {
        shapes.values().skip(first).step_by(2).flatten().copied().collect::<Vec<_>>()
    };
    let model = fit(&half(0), 0.95).unwrap();
    let (mut errors, mut covered) = (Vec::new(), 0);
    for KernelTime { call, seconds } in half(1) {
        let predicted = model.predict(&call).unwrap();
        errors.push((predicted.value / seconds.get() - 1.0).abs());
        let interval = predicted.interval.unwrap();
        covered += usize::from(interval.low <= seconds.get() && seconds.get() <= interval.high);
    }
    errors.sort_by(f64::total_cmp);
    let part = covered as f64 / errors.len() as f64;
    let p95 = errors[errors.len() * 95 / 100];
    println!(
        "mean {:.4}, 95th percentile {p95:.4}, covered {part:.3}, {} pieces",
        mean(&errors),
        model.pieces.len()
    );
    assert!(mean(&errors) <= 0.022 && p95 <= 0.06, "mean {}, 95th percentile {p95}", mean(&errors));
    assert!((0.90..=0.98).contains(&part), "covered: {part}");
}
