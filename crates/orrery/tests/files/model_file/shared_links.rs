//! Groups of processors that share links in model files.

use orrery::comm::Ports;
use orrery::model::ModelKind;
use orrery::model::file::{parse, to_text};

use super::schema;

/// The text of a model of n processors with these groups and delays.
fn text(n: usize, groups: &str, delays: &str) -> String {
    let zeros = vec![0; n];
    format!(
        "{{\"format\": \"orrery-model\", \"version\": 1, \"models\": {{\"ports\": {{\"fixed_delay\": {{\"value\": {zeros:?}}},
        \"byte_delay\": {{\"value\": 1e-9}}, \"port_byte_delay\": {{\"value\": 1e-8}}, \"flow_byte_delay\": {{\"value\": 0}},
        \"link_latency\": {{\"value\": 1e-5}}, \"shared_links\": {{\"byte_delay\": {{\"groups\": {groups}, \"value\": {delays}}}}}}}}}}}"
    )
}

/// The error of a model of eight processors.
fn error(groups: &str, delays: &str) -> String {
    parse(text(8, groups, delays), "m").unwrap_err().to_string()
}

#[test]
fn a_tree_of_groups_is_read() {
    let tree = text(8, "[[3, 0, 1], [1, 0], [4, 5]]", "[1e-9, 0, 2e-9]");
    assert!(schema().is_valid(&serde_json::from_str(&tree).unwrap()));
    let model = parse(&tree, "m").unwrap().model;
    let uplinks = model.get::<Ports>(ModelKind::Ports).unwrap().uplinks;
    assert_eq!(uplinks.groups().iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2]);
    assert_eq!(parse(to_text(&model).unwrap(), "m").unwrap().model, model);
}

#[test]
fn groups_that_cannot_share_links_are_refused() {
    for (groups, delays, expected) in [
        (
            "[[0, 1], [1, 2]]",
            "[1, 1]",
            "groups: the groups form no tree: of two groups one must contain the other",
        ),
        ("[[0, 1, 1]]", "[1]", "groups: the groups form no tree"),
        (
            "[[0, 1], [2, 3], [1, 0]]",
            "[1, 1, 1]",
            "groups[2]: this group occurs before; remove one of them",
        ),
        ("[[0, 1], []]", "[1, 1]", "groups[1]: this group has no processor; remove it"),
        ("[[0, 8]]", "[1]", "groups[0][1]: there is no rank 8"),
        ("[[0, -1]]", "[1]", "groups[0][1]: this is -1"),
        ("[[0, 0.5]]", "[1]", "groups[0][1]: this is 0.5"),
        (
            "[\"0-1\"]",
            "[1]",
            "groups[0]: this is \"0-1\", but an array with the processors of a group is expected",
        ),
        ("[[0, 1]]", "[1, 1]", "value: the array has 2 entries, but the number of groups is 1"),
        ("[[0, 1]]", "[-1e-9]", "value[0]: -1e-9 is negative"),
        ("[[0, 1]]", "[\"NaN\"]", "value[0]: this is \"NaN\""),
    ] {
        let error = error(groups, delays);
        assert!(error.contains(expected), "{groups} {delays}: {error}");
    }
}

/// Each message passes all groups around its sender and its receiver.
#[test]
fn groups_are_nested_a_limited_number_of_times() {
    let chain = |levels: usize| {
        let groups: Vec<Vec<usize>> = (0..levels).map(|level| (0..level + 2).collect()).collect();
        parse(text(64, &format!("{groups:?}"), "1e-9"), "m")
    };
    assert!(chain(32).is_ok());
    let error = chain(33).unwrap_err().to_string();
    assert!(error.contains("groups: 33 groups contain each other; at most 32 can"), "{error}");
    // More groups than a tree of three processors has are not compared with each other.
    let many = vec![vec![0, 1]; 100_000];
    let error = parse(text(3, &format!("{many:?}"), "1e-9"), "m").unwrap_err().to_string();
    assert!(error.contains("form no tree"), "{error}");
}
