//! Campaigns whose anchors show that the machine changed, so that no topology is inferred from it.

use orrery::machine::Conditions;
use orrery::measure::CommDesign;
use orrery::sample::{ChangeScope, condition_changes, file};

use crate::false_links::read_processors;
use crate::flows::Flows;
use crate::prelude::*;
use crate::shared_links::{cluster, fitted};

/// Processors whose times grow by a factor from one time of the machine to another.
#[derive(Debug, Clone)]
struct Slow {
    from: f64,
    to: f64,
    processors: Vec<u32>,
    /// True if all of these processors must take part.
    all: bool,
    factor: f64,
}

impl Conditions for Slow {
    fn factor(&self, start: Seconds, processors: &[Processor]) -> f64 {
        let is_in = |one: &Processor| self.processors.contains(&one.0);
        let count = read_processors(processors).iter().filter(|one| is_in(one)).count();
        let least = if self.all { self.processors.len() } else { 1 };
        let is_slow = (self.from..self.to).contains(&start.get()) && count >= least;
        if is_slow { self.factor } else { 1.0 }
    }
}

/// A campaign with anchors on hosts with these groups, and the time that it takes.
fn measured(truth: &Ports, conditions: Option<Slow>, seed: u64) -> (Samples, f64) {
    let machine = SimulatedMachine::new(truth.network(), 0.02, seed);
    let mut machine = machine.with_flows(Box::new(Flows(SharedPorts::new(truth))));
    if let Some(conditions) = conditions {
        machine = machine.with_conditions(Box::new(conditions));
    }
    let mut samples = Samples::new(Provenance::new());
    let precision = Precision { min_reps: 5, ..Precision::default() };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision).seed(seed);
    let design =
        CommDesign { shared_links: true, anchors: true, ..CommDesign::new(Bytes::new(32 << 10)) };
    assert_eq!(campaign.measure(&design).unwrap(), CampaignEnd::Complete);
    (samples, machine.elapsed().get())
}

fn anchor_seconds(samples: &Samples) -> f64 {
    let is_anchor = |one: &Sample| matches!(one.experiment, Experiment::Anchor { .. });
    samples.iter().filter(is_anchor).map(|one| one.seconds.get()).sum()
}

/// The changes that anchors show if the processors of `slow` are slower in this part of the time.
fn changes(processors: usize, (from, to): (f64, f64), slow: Slow, seed: u64) -> Vec<ChangeScope> {
    let truth = cluster(processors, &[], seed);
    let (_, total) = measured(&truth, None, seed);
    let slow = Slow { from: from * total, to: to * total, ..slow };
    let (samples, _) = measured(&truth, Some(slow), seed);
    condition_changes(&samples).into_iter().map(|change| change.scope).collect()
}

fn slow(processors: &[u32], factor: f64) -> Slow {
    Slow { from: 0.0, to: 0.0, processors: processors.to_vec(), all: false, factor }
}

#[test]
fn steady_machines_have_no_changes_and_anchors_take_little_time() {
    for seed in 0..20 {
        let truth = cluster([4, 6, 9, 16][seed as usize % 4], &[], seed);
        let (samples, total) = measured(&truth, None, seed);
        assert_eq!(condition_changes(&samples), []);
        let part = anchor_seconds(&samples) / total;
        assert!(part > 0.0, "{seed}");
        if truth.fixed_delay.len() >= 16 {
            assert!(part < 0.07, "{seed}: {part}");
        }
        assert_eq!(fitted(&samples).set_aside, 0);
    }
}

#[test]
fn what_changes_is_named() {
    let all: Vec<u32> = (0..9).collect();
    for seed in 0..4 {
        let end = (0.5, f64::INFINITY);
        assert_eq!(changes(9, end, slow(&all, 1.5), seed), [ChangeScope::All], "{seed}");
        let host = [ChangeScope::Processor(Processor(3))];
        assert_eq!(changes(9, end, slow(&[3], 2.0), seed), host, "{seed}");
        // Four processors, each in two of four pairs.
        assert_eq!(changes(4, end, slow(&[3], 2.0), seed), host, "{seed}");
        let link = Slow { all: true, ..slow(&[4, 5], 1.5) };
        let expected = [ChangeScope::Link(Processor(4), Processor(5))];
        assert_eq!(changes(9, end, link, seed), expected, "{seed}");
    }
}

