//! Labels of points in the tables and on the page of an application.

use orrery::model::Model;
use orrery::run::{Plan, PlanEntry, Run, Runs};
use orrery::scaling::advise::{Advice, AdvisedRun, DecisionStatus, Outlook, StopReason};
use orrery::scaling::{
    Evaluation, Forecast, MeasuredPoint, Point, Region, TermOptions, evaluate, fit_terms,
};
use orrery::units::Seconds;
use orrery_report::pages::{application_figures, application_page};
use orrery_report::tables::{advised_runs, decisions, evaluations, plan_end, planned_runs};

/// The runs of a program at these points, each with variables and perhaps a configuration; each
/// takes one second longer than the one before.
fn runs(points: &[&str]) -> Vec<Run> {
    let run = |(place, point): (usize, &&str)| {
        let (variables, configuration) = point.split_once(' ').unwrap_or((point, ""));
        let variables = variables.split(',').filter_map(|one| one.split_once('='));
        let mut run = Run::new(Seconds::new(1.0 + place as f64));
        run.variables =
            variables.map(|(name, value)| (name.to_owned(), value.parse().unwrap())).collect();
        if !configuration.is_empty() {
            run.configuration = configuration.parse().unwrap();
        }
        run
    };
    points.iter().enumerate().map(run).collect()
}

fn evaluation(runs: &[Run]) -> Evaluation {
    let forecast = |_: &Point| {
        Ok(Forecast {
            seconds: Seconds::new(2.0),
            interval: None,
            extrapolated: false,
            slowest_kind: None,
        })
    };
    evaluate(runs, forecast).unwrap()
}

/// The sizes and labels of all points, as the table of points has them.
fn labels(points: &[&str]) -> Vec<String> {
    let tables = evaluations(&[("", &evaluation(&runs(points)).into())]);
    let csv = tables.points.csv();
    let mut reader = csv.lines();
    assert!(reader.next().unwrap().starts_with("n,configuration,"), "{csv}");
    // The estimate, which is the same everywhere, follows the label.
    reader.map(|line| line.split(",2,").next().unwrap().replace('"', "")).collect()
}

#[test]
fn labels_contain_all_variables_that_vary() {
    let cases: [(&[&str], &[&str]); 7] = [
        (
            &[
                "n=100,nb=32,threads=1,nodes=7",
                "n=100,nb=64,threads=1,nodes=7",
                "n=100,nb=64,threads=2,nodes=7",
            ],
            &["100,nb=32, threads=1", "100,nb=64, threads=1", "100,nb=64, threads=2"],
        ),
        // Extra-P calls the number of processes p; it is no row of a grid without q.
        (&["n=100,p=2", "n=100,p=4"], &["100,p=2", "100,p=4"]),
        (&["atoms=9", "atoms=8"], &[",atoms=9", ",atoms=8"]),
        // The grid is contained where it does not follow from the rest.
        (
            &[
                "n=100,p=1,q=4,processes=4 a=4x1",
                "n=100,p=2,q=2,processes=4 a=4x1",
                "n=100,p=1,q=2,processes=2 a=2x1",
            ],
            &["100,a=4x1, 1×4", "100,a=4x1, 2×2", "100,a=2x1, 1×2"],
        ),
        (&["n=100,p=1,q=4 a=4x1", "n=100,p=1,q=2 a=2x1"], &["100,a=4x1", "100,a=2x1"]),
        (&["n=100,p=1,q=4", "n=200,p=1,q=4"], &["100,1×4", "200,1×4"]),
        (&["n=100,processes=4", "n=100,processes=8"], &["100,processes=4", "100,processes=8"]),
    ];
    for (points, expected) in cases {
        assert_eq!(labels(points), expected);
    }
}

#[test]
fn figures_name_points_by_all_variables() {
    let mut runs = Vec::new();
    for (n, p, threads) in
        (0..27).map(|i| (100.0 * f64::from(1 << (i / 9)), f64::from(1 << (i / 3 % 3)), i % 3 + 1))
    {
        let mut run = Run::new(Seconds::new(1e-6 * n * n / p / f64::from(threads)));
        run.variables = [("n", n), ("p", p), ("threads", f64::from(threads))]
            .map(|(a, b)| (a.to_owned(), b))
            .into();
        runs.push(run);
    }
    let model = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
    let region = Region { name: String::new(), model, measured: MeasuredPoint::of_runs(&runs) };
    let evaluated = [(&region, evaluation(&runs).into())];
    let page =
        application_page(&Model::default(), &Runs { runs, ..Runs::default() }, &evaluated, 0.95);
    for expected in [
        "p=4, threads=2, n = 200: measured",
        "n = 400, p=1, threads=3: estimated",
        "</svg>p=4, threads=3",
    ] {
        assert!(page.contains(expected), "{expected} is not on the page");
    }
    // The map of two of the variables, at the largest value of the third one.
    let map =
        page.split("id=\"map\"").nth(1).and_then(|rest| rest.split("</figure>").next()).unwrap();
    for expected in [
        "Predicted time over n and p, at threads = 3",
        "title=\"n = 400, p = 4, threads = 3: ",
        "; measured 1",
        "<th scope=\"col\">1600</th>",
        "range of the runs",
    ] {
        assert!(map.contains(expected), "{expected} is not in {map}");
    }
    assert_eq!((map.matches("<td").count(), map.matches(", measured").count()), (27, 9));
    // Without a size, the label is the whole name.
    let mut runs: Vec<Run> = (1..9).map(|place| Run::new(Seconds::new(f64::from(place)))).collect();
    for (place, run) in runs.iter_mut().enumerate() {
        run.variables.insert("atoms".to_owned(), 1.0 + place as f64);
    }
    let evaluated = [(&region, evaluation(&runs).into())];
    let page =
        application_page(&Model::default(), &Runs { runs, ..Runs::default() }, &evaluated, 0.95);
    assert!(page.contains(">atoms=3: estimated"));
}

