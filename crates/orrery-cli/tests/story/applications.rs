//! A made-up cluster of an Athlon and eight Pentium-II: models of both methods are fitted to runs
//! on single kinds and validated on mixed configurations.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Folder, Outcome};

const MAP: &str = "elements:athlon=p1,processes:athlon=m1,computation:athlon=ta1,communication:athlon=tc1,\
                   elements:pentium-ii=p2,processes:pentium-ii=m2,computation:pentium-ii=ta2,communication:pentium-ii=tc2";

/// A folder with the runs, and models of both methods fitted to runs on single kinds.
fn cluster() -> Result<Folder, Box<dyn std::error::Error>> {
    let folder = Folder::new()?;
    folder.write("learn.csv", include_str!("../../../../testdata/scaling/learn.csv"))?;
    folder.write("test.csv", include_str!("../../../../testdata/scaling/test.csv"))?;
    for runs in ["learn", "test"] {
        folder.done(&format!("scaling import {runs}.csv --map {MAP} -o {runs}.json"))?;
    }
    for method in ["terms", "paper"] {
        folder.done(&format!("scaling fit learn.json --method {method} -o {method}.model"))?;
    }
    Ok(folder)
}

pub fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}

fn numbers<'a>(rows: &'a Value, key: &'a str) -> Vec<f64> {
    rows.as_array().into_iter().flatten().filter_map(|row| row[key].as_f64()).collect()
}

#[test]
fn models_of_the_paper_choose_well() -> Outcome {
    let folder = cluster()?;
    let validated = json(&folder.done("validate paper.model test.json --format json")?)?;
    let losses = numbers(&validated["choices"], "loss");
    assert!(losses.len() == 5 && losses.iter().all(|one| (0.0..0.03).contains(one)), "{losses:?}");
    assert!(numbers(&validated["points"], "error").iter().all(|error| error.abs() < 0.1));
    assert_eq!(numbers(&validated["summary"], "points"), [87.0, 28.0]);
    let question = "application --n 6400 --configuration pentium-ii=8x1 --format json";
    let seconds = |method: &str| -> Result<f64, Box<dyn std::error::Error>> {
        let text = folder.done(&format!("predict {method}.model {question}"))?;
        json(&text)?[0]["seconds"].as_f64().ok_or_else(|| "no time".into())
    };
    assert!((0.6..1.6).contains(&(seconds("terms")? / seconds("paper")?)));
    Ok(())
}

#[test]
fn term_models_report_interval_coverage() -> Outcome {
    let folder = cluster()?;
    let validated = json(&folder.done("validate terms.model test.json --format json")?)?;
    let points = validated["points"].as_array().ok_or("no points")?;
    let within = points.iter().filter(|row| row["runs_in_interval"].as_u64() == Some(1)).count();
    let inside = |row: &&Value| {
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        (number("low")..=number("high")).contains(&number("measured"))
    };
    assert_eq!(points.iter().filter(inside).count(), within);
    let sum = |validated: &Value| {
        let summary = validated["summary"].as_array().ok_or("no summary")?;
        summary
            .iter()
            .map(|row| row["runs_in_interval"].as_u64())
            .sum::<Option<u64>>()
            .ok_or("no count")
    };
    assert_eq!(sum(&validated)?, within as u64);
    let narrow = json(&folder.done("validate terms.model test.json --level 0.5 --format json")?)?;
    assert!(sum(&narrow)? < within as u64);
    Ok(())
}

#[test]
fn paper_fits_need_runs_of_each_range_and_report_adjustments() -> Outcome {
    let folder = cluster()?;
    let output =
        folder.run("scaling fit learn.json --method paper -o m.json --memory-range athlon:1G")?;
    let stderr = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "no Athlon has 1 GiB: {stderr}");
    assert!(stderr.contains("athlon") && stderr.contains("memory range 1"), "{stderr}");
    folder.write(
        "both.json",
        folder.read("test.json")?.replace("  ]\n}\n", "").trim_end().to_owned()
            + ",\n"
            + folder.read("learn.json")?.split_once("\"runs\": [\n").ok_or("no runs")?.1,
    )?;
    let output = folder.run(
        "scaling fit both.json --method paper -o adjusted.json --adjust \
            athlon:1@6400+pentium-ii=8x1",
    )?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(
        stderr.contains("adjustment of athlon from 1 processes per element: ")
            && stderr.contains("× estimate, fitted to 3 runs"),
        "{stderr}"
    );
    Ok(())
}

