//! Recognition of files by their content, tried on the examples and the test data.

use std::collections::BTreeMap;
use std::path::Path;

use orrery::file::FileKind::{
    Cluster, Conditions, ExtraP, ExtraPExperiment, GraphFrame, Hpl, Imb, Kernels, Model, Osu, Pico,
    Platform, Samples, Scheme, TimeIndependentTrace,
};
use orrery::file::{FileKind, kind_of};

/// The kind of each file of a folder of the project by its name; other files have none.
fn check(folder: &str, expected: &[(&str, FileKind)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut expected: BTreeMap<&str, FileKind> = expected.iter().copied().collect();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // Documents and scripts quote lines of such files.
        let quotes =
            path.extension().is_some_and(|extension| extension == "md" || extension == "py");
        if path.is_file() && !quotes {
            let content = std::fs::read(&path).unwrap();
            for head in [&content[..], &content[..content.len().min(4096)]] {
                assert_eq!(kind_of(head), expected.get(&*name).copied(), "{}", path.display());
            }
            expected.remove(&*name);
        }
    }
    assert!(expected.is_empty(), "not in {}: {expected:?}", folder.display());
}

#[test]
fn examples_are_recognised() {
    check(
        "examples",
        &[
            ("crossbar.xml", Platform),
            ("cluster.toml", Cluster),
            ("emulated.toml", Cluster),
            ("two-kinds.toml", Cluster),
            ("figure-4.scheme", Scheme),
            ("figure-5.scheme", Scheme),
            ("gather.tit", TimeIndependentTrace),
            ("ring.tit", TimeIndependentTrace),
            ("bcast.csv", Samples),
            ("regions.txt", ExtraP),
            ("kernels.csv", Kernels),
            ("now.json", Conditions),
            ("alike-hosts.json", Model),
            ("four-hosts.json", Model),
            ("gigabit.json", Model),
            ("six-hosts.json", Model),
            ("switched-eight.json", Model),
            ("two-hosts.json", Model),
            ("two-networks.json", Model),
        ],
    );
}

#[test]
fn outputs_of_benchmarks_are_recognised() {
    let osu = [
        "osu-batch.log",
        "osu-latency-5.txt",
        "osu-latency-7.txt",
        "osu-multi-lat-7.txt",
        "osu-scatter-full.txt",
        "osu-collectives-5.txt",
        "osu-collectives-7.txt",
        "osu-options-7.txt",
    ];
    let imb =
        ["imb-2021.txt", "imb-4.txt", "imb-collectives-2021.txt", "imb-unsynchronised-2021.txt"];
    let pico = ["pico-quantiles.csv", "1024_ring_ompi_int32.csv"].map(|name| (name, Pico));
    let means = osu.map(|name| (name, Osu)).into_iter().chain(imb.map(|name| (name, Imb)));
    let all: Vec<_> = means.chain(pico).collect();
    check("testdata/import", &all);
}

#[test]
fn outputs_of_applications_are_recognised() {
    let hpl = [
        "HPL-bcast.out",
        "HPL.out",
        "hpcc-variants.txt",
        "hpccoutf.txt",
        "hpcc-variants.txt",
        "mxp.out",
        "nvidia.out",
        "rows.txt",
    ];
    let extrap =
        ["extrap-3.json", "extrap.json", "extrap.jsonl", "extrap.txt", "metrics.txt", "talpas.txt"];
    let frames = ["aggregate", "literal", "ranks", "spot", "spot-literal", "thicket", "trace"];
    let frames = frames.map(|name| format!("{name}.json"));
    check("testdata/runs/frames", &frames.each_ref().map(|name| (&name[..], GraphFrame)));
    let experiments = ["five", "profiles", "statistics", "values"];
    let experiments = experiments.map(|name| format!("{name}.extra-p"));
    let experiments = experiments.each_ref().map(|name| (&name[..], ExtraPExperiment));
    check("testdata/runs/experiments", &experiments);
    let all: Vec<_> =
        hpl.map(|name| (name, Hpl)).into_iter().chain(extrap.map(|name| (name, ExtraP))).collect();
    check("testdata/runs", &all);
}
