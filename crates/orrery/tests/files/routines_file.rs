//! Files with times of parallel routines.

use orrery::file::FileError;
use orrery::file::{FileKind, kind_of};
use orrery::sample::RoutineTimings;
use orrery::sample::file::{Loaded, parse_table};

const HEAD: &str =
    "# format: orrery-routines 1\nroutine,variant,m,n,k,block,rows,columns,launch,rep,seconds\n";

fn parse(text: impl AsRef<[u8]>, name: &str) -> Result<Loaded<RoutineTimings>, FileError> {
    parse_table(text, name)
}

#[test]
fn rows_are_readings_and_routines_without_a_program_are_counted() {
    let text = format!(
        "{HEAD}pdgemm,nt,100,200,300,64,2,3,1,4,0.5\npdgebrd,,100,100,,64,2,2,0,0,0.1\npdgetrf,,50,60,,32,1,1,0,0,0.2\n"
    );
    assert_eq!(kind_of(text.as_bytes()), Some(FileKind::Routines));
    let loaded = parse(&text, "routines.csv").unwrap();
    assert!(loaded.warnings.is_empty());
    let [first, second] = &loaded.samples.readings[..] else { panic!("two readings") };
    assert_eq!((first.call.variant(), first.call.dimensions()), ("nt", [100, 200, 300]));
    assert_eq!((first.launch, first.rep, first.call.grid().to_string()), (1, 4, "2x3".to_owned()));
    assert_eq!((second.call.dimensions(), second.call.grid().block), ([50, 60, 1], 32));
    assert_eq!(loaded.samples.others.get("pdgebrd"), Some(&1));
}

#[test]
fn redistributions_have_a_second_grid() {
    let head = "# format: orrery-routines \
        1\nroutine,m,n,block,rows,columns,to_rows,to_columns,to_block,seconds\n";
    let text =
        format!("{head}pdgemr2d,100,200,32,2,2,1,4,,0.5\npsgemr2d,100,200,32,2,2,1,4,64,0.5\n");
    let loaded = parse(&text, "routines.csv").unwrap();
    let [first, second] = &loaded.samples.redistributions[..] else { panic!("two readings") };
    assert_eq!(
        (first.call.dimensions(), first.call.from().to_string()),
        ([100, 200], "2x2".to_owned())
    );
    assert_eq!((first.call.to().to_string(), first.call.to().block), ("1x4".to_owned(), 32));
    assert_eq!((second.call.to_string(), second.call.to().block), ("psgemr2d".to_owned(), 64));
    assert!(loaded.samples.readings.is_empty() && loaded.samples.redistribution_calls().len() == 2);
    for (row, expected) in [
        ("pdgemr2d,100,200,32,2,2,,4,,0.5", "routines.csv:3:25: "),
        ("pdgemr2d,100,200,32,2,2,0,4,,0.5", "routines.csv:3:1: the grid 0x4 is impossible"),
        ("pdgemr2d,0,200,32,2,2,1,4,,0.5", "routines.csv:3:1: m is 0"),
        ("pdgemr2d,100,200,32,2,2,1,4,0,0.5", "routines.csv:3:1: the size of a block is 0"),
    ] {
        let error = parse(format!("{head}{row}\n"), "routines.csv").unwrap_err().to_string();
        assert!(error.starts_with(expected), "{row}: {error}");
    }
}

#[test]
fn mistakes_name_their_line_and_column() {
    let cases = [
        ("pdgemm,nq,1,1,1,64,2,2,0,0,0.5", "routines.csv:3:1: pdgemm has no variant 'nq'"),
        ("pdgemm,nn,0,1,1,64,2,2,0,0,0.5", "routines.csv:3:1: m is 0"),
        ("pdgemm,nn,1,1,,64,2,2,0,0,0.5", "routines.csv:3:15: "),
        ("pdgemm,nn,1,1,1,0,2,2,0,0,0.5", "routines.csv:3:1: the size of a block is 0"),
        ("pdgemm,nn,1,1,1,64,0,2,0,0,0.5", "routines.csv:3:1: the grid 0x2 is impossible"),
        ("pdgemm,nn,1,1,1,64,2,2,0,0,-1", "routines.csv:3:28: "),
        (",nn,1,1,1,64,2,2,0,0,1", "routines.csv:3:1: "),
    ];
    for (row, expected) in cases {
        let error = parse(format!("{HEAD}{row}\n"), "routines.csv").unwrap_err().to_string();
        assert!(error.starts_with(expected), "{row}: {error}");
    }
    let error = parse("# format: orrery-kernels 1\nroutine,block,rows,columns,seconds\n", "a")
        .unwrap_err()
        .to_string();
    assert!(error.contains("orrery-routines 1"), "{error}");
}