#[test]
fn the_page_shows_the_application() -> Outcome {
    let folder = cluster()?;
    for method in ["terms", "paper"] {
        folder
            .done(&format!("report {method}.model test.json -o {method}.html --where n>=3200"))?;
        let page = folder.read(&format!("{method}.html"))?;
        for part in [
            "id=\"model\"",
            "id=\"curve-title\"",
            "id=\"correlation-0-title\"",
            "its estimates of ",
            "In-sample, the estimates of ",
            "athlon=1x2,pentium-ii=8x1",
        ] {
            assert!(page.contains(part), "{part} of {method}");
        }
        assert_eq!(page.contains("class=\"band\""), method == "terms");
        assert!(!page.contains("NaN") && !page.contains("<script"));
    }
    Ok(())
}

#[test]
fn grids_and_sizes_alone_are_validated_too() -> Outcome {
    let folder = Folder::new()?;
    let law =
        |n: f64, p: f64, q: f64| 2e-10 * n * n * n / (p * q) + 1e-7 * n * n * (1.0 / p + 1.0 / q);
    let sizes = [2000.0, 4000.0, 6000.0, 8000.0, 10000.0];
    let mut grids = String::from("n,p,q,seconds\n");
    let mut alone = String::from("n,seconds\n");
    for n in sizes {
        for (p, q) in [(1.0, 4.0), (2.0, 2.0), (4.0, 2.0)] {
            writeln!(grids, "{n},{p},{q},{}", law(n, p, q))?;
        }
        writeln!(alone, "{n},{}\n{n},{}", law(n, 1.0, 1.0) * 1.01, law(n, 1.0, 1.0))?;
    }
    folder.write("grids.csv", grids)?;
    folder.write("alone.csv", alone)?;
    for runs in ["grids", "alone"] {
        folder.done(&format!("scaling import {runs}.csv -o {runs}.json"))?;
        folder.done(&format!("scaling fit {runs}.json -o {runs}.model"))?;
    }
    let validated = json(&folder.done("validate grids.model grids.json --format json")?)?;
    let choices = validated["choices"].as_array().ok_or("no choices")?;
    assert!(
        choices.len() == sizes.len() && choices.iter().all(|row| row["estimated_best"] == "4×2"),
        "{choices:?}"
    );
    let validated = json(&folder.done("validate alone.model alone.json --format json")?)?;
    assert!(validated["choices"].is_null(), "a size alone leaves no choice");
    let summary = &validated["summary"][0];
    assert_eq!((summary["points"].as_u64(), summary["runs"].as_u64()), (Some(5), Some(10)));
    folder.done("report alone.model alone.json -o alone.html")?;
    let csv = folder.done("validate alone.model alone.json --format csv")?;
    assert!(
        csv.starts_with(
            "n,configuration,estimate,low,high,measured,runs,error,runs_in_interval,extrapolated\n"
        ),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 6);
    Ok(())
}

#[test]
fn regions_are_validated_separately() -> Outcome {
    let folder = Folder::new()?;
    let mut table = String::from("place,n,seconds\n");
    for n in [100.0_f64, 200.0, 400.0, 800.0, 1600.0] {
        for (place, seconds) in [("solve", 1e-6 * n * n), ("<b>write&", 1e-3 * n), ("idle", 1.0)] {
            writeln!(table, "{place},{n},{seconds}")?;
        }
    }
    folder.write("r.csv", table)?;
    folder.done("scaling import r.csv --map region=place -o r.json")?;
    folder.done("scaling fit r.json -o m.json --where region!=idle")?;
    let output = folder.run("validate m.json r.json --format json")?;
    assert!(String::from_utf8(output.stderr)?.contains("regions \"idle\" have no model"));
    let validated = json(&String::from_utf8(output.stdout)?)?;
    let regions: Vec<_> = numbers(&validated["summary"], "points");
    assert_eq!((regions.len(), validated["summary"][1]["region"].as_str()), (2, Some("<b>write&")));
    assert!(numbers(&validated["summary"], "max_error").iter().all(|error| *error < 0.01));
    folder.done("report m.json r.json -o r.html")?;
    let page = folder.read("r.html")?;
    assert!(page.contains("id=\"region-0-curves\"") && page.contains("id=\"region-1-curves\""));
    assert!(page.contains("&lt;b&gt;write&amp;") && !page.contains("<b>write"));
    folder.done("report m.json r.json -o again.html")?;
    assert_eq!(folder.read("again.html")?, page, "the same input gives the same bytes");
    Ok(())
}
