use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, cases, refused};

const TWO: &str = "0 -> 1 1K\n0 -> 2 1K\n";
const LATE: &str = "0 -> 1 1K\n0 -> 2 1K after 1ms\n";
const HEAD: &str =
    "# format: orrery-timings 1\nscheme,communication,source,destination,size,kind,seconds\n";
const ONE: &str = "# format: orrery-timings \
    1\nscheme,communication,source,destination,size,kind,seconds\n\
                   ,,0,1,1024,reference,1\n,,0,2,1024,reference,1\n\
                   s,a,0,1,1024,concurrent,1.5\ns,b,0,2,1024,concurrent,1.5\n";
const SHARING: &str = r#"{"format": "orrery-model", "version": 1, "models": {"sharing": {"gige":
  {"beta": {"value": 0.75}, "gamma_out": {"value": 0.1}, "gamma_in": {"value": 0.1}}}}}"#;
const SAMPLES: &str =
    "# format: orrery-samples 1\nexperiment,i,j,size,seconds\nroundtrip,0,1,8,1\n";

cases! {
    nothing_to_measure: {} "measure scheme --machine sim:truth.json -o t.csv"
        => USAGE "--calibrate";
    broken_scheme: {"s": "0 1\n"} "measure scheme s --machine sim:truth.json -o t.csv"
        => FAILED "s:1:3: " "\"->\"";
    same_name: {"s.x": TWO, "s.y": TWO} "measure scheme s.x s.y --machine sim:truth.json -o t.csv"
        => USAGE "two schemes have the name \"s\"";
    unknown_law: {"s": TWO} "measure scheme s --machine sim:truth.json,sharing=quadrics -o t.csv"
        => USAGE "quadrics" "gige";
    law_without_parameters: {"s": TWO}
        "measure scheme s --machine sim:truth.json,sharing=gige -o t.csv"
        => FAILED "truth.json: the model has no parameters of gige";
    law_without_times: {"s": TWO, "m.json": SHARING}
        "measure scheme s --machine sim:m.json -o t.csv" => USAGE "m.json: this file has no \
            model of messages; make one with \"orrery fit SAMPLES\"";
    delays_have_no_law: {"s": LATE}
        "measure scheme s --machine sim:truth.json,sharing=maxmin -o t.csv"
        => FAILED "do not start together";
    other_scheme_of_that_name: {"s": "0 -> 1\n", "t.csv": ONE}
        "measure scheme s --machine sim:truth.json -o t.csv --resume"
        => FAILED "a different scheme with the name";
    hosts_unknown: {"s": TWO} "measure scheme s --machine sim:truth.json --nodes hosts -o t.csv"
        => USAGE "--nodes does not apply to machines whose hosts are unknown";
    nothing_measured: {"t.csv": HEAD} "fit t.csv -o m.json" => FAILED "t.csv: "
        "measure scheme --calibrate";
    timings_and_samples: {"t.csv": ONE, "s.csv": SAMPLES} "fit t.csv s.csv -o m.json"
        => USAGE "files of one kind";
    ranking_of_timings: {"t.csv": ONE} "validate truth.json t.csv --only ranking"
        => USAGE "--only does not apply to timings";
    models_of_timings: {"t.csv": ONE} "fit t.csv -o m.json --models lmo"
        => USAGE "--models does not apply to timings of schemes";
    laws_of_samples: {"s.csv": SAMPLES} "fit s.csv -o m.json --sharing gige"
        => USAGE "--sharing does not apply to samples";
    not_that_scheme: {"t.csv": ONE, "s": "0 -> 1 1K\n"} "share s --sharing maxmin --measured t.csv"
        => FAILED "t.csv: it contains no scheme with the transfers of s";
    drawing_over_a_scheme: {"s": TWO} "share s --sharing maxmin --svg s"
        => USAGE "s: this file exists and is a scheme of transfers, not a drawing";
}

/// What cannot be measured does not cost the file that it would have replaced.
#[test]
fn a_file_is_not_replaced_in_vain() -> Outcome {
    let folder = Folder::new()?;
    folder.write("s", "0 -> 77\n")?;
    folder.write("t.csv", ONE)?;
    refused(
        &folder,
        "measure scheme s --machine sim:truth.json -o t.csv --force",
        FAILED,
        &["needs node 77"],
    )?;
    assert_eq!(std::fs::read_to_string(folder.path("t.csv"))?, ONE);
    Ok(())
}
