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
const CLUSTER: &str = include_str!("../../../../examples/cluster.toml");
const SCHEME: &str = include_str!("../../../../examples/figure-4.scheme");
const SAMPLES: &str = "experiment,i,j,size,seconds\nroundtrip,0,1,1024,1.9e-5\n";
const RULES: &str = "# Rules for openmpi-4.1, by orrery 1 from m.\n1\n7\n1\n4\n1\n0 0 x 0\n";
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
    trace_given_to_fit: {"ring.tit": TRACE} "fit ring.tit -o m.json" => FAILED "ring.tit:1:1: this \
        looks like a time-independent trace of SimGrid in place of a samples file; make a samples file \
        with \"orrery measure comm\", or name one; this one is for \"orrery simulate ring.tit \
        --cluster CLUSTER\"";
    hpl_output_given_as_cluster: {"HPL.out": HPL, "ring.tit": TRACE}
        "simulate ring.tit --cluster HPL.out" => FAILED "HPL.out:1:1: this looks like output of HPL in \
            place of a cluster file" "orrery scaling import HPL.out -o runs.json";
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
    cluster_given_to_fit: {"c.toml": CLUSTER} "fit c.toml -o m.json" => FAILED "c.toml:2:1: this looks \
        like a cluster file in place of a samples file; make a samples file with \"orrery measure \
        comm\", or name one; this one is for \"orrery simulate TRACE --cluster c.toml\"";
    cluster_given_to_predict: {"c.toml": CLUSTER} "predict p2p c.toml" => FAILED "c.toml:1:1: this looks \
        like a cluster file in place of a model file" "orrery simulate TRACE --cluster c.toml";
    cluster_given_to_scaling_import: {"c.toml": CLUSTER} "scaling import c.toml -o r.json" => FAILED
        "c.toml: this looks like a cluster file; replay a trace on it with: orrery simulate TRACE \
            --cluster c.toml";
    cluster_given_to_breakpoints: {"c.toml": CLUSTER} "breakpoints c.toml --y time" => FAILED
        "c.toml: this looks like a cluster file";
    cluster_given_to_tune_verify: {"c.toml": CLUSTER} "tune verify c.toml --for openmpi-4.1 --run true -o t"
        => FAILED "c.toml:1:1: this looks like a cluster file in place of rules of Open MPI" "orrery \
            tune write";
    model_given_as_cluster: {"m.json": MODEL, "ring.tit": TRACE} "simulate ring.tit --cluster m.json"
        => FAILED "m.json:1:1: this looks like a model file in place of a cluster file; write one, \
            which begins with [[hosts]], or name one; this one is for \"orrery model show m.json\"";
    model_given_as_trace: {"m.json": MODEL, "c.toml": CLUSTER} "simulate m.json --cluster c.toml"
        => FAILED "m.json: this is a model file; give a trace" "orrery model show m.json";
    trace_and_cluster_exchanged: {"c.toml": CLUSTER, "ring.tit": TRACE}
        "simulate c.toml --cluster ring.tit" => FAILED "ring.tit:1:1: this looks like a \
            time-independent trace of SimGrid in place of a cluster file; c.toml is one: exchange the \
            two files";
    model_and_samples_exchanged: {"m.json": MODEL, "s.csv": SAMPLES} "validate s.csv m.json" => FAILED
        "s.csv:1:1: this looks like a samples file in place of a model file; m.json is one: exchange \
            the two files";
    samples_given_to_samples_import: {"s.csv": SAMPLES} "samples import s.csv -o t.csv" => FAILED
        "s.csv: this looks like a samples file in place of output of the OSU micro-benchmarks"
        "orrery fit s.csv -o model.json";
    model_given_as_scheme: {"m.json": MODEL} "share m.json --sharing maxmin" => FAILED
        "m.json:1:1: this looks like a model file in place of a scheme of transfers";
    scheme_given_to_fit: {"f.scheme": SCHEME} "fit f.scheme -o m.json" => FAILED "f.scheme:2:1: this \
        looks like a scheme of transfers in place of a samples file" "orrery share f.scheme";
    model_of_an_application_simulated: {"m.json": "{\"format\": \"orrery-model\", \"version\": 1, \
        \"models\": {}}"}
        "measure comm --machine sim:m.json -o s.csv" => USAGE "m.json: this file has no model of \
            messages; make one with \"orrery fit SAMPLES\"";
    damaged_rules: {"r.conf": RULES} "tune verify r.conf --for openmpi-4.1 --run true -o t" => FAILED
        "r.conf:7:5: \"x\" is no number, as those of rules are; make rules of Open MPI by Orrery with \
            \"orrery tune write\"";
    truncated_rules: {"r.conf": &RULES[..RULES.len() - 5]}
        "tune verify r.conf --for openmpi-4.1 --run true -o t" => FAILED "r.conf:7:4: the file ends \
            within the rules";
    truncated_platform: {"ring.tit": TRACE, "c.xml": &PLATFORM[..200]}
        "simulate ring.tit --cluster c.xml" => FAILED "c.xml:5:" "the file ends in the middle of the XML";
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
