//! Classes of equal hosts: one host is measured, its model stands for the others.

use orrery::file::FileKind;
use orrery::kernel::KernelCall;
use orrery::model::{KernelChoice, KernelOnHost, KernelPredictError, Model, fit_kernels};
use orrery::sample::file::{KernelsWriter, kind_of, parse_table, to_text};
use orrery::sample::{HOST_CLASSES, HOST_MEMORY, KernelTimings};
use orrery::units::Bytes;

/// A file with times of dgemv on hosts, each with a factor, and classes.
fn timings(classes: &str, hosts: &[(&str, f64)]) -> KernelTimings {
    let head =
        if classes.is_empty() { String::new() } else { format!("# {HOST_CLASSES}: {classes}\n") };
    let mut lines =
        vec![format!("# format: orrery-kernels 1\n{head}host,kernel,variant,m,n,seconds")];
    for (host, factor) in hosts {
        for (m, n) in (1..6).flat_map(|m| (1..6).map(move |n| (100 * m, 50 * n))) {
            lines.push(format!(
                "{host},dgemv,n,{m},{n},{:e}",
                factor * (1e-6 + 1e-9 * f64::from(m * n))
            ));
        }
    }
    parse_table(lines.join("\n") + "\n", "k.csv").unwrap().samples
}

fn fitted(timings: &KernelTimings) -> Vec<KernelOnHost> {
    fit_kernels(timings, 0.95).unwrap().models
}

fn call() -> KernelCall {
    KernelCall::new("dgemv".parse().unwrap(), "n", [1000, 400, 1]).unwrap()
}

/// The predicted time on a host in units of the host with factor 1.
fn factor(model: &Model, host: &str) -> Result<f64, KernelPredictError> {
    let choice = KernelChoice { host: Some(host.to_owned()), ..KernelChoice::default() };
    let found = model.kernel(&call(), &choice)?;
    Ok((found.model.predict(&call()).unwrap().value / 401e-6 * 1e3).round() / 1e3)
}

#[test]
fn a_measured_host_answers_for_its_class() {
    let mut model = Model::default();
    model.add_kernels(fitted(&timings("a b c; d e", &[("a", 1.0), ("d", 3.0)])));
    for (host, expected) in [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 3.0), ("e", 3.0)] {
        assert_eq!(factor(&model, host), Ok(expected), "{host}");
    }
    let error = factor(&model, "f").unwrap_err().to_string();
    assert_eq!(error, "the model has no dgemv n for host f; known are a, b, c, d, e");
    // Without a host the two measured ones differ.
    let several = model.kernel(&call(), &KernelChoice::default()).unwrap_err().to_string();
    assert_eq!(several, "the models of dgemv n differ in host: a, d; name one");
}

#[test]
fn one_class_needs_no_name_of_a_host() {
    let mut model = Model::default();
    model.add_kernels(fitted(&timings("a b", &[("a", 1.0)])));
    assert_eq!(model.kernel(&call(), &KernelChoice::default()).unwrap().equal_hosts, ["b"]);
}

#[test]
fn a_host_of_a_class_can_be_measured_later() {
    let mut model = Model::default();
    model.add_kernels(fitted(&timings("a b c", &[("a", 1.0)])));
    model.add_kernels(fitted(&timings("", &[("b", 2.0)])));
    assert_eq!((factor(&model, "b"), factor(&model, "c")), (Ok(2.0), Ok(1.0)));
    // The class does not return with new times of its measured host.
    model.add_kernels(fitted(&timings("a b c", &[("a", 4.0)])));
    assert_eq!((factor(&model, "b"), factor(&model, "c")), (Ok(2.0), Ok(4.0)));
    // By hand both may be there.
    model.kernels[0].equal_hosts.push("b".into());
    assert_eq!(factor(&model, "b"), Ok(2.0));
}

#[test]
fn several_files_have_their_classes() {
    let mut all = KernelTimings::default();
    for (classes, host) in [("a b", "a"), ("", "x"), ("c d", "c")] {
        all.extend(timings(classes, &[(host, 1.0)]));
    }
    assert_eq!(all.provenance.get(HOST_CLASSES), Some("a b; c d"));
    let mut model = Model::default();
    model.add_kernels(fitted(&all));
    assert_eq!((factor(&model, "d"), factor(&model, "x")), (Ok(1.0), Ok(1.0)));
}

#[test]
fn hosts_have_their_memory_or_that_of_their_class() {
    let memory = |text: &str, classes: &str| {
        let mut timings = timings(classes, &[("a", 1.0)]);
        timings.provenance.set(HOST_MEMORY, text);
        timings
    };
    let mut all = memory("a=1000 b=990", "a b c");
    all.extend(memory("d=2000", ""));
    let fitted = fit_kernels(&all, 0.95).unwrap().host_memory;
    let expected = [("a", 1000), ("b", 990), ("c", 1000), ("d", 2000)];
    let expected = expected.map(|(host, bytes)| (host.to_owned(), Bytes::new(bytes)));
    assert_eq!(fitted.into_iter().collect::<Vec<_>>(), expected);
    // Words of other programs are ignored.
    assert!(fit_kernels(&memory("1000 a=x", ""), 0.95).unwrap().host_memory.is_empty());
    assert!(fit_kernels(&timings("a b", &[("a", 1.0)]), 0.95).unwrap().host_memory.is_empty());
}

#[test]
fn compressed_files_are_read_and_not_continued() {
    let text = to_text(&timings("a b", &[("a", 1.0)])).unwrap();
    let compressed = zstd::bulk::compress(text.as_bytes(), 1).unwrap();
    assert_eq!(kind_of(&compressed), Some(FileKind::Kernels));
    assert_eq!(kind_of(&compressed[..8]), None);
    assert_eq!(
        parse_table::<KernelTimings>(&compressed, "k.csv.zst").unwrap(),
        parse_table::<KernelTimings>(&text, "k.csv").unwrap()
    );
    let torn = [&compressed[..], &compressed[..compressed.len() - 1]].concat();
    let torn = parse_table::<KernelTimings>(torn, "k.csv.zst").unwrap();
    let words = format!("the last compressed frame (byte {}) is incomplete", compressed.len());
    assert!(torn.warnings[0].to_string().contains(&words), "{}", torn.warnings[0]);
    let damaged = parse_table::<KernelTimings>([&compressed[..], b"junk"].concat(), "k.csv.zst")
        .unwrap_err()
        .to_string();
    assert!(damaged.contains("is damaged"), "{damaged}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.csv.zst");
    std::fs::write(&path, &compressed).unwrap();
    let (mut writer, loaded) = KernelsWriter::resume(&path).unwrap();
    writer.append(&loaded.samples.readings).unwrap();
    let again: KernelTimings = parse_table(std::fs::read(&path).unwrap(), "k").unwrap().samples;
    assert_eq!(again.readings, [&loaded.samples.readings[..]; 2].concat());
}
