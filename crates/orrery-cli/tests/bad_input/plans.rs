use crate::refused::cases;

const PLAN: &str = "{\"format\": \"orrery-plan\", \"version\": 1, \"runs\": [\n{\"variables\": {\"n\": 100}, \
    \"configuration\": {\"athlon\": {\"elements\": 1, \"processes\": 2}}}\n]}\n";

const CLUSTER: &str = "[[hosts]]\nnames = \"a\"\nkind = \"athlon\"\ncores = 1\nprocesses = 4\n";

const OTHER: &str = "[[hosts]]\nnames = \"a\"\nkind = \"xeon\"\ncores = 1\nprocesses = 4\n";

/// Runs of a law with some chance in it.
fn runs() -> String {
    let mut runs = Vec::new();
    for n in [1000.0_f64, 2000.0, 3000.0, 4000.0] {
        for each in [1, 2, 4] {
            let seconds = 1e-9 * n.powi(3) * (1.0 + 0.01 * (n + f64::from(each) * 7.0).sin());
            runs.push(format!(
                "{{\"variables\": {{\"n\": {n}}}, \"configuration\": {{\"athlon\": {{\"elements\": 1, \"processes\": {each}}}}}, \
                 \"seconds\": {seconds}}}"
            ));
        }
    }
    format!(
        "{{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{}\n]}}\n",
        runs.join(",\n")
    )
}

cases! {
    model_of_no_application: {"c.toml": CLUSTER}
        "scaling advise truth.json --cluster c.toml --n 5000"
        => USAGE "truth.json: this file has no model of an application" "orrery scaling fit RUNS";
    unknown_place: {"p.json": PLAN} "scaling run p.json --command x{size} -o r.json"
        => USAGE "unknown placeholder {size}" "the placeholders are {np}, {n}, {p}, {q}, {block}, {hostfile}, " " more; --help lists all";
    no_cluster: {"p.json": PLAN} "scaling run p.json --command x{hostfile} -o r.json"
        => USAGE "{hostfile} requires --cluster";
    nothing_to_decide_on: {"p.json": PLAN} "scaling run p.json --command x --decide n=100 -o r.json"
        => USAGE "--cluster";
    decide_what: {"p.json": PLAN, "c.toml": CLUSTER}
        "scaling run p.json --command x --cluster c.toml --decide 100 -o r.json" => USAGE "--decide"
        "n=9600";
    plan_for_another_cluster: {"p.json": PLAN, "c.toml": OTHER}
        "scaling run p.json --command x --cluster c.toml -o r.json"
        => FAILED "p.json: n = 100 on athlon=1x2: the cluster has no hosts of the kind \"athlon\"";
    output_exists: {"p.json": PLAN, "r.json": runs()} "scaling run p.json --command x -o r.json"
        => FAILED "r.json: this file already exists" "--resume";
    command_not_found: {"p.json": PLAN}
        "scaling run p.json --command nowhere-at-all -o r.json --max-failures 1"
        => FAILED "1 run failed, 0 succeeded" "--resume";
    no_budget_to_run: {"p.json": PLAN} "scaling run p.json --command x --budget 0 -o r.json"
        => USAGE "--budget" "above 0";
    kind_without_a_model: {"r.json": runs(), "c.toml": OTHER}
        "scaling advise r.json --cluster c.toml --n 5000"
        => FAILED "has no kind \"xeon\"; its kinds are athlon";
    nothing_asked: {"r.json": runs(), "c.toml": CLUSTER} "scaling advise r.json --cluster c.toml"
        => USAGE "--n";
    no_runs_and_no_plan: {"c.toml": CLUSTER} "scaling advise --cluster c.toml --n 5"
        => USAGE "MODEL|RUNS";
    confidence_of_one: {"r.json": runs(), "c.toml": CLUSTER}
        "scaling advise r.json --cluster c.toml --n 5 --confidence 1" => USAGE "--confidence"
        "between 0 and 1";
    runs_in_place_of_a_plan: {"p.json": runs()} "scaling run p.json --command x -o r.json"
        => FAILED "p.json:1:1: this looks like runs of an application in place of a plan file" "orrery scaling advise";
}
