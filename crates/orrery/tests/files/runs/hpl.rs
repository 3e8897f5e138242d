use orrery::run::import::{ImportOptions, Importer, RemarkKind};

use super::{assert_near, import, numbers, refused, remarks, text};

fn with(configuration: &str) -> ImportOptions {
    ImportOptions { configuration: configuration.parse().unwrap(), ..ImportOptions::default() }
}

#[test]
fn runs_are_rows_with_their_phases() {
    let imported = import(&text("HPL.out"), with("athlon=2x2"));
    let runs = &imported.runs.runs;
    assert_eq!(runs.len(), 3);
    let run = &runs[1];
    assert_eq!(numbers(run, &["n", "block", "p", "q"]), [4800.0, 64.0, 1.0, 4.0]);
    assert_eq!((run.seconds.get().to_string(), run.origin.as_str()), ("17.06".into(), "f:38"));
    assert_eq!(run.labels["variant"], "WR11C2R4");
    // rfact 1.71, mxswp 0.51, update 13.65, laswp 3.41, up tr sv 0.17.
    let [part] = &run.parts[..] else { panic!("one kind") };
    assert_eq!(part.kind, "athlon");
    assert_near(part.computation.get(), (1.71 - 0.51) + (13.65 - 3.41) + 0.17);
    assert_near(part.communication.get(), 0.51 + 3.41);
    assert_eq!(
        remarks(&imported),
        [
            "f:76: run WR11C2R4 of n = 9600, block = 64, p = 1, q = 4 FAILED its residual check \
                and is left out",
            "f:19: the time of broadcasts is not printed (HPL does not measure it unless \
                modified); communication times do not include it",
        ]
    );
    assert!(imported.remarks[0].kind.is_warning());
}

#[test]
fn measured_broadcasts_are_communication() {
    let imported = import(&text("HPL-bcast.out"), ImportOptions::default());
    let [part] = &imported.runs.runs[0].parts[..] else { panic!("one part") };
    assert_eq!(part.kind, "");
    assert_near(part.communication.get(), 0.51 + 3.41 + 0.85);
    let [remark] = &imported.remarks[..] else { panic!("one remark") };
    assert_eq!((remark.line, &remark.kind), (18, &RemarkKind::NoElements));
    let text = text("HPL-bcast.out");
    assert!(import(&text, with("athlon=2x2")).remarks.is_empty(), "the elements are known");
}

#[test]
fn phases_of_several_kinds_are_assigned_to_no_kind() {
    let imported = import(&text("HPL.out"), with("athlon=1x2,pentium-ii=2x1"));
    assert_eq!(imported.runs.runs[0].configuration.to_string(), "athlon=1x2,pentium-ii=2x1");
    assert_eq!(imported.runs.runs[0].parts[0].kind, "");
    assert!(
        imported.remarks.iter().any(|remark| remark.to_string().contains("assigned to no kind"))
    );
}

#[test]
fn variants_of_hpl_are_read() {
    let of = |name: &str| import(&text(name), ImportOptions::default());
    let hpcc = of("hpccoutf.txt");
    assert_eq!((hpcc.runs.runs.len(), hpcc.remarks.len()), (1, 1));
    assert_eq!(hpcc.remarks[0].kind, RemarkKind::NoElements);
    assert_eq!(hpcc.runs.runs[0].origin, "f:25");
    let nvidia = of("nvidia.out");
    let run = &nvidia.runs.runs[0];
    assert_eq!(
        (nvidia.runs.runs.len(), run.labels["variant"].as_str(), run.processes()),
        (1, "WC0", Some(2.0))
    );
    let mixed = of("mxp.out");
    let run = &mixed.runs.runs[0];
    assert_eq!(numbers(run, &["n", "block", "p", "q"]), [61440.0, 1024.0, 2.0, 2.0]);
    assert_near(run.seconds.get(), (2.0 / 3.0 * 61440.0 + 1.5) * 61440.0 * 61440.0 / 1e14);
    assert!(mixed.remarks[0].to_string().ends_with("times are computed from rates"));
}

#[test]
fn rows_without_a_header_are_imported_with_a_remark() {
    let imported = import(&text("rows.txt"), ImportOptions::default());
    assert_near(
        imported.runs.runs[0].seconds.get(),
        (2.0 / 3.0 * 2400.0 + 1.5) * 2400.0 * 2400.0 / 4.8e9,
    );
    let error = remarks(&imported);
    assert!(
        error[0].contains("its time is printed as 0 and is computed from its rate"),
        "{error:?}"
    );
    assert!(error[1].contains("2 runs have no residual check"), "{error:?}");
    let row = "WR00C2R2 4800 64 2 2 17.06 4.3246e+00";
    let [one] = &remarks(&import(row, with("athlon=4x1")))[..] else { panic!("one remark") };
    assert!(one.contains("has no residual check"), "{one}");
}

