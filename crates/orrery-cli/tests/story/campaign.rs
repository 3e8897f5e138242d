//! Campaigns on a simulated machine: the same again, and interrupted ones that go on.

use crate::common::{Folder, Outcome};

const MACHINE: &str = "sim:truth.json,noise=0.05";

/// The rows of experiments that are measured once. Anchors are repeated by the time of the campaign,
/// and after an interruption.
fn sorted(samples: &str) -> Vec<&str> {
    let is_row = |line: &&str| !line.starts_with('#') && !line.starts_with("anchor,");
    let mut rows: Vec<&str> = samples.lines().filter(is_row).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn the_same_seed_gives_the_same_bytes() -> Outcome {
    for what in ["comm", "collectives --root all", "thresholds"] {
        let (one, two, other) = (Folder::new()?, Folder::new()?, Folder::new()?);
        let words = format!("measure {what} --machine {MACHINE} -o s.csv");
        one.done(&format!("{words} --seed 3"))?;
        two.done(&format!("{words} --seed 3"))?;
        other.done(&format!("{words} --seed 4"))?;
        assert_eq!(one.read("s.csv")?, two.read("s.csv")?);
        assert_ne!(one.read("s.csv")?, other.read("s.csv")?, "another order");
        assert!(!one.read("s.csv")?.contains("# date"), "a simulated campaign has no date");
    }
    Ok(())
}

/// Cuts a campaign off after so many bytes, resumes it, and compares.
fn resumed(what: &str, machine: &str) -> Outcome {
    let folder = Folder::new()?;
    let words = format!("measure {what} --machine {machine} -o s.csv");
    folder.done(&words)?;
    let whole = folder.read("s.csv")?;
    for end in everywhere(whole.as_bytes()) {
        folder.write("s.csv", &whole.as_bytes()[..end])?;
        folder.done(&format!("{words} --resume"))?;
        let again = folder.read("s.csv")?;
        assert!(
            sorted(&whole) == sorted(&again),
            "cut at byte {end} of {}: the rows differ",
            whole.len()
        );
    }
    Ok(())
}

/// Places in the rows: at the ends of lines, within lines, within numbers.
fn everywhere(samples: &[u8]) -> Vec<usize> {
    let rows = samples.windows(10).position(|window| window == b"\nroundtrip").or_else(|| {
        samples.windows(8).position(|window| window == b"\nscatter" || window == b"\ngather/")
    });
    let first = rows.unwrap_or(0) + 1;
    let step = (samples.len() - first) / 12;
    let line_end = samples[first..].iter().position(|&byte| byte == b'\n').unwrap_or(0) + first;
    (0..12)
        .map(|part| first + part * step)
        .chain([line_end, line_end + 1, samples.len() - 1, samples.len()])
        .collect()
}

#[test]
fn interrupted_campaigns_go_on_as_if_nothing_had_happened() -> Outcome {
    resumed("comm", "sim:truth.json")?;
    resumed("comm", MACHINE)?;
    resumed("collectives --root 0,3", MACHINE)
}

/// What an interruption tears is completed before sizes are chosen by it.
#[test]
fn an_interrupted_campaign_of_thresholds_goes_on_as_if_nothing_had_happened() -> Outcome {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let machine = format!("sim:{examples}/switched-eight.json");
    resumed("thresholds --sizes adaptive:0..64K:1K", &machine)
}

/// The last compressed frame is torn.
#[test]
fn a_torn_compressed_campaign_goes_on() -> Outcome {
    let folder = Folder::new()?;
    let words = format!("measure comm --machine {MACHINE} -o s.csv.zst");
    let rows = |folder: &Folder| -> Result<String, Box<dyn std::error::Error>> {
        folder.done("fit s.csv.zst -o m.json --force")?;
        Ok(folder.read("m.json")?)
    };
    folder.done(&words)?;
    let whole = std::fs::read(folder.path("s.csv.zst"))?;
    let model = rows(&folder)?;
    for part in [3, 5, 7, 9] {
        folder.write("s.csv.zst", &whole[..whole.len() * part / 10])?;
        folder.done(&format!("{words} --resume"))?;
        assert_eq!(rows(&folder)?, model);
    }
    Ok(())
}

/// What is complete is not measured again.
#[test]
fn a_complete_campaign_has_nothing_to_resume() -> Outcome {
    let folder = Folder::new()?;
    let words = format!("measure comm --machine {MACHINE} -o s.csv --resume");
    folder.done(&words)?;
    let whole = folder.read("s.csv")?;
    let output = folder.run(&words)?;
    assert_eq!(folder.read("s.csv")?, whole);
    assert!(String::from_utf8(output.stderr)?.contains("0 readings written to s.csv"));
    Ok(())
}

#[test]
fn two_processors_are_enough_for_hockney() -> Outcome {
    let folder = Folder::new()?;
    let two = r#"{"format": "orrery-model", "version": 1, "models": {
        "hockney": {"latency": {"value": [1e-5]}, "byte_delay": {"value": [1e-9]}}}}"#;
    folder.write("two.json", two)?;
    let output = folder.run("measure comm --machine sim:two.json -o s.csv")?;
    assert!(String::from_utf8(output.stderr)?.contains("LMO needs three"));
    folder.done("fit s.csv -o m.json")?;
    assert!(folder.done("predict p2p m.json --models hockney --size 0")?.contains("10.0 µs"));
    Ok(())
}

/// Simulated barriers are ideal: all methods read the same, and the file says which it was.
#[test]
fn every_timing_method_reads_the_same_where_barriers_are_ideal() -> Outcome {
    let folder = Folder::new()?;
    let words = format!("measure collectives --root all --machine {MACHINE}");
    folder.done(&format!("{words} -o max.csv"))?;
    let max = folder.read("max.csv")?;
    assert!(max.contains("\n# timing: max: "), "{max}");
    for timing in ["root", "global"] {
        folder.done(&format!("{words} -o other.csv --force --timing {timing}"))?;
        let other = folder.read("other.csv")?;
        assert_eq!(sorted(&max), sorted(&other));
        assert!(other.contains(&format!("\n# timing: {timing}: ")), "{other}");
    }
    Ok(())
}
