//! The worked numbers of docs/models.md, which exact arithmetic gave: `worked.py`.

use crate::prelude::*;

const DOCUMENT: &str = include_str!("../../../../../docs/models.md");

/// The cells of the rows of tables in the section.
fn cells(section: &str) -> impl Iterator<Item = Vec<&str>> {
    section
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

/// A row of the example's measurements, which are all numbers.
fn run(cells: &[&str]) -> Option<Run> {
    let numbers: Vec<f64> = cells.iter().map(|cell| cell.parse().ok()).collect::<Option<_>>()?;
    let [processes, size, computation, communication] = numbers[..] else { return None };
    let mut run = Run::new(Seconds::new(computation + communication));
    run.variables.insert("n".to_owned(), size);
    run.configuration = format!("pe={processes}x1").parse().unwrap();
    let [computation, communication] = [computation, communication].map(Seconds::new);
    run.parts = vec![KindTimes { kind: "pe".to_owned(), computation, communication }];
    Some(run)
}

/// Returns the seconds after a name in the document.
fn stated_seconds(section: &str, name: &str) -> f64 {
    let rest = section.split_once(&format!("{name} = ")).unwrap().1;
    rest.split_once(" s").unwrap().0.parse().unwrap()
}

#[test]
fn worked_example_in_the_docs_is_correct() {
    let section = DOCUMENT
        .split("\n## ")
        .find(|section| section.starts_with("Execution-time models of the paper"))
        .unwrap();
    let runs: Vec<Run> = cells(section).filter_map(|cells| run(&cells)).collect();
    assert_eq!(runs.len(), 12);
    let model = fit_paper(&runs, &PaperOptions::default()).unwrap();
    let [fitted] = model.pt_models.as_slice() else { panic!("{model:?}") };
    let reference = fitted.reference.computation.iter().chain(&fitted.reference.communication);
    let found: Vec<f64> =
        reference.chain(&fitted.computation).chain(&fitted.communication).copied().collect();
    let coefficients = cells(section).filter(|cells| cells[0].starts_with('k'));
    let coefficients: Vec<(String, String)> = coefficients
        .flat_map(|cells| {
            cells.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect::<Vec<_>>()
        })
        .collect();
    let expected = found
        .iter()
        .enumerate()
        .map(|(place, value)| (format!("k{place}"), format!("{value:.5e}")));
    assert_eq!(coefficients, expected.collect::<Vec<_>>());

    let example = section.split_once("Six elements and N = 5000").unwrap().1;
    let configuration: Configuration = "pe=6x1".parse().unwrap();
    let point =
        Point { variables: [("n".to_owned(), 5000.0)].into(), configuration, ..Point::default() };
    let forecast = model.forecast(&point).unwrap();
    let times = [
        fitted.computation_at(5000.0, 6),
        fitted.communication_at(5000.0, 6),
        forecast.seconds.get(),
    ];
    for (name, time) in ["Ta", "Tc", ", T"].into_iter().zip(times) {
        assert!((time - stated_seconds(example, name)).abs() < 5.1e-4, "{name}: {time}");
    }
    assert!(forecast.extrapolated);
}
