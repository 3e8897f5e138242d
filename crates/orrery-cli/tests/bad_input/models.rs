use crate::common::LMO;
use crate::refused::cases;

/// Two kinds of models in one file.
const TWO: &str = r#"{"format": "orrery-model", "version": 1, "models": {
  "hockney": {"latency": {"value": [1e-5]}, "byte_delay": {"value": 1e-9}},
  "lmo": {"fixed_delay": {"value": [2e-5, 2e-5]}, "byte_delay": {"value": 1e-9},
          "link_latency": {"value": 0}, "link_byte_delay": {"value": 8e-9}}}}"#;

/// A gather that escalates.
const THRESHOLDS: &str = r#"{"format": "orrery-model", "version": 1, "processors": [{"rank": 0}, {"rank": 1}, {"rank": 2}, {"rank": 3}], "models": {
  "thresholds": [ {"operation": "gather", "root": 0, "procs": 4, "gather_small": {"value": 4096}, "gather_large": {"value": 65536},
    "escalations": [{"seconds": {"value": 0.2}, "probability": {"value": 0.3}}]}]}}"#;

/// A model of many processors with few parameters.
fn many(processors: usize) -> String {
    let ranks =
        (0..processors).map(|rank| format!("{{\"rank\": {rank}}}")).collect::<Vec<_>>().join(",");
    let models = r#"{"hlmo": {"fixed_delay": {"value": 1e-5}, "byte_delay": {"value": 1e-9}, "link_latency": {"value": 0},
      "link_byte_delay": {"value": 8e-9}}}"#;
    format!(
        r#"{{"format": "orrery-model", "version": 1, "processors": [{ranks}], "models": {models}}}"#
    )
}

/// A model of two processors on these hosts.
fn two_hosts(one: &str, other: &str) -> String {
    let processors =
        format!(r#"[{{"rank": 0, "host": "{one}"}}, {{"rank": 1, "host": "{other}"}}]"#);
    TWO.replacen("\"version\": 1", &format!("\"version\": 1, \"processors\": {processors}"), 1)
}

fn changed(from: &str, to: &str) -> String {
    let text = LMO.replacen(from, to, 1);
    assert_ne!(text, LMO);
    text
}

cases! {
    another_version: {"m.json": changed("\"version\": 1", "\"version\": 2")} "model check m.json"
        => FAILED "m.json:1:39: version: " "version is 2" "reads version 1";
    another_format: {"m.json": changed("orrery-model", "recipe")} "model check m.json"
        => FAILED "m.json:1:" "recipe";
    truncated: {"m.json": &LMO[..200]} "model show m.json" => FAILED "m.json:5:"
        "ends in the middle";
    empty: {"m.json": ""} "predict p2p m.json" => FAILED "m.json:1:1: the file is empty"
        "orrery fit";
    binary: {"m.json": [0xff, 0xfe, 0x00]} "predict p2p m.json" => FAILED "m.json:1:1: "
        "this does not look like a model file";
    absent: {} "predict p2p nowhere.json" => FAILED "nowhere.json: cannot read the model file"
        "check the name";
    folder: {} "predict p2p ." => FAILED ".: cannot read the model file" "name a file";
    wrong_length: {"m.json": changed(", 6e-5]", "]")} "predict scatter m.json"
        => FAILED "m.json:5:31: models.lmo.link_latency.value: " "5 entries"
        "6 pairs of 4 processors";
    kind_that_the_file_lacks: {} "predict p2p truth.json --models hockney" => FAILED "truth.json: "
        "no hockney" "it has lmo";
    several_to_simulate: {"two.json": TWO} "measure comm --machine sim:two.json -o s.csv"
        => USAGE "two.json: " "several models" "model=KEY" "hockney, hockney-mean, lmo";
    absent_kind_to_simulate: {"two.json": TWO}
        "measure comm --machine sim:two.json,model=lom -o s.csv" => FAILED "two.json: " "no lom"
        "it has hockney, hockney-mean, lmo";
    thresholds_of_other_processors: {"m.json": THRESHOLDS.replace("\"procs\": 4", "\"procs\": 9")}
        "predict gather m.json" => FAILED "m.json:2:19: models.thresholds[0]: "
        "\"procs\" is 9, but the model has 4 processors";
    thresholds_that_are_not_there: {}
        "measure comm --machine sim:truth.json --thresholds nowhere.json -o s.csv"
        => FAILED "nowhere.json: cannot read";
    absent_to_simulate: {} "measure comm --machine sim:nowhere.json -o s.csv"
        => FAILED "nowhere.json: " "check the name";
    models_of_other_hosts: {"m.json": two_hosts("a", "b"), "n.json": two_hosts("a", "c")}
        "model diff m.json n.json" => FAILED "the number of processors that both models have is 1, \
            but must be 2 or more: the others are on other hosts" "--mixed-hosts";
    kind_to_compare_that_the_file_lacks: {"two.json": TWO}
        "model diff two.json two.json --model plogp" => FAILED "two.json and two.json: the model \
            has no plogp; it has hockney, hockney-mean, lmo";
    kind_to_compare_of_no_processors: {"two.json": TWO,
        "none.json": "{\"format\": \"orrery-model\", \"version\": 1, \"models\": {}}"}
        "model diff two.json none.json --mixed-hosts" => FAILED "none.json: the new file has no \
            model of messages" "fitted to samples of messages";
    pairs_beyond_the_budget: {"m.json": many(2000)} "model diff m.json m.json"
        => FAILED "too many pairs of processors: the comparison of all pairs takes 11994000"
        "--max-operations 11994000";
    tolerance_below_zero: {} "model diff truth.json truth.json --tolerance -1"
        => USAGE "--tolerance" "above 0";
}
