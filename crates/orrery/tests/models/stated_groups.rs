//! Groups of processors that another source states, tested by exchanges like those that exchanges
//! suggest.

use orrery::model::{GroupVerdict, SharedLinks};

use crate::prelude::*;
use crate::shared_links::{campaign_with, cluster};

/// What a fit with these groups finds.
fn fitted(samples: &Samples, groups: &[&[u32]]) -> SharedLinks {
    let groups = groups.iter().map(|group| members(group)).collect();
    let options =
        FitOptions { kinds: Some(vec![ModelKind::Ports]), groups, ..FitOptions::default() };
    fit(samples, &options).unwrap().shared_links.unwrap()
}

fn members(group: &[u32]) -> Vec<Processor> {
    group.iter().map(|&one| Processor(one)).collect()
}

const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// A campaign on two switches of four processors each, joined by a link as fast as one port.
fn two_switches() -> Samples {
    campaign_with(&cluster(8, &[((0..4).collect(), 1.0)], 3), 0.01, 3, Vec::new())
}

#[test]
fn a_link_confirms_its_group_and_the_others() {
    let found = fitted(&two_switches(), &[&ALL[..4], &ALL[4..], &ALL]);
    assert_eq!(found.links.len(), 1);
    let open = GroupVerdict::Open { pairs: 0 };
    assert_eq!(found.stated, [GroupVerdict::Confirmed(0), GroupVerdict::Confirmed(0), open]);
}

#[test]
fn a_link_that_divides_a_group_contradicts_it() {
    let samples = two_switches();
    let without = fitted(&samples, &[]);
    // Groups across the two switches, below a group of all.
    let found = fitted(&samples, &[&[0, 1, 4, 5], &[2, 3, 6, 7], &ALL]);
    assert_eq!(found.links, without.links);
    let (wrong, open) = (GroupVerdict::Contradicted(0), GroupVerdict::Open { pairs: 0 });
    assert_eq!(found.stated, [wrong, wrong, open]);
    // One switch that has all processors.
    assert_eq!(fitted(&samples, &[&ALL]).stated, [wrong]);
    // A group around one side of the link, and parts of that side, which need no link of their own.
    let found = fitted(&samples, &[&ALL[..6], &ALL[..4], &ALL[..2], &ALL[4..6]]);
    let [around, inside, part, other] = found.stated[..] else { panic!("{:?}", found.stated) };
    assert_eq!((around, inside), (GroupVerdict::Open { pairs: 2 }, GroupVerdict::Confirmed(0)));
    assert_eq!((part, other), (GroupVerdict::Open { pairs: 2 }, GroupVerdict::Open { pairs: 2 }));
    assert_eq!(found.links.len(), 1);
}

#[test]
fn a_group_without_a_thin_link_stays_open() {
    let samples = campaign_with(&cluster(8, &[], 3), 0.01, 3, Vec::new());
    let found = fitted(&samples, &[&ALL[..4], &[1], &[]]);
    assert!(found.links.is_empty());
    let open = |pairs| GroupVerdict::Open { pairs };
    assert_eq!(found.stated, [open(4), open(1), open(0)]);
}

/// Links of shuffled groups that only sets of all their processors saturate.
#[test]
fn links_of_stated_groups_are_loaded_and_found() {
    let groups: [&[u32]; 4] = [&[2, 3, 4, 13], &[1, 6, 7, 9], &[0, 10, 14, 15], &[5, 8, 11, 12]];
    let truth: Vec<(Vec<u32>, f64)> = groups.iter().map(|group| (group.to_vec(), 3.2)).collect();
    let stated = groups.iter().map(|group| members(group)).collect();
    let samples = campaign_with(&cluster(16, &truth, 1), 0.01, 1, stated);
    let found = fitted(&samples, &groups);
    let confirmed =
        found.stated.iter().filter(|verdict| matches!(verdict, GroupVerdict::Confirmed(_)));
    assert_eq!((confirmed.count(), found.links.len()), (4, 4), "{found:?}");
}
