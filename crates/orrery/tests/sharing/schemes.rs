//! Schemes measured on a simulated machine whose law is known: penalties, fits, intervals, and the
//! campaign itself.

use orrery::comm::lmo::LmoNetwork;
use orrery::file::{FileKind, kind_of};
use orrery::machine::{Machine, MachineError, NotModelled, SimulatedMachine, SlowdownModel};
use orrery::measure::{CampaignEnd, CampaignError, Precision, SchemeCampaign, SchemeNodes};
use orrery::model::{SharingFitError, fit_sharing, validate_sharing};
use orrery::numeric::Estimate;
use orrery::platform::Processor;
use orrery::sample::file;
use orrery::sample::{Communication, NodeMessage, TimedScheme, Timings, measured_penalties};
use orrery::schedule::Completion;
use orrery::sharing::calibrate::{calibration_schemes, unidentified_parameters};
use orrery::sharing::scheme::{Arc, parse};
use orrery::sharing::{FittedLaw, GigabitEthernet, Infiniband, LawKind, PenaltyModel, Transfer};
use orrery::units::Bytes;

use crate::coverage::Coverage;
use crate::goldens::gige;

const NODES: usize = 6;
const SIZE: Bytes = Bytes::new(20 << 20);

/// A law between processors.
#[derive(Debug)]
struct Law<T>(T);

impl<T: PenaltyModel + std::fmt::Debug> SlowdownModel for Law<T> {
    fn slowdowns(&self, messages: &[(Processor, Processor)]) -> Result<Vec<f64>, NotModelled> {
        let transfers: Vec<_> =
            messages.iter().map(|(from, to)| Transfer::between(from.0, to.0)).collect();
        self.0.penalties(&transfers).map_err(|error| NotModelled(error.to_string()))
    }
}

fn machine<T: PenaltyModel + std::fmt::Debug + 'static>(
    law: T,
    nodes: usize,
    noise: f64,
    seed: u64,
) -> SimulatedMachine<LmoNetwork> {
    let pairs = nodes * (nodes - 1) / 2;
    let rates: Vec<f64> = (0..pairs).map(|pair| 8e-9 * (1.0 + pair as f64 / 40.0)).collect();
    let network =
        LmoNetwork::new(&vec![1e-5; nodes], &vec![1e-10; nodes], Some(&vec![2e-5; pairs]), &rates);
    SimulatedMachine::new(network, noise, seed).with_slowdowns(Box::new(Law(law)))
}

fn timed(name: &str, arcs: Vec<Arc>) -> TimedScheme {
    let communication = |arc: Arc| Communication {
        name: arc.name,
        message: NodeMessage {
            source: arc.transfer.source.0,
            destination: arc.transfer.destination.0,
            size: arc.size,
        },
        delay: arc.delay,
        readings: Vec::new(),
    };
    let communications = arcs.into_iter().map(communication).collect();
    TimedScheme { name: name.into(), communications }
}

fn scheme(name: &str, text: &str) -> TimedScheme {
    timed(name, parse(text).unwrap().arcs)
}

fn calibration(nodes: usize) -> Vec<TimedScheme> {
    let schemes = calibration_schemes(nodes, SIZE).into_iter();
    schemes.map(|one| timed(&one.name, one.scheme.arcs)).collect()
}

fn measure(
    machine: &mut dyn Machine,
    schemes: &[TimedScheme],
    reps: u32,
    known: &mut Timings,
) -> Result<CampaignEnd, CampaignError> {
    let nodes = SchemeNodes::per_processor(machine.processors());
    measure_nodes(machine, &nodes, schemes, reps, known)
}

fn measure_nodes(
    machine: &mut dyn Machine,
    nodes: &SchemeNodes,
    schemes: &[TimedScheme],
    reps: u32,
    known: &mut Timings,
) -> Result<CampaignEnd, CampaignError> {
    SchemeCampaign {
        machine,
        nodes,
        completion: Completion::Answered,
        precision: Precision { min_reps: reps, max_reps: reps, ..Precision::default() },
        warm_up: 1,
        launch: 0,
        deadline: None,
        keep: &mut |_| Ok(()),
        known,
        progress: &mut |_, _, _| {},
    }
    .run(schemes)
}