/// An output that is cut anywhere gives an error with the run that is cut, or complete runs only.
#[test]
fn truncated_outputs_name_the_run() {
    let whole = text("HPL.out");
    let all = import(&whole, ImportOptions::default()).runs.runs;
    let (mut torn, mut between) = (0, 0);
    for end in 0..whole.len() {
        let mut importer = Importer::new(ImportOptions::default());
        match importer.add(&whole[..end], "f") {
            Ok(()) => {
                let imported = importer.finish().unwrap();
                assert_eq!(imported.runs.runs[..], all[..imported.runs.runs.len()], "cut at {end}");
                let stopped = imported
                    .remarks
                    .iter()
                    .any(|remark| remark.to_string().contains("the output ends here"));
                assert!(stopped || whole[..end].contains("Finished "), "cut at {end}");
                between += 1;
            }
            Err(error) => {
                let message = error.to_string();
                torn += usize::from(
                    message.contains(": run WR11C2R4") && message.contains("ends within this run"),
                );
                assert!(
                    message.contains("ends within this run")
                        || message.contains("no run is found")
                        || message.contains("not recognised"),
                    "{message}"
                );
            }
        }
    }
    assert!(torn > 1000 && between > 300, "{torn} {between}");
}

#[test]
fn invalid_rows_are_rejected_with_their_run() {
    let row = |fields: &str| refused(&format!("WR11C2R4 {fields}\n"), ImportOptions::default());
    for (fields, parts) in [
        (
            "4800 64 1 4 17060 4.3246e+00",
            ["f:1:22: run WR11C2R4 of n = 4800", "mixed units", "milliseconds"],
        ),
        ("4800 64 1 4 0.28433 4.3246e+00", ["run WR11C2R4 of n = 4800", "mixed units", "minutes"]),
        ("4800 64 1 4 17.06 4.3246e-03", ["run WR11C2R4 of n = 4800", "mixed units", "Tflops"]),
        ("4800 64 1 4 17.06 1.7e+01", ["run WR11C2R4 of n = 4800", "mixed units", "in seconds"]),
        ("4800 64 1 4 nan 4.3246e+00", ["f:1:22: run WR11C2R4 of n = 4800", "\"Time\"", "finite"]),
        ("4800 64 1 4 -17.06 4.3246e+00", ["run WR11C2R4", "\"-17.06\"", "not negative"]),
        ("4800 64 1 4 0.00 0.0", ["run WR11C2R4", "\"Time\"", "above 0"]),
        (
            "4800 64 1.5 4 17.06 4.3246e+00",
            ["f:1:18: run WR11C2R4", "\"P\"", "whole number above 0"],
        ),
        ("4800 64 1 0 17.06 4.3246e+00", ["run WR11C2R4", "\"Q\"", "whole number above 0"]),
        (
            "4800 64 1 4 17.06",
            ["f:1:27: run WR11C2R4 of n = 4800", "the row has no \"Gflops\"", "add it"],
        ),
    ] {
        let error = row(fields);
        parts.iter().for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
    }
    let error = refused(&text("HPL.out"), with("athlon=1x2,pentium-ii=8x1"));
    assert!(error.starts_with("f:19:1: run WR11C2R4 of n = 2400"), "{error}");
    assert!(
        error.contains("its configuration has 10 processes, but the grid p×q = 1×4 has 4"),
        "{error}"
    );
}

#[test]
fn a_run_of_hpl_mxp_without_its_rate_is_truncated() {
    let text = text("mxp.out");
    let error = refused(&text[..text.find("GFLOPS").unwrap()], ImportOptions::default());
    assert!(
        error.contains("run HPL-MxP of n = 61440") && error.contains("ends within this run"),
        "{error}"
    );
}

#[test]
fn a_small_difference_of_time_and_rate_is_a_warning() {
    let imported = import("WR11C2R4 4800 64 1 4 17.06 4.2e+00\n", ImportOptions::default());
    let RemarkKind::Warning(remark) = &imported.remarks[0].kind else { panic!("{imported:?}") };
    assert!(remark.contains("its time and its rate differ by 2.9 %"), "{remark}");
}
