//! Summaries of readings and comparisons with the library's own collectives, as tables.

use std::fmt::Write as _;
use std::path::Path;

use orrery::comm::Hlmo;
use orrery::model::{Model, ModelKind, PredictError, Predictor, Query, compare_native, validate};
use orrery::numeric::Estimate;
use orrery::platform::Processor;
use orrery::sample::{Experiment, Samples, file, summarise};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::Bytes;
use orrery_report::tables::{native_collectives, summary};

fn model(processors: usize) -> Model {
    let lmo =
        Hlmo::from_estimates([10e-6, 1e-9, 20e-6, 8e-9].map(Estimate::exact)).as_lmo(processors);
    Model::new(processors).with(ModelKind::Lmo, &lmo)
}

fn samples(rows: &str) -> Samples {
    let text = format!(
        "# format: orrery-samples 1\nexperiment,i,j,k,procs,size,reply,launch,rep,seconds\n{rows}"
    );
    file::parse(text, Path::new("x")).unwrap().samples
}

#[test]
fn few_experiments_are_shown_one_by_one() {
    let rows = "roundtrip,0,1,,,8,8,0,0,1e-5\nroundtrip,0,1,,,8,8,0,1,1.1e-5\nroundtrip,0,1,,,8,8,1,0,2e-5\n\
                roundtrip,0,1,,,8,8,1,1,2.1e-5\nnative/gather,2,,,4,8,,0,0,3e-5\n";
    let table = summary(&summarise(&samples(rows), 0.95));
    let csv = table.csv();
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .starts_with("roundtrip,,0,1,,,2,8,8,4,2,0.0000155,0.00001,0.000021,"),
        "{csv}"
    );
    assert!(
        csv.lines()
            .nth(2)
            .unwrap()
            .starts_with("gather,native,,,,2,4,8,,1,1,0.00003,,,0.00003,,0,,,,,"),
        "{csv}"
    );
    let text = table.terminal(120);
    assert!(text.contains("native/gather  root 2") && text.contains("Between:"), "{text}");
}

#[test]
fn many_experiments_are_brought_together_and_the_worst_is_named() {
    let mut rows = String::new();
    for j in 1..50 {
        for rep in 0..10 {
            let wobble = f64::from(rep * 7 % 10) * if j == 17 { 0.1 } else { 0.001 };
            writeln!(rows, "roundtrip,0,{j},,,8,8,0,{rep},{}", 1e-5 * (1.0 + wobble)).unwrap();
        }
    }
    let table = summary(&summarise(&samples(&rows), 0.95));
    assert_eq!(table.csv().lines().count(), 50);
    let text = table.terminal(120);
    let line = text.lines().find(|line| line.starts_with("roundtrip")).unwrap();
    assert!(line.contains(" 49 ") && line.contains(" 490 ") && line.contains("0-17"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("roundtrip")).count(), 1);
}

#[test]
fn the_library_is_compared_with_every_algorithm() {
    let (model, kinds) = (model(4), [ModelKind::Lmo]);
    let predict = |algorithm| {
        let (kind, root, size) = (CollectiveKind::Scatter, Processor(0), Bytes::new(1024));
        let query =
            Query::Experiment(Experiment::Collective { kind, algorithm, root, procs: 4, size });
        Predictor::new(&model, ModelKind::Lmo).unwrap().predict(&query).unwrap().seconds.get()
    };
    let binomial = predict(Algorithm::Binomial);
    let rows = format!(
        "native/scatter,0,,,4,1024,,0,0,{}\nnative/scatter,0,,,5,1024,,0,0,1\n",
        binomial * 1.01
    );
    let samples = samples(&rows);
    let compared = compare_native(&model, &samples, &kinds, 0.95).unwrap();
    assert_eq!(compared.len(), 1, "five processors are more than the model has");
    let (nearest, error) = compared[0].nearest().unwrap();
    assert_eq!(nearest.query.algorithm().as_deref(), Some("binomial"));
    assert!((error + 0.01).abs() < 1e-3, "{error}");
    assert!(native_collectives(&compared).csv().contains(",binomial,"));
    assert!(
        validate(&model, &samples, &kinds, 0.95).unwrap().rows.is_empty(),
        "they have no prediction of their own"
    );
    let query = Query::Experiment(compared[0].experiment);
    let error = Predictor::new(&model, ModelKind::Lmo).unwrap().predict(&query).unwrap_err();
    assert!(matches!(error, PredictError::NoSchedule(_)), "{error}");
}

#[test]
fn an_exchange_takes_as_long_as_one_message_where_links_are_full_duplex() {
    let model = model(2);
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let (i, j, size) = (Processor(0), Processor(1), Bytes::new(1000));
    let exchange = predictor
        .predict(&Query::Experiment(Experiment::Exchange { i, j, size }))
        .unwrap()
        .seconds
        .get();
    let message =
        predictor.predict(&Query::PointToPoint { from: i, to: j, size }).unwrap().seconds.get();
    assert!((exchange / message - 1.0).abs() < 1e-12, "{exchange} {message}");
}