fn timings<T: PenaltyModel + std::fmt::Debug + 'static>(
    law: T,
    nodes: usize,
    reps: u32,
    noise: f64,
    seed: u64,
) -> Timings {
    let mut known = Timings::default();
    let end = measure(&mut machine(law, nodes, noise, seed), &calibration(nodes), reps, &mut known);
    assert_eq!(end.unwrap(), CampaignEnd::Complete);
    known
}

/// The law that is fitted to timings.
fn fitted(timings: &Timings, name: &str) -> FittedLaw {
    fit_sharing(timings, &kinds(&[name]), 0.95).unwrap().laws.get(name).unwrap().clone()
}

fn infiniband() -> Infiniband {
    Infiniband::new(0.87, 0.95, 1.35).unwrap()
}

/// Checks that the law is recovered from a calibration without noise.
fn assert_recovered(
    law: impl PenaltyModel + Copy + std::fmt::Debug + 'static,
    nodes: usize,
    name: &str,
    truth: [f64; 3],
) {
    let found = fitted(&timings(law, nodes, 2, 0.0, 1), name);
    let is_near = |(found, truth): (&Estimate, f64)| (found.value - truth).abs() < 1e-9;
    assert!(found.estimates().iter().zip(truth).all(is_near), "{found:?} is not {truth:?}");
}

/// The laws of these names.
fn kinds(names: &[&str]) -> Vec<&'static LawKind> {
    names.iter().map(|name| LawKind::from_name(name).unwrap()).collect()
}

#[test]
fn noise_free_calibration_recovers_the_law() {
    for nodes in [4, NODES] {
        assert_recovered(gige(), nodes, "gige", gige().parameters());
        assert_recovered(infiniband(), nodes, "infiniband", infiniband().parameters());
    }
    let three = GigabitEthernet::new(0.8, 0.2, 0.1).unwrap();
    assert_recovered(three, 3, "gige", three.parameters());
}

const SEEDS: u64 = 200;

#[test]
fn intervals_of_parameters_cover_the_true_values() {
    let mut coverage = [[Coverage::default(); 3]; 2];
    for seed in 0..SEEDS {
        let found = [
            fitted(&timings(gige(), NODES, 5, 0.05, seed), "gige"),
            fitted(&timings(infiniband(), NODES, 5, 0.05, seed), "infiniband"),
        ];
        let truths = [gige().parameters(), infiniband().parameters()];
        for (coverage, (found, truths)) in coverage.iter_mut().zip(found.iter().zip(truths)) {
            for (coverage, (estimate, truth)) in
                coverage.iter_mut().zip(found.estimates().iter().zip(truths))
            {
                coverage.estimate(estimate, truth);
            }
        }
    }
    let covers = |one: &Coverage| (0.90..=0.98).contains(&one.part());
    assert!(coverage.as_flattened().iter().all(covers), "{coverage:?}");
}

#[test]
fn intervals_of_penalties_cover_the_true_values() {
    let mut coverage = Coverage::default();
    for seed in 0..SEEDS {
        for scheme in measured_penalties(&timings(gige(), 4, 5, 0.05, seed)) {
            let messages = scheme.communications.iter().map(|one| one.message);
            let transfers: Vec<_> =
                messages.map(|one| Transfer::between(one.source, one.destination)).collect();
            for (one, truth) in
                scheme.communications.iter().zip(gige().penalties(&transfers).unwrap())
            {
                coverage.estimate(&one.penalty(0.95).unwrap(), truth);
            }
        }
    }
    assert!((0.92..=0.97).contains(&coverage.part()), "{coverage:?}");
}

