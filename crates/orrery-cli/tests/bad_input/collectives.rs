use crate::refused::cases;

const HEADER: &str = "experiment,i,procs,size,launch,rep,seconds\n";

fn with(rows: &str) -> String {
    format!("{HEADER}{rows}\n")
}

/// Samples whose launches and sizes have more combinations than can be compared.
fn many() -> String {
    let row = |k: u32| {
        format!(
            "bcast/binomial,0,4,{},{},0,1e-5\nbcast/linear,0,4,{},{},0,1e-5",
            k % 30,
            k,
            k % 30,
            k
        )
    };
    with(&(0..1100).map(row).collect::<Vec<_>>().join("\n"))
}

cases! {
    no_algorithms: {"s.csv": with("native/bcast,0,4,8,0,0,1e-5\nnative/bcast,0,4,16,0,0,1e-5")}
        "choose collective s.csv"
        => FAILED "s.csv: there are no collective operations with a known algorithm"
        "native/bcast/ompi/binomial";
    other_operations: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5\nbcast/chain,0,4,8,0,0,1e-5")}
        "choose collective s.csv --operation gather"
        => FAILED "s.csv: gather was not measured; the samples have bcast";
    no_time: {"s.csv": with("bcast/binomial,0,4,8,0,0,0")} "choose collective s.csv"
        => FAILED "s.csv: the median time of bcast/binomial" "is 0" "clock";
    too_many_rows: {"s.csv": many()} "choose collective s.csv" => FAILED "2200 combinations"
        "at most 1024";
    far_processors: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5")}
        "choose collective s.csv --procs 9" => FAILED "s.csv: the collective operations ran on 4"
        "within a factor of 2" "measure on 5 to 18 processors";
    one_processor: {"s.csv": with("bcast/binomial,0,2,8,0,0,1e-5")}
        "choose collective s.csv --procs 1" => USAGE "--procs 1" "at least 2 take part";
    far_sizes: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5")}
        "choose collective s.csv --size 17..99" => FAILED "measured from 8 to 8"
        "up to a factor of 2";
    far_of_one_operation: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5\nallreduce/ring,,16,8,0,0,1e-5")}
        "samples advise s.csv --operation bcast --procs 16" => FAILED "ran on 4";
    several_roots: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5\nbcast/binomial,1,4,8,0,0,1e-5")}
        "choose collective s.csv" => FAILED "the roots 0, 1" "select one";
    not_with_samples: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5")}
        "choose collective s.csv --step 8" => USAGE "--step does not apply to samples";
    no_processors: {} "choose collective truth.json --procs 0" => USAGE "--procs 0"
        "valid numbers are 2 to";
    more_processors_than_the_model: {}
        "choose collective truth.json --operation bcast --procs 2..99" => USAGE "with"
        "processors, valid numbers";
    empty_segments: {} "choose collective truth.json --operation bcast --segments 0,8K"
        => USAGE "a segment has at least 1 byte";
    certain_of_a_model: {} "choose collective truth.json --operation scatter --certain"
        => USAGE "--certain does not apply to a model";
    order_by_an_unknown_algorithm: {}
        "choose order truth.json --operation barrier --algorithm ring"
        => USAGE "--algorithm ring: barrier has no such algorithm";
    size_of_the_order_of_a_barrier: {}
        "choose order truth.json --operation barrier --algorithm tree --size 8"
        => USAGE "--size does not apply to barrier";
    unknown_further_algorithm: {"s.csv": with("bcast/binomial,0,4,8,0,0,1e-5")}
        "samples advise s.csv --also gather/linear" => USAGE "--also gather/linear"
        "do not have this operation";
    no_result_of_pico: {"s.csv": "size,seconds\n1,2\n"}
        "samples import --format pico s.csv -o t.csv" => FAILED "s.csv: this is no result of PICO"
        "collective";
    pico_in_place_of_samples: {"p.csv": "highest,rank0\n4000,4000\n"} "fit p.csv -o m.json"
        => FAILED "p.csv: this looks like results of PICO" "orrery samples import p.csv";
}
