use crate::refused::cases;

const TABLE: &str = "n,seconds,mode\n1000,1.5,real\n2000,9.5,real\n";

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

fn second_row(row: &str) -> String {
    format!("{HPL}{row}\n")
}

fn with_run(run: &str) -> String {
    format!("{{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{run}\n]}}\n")
}

cases! {
    truncated_output: {"HPL.out": HPL} "scaling import HPL.out"
        => FAILED "HPL.out:9:1: run WR11C2R4 of n = \
            9600: " "the file ends within this run" "remove its lines";
    truncated_run: {"HPL.out": second_row("131.06 4.5009e+00")} "scaling import HPL.out"
        => FAILED "HPL.out:9:" "run WR11C2R4 of n = 9600" "the file ends within this run";
    torn_row: {"HPL.out": second_row("131.06") + "Finished 2 tests\n"} "scaling import HPL.out"
        => FAILED "HPL.out:9:" "run WR11C2R4 of n = 9600: the row has no \"Gflops\"";
    nothing_yet: {"HPL.out": "HPLinpack 2.3  --  High-Performance Linpack \
        benchmark\n"} "scaling import HPL.out"
        => FAILED "HPL.out: no run is found" "give the output of a whole benchmark";
    mixed_units: {"HPL.out": second_row("131060 4.5009e+00")} "scaling import HPL.out"
        => FAILED "HPL.out:9:41: run WR11C2R4 of n = 9600" "mixed units" "milliseconds";
    not_a_number: {"HPL.out": second_row("NaN 4.5009e+00")} "scaling import HPL.out"
        => FAILED "HPL.out:9:41: run WR11C2R4 of n = 9600" "\"NaN\"" "finite";
    processes_of_the_configuration: {"r.csv": "n,p,q,seconds\n4800,1,4,17.06\n"} "scaling import \
        r.csv --configuration athlon=1x2"
        => FAILED "r.csv:2:1: run of n = 4800, p = 1, q = 4: " "has 2 processes" "p×q = 1×4 has 4";
    table_not_a_number: {"r.csv": "n,seconds\n1000,NaN\n"} "scaling import r.csv"
        => FAILED "r.csv:2:6: run of n = 1000" "NaN";
    no_time: {"r.csv": "n,t\n1000,1\n"} "scaling import \
        r.csv" => FAILED "r.csv:1:1: no column is the time" "map one as seconds=COLUMN";
    no_such_column: {"r.csv": TABLE} "scaling import r.csv --map seconds=time"
        => FAILED "r.csv:1:1: the column \"time\" is missing" "n, seconds, mode";
    no_such_name: {"r.csv": TABLE} "scaling import r.csv --where cooling=good"
        => FAILED "no run has \"cooling\"" "mode, n, region, seconds";
    none_left: {"r.csv": TABLE} "scaling import r.csv --where \
        n>5000" => FAILED "none of 2 runs meets n>5000" "n is 1000, 2000";
    no_condition: {"r.csv": TABLE} "scaling import r.csv --where n" => USAGE "--where" "n<=200000";
    no_mapping: {"r.csv": TABLE} "scaling import r.csv --map n" => USAGE "--map" "n=matrix_size";
    mapped_twice: {"r.csv": TABLE} "scaling import r.csv --map n=n --map \
        n=mode" => USAGE "--map" "mapped twice";
    no_configuration: {"r.csv": TABLE} "scaling import r.csv --configuration \
        athlon" => USAGE "--configuration" "athlon=1x2";
    no_format: {"r.csv": TABLE} "scaling import r.csv \
        --from osu" => USAGE "--from" "hpl, extrap, jsonl, json, csv, cubex, caliper, runs";
    nothing_known: {"r.txt": "words\n"} "scaling import \
        r.txt" => FAILED "r.txt: the format is not recognised" "--from";
    binary: {"r.csv": [b'n', b',', 0xff, b'\n']} "scaling import \
        r.csv" => FAILED "r.csv:1:3: " "not text in UTF-8";
    absent: {} "scaling import nowhere.csv" => FAILED "cannot read nowhere.csv";
    existing: {"r.csv": TABLE, "r.json": with_run("{\"seconds\": 1}")} "scaling import r.csv -o \
        r.json" => FAILED "r.json: this file already exists" "--force";
    another_kind: {"r.csv": TABLE} "scaling import r.csv -o r.csv \
        --force" => USAGE "r.csv: this file exists and is no runs file";
    several_metrics: {"r.txt": "PARAMETER p\nPOINTS 4\nMETRIC a\nDATA 1\nMETRIC \
        b\nDATA 1\n"} "scaling import r.txt"
        => FAILED "several metrics: a, b" "--metric";
    too_few_data: {"r.txt": "PARAMETER p\nPOINTS 4 8\nREGION main\nDATA 1\n"} "scaling import r.txt"
        => FAILED "r.txt:4:7: run main: 1 DATA lines for 2 points";
    table_in_place_of_runs: {"r.csv": TABLE} "scaling show \
        r.csv" => FAILED "r.csv:1:1: a runs file is JSON" "orrery scaling import";
    model_in_place_of_runs: {} "scaling show \
        truth.json" => FAILED "truth.json:" "\"orrery-model\", not \"orrery-runs\"";
    run_of_no_time: {"r.json": with_run("{\"origin\": \"a:5\", \"seconds\": 0}")} "scaling show \
        r.json"
        => FAILED "r.json:2:30: runs[0].seconds: run a:5: " "above 0";
    run_of_other_processes: {"r.json": with_run("{\"origin\": \"a:5\", \"variables\": {\"p\": 2, \"q\": 4, \"processes\": 9}, \"seconds\": 1}")}
        "scaling show r.json" => FAILED "r.json:2:" "run a:5" "p×q = 2×4 has 8";
    torn_runs: {"r.json": with_run("{\"seconds\": 1").replace("\n]}\n", "")} "scaling show r.json"
        => FAILED "r.json:2:" "ends in the middle";
    later_runs: {"r.json": "{\"format\": \"orrery-runs\", \"version\": 2}"} "scaling show \
        r.json" => FAILED "r.json:1:38: " "version is 2";
}
