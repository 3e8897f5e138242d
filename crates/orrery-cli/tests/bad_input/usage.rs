use crate::common::{Folder, Outcome};
use crate::refused::{USAGE, cases, refused};

cases! {
    receiver: {} "predict p2p truth.json --to 9" => USAGE "--to 9: " "are 0 to 3";
    root_beyond_procs: {} "predict gather truth.json --procs 2 --root 2"
        => USAGE "--root 2: " "are 0 to 1";
    one_processor: {} "predict scatter truth.json --procs 1"
        => USAGE "--procs 1: " "valid numbers are 2 to 4";
    range_that_ends_first: {} "predict p2p truth.json --size 4K..1K" => USAGE "--size"
        "ends before it begins";
    step_of_nothing: {} "predict p2p truth.json --size 1K..2K:0" => USAGE "--size"
        "a step of 0 never ends";
    negative_size: {} "predict p2p truth.json --size -1" => USAGE "--size" "-1";
    no_size: {} "measure comm --machine sim:truth.json -o s.csv --size 0" => USAGE "--size"
        "above 0";
    root: {} "predict scatter truth.json --root 4" => USAGE "--root 4: " "are 0 to 3";
    negative_root: {} "predict scatter truth.json --root -1" => USAGE "'-1'" "--root";
    root_of_a_message: {} "predict p2p truth.json --root 1" => USAGE "--root" "unexpected argument";
    sender: {} "predict p2p truth.json --from 4" => USAGE "--from 4: " "are 0 to 3";
    sender_is_receiver: {} "predict p2p truth.json --from 1" => USAGE "--to 1: " "two ranks";
    sender_of_a_scatter: {} "predict scatter truth.json --from 1" => USAGE "--from"
        "unexpected argument";
    too_many_procs: {} "predict scatter truth.json --procs 5" => USAGE "--procs 5: "
        "valid numbers are 2 to 4";
    procs_beyond_32_bits: {} "predict scatter truth.json --procs 4294967296"
        => USAGE "--procs 4294967296" "valid numbers are 2 to 4";
    grid_beyond_32_bits: {} "predict pdgemm truth.json --n 64 --grid 4294967296x1"
        => USAGE "4294967296";
    unknown_machine: {} "measure comm --machine cloud -o s.csv" => USAGE "--machine" "\"cloud\""
        "local:N";
    no_configuration: {} "monitor agent" => USAGE "--config" "Usage: orrery monitor agent";
    no_store: {} "monitor serve" => USAGE "--store" "Usage: orrery monitor serve";
    level_without_mpi: {} "measure comm --machine local:2 --thread-level multiple -o s.csv"
        => USAGE "--thread-level does not apply to machines other than mpi";
    one_worker: {} "measure comm --machine local:1 -o s.csv" => USAGE "--machine" "from 2 to 256";
    noise: {} "measure comm --machine sim:truth.json,noise=-1 -o s.csv" => USAGE "--machine"
        "0 to 10";
    unknown_option_of_sim: {} "measure comm --machine sim:truth.json,loud=1 -o s.csv"
        => USAGE "\"loud\"" "noise";
    unknown_kind_of_sim: {} "measure comm --machine sim:truth.json,model=lmao -o s.csv"
        => USAGE "\"lmao\"" "hockney";
    reps: {} "measure comm --machine sim:truth.json -o s.csv --min-reps 9 --max-reps 5"
        => USAGE "--max-reps 5" "--min-reps 9";
    no_reps: {} "measure comm -o s.csv --min-reps 0" => USAGE "--min-reps";
    eps: {} "measure comm -o s.csv --eps nan" => USAGE "--eps" "above 0";
    level: {} "measure comm -o s.csv --level 95" => USAGE "--level" "between 0 and 1";
    seed: {} "measure comm -o s.csv --seed -3" => USAGE "--seed" "-3";
    no_output: {} "measure comm" => USAGE "--output <SAMPLES>" "Usage: orrery measure comm";
    resume_and_force: {} "measure comm -o s.csv --resume --force" => USAGE "--resume" "--force";
    adaptive_without_end: {} "measure thresholds --sizes adaptive:0 -o s.csv" => USAGE "--sizes"
        "adaptive:0..200K";
    adaptive_without_room: {} "measure thresholds --sizes adaptive:0..1K:4K -o s.csv"
        => USAGE "--sizes" "0..1K is narrower";
    adaptive_without_stride: {} "measure collectives --sizes adaptive:0..8K:0 -o s.csv"
        => USAGE "--sizes" "above 0";
    adaptive_backwards: {} "measure collectives --sizes adaptive:8K..1K -o s.csv" => USAGE "--sizes"
        "8K..1K is narrower";
    adaptive_without_sizes: {} "measure collectives --sizes adaptive:a..b -o s.csv"
        => USAGE "--sizes" "\"a\"";
    unknown_slopes: {} "fit nowhere.csv -o m.json --slopes steep" => USAGE "--slopes"
        "played, closed, printed";
    unknown_option: {} "predict p2p truth.json --sise 1K" => USAGE "--sise" "--size";
    unknown_algorithm: {} "predict scatter truth.json --algorithm magic" => USAGE "magic"
        "unknown algorithm \"magic\"; known are " " more; docs/collectives.md lists all";
    unknown_kind: {} "predict p2p truth.json --models lmao" => USAGE "--models" "\"lmao\""
        "did you mean \"lmo\"? known are lmo, " " more; --help lists all";
    unknown_kind_to_fit: {} "fit nowhere.csv -o m.json --models lmo,x" => USAGE "--models" "\"x\"";
}

/// A command line that cannot be leaves no file behind, so that the next attempt finds its way
/// free.
#[test]
fn command_lines_that_cannot_be_leave_nothing() -> Outcome {
    let folder = Folder::new()?;
    for (options, parts) in [
        ("--root 4", ["--root 4: ", "are 0 to 3"]),
        ("--root 0,x", ["--root <LIST>", "'x' is no rank"]),
        ("--procs 2 --root 3", ["--root 3: ", "are 0 to 1"]),
        ("--procs 5", ["--procs 5: ", "valid numbers are 2 to 4"]),
    ] {
        let words = format!("measure collectives --machine sim:truth.json -o s.csv {options}");
        refused(&folder, &words, USAGE, &parts)?;
        assert!(!folder.path("s.csv").exists());
    }
    Ok(())
}

#[cfg(not(feature = "monitor"))]
#[test]
fn builds_without_monitoring_refuse_its_verbs() -> Outcome {
    for words in ["monitor agent --config agent.toml", "monitor serve --store series.db"] {
        refused(&Folder::new()?, words, USAGE, &["no monitoring", "--features monitor"])?;
    }
    Ok(())
}