#[test]
fn parameters_without_an_identifying_scheme_are_named() {
    let mut known = Timings::default();
    measure(&mut machine(gige(), 3, 0.0, 1), &[scheme("two", "0 -> 1\n0 -> 2")], 1, &mut known)
        .unwrap();
    let error = fit_sharing(&known, &kinds(&["gige", "infiniband"]), 0.95).unwrap_err();
    let SharingFitError::NoLaw(all) = &error else { panic!("{error}") };
    assert_eq!(all.iter().map(|(law, _)| *law).collect::<Vec<_>>(), ["gige", "infiniband"]);
    let words = error.to_string();
    assert!(
        words.contains("gamma_out; also measure this: two transfers from one node, with another"),
        "{words}"
    );
    assert_eq!(
        fit_sharing(&Timings::default(), &kinds(&["gige"]), 0.95),
        Err(SharingFitError::Nothing)
    );
    // Three nodes do not identify InfiniBand's γ, which is reported before the measurement.
    let error = fit_sharing(&timings(infiniband(), 3, 1, 0.0, 1), &kinds(&["infiniband"]), 0.95)
        .unwrap_err()
        .to_string();
    assert!(error.contains("gamma; also measure"), "{error}");
    assert_eq!(unidentified_parameters(3), [("infiniband", "gamma", 4)]);
    assert_eq!(unidentified_parameters(2).len(), 6);
}

#[test]
fn true_law_has_the_smallest_error() {
    let known = timings(gige(), NODES, 3, 0.01, 1);
    let laws = fit_sharing(&known, &kinds(&["gige", "infiniband"]), 0.95).unwrap().laws;
    let validation = validate_sharing(&laws, &known, 0.95);
    let whole: Vec<_> = validation.summary.iter().filter(|one| one.scheme.is_none()).collect();
    assert_eq!(whole[0].law, "gige");
    assert!(whole[0].error < 0.01 && whole[1].error > 5.0 * whole[0].error, "{whole:?}");
    // With such penalties InfiniBand's γ has no effect, so the law is not fitted.
    assert_eq!(whole.len(), 3);
    // Two transfers of one node under max-min take twice as long as one; here they take 1.5 times
    // as long.
    let row =
        validation.rows.iter().find(|row| row.law == "maxmin" && row.scheme == "out2").unwrap();
    assert!(
        (row.predicted_penalty - 2.0).abs() < 1e-12 && (row.error - 1.0 / 3.0).abs() < 0.05,
        "{row:?}"
    );
}

#[test]
fn interrupted_campaign_takes_the_same_readings() {
    let schemes = calibration(4);
    let whole = timings(gige(), 4, 6, 0.05, 3);
    let mut known = Timings::default();
    measure(&mut machine(gige(), 4, 0.05, 3), &schemes[..2], 2, &mut known).unwrap();
    let mut again =
        file::parse_table::<Timings>(file::to_text(&known).unwrap(), "t.csv").unwrap().samples;
    measure(&mut machine(gige(), 4, 0.05, 3), &schemes, 6, &mut again).unwrap();
    assert_eq!(again.references(), whole.references());
    assert_eq!(again.schemes(), whole.schemes());
}

#[test]
fn invalid_schemes_are_rejected_before_any_measurement() {
    let mut known = Timings::default();
    for (text, expected) in [
        ("0 -> 3", "needs node 3, but there are 3"),
        ("0 -> 1\nb: 2 -> 2", "\"b\" stays within node 2"),
        ("# nothing", "has no transfer"),
    ] {
        let error = measure(&mut machine(gige(), 3, 0.0, 1), &[scheme("s", text)], 1, &mut known)
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, CampaignError::Misfit(_)));
    }
    assert_eq!(known.count(), 0);
    measure(&mut machine(gige(), 3, 0.0, 1), &[scheme("s", "0 -> 1")], 1, &mut known).unwrap();
    let error = measure(&mut machine(gige(), 3, 0.0, 1), &[scheme("s", "0 -> 2")], 1, &mut known)
        .unwrap_err();
    let known_name = "a different scheme with the name \"s\"";
    assert!(
        matches!(error, CampaignError::Misfit(fault) if fault.to_string().contains(known_name))
    );
    let late = scheme("late", "0 -> 1\n0 -> 2 after 1ms");
    let error = measure(&mut machine(gige(), 3, 0.0, 1), &[late], 1, &mut known).unwrap_err();
    assert!(
        matches!(error, CampaignError::Machine { source: MachineError::NotModelled(_), .. }),
        "{error}"
    );
}

