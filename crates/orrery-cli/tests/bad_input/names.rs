//! A misspelt name: the message has the nearest valid name, and of a long list only the nearest.

use crate::refused::cases;

const CLUSTER: &str = include_str!("../../../../examples/cluster.toml");
const CROSSBAR: &str = include_str!("../../../../examples/crossbar.xml");
const TRACE: &str = include_str!("../../../../examples/ring.tit");
const LOAD: &str = include_str!("../../../../examples/load.csv");
const KERNELS: &str = include_str!("../../../../examples/kernels.csv");
const METRICS: &str = include_str!("../../../../testdata/runs/metrics.txt");
const MODEL: &str = include_str!("../../../../examples/four-hosts.json");

/// Runs of two kinds of elements, one on each line.
const RUNS: &str = r#"{"format": "orrery-runs", "version": 1, "runs": [
{"variables": {"n": 1000}, "configuration": {"athlon": {"elements": 1, "processes": 1}}, "seconds": 1},
{"variables": {"n": 2000}, "configuration": {"athlon": {"elements": 1, "processes": 1}}, "seconds": 2},
{"variables": {"n": 3000}, "configuration": {"athlon": {"elements": 1, "processes": 1}}, "seconds": 3},
{"variables": {"n": 4000}, "configuration": {"athlon": {"elements": 1, "processes": 1}}, "seconds": 4}
]}
"#;

/// A model of two regions.
const REGIONS: &str = r#"{"format": "orrery-model", "version": 1, "models": {"application": {"regions": [
{"region": "main", "family": "general", "runs": 2, "points": 2,
 "coefficients": [{"term": [{"variable": "size", "power": 1}], "role": "computation", "value": 0.001}]},
{"region": "main->solve", "family": "general", "runs": 2, "points": 2,
 "coefficients": [{"term": [{"variable": "size", "power": 1}], "role": "computation", "value": 0.001}]}]}}}
"#;

