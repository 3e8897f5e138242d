//! Configurations and variables by the names of files.

use orrery::run::import::{FileConfigurations, ImportOptions, Importer};

use super::{assert_near, numbers, text};

const ROWS: &str = "WR11C2R4 4800 64 1 4 17.06 4.3246e+00\n";

fn importer(by_file: FileConfigurations) -> Importer {
    Importer::new(ImportOptions { by_file: Some(by_file), ..ImportOptions::default() })
}

fn pattern(pattern: &str) -> FileConfigurations {
    FileConfigurations::Pattern(pattern.parse().unwrap())
}

#[test]
fn each_file_has_its_configuration() {
    let mut importer = importer(pattern("hpl-{kind}-{elements}x{processes}.out"));
    importer.add(text("HPL.out"), "d/hpl-athlon-2x2.out").unwrap();
    importer.add(ROWS, "d/hpl-pentium-ii-4x1.out").unwrap();
    let error = importer.add(ROWS, "d/hpl-pentium-ii-4x2.out").unwrap_err().to_string();
    assert!(
        error.contains("its configuration has 8 processes, but the grid p×q = 1×4 has 4"),
        "{error}"
    );
    let error = importer.add(ROWS, "d/HPL.out").unwrap_err().to_string();
    assert!(
        error.starts_with("d/HPL.out: the name does not match the pattern of configurations"),
        "{error}"
    );
    let runs = importer.finish().unwrap().runs.runs;
    let found: Vec<_> = runs.iter().map(|run| run.configuration.to_string()).collect();
    assert_eq!(found, ["athlon=2x2", "athlon=2x2", "athlon=2x2", "pentium-ii=4x1"]);
    assert_eq!(runs[0].parts[0].kind, "athlon", "the times of phases are those of the only kind");
}

#[test]
fn rates_use_variables_of_names() {
    let map = "rate:2*n^3=flops".parse().unwrap();
    let by_file = Some(pattern("n{n}.csv"));
    let mut importer = Importer::new(ImportOptions { by_file, map, ..ImportOptions::default() });
    importer.add("threads,flops\n2,1e9\n", "n1000.csv").unwrap();
    assert_near(importer.finish().unwrap().runs.runs[0].seconds.get(), 2.0);
}

#[test]
fn names_have_variables() {
    let mut importer = importer(pattern("p{processes}/n{n}.csv"));
    importer.add("threads,seconds\n2,1.5\n", "results/p8/n1000.csv").unwrap();
    let error =
        importer.add("n,seconds\n2000,1.5\n", "results/p8/n1000.csv").unwrap_err().to_string();
    let expected = "run of n = 2000, processes = 8: n is 2000, but 1000 by the name of the file; \
        correct one of them";
    assert!(error.ends_with(expected), "{error}");
    let runs = importer.finish().unwrap().runs.runs;
    assert_eq!(numbers(&runs[0], &["n", "processes", "threads"]), [1000.0, 8.0, 2.0]);
}

#[test]
fn a_table_names_the_configurations_of_files() {
    let table = "file,configuration\na.out,athlon=2x2\nd/b.out,\"athlon=1x2,pentium-ii=2x1\"\n";
    let mut importer = importer(FileConfigurations::parse_table(table, "t.csv").unwrap());
    importer.add(ROWS, "x/a.out").unwrap();
    importer.add(ROWS, "x/d/b.out").unwrap();
    assert!(importer.add(ROWS, "x/b.out").is_err());
    let runs = importer.finish().unwrap().runs.runs;
    let found: Vec<_> = runs.iter().map(|run| run.configuration.to_string()).collect();
    assert_eq!(found, ["athlon=2x2", "athlon=1x2,pentium-ii=2x1"]);
    for (table, part) in [
        ("name,configuration\na,b=1\n", "t.csv:1:1: the column \"file\" is missing"),
        ("file,configuration\na,b\n", "t.csv:2:3: \"b\" is not a part of a configuration"),
        ("file,configuration\na,b=1\na,b=2\n", "t.csv:3:1: the file \"a\" occurs twice"),
    ] {
        let error = FileConfigurations::parse_table(table, "t.csv").unwrap_err().to_string();
        assert!(error.starts_with(part), "{error}");
    }
}

#[test]
fn another_file_has_the_common_configuration() {
    let by_file = Some(pattern("hpl-{kind}-{elements}.out"));
    let configuration = "xeon=4".parse().unwrap();
    let mut importer =
        Importer::new(ImportOptions { by_file, configuration, ..ImportOptions::default() });
    importer.add(ROWS, "HPL.out").unwrap();
    importer.add(ROWS, "hpl-athlon-4.out").unwrap();
    let runs = importer.finish().unwrap().runs.runs;
    assert_eq!(
        [0, 1].map(|run: usize| runs[run].configuration.to_string()),
        ["xeon=4x1", "athlon=4x1"]
    );
}
