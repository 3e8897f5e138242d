//! Input files for other tools: their text, and that it matches the assignment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use orrery::platform::Cluster;
use orrery::platform::file::parse;
use orrery::run::hpl::{HplVariant, LABELS, Swapping, dat};
use orrery::run::import::{ImportOptions, Importer};
use orrery::tuning::hpl::Input;
use orrery::tuning::launchers::{BatchJob, CommandError};
use orrery::tuning::{Assignment, launchers};
use orrery::units::Seconds;

const CLUSTER: &str = r#"
hosts = [
    {names = "node1", kind = "athlon", cores = 1, processes = 6, memory = "768M"},
    {names = "node[2-5]", kind = "pentium-ii", cores = 2, memory = "768M"},
]
"#;

const REASON: &str =
    "athlon=1x4,pentium-ii=5x1: the fastest for N = 6400, predicted 129.7 s\nnothing is better";

fn cluster() -> Cluster {
    parse(CLUSTER, "cluster.toml").unwrap().cluster
}

fn assignment() -> Assignment {
    Assignment::new(&cluster(), &"pentium-ii=5x1,athlon=1x4".parse().unwrap(), 9, None).unwrap()
}

/// The lines of a file without its comments.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn host_lists_hold_the_processes_of_each_host() {
    assert_eq!(
        launchers::openmpi_hostfile(&assignment(), REASON),
        "# athlon=1x4,pentium-ii=5x1: the fastest for N = 6400, predicted 129.7 s\n\
         # nothing is better\n\
         # 9 ranks on 5 hosts, in order: the ranks of a host are consecutive, as are those of a \
         core.\n\
         # mpirun -np 9 --hostfile FILE --map-by slot --bind-to none PROGRAM\n\
         node1 slots=4\nnode2 slots=2\nnode3 slots=1\nnode4 slots=1\nnode5 slots=1\n"
    );
    assert_eq!(
        lines(&launchers::mpich_machinefile(&assignment(), REASON)),
        ["node1:4", "node2:2", "node3:1", "node4:1", "node5:1"]
    );
    assert_eq!(
        lines(&launchers::openmpi_rankfile(&assignment(), REASON)),
        [
            "rank 0=node1 slot=0",
            "rank 1=node1 slot=0",
            "rank 2=node1 slot=0",
            "rank 3=node1 slot=0",
            "rank 4=node2 slot=0",
            "rank 5=node2 slot=1",
            "rank 6=node3 slot=0",
            "rank 7=node4 slot=0",
            "rank 8=node5 slot=0",
        ]
    );
}

#[test]
fn processes_are_bound_unless_they_share_a_core() {
    let unshared =
        Assignment::new(&cluster(), &"pentium-ii=2x1".parse().unwrap(), 2, None).unwrap();
    assert!(launchers::openmpi_hostfile(&unshared, "").contains("--bind-to core"));
    let script =
        launchers::slurm_script(&unshared, &BatchJob { command: "./xhpl".into(), limit: None }, "")
            .unwrap();
    assert!(!script.contains("--overcommit") && !script.contains("--time"), "{script}");
}

