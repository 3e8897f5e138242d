//! The accuracy of an execution-time model: the tables of held-out errors, and lack of fit in
//! words.

use orrery::model::Model;
use orrery::run::{Run, Runs};
use orrery::scaling::{
    Accuracy, ErrorFactor, GroupError, LackOfFit, MeasuredPoint, Pattern, PatternShape, Point,
    Region, TermOptions, fit_terms,
};
use orrery::units::Seconds;
use orrery_report::pages::application_page;
use orrery_report::tables::{evaluations, lack_of_fit_sentences};

/// Runs of a program with two disks; one is slower by this factor.
fn runs(sizes: &[f64], factor: f64) -> Vec<Run> {
    let run = |x: f64, disk: &str, factor: f64| {
        // A noise of 0.2 %.
        let noise = 1.0 + 0.002 * (x * factor).sin();
        let mut run = Run::new(Seconds::new((5.0 + 0.02 * x.powf(1.5)) * factor * noise));
        run.variables.insert("x".to_owned(), x);
        run.labels.insert("disk".to_owned(), disk.to_owned());
        run
    };
    sizes.iter().flat_map(|&x| [run(x, "local", 1.0), run(x, "nfs", factor)]).collect()
}

const SIZES: [f64; 8] = [100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0, 6400.0, 12800.0];

fn region(runs: &[Run]) -> Region {
    let model = fit_terms(runs, TermOptions::default()).unwrap().model.into();
    Region { name: String::new(), model, measured: MeasuredPoint::of_runs(runs) }
}

fn accuracy(region: &Region, runs: &[Run]) -> Accuracy {
    region.accuracy(&runs.iter().collect::<Vec<_>>(), 0.95).unwrap()
}

/// The page of a model and runs.
fn page(region: &Region, runs: &[Run]) -> String {
    let runs = Runs { runs: runs.to_vec(), ..Runs::default() };
    let accuracy = accuracy(region, &runs.runs);
    application_page(&Model::default(), &runs, &[(region, accuracy)], 0.95)
}

#[test]
fn held_out_errors_are_a_table_of_their_own() {
    let runs = runs(&SIZES, 1.0);
    let tables = evaluations(&[("", &accuracy(&region(&runs), &runs))]);
    let held_out = tables.held_out.unwrap();
    let rows: Vec<String> =
        held_out.csv().lines().skip(1).map(|row| row.split(',').take(3).collect()).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(held_out.csv().starts_with("left_out,fits,skipped,points,without_estimate,mean_error"));
    assert!(held_out.csv().contains("\none x at a time,8,0,8,0,"), "{}", held_out.csv());
    assert!(tables.summary.csv().contains("\nin-sample,8,16,0,"), "{}", tables.summary.csv());
    assert!(tables.summary.title.starts_with("In-sample errors"));
    assert_eq!(tables.lack_of_fit, None);
}

#[test]
fn errors_at_other_runs_are_held_out() {
    let (fitted, others) = (runs(&SIZES[..6], 1.0), runs(&SIZES[6..], 1.0));
    let region = region(&fitted);
    let new = evaluations(&[("", &accuracy(&region, &others))]);
    assert_eq!(new.held_out, None);
    assert!(new.summary.title.starts_with("Held-out errors"));
    assert!(new.summary.csv().contains("\nheld-out,2,4,0,"), "{}", new.summary.csv());
    let both = evaluations(&[("", &accuracy(&region, &[fitted, others].concat()))]).summary;
    assert!(
        both.csv().contains("\nheld-out,2,4,0,") && both.csv().contains("\nin-sample,6,12,0,"),
        "{}",
        both.csv()
    );
}

#[test]
fn the_page_begins_with_held_out_errors() {
    let (fitted, others) = (runs(&SIZES[..6], 1.0), runs(&SIZES[6..], 1.0));
    let region = region(&fitted);
    let own = page(&region, &fitted);
    let lead =
        own.find("Forecasts of runs that were left out of the fit have a mean error of").unwrap();
    assert!(lead < own.find("In-sample, the estimates of 6 points").unwrap());
    assert!(own.contains("for x ≥ 3200 from smaller ones") && own.contains("mean in-sample error"));
    assert!(!own.contains("Lack of fit"));
    let new = page(&region, &others);
    assert!(new.contains("The model was not fitted to these runs") && !new.contains("In-sample"));
}

#[test]
fn lack_of_fit_is_a_warning_on_the_page() {
    let runs = runs(&SIZES, 1.2);
    // With the label, the model has its effect.
    let unlabelled: Vec<Run> =
        runs.iter().map(|run| Run { labels: [].into(), ..run.clone() }).collect();
    let page = page(&region(&unlabelled), &runs);
    assert!(page.contains("Lack of fit: estimates are typically"));
    assert!(
        page.contains("the label disk, from")
            || page.contains("The errors depend on the label disk"),
        "no pattern"
    );
}

#[test]
fn patterns_are_described_with_advice() {
    let group = |name: &str, error: f64| GroupError { name: name.to_owned(), error };
    let lack = |factor: ErrorFactor, shape: PatternShape| {
        let worst = Point {
            variables: [("n".to_owned(), 6400.0)].into(),
            configuration: "athlon=1x6".parse().unwrap(),
            ..Point::default()
        };
        let pattern = Some(Pattern { factor, shape, p_value: 2e-7 });
        lack_of_fit_sentences(&LackOfFit {
            typical_error: 0.12,
            worst,
            worst_error: -0.53,
            spread: Some(0.008),
            pattern,
        })
    };
    let trend = PatternShape::Trend { low: group("1", 0.03), high: group("6", -0.41) };
    let [far, pattern] = lack(ErrorFactor::ProcessesPerElement("athlon".to_owned()), trend);
    assert_eq!(
        far,
        "lack of fit: estimates are typically 12.0 % off the runs of the model, at worst −53.0 % at \
            n = 6400, athlon=1x6; repeated runs differ by 0.8 %"
    );
    assert_eq!(
        pattern,
        "the errors change with the processes per element of athlon, from +3.0 % at 1 to −41.0 % at \
            6 (p-value 2e-7); no term describes this: forecasts that vary it are unreliable"
    );
    let shape = PatternShape::OneGroup { group: group("500", 0.4), others: 0.002 };
    let [_, pattern] = lack(ErrorFactor::Variable("n".to_owned()), shape);
    assert_eq!(
        pattern,
        "the errors differ at n = 500: +40.0 %, elsewhere typically +0.2 % (p-value 2e-7); measure it \
            again, or leave it out of the fit"
    );
    let shape = PatternShape::Neighbours { equal: 30, pairs: 40 };
    let [_, pattern] = lack(ErrorFactor::Variable("n".to_owned()), shape);
    assert!(
        pattern.starts_with("30 of 40 pairs of neighbours in n have errors of equal sign"),
        "{pattern}"
    );
    let worst = Point::default();
    let [far, pattern] = lack_of_fit_sentences(&LackOfFit {
        typical_error: 0.3,
        worst,
        worst_error: 1.0,
        spread: None,
        pattern: None,
    });
    assert!(
        far.ends_with("no repeated runs show the noise")
            && pattern.contains("they are noise, or something"),
        "{far} {pattern}"
    );
}
