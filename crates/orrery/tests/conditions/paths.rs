use super::{conditions, link};
use orrery::conditions::Current;

#[test]
fn a_monitored_pair_is_answered_by_itself() {
    // The way by b is shorter; it does not count.
    let links =
        vec![link("a", "c", 9e-4, 1e6), link("a", "b", 1e-4, 1e8), link("b", "c", 1e-4, 1e8)];
    let path = conditions(&[], links).path("a", "c").expect("it is monitored");
    assert_eq!((path.hosts, path.is_reversed), (vec!["a".to_owned(), "c".into()], false));
    assert_eq!(path.latency.map(|one| one.value), Some(9e-4));
}

#[test]
fn other_pairs_take_the_path_with_the_smallest_latency() {
    let mut links = vec![link("a", "b", 1e-4, 8e7), link("b", "d", 2e-4, 5e7)];
    links.extend([link("a", "c", 2e-4, 1e8), link("c", "d", 2e-4, 1e8)]);
    let path = conditions(&[], links).path("a", "d").expect("there are two");
    assert_eq!(path.hosts, ["a", "b", "d"]);
    let (latency, bandwidth) = (path.latency.expect("known"), path.bandwidth.expect("known"));
    assert!((latency.value - 3e-4).abs() < 1e-12 && (bandwidth.value - 5e7).abs() < 1e-3);
    // Ends add up, and the smallest ends count.
    let (low, high) = latency.interval.expect("all have one");
    assert!((low - 2.7e-4).abs() < 1e-12 && (high - 3.3e-4).abs() < 1e-12);
    assert_eq!((path.idle_latency, path.idle_bandwidth), (Some(2e-4), Some(1e8)));
}

#[test]
fn stale_links_are_left_out_and_the_other_direction_answers() {
    let mut stale = link("a", "b", 1e-4, 1e8);
    stale.latency = stale.latency.map(|one| Current { is_stale: true, ..one });
    let all = conditions(&[], vec![stale, link("b", "a", 3e-4, 1e7)]);
    let path = all.path("a", "b").expect("the other direction is monitored");
    assert!(path.is_reversed && path.bandwidth.is_some_and(|one| (one.value - 1e7).abs() < 1.0));
    assert!(all.path("b", "a").is_some_and(|path| !path.is_reversed));
}

#[test]
fn what_is_unknown_stays_unknown() {
    let mut half = link("a", "b", 1e-4, 1e8);
    half.bandwidth = None;
    let all = conditions(&[], vec![half, link("c", "d", 1e-4, 1e8)]);
    assert_eq!(all.path("a", "b").map(|path| path.bandwidth), Some(None));
    assert_eq!([all.path("a", "c"), all.path("a", "x"), all.path("a", "a")], [None, None, None]);
}
