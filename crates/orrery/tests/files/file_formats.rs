//! The examples in docs/file-formats.md are what they say they are.

use orrery::machine::local::Emulation;
use orrery::model;
use orrery::platform;
use orrery::run;
use orrery::sample::{self, Timings};
use orrery::sharing::scheme;

const PAGE: &str = include_str!("../../../../docs/file-formats.md");

/// The fenced examples in a language.
fn examples(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    PAGE.split(&fence).skip(1).map(|rest| rest[..rest.find("```").unwrap()].to_owned()).collect()
}

#[test]
fn samples_are_read() {
    let [campaign, by_hand, merged] = &examples("samples")[..] else { panic!("three examples") };
    let loaded = sample::file::parse(campaign, "campaign").unwrap();
    assert_eq!(
        (loaded.samples.count(), loaded.warnings.len(), loaded.samples.unknown.len()),
        (3, 0, 0)
    );
    assert_eq!(sample::file::to_text(&loaded.samples).unwrap(), *campaign);
    let loaded = sample::file::parse(by_hand, "by hand").unwrap();
    assert_eq!((loaded.samples.count(), loaded.warnings.len()), (2, 1));
    let loaded = sample::file::parse(merged, "merged").unwrap();
    assert_eq!(sample::file::to_text(&loaded.samples).unwrap(), *merged);
    assert_eq!(
        sample::merge(std::slice::from_ref(&loaded.samples)).unwrap().samples,
        loaded.samples
    );
    assert_eq!(loaded.samples.provenance.of_launch(1, "date"), Some("2026-11-09T20:00:00Z"));
}

#[test]
fn topologies_are_read() {
    let [topology] = &examples("topology")[..] else { panic!("one example") };
    let tree = platform::slurm_topology::parse(topology, "topology.conf").unwrap();
    assert_eq!(tree.hosts_below(tree.roots()[0]).len(), 32);
}

#[test]
fn models_are_read() {
    let [fitted, by_hand] = &examples("model")[..] else { panic!("two examples") };
    let schema = crate::model_file::schema();
    let [application] = &examples("application")[..] else { panic!("one example") };
    let loaded = model::file::parse(application, "example").unwrap();
    assert_eq!(
        (loaded.model.application.as_ref().unwrap().regions.len(), loaded.warnings.len()),
        (2, 0)
    );
    assert_eq!(model::file::to_text(&loaded.model).unwrap(), *application);
    assert!(schema.is_valid(&serde_json::from_str(application).unwrap()));
    let [kernels] = &examples("kernel-model")[..] else { panic!("one example") };
    let loaded = model::file::parse(kernels, "example").unwrap();
    assert_eq!((loaded.model.kernels.len(), loaded.warnings.len()), (1, 0));
    assert!(schema.is_valid(&serde_json::from_str(kernels).unwrap()));
    let [thresholds] = &examples("thresholds")[..] else { panic!("one example") };
    for text in [fitted, by_hand, thresholds] {
        let loaded = model::file::parse(text, "example").unwrap();
        assert_eq!((loaded.model.processors(), loaded.warnings.len()), (3, 0));
        assert!(schema.is_valid(&serde_json::from_str(text).unwrap()));
        let again = model::file::to_text(&loaded.model).unwrap();
        assert_eq!(model::file::parse(again, "example").unwrap().model, loaded.model);
    }
}

#[test]
fn clusters_are_read() {
    let [paper, network, emulated] = &examples("cluster")[..] else { panic!("three examples") };
    let loaded = platform::file::parse(paper, "example").unwrap();
    let kinds: Vec<_> =
        loaded.cluster.kinds().iter().map(|kind| (kind.elements(), kind.processes)).collect();
    assert_eq!((kinds, loaded.unused_keys.len()), (vec![(1, 6), (8, 1)], 0));
    let network = platform::file::network(network, "cluster.toml").unwrap();
    assert_eq!((network.topology.hosts.len(), network.topology.links.len()), (4, 1 + 3 * 4));
    let emulated = platform::file::network(emulated, "cluster.toml").unwrap();
    let emulation =
        Emulation::new("cluster.toml", emulated.topology, emulated.overheads, 1).unwrap();
    assert_eq!(emulation.workers(), 6);
}

#[test]
fn timings_are_read() {
    let [campaign] = &examples("timings")[..] else { panic!("one example") };
    let loaded = sample::file::parse_table::<Timings>(campaign, "example").unwrap();
    assert_eq!(
        (loaded.samples.count(), loaded.samples.schemes().len(), loaded.warnings.len()),
        (4, 1, 0)
    );
    let again = sample::file::to_text(&loaded.samples).unwrap();
    assert_eq!(
        sample::file::parse_table::<Timings>(again, "example").unwrap().samples,
        loaded.samples
    );
}

#[test]
fn schemes_are_read() {
    let [scheme] = &examples("scheme")[..] else { panic!("one example") };
    let names: Vec<_> =
        scheme::parse(scheme).unwrap().arcs.into_iter().map(|arc| arc.name).collect();
    assert_eq!(names, ["a", "b", "back", "c", "d"]);
    let error = scheme::parse("# one\n0 -> 1 quickly").unwrap_err().to_string();
    let shown: Vec<_> = error.lines().map(str::trim_start).collect();
    assert!(shown.iter().all(|line| PAGE.contains(line)), "{error}");
}

#[test]
fn runs_are_read() {
    let [imported, by_hand] = &examples("runs")[..] else { panic!("two examples") };
    let runs = run::file::parse(imported, "imported").unwrap();
    assert_eq!((runs.runs.len(), runs.runs[0].processes()), (2, Some(4.0)));
    assert_eq!(run::file::to_text(&runs).unwrap(), *imported);
    assert_eq!(run::file::parse(by_hand, "by hand").unwrap().runs[1].variable("n"), Some(2000.0));
}

#[test]
fn plans_are_read() {
    let [advised] = &examples("plan")[..] else { panic!("one example") };
    let plan = run::file::plan::parse(advised, "advised").unwrap();
    assert_eq!((plan.runs.len(), plan.runs[1].grid()), (2, Some((1.0, 12.0))));
    assert_eq!(run::file::plan::to_text(&plan).unwrap(), *advised);
}
