//! Measurements of other hosts than those of earlier files or of the model.

use std::error::Error;

use crate::common::{Folder, Outcome};
use crate::refused::{FAILED, refused, warnings};

/// A folder with readings of the hosts a, b, c, d, of these hosts in another order, and of other
/// hosts.
fn folder() -> Result<Folder, Box<dyn Error>> {
    let folder = Folder::new()?;
    folder.done(
        "measure comm --machine sim:truth.json,noise=0.02 --sizes 0,4K --no-shared-links \
        -o plain.csv",
    )?;
    let plain = folder.read("plain.csv")?;
    let on = |hosts: &str| plain.replacen("# seed:", &format!("# hosts: {hosts}\n# seed:"), 1);
    folder.write("comm.csv", on("a b c d"))?;
    // Their readings are those of further launches.
    let launch = |number: u32, hosts: &str| of_launch(&on(hosts), number);
    folder.write("permuted.csv", launch(1, "b a c d"))?;
    folder.write("other.csv", launch(2, "a b c x"))?;
    folder.write("part.csv", launch(3, "a b"))?;
    folder.done("fit comm.csv -o model.json --models hockney")?;
    Ok(folder)
}

/// The same readings in another launch, the last column but two.
fn of_launch(samples: &str, launch: u32) -> String {
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        let launch = launch.to_string();
        let at = cells.len().saturating_sub(3);
        if cells.len() > 3 && cells[at] == "0" {
            cells[at] = &launch;
        }
        cells.join(",") + "\n"
    };
    samples.lines().map(row).collect()
}

const PERMUTED: &str = "permuted.csv: its hosts are in another order: processor 0 is on \"b\", not \
    on \"a\" (compared with ";
const OTHER: &str = "other.csv: 1 of 4 processors is on another host: processor 3 is on \"x\", not \
    on \"d\" (compared with ";

/// A comparison that fails warns, too: other hosts may be the reason.
#[test]
fn failed_comparisons_warn_of_other_hosts() -> Outcome {
    let folder = folder()?;
    folder.write(
        "larger.csv",
        "# format: orrery-samples 1\n# hosts: w x y z v u\nexperiment,i,procs,size,rep,seconds\n\
        native/bcast,0,6,1024,0,1e-4\nnative/bcast,0,6,1024,1,1.1e-4\n",
    )?;
    let words = "validate model.json larger.csv";
    refused(&folder, words, FAILED, &["model.json: ", "predicts none of the experiments"])?;
    let stderr = String::from_utf8(folder.run(words)?.stderr)?;
    assert!(
        stderr.contains("warning: larger.csv: ") && stderr.contains("are on other hosts"),
        "{stderr}"
    );
    let remarks = folder.run("report model.json larger.csv -o page.html")?;
    assert!(remarks.status.success(), "{remarks:?}");
    let stderr = String::from_utf8(remarks.stderr)?;
    assert!(stderr.contains("warning: the model predicts none of the experiments"), "{stderr}");
    Ok(())
}

#[test]
fn validate_and_report_warn_of_other_hosts() -> Outcome {
    let folder = folder()?;
    for verb in ["validate model.json", "report model.json -o page.html --force"] {
        assert_eq!(warnings(&folder, &format!("{verb} comm.csv"))?, [""; 0]);
        assert_eq!(warnings(&folder, &format!("{verb} part.csv"))?, [""; 0]);
        assert_eq!(
            warnings(&folder, &format!("{verb} plain.csv"))?,
            [""; 0],
            "unknown hosts are not compared"
        );
        for (file, text) in [("permuted.csv", PERMUTED), ("other.csv", OTHER)] {
            let found = warnings(&folder, &format!("{verb} {file}"))?;
            assert_eq!(found, [format!("{text}model.json); the model may not apply")]);
        }
    }
    Ok(())
}

#[test]
fn fit_refuses_files_of_other_hosts() -> Outcome {
    let folder = folder()?;
    for (file, text) in [("permuted.csv", PERMUTED), ("other.csv", OTHER)] {
        let fit = format!("fit comm.csv {file} -o mixed.json --models hockney");
        refused(&folder, &fit, FAILED, &[text, "earlier files)", "--mixed-hosts"])?;
        assert!(!folder.path("mixed.json").exists());
        let found = warnings(&folder, &format!("{fit} --mixed-hosts --force"))?;
        assert_eq!(found, [format!("{text}earlier files); fit one model per machine")]);
        std::fs::remove_file(folder.path("mixed.json"))?;
    }
    Ok(())
}

#[test]
fn merge_refuses_files_of_other_hosts() -> Outcome {
    let folder = folder()?;
    for (file, text) in [("permuted.csv", PERMUTED), ("other.csv", OTHER)] {
        let merge = format!("samples merge comm.csv {file} -o mixed.csv");
        refused(&folder, &merge, FAILED, &[text, "earlier files)", "--mixed-hosts"])?;
        assert!(!folder.path("mixed.csv").exists());
        let found = warnings(&folder, &format!("{merge} --mixed-hosts"))?;
        assert_eq!(found, [format!("{text}earlier files); fit one model per machine")]);
        // The hosts of each launch are kept.
        assert!(folder.read("mixed.csv")?.contains("\n# launch-1 hosts: "));
        std::fs::remove_file(folder.path("mixed.csv"))?;
    }
    Ok(())
}

/// The first file names two hosts, the second four; a third must agree with all of them.
#[test]
fn hosts_of_several_files_are_compared() -> Outcome {
    let folder = folder()?;
    refused(
        &folder,
        "fit part.csv comm.csv other.csv -o m.json --models hockney",
        FAILED,
        &[OTHER],
    )?;
    folder.done("fit part.csv comm.csv -o m.json --models hockney")?;
    assert!(folder.read("m.json")?.contains("\"host\": \"d\""));
    Ok(())
}

const TIMINGS: &str = "# format: orrery-timings 1\n";

#[test]
fn laws_are_compared_with_schemes_of_their_network() -> Outcome {
    let folder = Folder::new()?;
    folder.write("gigabit.json", include_str!("../transcripts/scheme.in/gigabit.json"))?;
    let measure = "measure scheme --calibrate --machine sim:gigabit.json,noise=0.02 --size 1M \
        --min-reps 2 --max-reps 2";
    folder.done(&format!("{measure} -o plain.csv"))?;
    let plain = folder.read("plain.csv")?;
    assert!(plain.starts_with(TIMINGS), "{plain}");
    let on = |hosts: &str| plain.replacen(TIMINGS, &format!("{TIMINGS}# hosts: {hosts}\n"), 1);
    folder.write("t.csv", on("a b c d e f"))?;
    folder.write("permuted.csv", on("b a c d e f"))?;
    folder.write("other.csv", on("a b c d e x"))?;
    folder.done("fit t.csv -o law.json")?;
    let text = "other.csv: 1 of its hosts is unknown, such as \"x\" (compared with law.json); the \
        model may not apply";
    for verb in ["validate law.json", "report law.json -o page.html --force"] {
        assert_eq!(warnings(&folder, &format!("{verb} permuted.csv"))?, [""; 0]);
        assert_eq!(warnings(&folder, &format!("{verb} other.csv"))?, [text]);
    }
    assert_eq!(warnings(&folder, "fit other.csv --into law.json -o law.json")?, [text]);
    refused(&folder, "fit t.csv permuted.csv -o m.json", FAILED, &[PERMUTED, "--mixed-hosts"])
}
