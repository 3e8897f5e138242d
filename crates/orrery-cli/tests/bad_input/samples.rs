use crate::common::{Folder, Outcome};
use crate::refused::cases;

const ROW: &str = "experiment,i,j,size,seconds\nroundtrip,0,1,0,0.0001\n";

fn with_row(row: &str) -> String {
    format!("{ROW}{row}\nroundtrip,0,1,0,0.0001\n")
}

cases! {
    pair_of_nobody: {"s.csv": "experiment,i,j,size,seconds\nroundtrip,0,1,0,0.1\nroundtrip,0,1,9,0.2\n"}
        "fit s.csv -o m.json --pair 0-9" => USAGE "--pair 0-9: " "no processor 9" "are 0 to 1";
    binary: {"s.csv": [0xff, 0x00, 0xfe, b'\n', 0x80]} "fit s.csv -o m.json" => FAILED "s.csv:1:1: "
        "not text in UTF-8";
    empty: {"s.csv": ""} "fit s.csv -o m.json" => FAILED "s.csv: the file is empty";
    truncated: {"s.csv": "# format: orrery-samples 1\nexperiment,i,j,si"} "fit s.csv -o m.json"
        => FAILED "s.csv: " "no line of column names" "before its first reading, measure again";
    absent: {} "fit nowhere.csv -o m.json" => FAILED "nowhere.csv: cannot read the samples file"
        "check the name";
    folder: {} "fit . -o m.json" => FAILED ".: cannot read the samples file" "name a file";
    another_format: {"s.csv": format!("# format: orrery-samples 7\n{ROW}")} "fit s.csv -o m.json"
        => FAILED "s.csv:1:" "orrery-samples 7" "reads \"orrery-samples 1\"";
    not_a_number: {"s.csv": with_row("roundtrip,0,1,0,NaN")} "fit s.csv -o m.json"
        => FAILED "s.csv:3:17: " "\"seconds\"" "NaN" "correct it";
    model_in_place_of_samples: {} "fit truth.json -o m.json" => FAILED "truth.json:1:1: "
        "this looks like a model file in place of a samples file" "measure comm";
    samples_in_place_of_model: {"s.csv": ROW} "predict p2p s.csv" => FAILED "s.csv:1:1: "
        "samples file" "orrery fit";
}

/// Verbs that read samples warn of an unknown timing method.
#[test]
fn an_unknown_timing_method_is_reported() -> Outcome {
    let folder = Folder::new()?;
    let rows = "experiment,i,j,size,seconds\nroundtrip,0,1,0,0.0001\nroundtrip,0,1,9,0.0002\n";
    let warning =
        "orrery: warning: s.csv:2: the timing method \"fastest: by the fastest rank\" is unknown";
    for (timing, is_unknown) in
        [("fastest: by the fastest rank", true), ("root: by the clock of the root", false)]
    {
        folder.write("s.csv", format!("# format: orrery-samples 1\n# timing: {timing}\n{rows}"))?;
        for words in
            ["fit s.csv -o m.json --force", "validate m.json s.csv", "samples summary s.csv"]
        {
            let run = folder.run(words)?;
            let stderr = String::from_utf8(run.stderr)?;
            assert!(
                run.status.success() && stderr.contains(warning) == is_unknown,
                "{timing}: {words}: {stderr}"
            );
        }
    }
    Ok(())
}
