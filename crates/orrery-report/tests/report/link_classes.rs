//! Tables and pages of clusters with links within a host and links across hosts.

use orrery::comm::lmo::LmoNetwork;
use orrery::machine::{Machine as _, SimulatedMachine};
use orrery::measure::{Campaign, Plan, Precision, TripletDesign, one_to_twos, round_trips};
use orrery::model::{FitOptions, FitOutcome, fit, validate};
use orrery::platform::{Hosts, LinkClass, PerPair, Processor};
use orrery::sample::{Samples, summarise};
use orrery::units::Bytes;
use orrery_report::pages;
use orrery_report::tables::{parameters, summary, validation};

/// The host of each processor; processors of one host do not have neighbouring numbers.
const HOSTS: &str = "a b a b a b";
const PROCESSORS: usize = 6;
const SIZE: Bytes = Bytes::new(32 * 1024);

/// A cluster with fast links within hosts and slow links across hosts.
fn network() -> LmoNetwork {
    let hosts = Hosts::new(HOSTS.split(' '));
    let within = |a: Processor, b: Processor| hosts.class(a, b) == Some(LinkClass::WithinHost);
    let latency = PerPair::from_fn(PROCESSORS, |a, b| if within(a, b) { 1e-6 } else { 30e-6 });
    let byte_delay = PerPair::from_fn(PROCESSORS, |a, b| if within(a, b) { 0.1e-9 } else { 8e-9 });
    LmoNetwork::new(
        &[5e-6; PROCESSORS],
        &[0.5e-9; PROCESSORS],
        Some(latency.values()),
        byte_delay.values(),
    )
}

/// Nine repetitions of round trips and one-to-two experiments on that cluster.
fn measured() -> Samples {
    let mut machine = SimulatedMachine::new(network(), 0.02, 7);
    let mut samples = Samples::new(machine.provenance().with("hosts", HOSTS));
    let mut run = |samples: &mut Samples, plan: &Plan| {
        let precision = Precision { min_reps: 9, max_reps: 9, ..Precision::default() };
        let mut campaign = Campaign::new(&mut machine, samples).precision(precision);
        campaign.run("plan", plan).expect("the simulated machine does not fail");
    };
    run(&mut samples, &round_trips(PROCESSORS, &[Bytes::ZERO, SIZE], 7));
    let plan = one_to_twos(TripletDesign::Full, &samples, PROCESSORS, SIZE, 7)
        .expect("all pairs are measured");
    run(&mut samples, &plan);
    samples
}

/// The same readings with other hosts.
fn on(hosts: &str, samples: &Samples) -> Samples {
    let mut moved = samples.clone();
    moved.provenance.set("hosts", hosts);
    moved
}

#[test]
fn tables_and_page_separate_links_within_and_across_hosts() {
    let samples = measured();
    let FitOutcome { model, .. } = fit(&samples, &FitOptions::default()).unwrap();
    let classes = parameters(&model).into_iter().find(|table| table.name == "classes").unwrap();
    let csv = classes.csv();
    for start in
        ["hockney,within,6,0.0000", "hockney,across,9,0.0000", "lmo,within,6,", "lmo,across,9,"]
    {
        assert!(csv.lines().any(|line| line.starts_with(start)), "{start} {csv}");
    }
    assert!(classes.terminal(100).contains("across"));

    let validated = validate(&model, &samples, &model.kinds(), 0.95).unwrap();
    let (rows, errors) = validation(&validated);
    assert!(
        rows.csv().lines().next().unwrap().ends_with(",links") && rows.csv().contains(",within\n")
    );
    assert!(rows.terminal(120).lines().any(|line| line.starts_with("roundtrip, across ")));
    let errors = errors.csv();
    let told = |start: &str, end: &str| {
        errors.lines().any(|line| line.starts_with(start) && line.ends_with(end))
    };
    for (start, end) in [
        ("lmo,roundtrip,45,", ","),
        ("lmo,roundtrip,18,", ",within"),
        ("lmo,roundtrip,27,", ",across"),
        ("lmo,one-to-two,", ",both"),
    ] {
        assert!(told(start, end), "{start} {end} {errors}");
    }

    let page = pages::communication_page(&model, &samples, &validated);
    // Two hosts in each map of links and of pairs, the processors of a host together: 0, 2, 4 and
    // 1, 3, 5.
    assert_eq!(page.matches("<path class=\"host\"").count(), 8);
    assert!(
        page.contains("<title>within host a</title>") && page.contains("roundtrip, across hosts")
    );
    let elsewhere = {
        let samples = on("a b c d e f", &samples);
        let FitOutcome { model, .. } = fit(&samples, &FitOptions::default()).unwrap();
        pages::communication_page(
            &model,
            &samples,
            &validate(&model, &samples, &model.kinds(), 0.95).unwrap(),
        )
    };
    assert!(!elsewhere.contains("class=\"host\"") && !elsewhere.contains("across hosts"));

    let table = summary(&summarise(&samples, 0.95));
    assert!(table.csv().lines().next().unwrap().ends_with(",links"));
    let line = |class: &str| {
        table.terminal(140).lines().any(|l| l.starts_with(&format!("roundtrip, {class} ")))
    };
    assert!(line("within") && line("across"), "{}", table.terminal(140));
}

#[test]
fn tables_have_no_column_of_link_classes_where_all_links_are_of_one_class() {
    let samples = measured();
    let tables = |hosts: &str| {
        let samples = on(hosts, &samples);
        let FitOutcome { model, .. } = fit(&samples, &FitOptions::default()).unwrap();
        let (rows, errors) = validation(&validate(&model, &samples, &model.kinds(), 0.95).unwrap());
        [summary(&summarise(&samples, 0.95)), rows, errors]
            .map(|table| table.terminal(200) + &table.csv())
    };
    let separate = tables("a b c d e f");
    assert!(separate.iter().all(|table| !table.contains("links")), "{}", separate[2]);
    assert_eq!(tables("a a a a a a"), separate);
    assert_eq!(tables(""), separate);
}