#[test]
fn configurations_larger_than_the_cluster_are_rejected() {
    let refused = |configuration: &str, processes, bytes| {
        Assignment::new(&cluster(), &configuration.parse().unwrap(), processes, bytes).unwrap_err()
    };
    let half = Some(384.0 * 1024.0 * 1024.0);
    for (configuration, processes, bytes, words) in [
        ("athlon=1x4", 5, None, "has 4 processes, but its layout 5"),
        ("alpha=1", 1, None, "no hosts of the kind \"alpha\""),
        ("athlon=2", 2, None, "takes 2 elements of the kind \"athlon\", but the cluster has 1"),
        ("athlon=1x7", 7, None, "has 7 processes on each element of the kind \"athlon\", but"),
        ("athlon=1x3", 3, half, "\"athlon\" have memory for 0 elements, not for 1"),
    ] {
        let error = refused(configuration, processes, bytes).to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn elements_go_to_hosts_with_enough_memory() {
    let text = "hosts = [{names = \"small\", kind = \"k\", cores = 4, memory = \"1G\"},
                         {names = \"large\", kind = \"k\", cores = 4, memory = \"3G\"}]";
    let cluster = parse(text, "c.toml").unwrap().cluster;
    let half = Some(f64::from(1 << 30));
    let assignment = Assignment::new(&cluster, &"k=4".parse().unwrap(), 4, half).unwrap();
    assert_eq!(lines(&launchers::mpich_machinefile(&assignment, "")), ["small:1", "large:3"]);
}

#[test]
fn a_batch_script_starts_each_rank_on_its_host() {
    let job = BatchJob { command: "./xhpl".into(), limit: Some(Seconds::new(130.0)) };
    let script = launchers::slurm_script(&assignment(), &job, REASON).unwrap();
    let options: Vec<_> = script.lines().filter_map(|line| line.strip_prefix("#SBATCH ")).collect();
    let nodes = "--nodelist=node1,node2,node3,node4,node5";
    assert_eq!(
        options,
        ["--nodes=5", nodes, "--ntasks=9", "--exclusive", "--overcommit", "--time=3"]
    );

    // A replacement of srun prints its arguments.
    let folder = tempfile::tempdir().unwrap();
    let srun = folder.path().join("srun");
    fs::write(&srun, "#!/bin/sh\necho \"$@\"\ncat \"$SLURM_HOSTFILE\"\n").unwrap();
    fs::set_permissions(&srun, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let file = folder.path().join("job");
    fs::write(&file, &script).unwrap();
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let output = Command::new("bash")
        .arg(&file)
        .env("PATH", path)
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let printed: Vec<_> = text.lines().collect();
    assert_eq!(printed[0], "--nodes=5 --ntasks=9 --distribution=arbitrary --overcommit ./xhpl");
    let hosts: Vec<_> = assignment().ranks().map(|(host, _)| host.to_owned()).collect();
    assert_eq!(printed[1..], hosts);
    assert_eq!(
        fs::read_dir(&temporary).unwrap().count(),
        0,
        "the script leaves its host file behind"
    );
}

#[test]
fn commands_of_several_lines_are_rejected() {
    for command in ["", " ", "a\nb"] {
        let job = BatchJob { command: command.into(), limit: None };
        assert_eq!(
            launchers::slurm_script(&assignment(), &job, REASON),
            Err(CommandError { command: command.into() })
        );
    }
}

const INPUT: Input =
    Input { order: 6400, block: 128, grid: (3, 4), variant: HplVariant::DISTRIBUTED };

#[test]
fn each_value_of_hpl_dat_is_on_its_line() {
    let text = INPUT.text(12, REASON).unwrap();
    let values: Vec<_> =
        text.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(values.len(), 31);
    // Number of sizes and size, of blocks and block, mapping, number of grids, rows and columns.
    assert_eq!(values[4..12], ["1", "6400", "1", "128", "0", "1", "3", "4"]);
    assert_eq!(
        values[12..],
        "16.0 1 2 1 4 1 2 1 1 1 1 1 1 2 64 0 0 1 8".split(' ').collect::<Vec<_>>()
    );
    let title =
        "athlon=1x4,pentium-ii=5x1: the fastest for N = 6400, predicted 129.7 s nothing is better";
    assert_eq!(text.lines().nth(1), Some(title));
    let long = INPUT.text(12, &"long ".repeat(100)).unwrap();
    assert!(long.lines().all(|line| line.len() <= 120) && long.lines().count() == 31);
}

/// The output of HPL that hpcc printed for `hpcc-variants.dat`, and that input.
fn measured(file: &str) -> String {
    fs::read_to_string(format!("{}/../../testdata/runs/{file}", env!("CARGO_MANIFEST_DIR")))
        .unwrap()
}

#[test]
fn hpl_dat_carries_the_variant_of_a_measured_run() {
    let mut importer = Importer::new(ImportOptions::default());
    importer.add(measured("hpcc-variants.txt"), "hpcc-variants.txt").unwrap();
    let runs = importer.finish().unwrap().runs.runs;
    let codes: Vec<&str> = runs.iter().map(|run| run.labels["variant"].as_str()).collect();
    assert_eq!(codes, ["WC03R3L16", "WC03R3C16", "WC03R3L16", "WC03R3C16"]);
    let words = LABELS.map(|name| runs[0].labels[name].as_str());
    assert_eq!(words, ["WC03R3L16", "mix:80", "no-transposed", "transposed", "no", "16"]);

    let variant = HplVariant::of(&runs[0].labels);
    let text = Input { order: 200, block: 32, grid: (1, 2), variant }.text(2, REASON).unwrap();
    // The values of the input that hpcc ran, without the second size and the second panel
    // factorization.
    let given = measured("hpcc-variants.dat").replace("200 300 ", "200 ").replace("0 1   ", "0   ");
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let mut expected: Vec<String> = given.lines().take(31).map(first).collect();
    (expected[4], expected[13]) = ("1".to_owned(), "1".to_owned());
    let written: Vec<String> = text.lines().map(first).collect();
    assert_eq!(written[4..], expected[4..]);
    assert_eq!(dat::parse(&text, "HPL.dat").unwrap(), dat::HplDat { variant, block: Some(32) });
}

#[test]
fn hpl_dat_reads_back_in_all_variants() {
    for (place, swap) in
        [Swapping::BinaryExchange, Swapping::SpreadRoll, Swapping::Mix { threshold: 7 }]
            .into_iter()
            .enumerate()
    {
        let code = ["WR00L1L1", "WC105C16R128", "WR14R4C2"][place].parse().unwrap();
        let variant = HplVariant {
            code: Some(code),
            swap: Some(swap),
            equilibration: Some(place == 1),
            ..HplVariant::DISTRIBUTED
        };
        let text = Input { variant, ..INPUT }.text(12, REASON).unwrap();
        assert_eq!(dat::parse(text, "HPL.dat").unwrap().variant, variant);
    }
}

#[test]
fn unknown_parameters_of_a_variant_are_never_invented() {
    let variant = HplVariant { swap: None, alignment: None, ..HplVariant::DISTRIBUTED };
    let refused = Input { variant, ..INPUT }.text(12, REASON).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the variant is unknown: swap, align; give it, or an HPL.dat that has it"
    );
    assert_eq!(variant.or(HplVariant::DISTRIBUTED), HplVariant::DISTRIBUTED);
}

#[test]
fn wrong_hpl_dat_is_refused_with_its_line() {
    let right = INPUT.text(12, REASON).unwrap();
    let refused = |text: &str| dat::parse(text, "HPL.dat").unwrap_err().to_string();
    let changed = |line: usize, value: &str| {
        let lines = right
            .lines()
            .enumerate()
            .map(|(place, old)| if place + 1 == line { value } else { old });
        refused(&lines.collect::<Vec<_>>().join("\n"))
    };
    assert_eq!(
        changed(15, "  3 PFACTs"),
        "HPL.dat:15:3: PFACTs is \"3\"; it must be 0 (left), 1 (Crout) or 2 (right)"
    );
    assert_eq!(
        changed(22, "2 # of broadcast"),
        "HPL.dat:22:1: BCASTs has 2 values; keep the one that the runs used"
    );
    assert_eq!(
        changed(31, "0 align"),
        "HPL.dat:31:1: memory alignment is \"0\"; it must be a whole number above 0"
    );
    let short: String = right.split_inclusive('\n').take(20).collect();
    assert!(refused(&short).ends_with(
        "the file ends here, but line 21 of an HPL.dat is RFACTs; name a complete HPL.dat"
    ));
    assert!(
        dat::parse([0xff, 0xfe], "HPL.dat").unwrap_err().to_string().contains("not a text file")
    );
    let blocks = right.replacen("1            # of NBs", "2            # of NBs", 1);
    assert_eq!(dat::parse(blocks, "HPL.dat").unwrap().block, None);
}

#[test]
fn zero_parameters_and_wrong_grids_are_rejected() {
    let error = INPUT.text(13, REASON).unwrap_err().to_string();
    assert!(error.starts_with("the grid 3x4 has 12 processes, not 13"), "{error}");
    for (input, parameter) in [
        (Input { order: 0, ..INPUT }, "order N"),
        (Input { block: 0, ..INPUT }, "block size"),
        (Input { grid: (0, 4), ..INPUT }, "number of rows of the grid"),
        (Input { grid: (4, 0), ..INPUT }, "number of columns of the grid"),
    ] {
        let error = input.text(12, REASON).unwrap_err().to_string();
        assert_eq!(error, format!("the {parameter} is 0; give a whole number above 0"));
    }
}