#[test]
fn messages_of_a_host_are_spread_over_its_processors() {
    let nodes = SchemeNodes::per_host(&["a", "b", "a", "b", "a", "b"]);
    assert_eq!(nodes.count(), 2);
    // With processors of their own, two messages of one pair are sent and received by four
    // processes: on a network without a law they then do not wait for one another.
    let pairs = 15;
    let network = LmoNetwork::new(&[1e-5; 6], &[1e-9; 6], Some(&[2e-5; 15]), &vec![8e-9; pairs]);
    let mut machine = SimulatedMachine::new(network, 0.0, 1);
    let mut known = Timings::default();
    let twice = [scheme("twice", "0 -> 1 20M x2")];
    measure_nodes(&mut machine, &nodes, &twice, 1, &mut known).unwrap();
    for one in &measured_penalties(&known)[0].communications {
        assert!((one.penalty(0.95).unwrap().value - 1.0).abs() < 1e-9, "{one:?}");
    }
}

#[test]
fn timings_read_back_without_a_truncated_line() {
    let mut all = timings(gige(), 3, 2, 0.05, 1);
    all.provenance.set("machine", "simulated");
    let text = file::to_text(&all).unwrap();
    let loaded = file::parse_table::<Timings>(&text, "t.csv").unwrap();
    assert_eq!(loaded.samples, all);
    assert!(loaded.warnings.is_empty());
    assert_eq!(kind_of(text.as_bytes()), Some(FileKind::Timings));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, &text[..text.len() - 3]).unwrap();
    let (writer, loaded) = file::TimingsWriter::resume(&path).unwrap();
    assert_eq!((loaded.samples.count(), loaded.warnings.len()), (all.count() - 1, 1));
    assert!(
        file::TimingsWriter::resume(&path)
            .unwrap_err()
            .to_string()
            .contains("another campaign is writing")
    );
    drop(writer);
    assert!(std::fs::read_to_string(&path).unwrap().ends_with('\n'));
    let error = file::TimingsWriter::create(&path, &all.provenance, false).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
}

#[test]
fn errors_of_a_timings_file_have_a_position() {
    let head = "scheme,communication,source,destination,size,kind,seconds\n";
    for (row, place, words) in [
        ("two,a,0,0,8,concurrent,1", "2:9", "stays within node 0"),
        ("two,a,0,1,8,concurrent,0", "2:24", "above 0"),
        ("two,a,0,x,8,concurrent,1", "2:9", "the number of a node"),
        ("two,a,0,1,8,alone,1", "2:13", "concurrent or reference"),
        ("two,,0,1,8,reference,1", "2:1", "belongs to no scheme"),
        ("two,,0,1,8,concurrent,1", "2:5", "needs the columns"),
        ("two,a,0,1,8,concurrent", "2:1", "6 fields, but there are 7 columns"),
        ("two,a,0,1,8,concurrent,1\ntwo,a,0,2,8,concurrent,1", "3:1", "unlike before"),
    ] {
        let error = file::parse_table::<Timings>(format!("{head}{row}\n"), "t.csv")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("t.csv:{place}: ")) && error.contains(words),
            "{row}: {error}"
        );
    }
    for (text, words) in [
        ("", "no line of column names"),
        ("# format: orrery-samples 1\n", "orrery reads \"orrery-timings 1\""),
        ("scheme,scheme\n", "named twice"),
        ("scheme,source\n", "no column \"communication\""),
        ("\u{0}\n", "not text"),
    ] {
        let error = file::parse_table::<Timings>(text, "t.csv").unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

/// A law without calibration is an error, not a fit of another law; an unknown name is no law at
/// all.
#[test]
fn law_without_calibration_is_rejected() {
    let known = timings(Infiniband::new(0.9, 0.95, 1.4).unwrap(), 6, 1, 0.0, 1);
    let error = fit_sharing(&known, &kinds(&["myrinet"]), 0.95).unwrap_err().to_string();
    assert!(
        error.contains("myrinet cannot be fitted; laws that can are gige, infiniband"),
        "{error}"
    );
    let error = LawKind::from_name("quadrics").unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown sharing law \"quadrics\"; known are maxmin, gige, myrinet, infiniband"
    );
}
