//! Readings that are given twice, and times in another unit.

use std::fmt::Write as _;

use crate::common::{Folder, Outcome};
use crate::refused::warnings;

const HEADER: &str = "# format: orrery-samples 1\nexperiment,i,j,size,reply,rep,seconds\n";

/// Round trips of several sizes with `scale` times their seconds, five readings each.
fn round_trips(scale: f64) -> Result<String, std::fmt::Error> {
    let mut rows = HEADER.to_owned();
    for size in [0, 1024, 4096, 16_384] {
        for rep in 0..5 {
            let seconds = scale * (1e-5 + 1e-9 * f64::from(size)) * (1.0 + 1e-3 * f64::from(rep));
            writeln!(rows, "roundtrip,0,1,{size},{size},{rep},{seconds:e}")?;
        }
    }
    Ok(rows)
}

#[test]
fn repeated_rows_are_named() -> Outcome {
    let folder = Folder::new()?;
    let rows = round_trips(1.0)?;
    folder.write("once.csv", &rows)?;
    assert_eq!(warnings(&folder, "samples summary once.csv")?, [""; 0]);
    let lines: Vec<&str> = rows.lines().collect();
    folder.write("twice.csv", format!("{rows}{}\n{}\n", lines[2], lines[6]))?;
    let advice = "repeated readings make intervals too narrow, remove these lines";
    let expected = format!("twice.csv: line 23 repeats line 3, line 24 repeats line 7; {advice}");
    for verb in [
        "samples summary twice.csv",
        "fit twice.csv -o m.json --models hockney",
        "validate m.json twice.csv",
    ] {
        assert_eq!(warnings(&folder, verb)?, [expected.as_str()], "{verb}");
    }
    let all = lines[2..].join("\n");
    folder.write("all.csv", format!("{rows}{all}\n"))?;
    let found = warnings(&folder, "samples summary all.csv")?;
    assert!(
        found[0].ends_with(&format!("line 27 repeats line 7, and 15 more; {advice}")),
        "{found:?}"
    );
    // Without launch and repetition, equal times are readings of a coarse clock.
    folder.write(
        "coarse.csv",
        "# format: orrery-samples 1\nexperiment,i,j,size,seconds\n\
                                roundtrip,0,1,8,1e-5\nroundtrip,0,1,8,1e-5\n",
    )?;
    assert_eq!(warnings(&folder, "samples summary coarse.csv")?, [""; 0]);
    Ok(())
}

#[test]
fn times_in_microseconds_are_reported() -> Outcome {
    let folder = Folder::new()?;
    folder.write("micro.csv", round_trips(1e6)?)?;
    let found = warnings(&folder, "fit micro.csv -o m.json --models hockney")?;
    let expected = "micro.csv: 20 of 20 times are too long for their messages, such as that of line \
        3; times are in seconds, convert them if they are in another unit";
    assert_eq!(found[0], expected);
    // Single late messages are outliers.
    let seconds = round_trips(1.0)?;
    folder.write("late.csv", format!("{seconds}roundtrip,0,1,0,0,5,3.2\n"))?;
    assert_eq!(warnings(&folder, "samples summary late.csv")?, [""; 0]);
    Ok(())
}

#[test]
fn timings_are_checked_as_samples_are() -> Outcome {
    let folder = Folder::new()?;
    let head = "# format: orrery-timings \
        1\nscheme,communication,source,destination,size,kind,launch,rep,seconds\n";
    let rows = ",,0,1,1000000,reference,0,0,0.0081\n,,0,1,1000000,reference,0,1,0.0082\n";
    folder.write("t.csv", format!("{head}{rows}"))?;
    folder.write("twice.csv", format!("{head}{rows}{rows}"))?;
    folder.write("micro.csv", format!("{head},,0,1,1000,reference,0,0,81\n"))?;
    assert_eq!(warnings(&folder, "samples summary t.csv")?, [""; 0]);
    let found = warnings(&folder, "samples summary t.csv t.csv")?;
    assert_eq!(found, ["t.csv: 2 readings are also in earlier files; they are used once"]);
    let found = warnings(&folder, "samples summary twice.csv")?;
    assert!(
        found[0].starts_with("twice.csv: line 5 repeats line 3, line 6 repeats line 4; "),
        "{found:?}"
    );
    let found = warnings(&folder, "samples summary micro.csv")?;
    assert!(
        found[0].starts_with("micro.csv: 1 of 1 times are too long for their messages, "),
        "{found:?}"
    );
    Ok(())
}

const OSU: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n0 1.50\n1024 2.34\n";

#[test]
fn a_copy_of_a_benchmark_is_no_launch() -> Outcome {
    let folder = Folder::new()?;
    folder.write("osu.txt", OSU)?;
    folder.write("copy.txt", OSU)?;
    folder.write("other.txt", OSU.replace("2.34", "2.35"))?;
    let found = warnings(&folder, "samples import osu.txt osu.txt copy.txt other.txt -o s.csv")?;
    let text =
        "this is the text of osu.txt again; it is not imported, since a copy is no further launch";
    assert_eq!(found, [format!("osu.txt: {text}"), format!("copy.txt: {text}")]);
    let samples = folder.read("s.csv")?;
    assert_eq!(
        samples.lines().filter(|line| line.starts_with("roundtrip")).count(),
        4,
        "two launches: {samples}"
    );
    Ok(())
}
