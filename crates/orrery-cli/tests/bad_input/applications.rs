use crate::refused::cases;

/// A runs file of these runs, one on each line from the second on.
fn runs(runs: &[&str]) -> String {
    format!(
        "{{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{}\n]}}\n",
        runs.join(",\n")
    )
}

/// Runs of these sizes.
fn sizes(all: &[u32]) -> String {
    let run = |n: &u32| {
        format!("{{\"variables\": {{\"n\": {n}}}, \"seconds\": {}}}", f64::from(*n) / 1000.0)
    };
    let all: Vec<String> = all.iter().map(run).collect();
    runs(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Runs of these sizes on one Athlon.
fn athlon(all: &[u32]) -> String {
    sizes(all).replace(
        "\"seconds\"",
        "\"configuration\": {\"athlon\": {\"elements\": 1, \"processes\": 1}}, \"seconds\"",
    )
}

/// A model of time = n/1000 seconds.
const MODEL: &str = r#"{"format": "orrery-model", "version": 1, "models": {"application": {"regions": [
{"region": "", "family": "general", "runs": 2, "points": 2, "kinds": ["athlon"],
 "coefficients": [{"term": [{"variable": "n", "power": 1}], "role": "computation", "value": 0.001}]}]}}}
"#;

const SAMPLES: &str = "experiment,i,j,size,seconds\nroundtrip,0,1,1024,1.9e-5\n";

cases! {
    page_of_samples_of_an_application: {"m.json": MODEL, "s.csv": SAMPLES}
        "report m.json s.csv -o p.html" => USAGE "m.json: " "no model of messages";
    nothing_varies: {"r.json": sizes(&[1000, 1000, 1000])} "scaling fit r.json -o m.json"
        => FAILED "r.json: run 1: there are runs of one point only (n = 1000)" "other problem";
    nothing_to_compare_with: {"m.json": MODEL, "r.json": runs(&[])} "validate m.json r.json"
        => FAILED "m.json: there are no runs to compare with; give";
    samples_in_place_of_runs: {"s.csv": SAMPLES} "scaling fit s.csv -o m.json"
        => FAILED "s.csv:1:1: this looks like a samples file in place of runs of an";
    undivided: {"r.json": athlon(&[1000, 2000, 3000, 4000])}
        "scaling fit r.json -o m.json --method paper" => FAILED "r.json: run 1: "
        "computation and communication times" "HPL_DETAILED_TIMING" "--undivided counts";
    no_configuration: {"r.json": sizes(&[1000, 2000, 3000, 4000])}
        "scaling fit r.json -o m.json --method paper --undivided"
        => FAILED "r.json: run 1: configuration is missing";
    unknown_kind_to_compose: {"r.json": athlon(&[1000, 2000, 3000, 4000])}
        "scaling fit r.json -o m.json --method paper --undivided --compose athlon=opteron"
        => FAILED "r.json: " "\"opteron\"" "the kinds of the runs are athlon";
    unknown_kind_to_limit: {"r.json": athlon(&[1000, 2000, 3000, 4000])}
        "scaling fit r.json -o m.json --method paper --undivided --memory-range opteron:1M"
        => FAILED "\"opteron\"" "the kinds of the runs are athlon";
    nothing_to_adjust_to: {"r.json": athlon(&[1000, 2000, 3000, 4000])}
        "scaling fit r.json -o m.json --method paper --undivided --adjust athlon:2@1000+opteron=1x1"
        => FAILED "the adjustment of athlon from 2 processes per element" "found 0";
    options_of_the_paper: {"r.json": sizes(&[1000, 2000])}
        "scaling fit r.json -o m.json --undivided"
        => USAGE "--undivided does not apply to --method terms";
    terms_of_the_paper: {"r.json": sizes(&[1000, 2000])}
        "scaling fit r.json -o m.json --method paper --terms hpl"
        => USAGE "--terms does not apply to --method paper";
    no_composition: {} "scaling fit r.json -o m.json --method paper --compose athlon"
        => USAGE "--compose" "athlon=pentium-ii:0.27:0.85";
    no_factor: {} "scaling fit r.json -o m.json --method paper --compose a=b:0:1"
        => USAGE "--compose" "computation must be a number above 0";
    no_adjustment: {} "scaling fit r.json -o m.json --method paper --adjust athlon"
        => USAGE "--adjust" "athlon:3@6400+pentium-ii=8x1";
    no_memory_range: {} "scaling fit r.json -o m.json --method paper --memory-range two"
        => USAGE "--memory-range" "athlon:768M";
    mixture: {"m.json": MODEL, "r.json": sizes(&[1000, 2000]), "s.csv": SAMPLES}
        "validate m.json r.json s.csv"
        => USAGE "r.json holds runs of an application and s.csv does not" "one kind at a time";
    samples_of_an_application: {"m.json": MODEL, "s.csv": SAMPLES} "validate m.json s.csv"
        => USAGE "m.json: " "no model of messages" "orrery fit SAMPLES";
    runs_of_a_cluster: {"r.json": sizes(&[1000, 2000])} "validate truth.json r.json"
        => USAGE "truth.json: this file has no model of an application" "orrery scaling fit RUNS";
    conditions_on_samples: {"s.csv": SAMPLES} "validate truth.json s.csv --where n>1"
        => USAGE "--where does not apply to";
    condition_that_none_meets: {"m.json": MODEL, "r.json": sizes(&[1000, 2000])}
        "validate m.json r.json --where n>5000" => FAILED "none of 2 runs meets n>5000";
    another_region: {"m.json": MODEL.replace("\"region\": \"\"", "\"region\": \"main\""), "r.json": sizes(&[1000])}
        "validate m.json r.json" => FAILED "m.json: " "regions \"main\"" "the runs are of \"\"";
    another_kind: {"m.json": MODEL, "r.json": athlon(&[1000, 2000]).replace("athlon", "opteron")}
        "validate m.json r.json" => FAILED "m.json: " "\"opteron\"" "athlon";
}