/// A slow host that is as fast as before at the end.
#[test]
fn changes_for_a_time_are_found() {
    let truth = cluster(9, &[], 1);
    let (_, total) = measured(&truth, None, 1);
    let conditions = Slow { from: 0.3 * total, to: 0.7 * total, ..slow(&[3], 2.0) };
    let (samples, _) = measured(&truth, Some(conditions.clone()), 1);
    let [change] = &condition_changes(&samples)[..] else {
        panic!("{:?}", condition_changes(&samples))
    };
    assert_eq!(change.scope, ChangeScope::Processor(Processor(3)));
    assert!(change.is_temporary && change.ratio > 1.7 && change.ratio < 2.3, "{change:?}");
    let (before, after) = (change.before.1.get(), change.after.1.get());
    assert!(before <= conditions.from && after >= conditions.from, "{change:?}");
    let words = change.to_string();
    assert!(words.contains("times as long after") && words.contains("for a time"), "{words}");
}

/// Without anchors, a drift in the middle becomes half-duplex hosts or links.
#[test]
fn topology_is_not_inferred_from_readings_that_drifted() {
    let all: Vec<u32> = (0..6).collect();
    let truth = cluster(6, &[], 2);
    let (_, total) = measured(&truth, None, 2);
    let conditions = Slow { from: 0.6 * total, to: f64::INFINITY, ..slow(&all, 2.0) };
    let (samples, _) = measured(&truth, Some(conditions), 2);
    let mut without = samples.clone();
    without.retain(|experiment, _| !matches!(experiment, Experiment::Anchor { .. }));
    let claimed = |samples: &Samples| {
        let outcome = fitted(samples);
        let links = outcome.shared_links.map_or(0, |found| found.links.len());
        (outcome.half_duplex.map_or(0, |found| found.len()) + links, outcome.set_aside)
    };
    assert!(claimed(&without).0 > 0);
    let (topology, set_aside) = claimed(&samples);
    assert_eq!(topology, 0);
    assert!(set_aside > 0);
}

/// Anchors say whether the machine changed; neither models nor validations contain them.
#[test]
fn a_model_of_a_steady_machine_is_that_without_anchors() {
    let (samples, _) = measured(&cluster(4, &[], 1), None, 1);
    let mut without = samples.clone();
    without.retain(|experiment, _| !matches!(experiment, Experiment::Anchor { .. }));
    assert!(without.count() < samples.count());
    let model = fitted(&samples).model;
    assert_eq!(model, fitted(&without).model);
    let rows = |samples| validate(&model, samples, &[ModelKind::Ports], 0.95).unwrap().rows;
    assert_eq!(rows(&samples), rows(&without));
}

#[test]
fn anchors_return_from_a_file_and_a_resumed_campaign_adds_none() {
    let truth = cluster(5, &[], 3);
    let (mut samples, _) = measured(&truth, None, 3);
    let text = file::to_text(&samples).unwrap();
    assert!(text.contains("\nanchor,0,1,"), "{text}");
    let read = file::parse(&text, "a.csv").unwrap().samples;
    assert_eq!(condition_changes(&read), condition_changes(&samples));
    assert_eq!(read.count(), samples.count());
    let count = samples.count();
    let mut machine = SimulatedMachine::new(truth.network(), 0.02, 3)
        .with_flows(Box::new(Flows(SharedPorts::new(&truth))));
    let precision = Precision { min_reps: 5, ..Precision::default() };
    let design =
        CommDesign { shared_links: true, anchors: true, ..CommDesign::new(Bytes::new(32 << 10)) };
    let mut campaign = Campaign::new(&mut machine, &mut samples).precision(precision).seed(3);
    campaign.measure(&design).unwrap();
    assert_eq!(samples.count(), count);
}
