use orrery::numeric::{rank_sum_test, shift, shift_has_interval, shift_sample_size};
use proptest::prelude::*;

/// The p-value by all divisions of the values.
fn by_divisions(a: &[f64], b: &[f64]) -> f64 {
    let values: Vec<f64> = a.iter().chain(b).copied().collect();
    let n = values.len();
    // Twice the number of pairs that are won, equal ones half.
    let statistic = |is_first: &dyn Fn(usize) -> bool| -> i64 {
        let mut sum = 0;
        for i in (0..n).filter(|i| is_first(*i)) {
            for j in (0..n).filter(|j| !is_first(*j)) {
                sum += match values[i].total_cmp(&values[j]) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 2,
                };
            }
        }
        sum - (a.len() * b.len()) as i64
    };
    let own = statistic(&|place| place < a.len()).abs();
    let divisions = (0..1_u32 << n).filter(|bits| bits.count_ones() as usize == a.len());
    let distances: Vec<i64> =
        divisions.map(|bits| statistic(&|place| bits >> place & 1 == 1).abs()).collect();
    distances.iter().filter(|distance| **distance >= own).count() as f64 / distances.len() as f64
}

proptest! {
    #[test]
    fn p_values_are_those_of_all_divisions(
        a in proptest::collection::vec(0..6_i32, 1..6),
        b in proptest::collection::vec(0..6_i32, 1..6),
    ) {
        let real = |values: Vec<i32>| values.into_iter().map(f64::from).collect::<Vec<f64>>();
        let (a, b) = (real(a), real(b));
        prop_assert!((rank_sum_test(&a, &b) - by_divisions(&a, &b)).abs() < 1e-12);
    }

    /// The interval excludes 0 where the test rejects, without equal values.
    #[test]
    fn intervals_agree_with_tests(values in Just((0..10).map(f64::from).collect::<Vec<f64>>()).prop_shuffle()) {
        let (a, b) = values.split_at(5);
        let (median, interval) = shift(a, b, 0.95).unwrap();
        let (low, high) = interval.unwrap();
        prop_assert!(low <= median && median <= high);
        prop_assert_eq!(rank_sum_test(a, b) <= 0.05, low > 0.0 || high < 0.0);
    }
}

#[test]
fn few_values_have_no_interval() {
    assert_eq!(shift(&[], &[1.0], 0.95), None);
    assert_eq!(shift(&[1.0; 3], &[2.0; 3], 0.95), Some((1.0, None)));
    assert!(shift(&[1.0; 4], &[2.0; 4], 0.95).unwrap().1.is_some());
    assert!((rank_sum_test(&[], &[1.0]) - 1.0).abs() < 1e-12);
}

#[test]
fn sample_sizes_agree_with_intervals() {
    let values = |n: usize| (0..n).map(|value| value as f64).collect::<Vec<_>>();
    for level in [
        0.5,
        0.9,
        0.95,
        0.99,
        1.0 - 0.05 / 6.0,
        1.0 - 0.05 / 7.0,
        1.0 - 0.05 / 10.0,
        1.0 - 0.05 / 23.0,
    ] {
        let has = |m, n| {
            shift(&values(m), &values(n), level).is_some_and(|(_, interval)| interval.is_some())
        };
        for (m, n) in (0..9).flat_map(|m| (0..9).map(move |n| (m, n))) {
            assert_eq!(
                shift_has_interval(m, n, level),
                has(m, n),
                "{m} and {n} values, level {level}"
            );
        }
        let size = shift_sample_size(level);
        assert!(has(size, size) && !has(size - 1, size - 1), "{size} values, level {level}");
    }
    assert_eq!(
        [1, 2, 6, 7, 23, 24].map(|n| shift_sample_size(1.0 - 0.05 / f64::from(n))),
        [4, 5, 5, 6, 6, 7]
    );
}