/// A page of several regions says which grow beyond the runs, and has the details of the longest.
#[test]
fn a_page_of_regions_ranks_them_beyond_the_runs() {
    let law = |place: usize, p: f64| match place {
        0 => 0.004 * p,
        1 => 640.0 / p,
        _ => 0.001 / p,
    };
    let name = |place: usize| match place {
        0 => "main->output".to_owned(),
        2 => "main part1".to_owned(),
        place => format!("main->part{place}"),
    };
    let mut all = Vec::new();
    let mut regions = Vec::new();
    for place in 0..14 {
        let run = |p: f64| {
            let mut run = Run::new(Seconds::new(law(place, p)));
            run.variables.insert("processes".to_owned(), p);
            run
        };
        let runs: Vec<Run> = [8.0, 16.0, 32.0, 64.0, 128.0].map(run).into();
        let model = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
        let measured = MeasuredPoint::of_runs(&runs);
        regions.push((Region { name: name(place), model, measured }, evaluation(&runs)));
        all.extend(runs);
    }
    let evaluated: Vec<_> =
        regions.iter().map(|(region, evaluation)| (region, evaluation.clone().into())).collect();
    let runs = Runs { runs: all, ..Runs::default() };
    let page = application_page(&Model::default(), &runs, &evaluated, 0.95);
    for expected in [
        "At processes = 512, 1 region of 14 grows with processes: main-&gt;output (exponent 1.00, 6",
        "Details are those of the 12 largest regions.",
        "id=\"regions-curve-title\"",
    ] {
        assert!(page.contains(expected), "{expected} is not on the page");
    }
    assert_eq!(page.matches("Estimates of main").count(), 12);
    let figures = application_figures(&Model::default(), &evaluated, 0.95);
    assert_eq!(figures, application_figures(&Model::default(), &evaluated, 0.95));
    assert_eq!(figures.len(), 1 + 12 * 3);
    let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
    let first = ["regions", "main-output-curve", "main-output-errors", "main-output-correlation"];
    assert_eq!(names[..4], first.map(|name| format!("{name}.svg")));
    // Names that differ in their signs only have a number.
    assert!(names.contains(&"main-part1-curve.svg") && names.contains(&"main-part1-2-curve.svg"));
    for (name, svg) in &figures {
        assert!(svg.starts_with("<svg class=\"figure\" xmlns="), "{name}");
        assert!(!svg.contains("var(") && svg.contains("fill=\"#fff\"/>"), "{name}");
    }
    assert!(figures[0].1.contains(">main-&gt;output</text>"), "the legend is in the file");
}

#[test]
fn plans_and_decisions_show_all_variables() {
    let variables: std::collections::BTreeMap<_, _> =
        [("n", 100.0), ("p", 1.0), ("q", 4.0), ("wall_steps", 10.0)]
            .map(|(a, b)| (a.to_owned(), b))
            .into();
    let point = Point {
        variables: variables.clone(),
        configuration: "a=4x1".parse().unwrap(),
        ..Point::default()
    };
    let seconds = Seconds::new(1.5);
    let run =
        PlanEntry { variables, configuration: point.configuration.clone(), seconds: Some(seconds) };
    let plan = Plan { runs: vec![run], ..Plan::default() };
    assert_eq!(
        planned_runs(&plan).csv(),
        "run,n,configuration,p,q,block,wall_steps,seconds\n1,100,a=4x1,1,4,,10,1.5\n"
    );
    assert!(planned_runs(&plan).terminal(100).contains("wall_steps"));
    let (probability, expected_loss) = (0.5, 0.25);
    let status = DecisionStatus {
        size: 100.0,
        choice: point.clone(),
        seconds,
        probability,
        expected_loss,
        is_untested_mix: false,
    };
    assert_eq!(
        decisions(&[status]).csv(),
        "n,configuration,p,q,block,wall_steps,seconds,probability,expected_loss,untested_mix\n\
         100,a=4x1,1,4,,10,1.5,0.5,0.25,false\n"
    );
    let expected_saving = Seconds::new(20.0);
    let outlook = Some(Outlook { probability, expected_loss, expected_saving });
    let advised = AdvisedRun { point, seconds, cost: seconds, outlook };
    assert_eq!(
        advised_runs(std::slice::from_ref(&advised)).csv(),
        "run,n,configuration,p,q,block,wall_steps,seconds,total_time,expected_loss,probability\n\
         1,100,a=4x1,1,4,,10,1.5,1.5,0.25,0.5\n"
    );
    let stop_reason = StopReason::NoRunPays;
    let advice = Advice { decisions: Vec::new(), runs: vec![advised], outlook, stop_reason };
    assert_eq!(
        plan_end(&advice, 2).csv(),
        "ends,runs,total_time,expected_saving,expected_loss,probability\n\
         no run pays,2,1.5,20,0.25,0.5\n"
    );
}
