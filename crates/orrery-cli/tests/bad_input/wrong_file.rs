//! A file of another program that is given to the wrong verb: the message names the verb that reads
//! it.

use crate::common::{Folder, Outcome};
use crate::refused::cases;

const OSU: &str = include_str!("../../../../testdata/import/osu-latency-7.txt");
const IMB: &str = include_str!("../../../../testdata/import/imb-2021.txt");
const HPL: &str = include_str!("../../../../testdata/runs/HPL.out");
const EXTRAP: &str = include_str!("../../../../testdata/runs/extrap.txt");
const TRACE: &str = include_str!("../../../../examples/ring.tit");
const PLATFORM: &str = include_str!("../../../../examples/crossbar.xml");
const MODEL: &str = include_str!("../../../../examples/two-hosts.json");

cases! {
    osu_output_named_as_existing_output: {"osu.txt": OSU, "HPL.out": HPL}
        "scaling import HPL.out -o osu.txt"
        => USAGE "osu.txt: this file exists and is output of the OSU micro-benchmarks, not runs";
    osu_output_given_to_fit: {"osu.txt": OSU}
        "fit osu.txt -o m.json" => FAILED
        "orrery: osu.txt: this looks like output of the OSU micro-benchmarks; convert it with: \
            orrery samples import osu.txt -o samples.csv";
    imb_output_given_to_validate: {"imb.txt": IMB, "m.json": MODEL}
        "validate m.json imb.txt" => FAILED "imb.txt: this looks like output of the Intel MPI \
                Benchmarks" "orrery samples import imb.txt";
    hpl_output_given_to_scaling_fit: {"HPL.out": HPL}
        "scaling fit HPL.out -o \
            m.json" => FAILED "HPL.out: this looks like output of HPL; convert it with: orrery \
                scaling import HPL.out -o runs.json";
    extrap_input_given_to_scaling_show: {"points.txt": EXTRAP}
        "scaling show points.txt" => FAILED "points.txt: this looks like input of \
                Extra-P" "orrery scaling import points.txt";
    trace_given_to_fit: {"ring.tit": TRACE}
        "fit ring.tit -o \
            m.json" => FAILED "ring.tit: this looks like a time-independent trace of SimGrid; \
                replay it with: orrery simulate ring.tit --cluster CLUSTER";
    hpl_output_given_as_cluster: {"HPL.out": HPL, "ring.tit": TRACE}
        "simulate ring.tit --cluster HPL.out" => FAILED "HPL.out: this looks like output of HPL";
    trace_given_to_predict: {"ring.tit": TRACE}
        "predict p2p ring.tit" => FAILED "ring.tit:1:1: this looks like a time-independent trace of \
            SimGrid in place of a model file; make a model file with \"orrery fit\", or name one";
    script_given_to_predict: {"study.sh": "#!/bin/sh\necho x\n"}
        "predict p2p study.sh" => FAILED "study.sh:1:1: this does not look like a model file";
    output_of_a_prediction: {"m.json": MODEL}
        "predict p2p m.json -o p.csv" => USAGE "unexpected argument '-o' found; the result is \
            printed: redirect it with > FILE";
    platform_given_as_model: {"c.xml": PLATFORM}
        "model show c.xml" => FAILED "c.xml:1:1: this looks like a platform description of SimGrid \
            in place of a model file; make a model file with \"orrery fit\", or name one";
    // A damaged file of the right kind keeps the error of its reader.
    damaged_osu_output_given_to_samples_import: {"osu.txt": OSU.replace("1.55", "x")}
        "samples import osu.txt -o s.csv" => FAILED "osu.txt:" "\"x\"" "correct it";
    // The error is not about the content of the file.
}

/// The key `format` may be anywhere in a JSON file.
#[test]
fn runs_are_recognised_wherever_their_format_is_named() -> Outcome {
    let folder = Folder::new()?;
    let runs: Vec<String> = (4..20)
        .map(|n| format!("{{\"variables\": {{\"n\": {n}, \"p\": 2}}, \"seconds\": {n}}}"))
        .collect();
    let text = format!(
        "{{\"runs\": [{}], {}\"version\": 1, \"format\": \"orrery-runs\"}}",
        runs.join(","),
        " ".repeat(5000)
    );
    folder.write("runs.json", text)?;
    folder.done("scaling fit runs.json -o app.json")?;
    folder.done("validate app.json runs.json")?;
    folder.done("report app.json runs.json -o page.html")?;
    Ok(())
}
