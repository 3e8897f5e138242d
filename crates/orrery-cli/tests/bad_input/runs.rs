use crate::refused::cases;

const TABLE: &str = "n,seconds,mode\n1000,1.5,real\n2000,9.5,real\n";

const METRICS: &str = "PARAMETER p\nPOINTS 4\nMETRIC a\nDATA 1\nMETRIC b\nDATA 1\n";

const HPL: &str = "\
HPLinpack 2.3  --  High-Performance Linpack benchmark
================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4        4800    64     1     4              17.06             4.3246e+00
--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0020152 ...... PASSED
================================================================================
WR11C2R4        9600    64     1     4  ";

fn with_run(run: &str) -> String {
    format!("{{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{run}\n]}}\n")
}

cases! {
    unknown_metric: {"r.txt": METRICS} "scaling import r.txt --metric c"
        => FAILED "unknown metric \"c\"; metrics are a, b" "--metric";
    truncated_output: {"HPL.out": HPL} "scaling import HPL.out"
        => FAILED "HPL.out:9:1: run WR11C2R4 of n = 9600: " "the file ends within this run"
        "remove its lines";
    processes_of_the_configuration: {"r.csv": "n,p,q,seconds\n4800,1,4,17.06\n"}
        "scaling import r.csv --configuration athlon=1x2"
        => FAILED "r.csv:2:1: run of n = 4800, p = 1, q = 4: " "has 2 processes" "p×q = 1×4 has 4";
    no_such_column: {"r.csv": TABLE} "scaling import r.csv --map seconds=time"
        => FAILED "r.csv:1:1: the column \"time\" is missing" "n, seconds, mode";
    no_such_name: {"r.csv": TABLE} "scaling import r.csv --where cooling=good"
        => FAILED "no run has a variable or label \"cooling\"" "mode, n, region, seconds";
    none_left: {"r.csv": TABLE} "scaling import r.csv --where n>5000"
        => FAILED "none of 2 runs meets n>5000" "n is 1000, 2000";
    no_condition: {"r.csv": TABLE} "scaling import r.csv --where n" => USAGE "--where" "n<=200000";
    no_mapping: {"r.csv": TABLE} "scaling import r.csv --map n" => USAGE "--map" "n=matrix_size";
    no_configuration: {"r.csv": TABLE} "scaling import r.csv --configuration athlon"
        => USAGE "--configuration" "athlon=1x2";
    no_format: {"r.csv": TABLE} "scaling import r.csv --from osu" => USAGE "--from"
        "known are hpl, extrap, jsonl, json, extra-p, csv, cubex, caliper and 2 more; --help lists all";
    nothing_known: {"r.txt": "words\n"} "scaling import r.txt"
        => FAILED "r.txt: the format is not recognised" "--from";
    binary: {"r.csv": [b'n', b',', 0xff, b'\n']} "scaling import r.csv" => FAILED "r.csv:1:3: "
        "not text in UTF-8";
    absent: {} "scaling import nowhere.csv" => FAILED "cannot read nowhere.csv";
    run_of_no_time: {"r.json": with_run("{\"origin\": \"a:5\", \"seconds\": 0}")}
        "scaling show r.json" => FAILED "r.json:2:30: runs[0].seconds: run a:5: " "above 0";
    table_in_place_of_runs: {"r.csv": TABLE} "scaling show r.csv"
        => FAILED "r.csv:1:1: this does not look like runs of an application" "orrery scaling import";
}