cases! {
    algorithm: {} "predict bcast truth.json --algorithms binomal" => USAGE "unknown algorithm \"binomal\"; \
        did you mean \"binomial\"? known are binomial, " " more; docs/collectives.md lists all";
    kind_of_model: {} "predict bcast truth.json --models hockny" => USAGE
        "did you mean \"hockney\"? known are hockney, " " more; --help lists all";
    operation: {} "choose collective truth.json --operation bcats" => USAGE "did you mean \"bcast\"?";
    release: {} "tune write truth.json --for openmp-4.1 -o r" => USAGE "did you mean \"openmpi-4.1\"? \
        known are openmpi-4.1, openmpi-5.0, openmpi-han, mpich-4.0, mpich-4.2";
    network: {} "simulate t --cluster c --network maxmn" => USAGE "did you mean \"maxmin\"?";
    machine: {} "measure comm --machine loca:4 -o s.csv" => USAGE "did you mean \"local\"?";
    option_of_a_machine: {} "measure comm --machine sim:truth.json,nois=0.1 -o s.csv" => USAGE
        "did you mean \"noise\"?";
    option_of_a_job: {} "simulate t --cluster c --job t,strat=1" => USAGE "did you mean \"start\"?";
    verb_of_the_manual: {} "man predct" => USAGE "did you mean \"predict\"?";
    placeholder: {} "scaling run p.json --command {block_} -o r.json" => USAGE
        "did you mean \"{block}\"?";
    action: {"t.tit": TRACE.replace("send", "sned"), "c.toml": CLUSTER}
        "simulate t.tit --cluster c.toml" => FAILED "t.tit:" "unknown action \"sned\"; did you mean \
            \"send\"? actions are send, " "and 23 more; docs/file-formats.md lists all";
    statement_of_goal: {"t": "num_ranks 1\nrank 0 {\nl1: clac 5\n}\n", "c.toml": CLUSTER}
        "simulate t --cluster c.toml" => FAILED "t:3:5: " "did you mean \"calc\"?";
    key_of_a_cluster: {"t.tit": TRACE, "c.toml": CLUSTER.replace("[links]\nbandwidth", "[links]\nbandwith")}
        "simulate t.tit --cluster c.toml" => FAILED "c.toml:9:1: unknown key \"bandwith\"; did you \
            mean \"bandwidth\"?";
    law_of_a_cluster: {"t.tit": TRACE, "c.toml": CLUSTER.replace("maxmin", "maxmn")}
        "simulate t.tit --cluster c.toml" => FAILED "c.toml:18:7: " "did you mean \"maxmin\"?";
    attribute_of_a_platform: {"t.tit": TRACE, "c.xml": CROSSBAR.replace("radical", "radicl")}
        "simulate t.tit --cluster c.xml" => FAILED "c.xml:5:44: " "did you mean \"radical\"?";
    host_of_a_placement: {"t.tit": TRACE, "c.toml": CLUSTER, "hosts": "nod-0\n"}
        "simulate t.tit --cluster c.toml --placement hosts" => FAILED "hosts:1:1: the cluster has no \
            host \"nod-0\"; did you mean \"node-0\"? its hosts are node-0, node-1, node-2, node-3";
    host_of_an_availability: {"m.json": MODEL}
        "predict dgemm m.json --m 9 --n 9 --k 9 --availability nn1=0.5" => USAGE "--availability: the \
            model has no host \"nn1\"; its hosts are n1, n2, n3, n4";
    metric: {"m.txt": METRICS} "scaling import m.txt -o r.json --metric tme" => FAILED
        "unknown metric \"tme\"; did you mean \"time\"? metrics are bytes_sent, time";
    variable_of_a_condition: {"r.json": RUNS.replace("\"n\"", "\"size\"")}
        "scaling fit r.json -o m.json --where szie>5" => FAILED "no run has a variable or label \
            \"szie\"; did you mean \"size\"?";
    kind_of_elements: {"r.json": RUNS}
        "scaling fit r.json -o m.json --method paper --undivided --compose athln=opteron" => FAILED
        "did you mean \"athlon\"?";
    region: {"m.json": REGIONS} "predict application m.json --region slove" => FAILED
        "the model has no region \"slove\"; did you mean \"main->solve\"? its regions are main, \
            main->solve";
    variable: {"m.json": REGIONS} "predict application m.json --region main --set szie=4" => USAGE
        "--set szie: the model has no variable of this name; did you mean \"size\"? its variables are \
            size";
    key_of_runs: {"r.json": RUNS.replace("seconds", "secnods")} "scaling fit r.json -o m.json"
        => FAILED "r.json:2:" "did you mean \"seconds\"?";
    key_of_a_model: {"m.json": MODEL.replace("\"models\"", "\"modles\"")} "model show m.json" => FAILED
        "there is no key \"models\"; rename \"modles\", or add it";
    kind_of_kernel: {"k.csv": KERNELS.replace("dgemm", "dgem")} "fit k.csv -o m.json" => FAILED
        "k.csv:4:" "did you mean \"dgemm\"?";
    column_of_samples: {"s.csv": "experiment,i,j,size,second\nroundtrip,0,1,1024,1.9e-5\n"}
        "fit s.csv -o m.json" => FAILED "s.csv:1:1: there is no column \"seconds\"; rename \"second\"";
    column_of_a_series: {"l.csv": LOAD} "monitor forecast l.csv --column lod" => FAILED
        "l.csv:1:1: there is no column \"lod\"; did you mean \"load\"? the columns are time, load";
    column_of_measured_times: {"t.tit": TRACE, "c.toml": CLUSTER, "m.csv": "rank,secons\n0,1\n"}
        "simulate t.tit --cluster c.toml --compare m.csv" => FAILED "m.csv:1:1: there is no column \
            communicating or seconds, but \"secons\": rename it";
    key_of_a_topology: {"s.csv": "experiment,i,j,size,seconds\nroundtrip,0,1,1024,1.9e-5\n", "t": "SwitchNmae=a Nodes=b\n"}
        "fit s.csv -o m.json --topology t" => FAILED "t:1:1: " "did you mean \"SwitchName\"?";
    file: {"ring.tit": TRACE, "cluster.toml": CLUSTER} "simulate ring.tit --cluster cluster.tom"
        => FAILED "cannot read cluster.tom: " "did you mean \"cluster.toml\"?";
    file_in_a_folder: {"samples.csv": ""} "fit ./sample.csv -o m.json" => FAILED
        "./sample.csv: cannot read " "did you mean \"./samples.csv\"?";
}
