//! Models of applications in the model file: written models read back and match the schema; invalid
//! ones are rejected with its place.

use orrery::file::FileError;
use orrery::model::Model;
use orrery::model::file::{parse, to_text};
use orrery::numeric::{Estimate, Interval};
use orrery::run::{Configuration, Share};
use orrery::scaling::paper::{
    Adjustment, Composition, MemoryLimits, NtCoefficients, NtModel, PaperModel, PtModel,
};
use orrery::scaling::{
    Alternative, Application, BoundedKind, Coefficient, Effect, Effects, ExecutionTimeModel,
    Factor, LawChange, LevelEffect, MeasuredPoint, Point, Region, Role, Term, TermFamily,
    TermModel, Uncertainty,
};
use proptest::prelude::*;

use crate::model_file::{assert_rejected, schema};

/// Two regions by hand; the tests below break them.
pub const GOOD: &str = r#"{"format": "orrery-model", "version": 1, "models": {"application": {"regions": [
  {"region": "old", "family": "general", "runs": 9, "points": 3,
   "coefficients": [{"term": [{"variable": "n", "power": 2}], "role": "computation", "value": 1e-6}]},
  {"region": "", "method": "paper", "runs": 16, "kinds": ["a", "b"],
   "limits": [{"kind": "b", "bytes": [1e6, 2e6]}],
   "size_models": [
    {"kind": "a", "per_element": 2, "processes": 2, "computation": [1, 2, 3, 4], "communication": [5, 6, 7], "sizes": [10, 20]}],
   "process_models": [
    {"kind": "b", "per_element": 1, "computation": [1, 2], "communication": [3, 4, 5], "sizes": [10, 20], "processes": [2, 4],
     "reference": {"processes": 2, "computation": [1, 2, 3, 4], "communication": [5, 6, 7]}}],
   "compositions": [{"kind": "a", "from": "b", "computation": 0.27, "communication": 0.85}],
   "adjustment": {"kind": "a", "from_processes": 3, "intercept": 1, "slope": 2}
  }
]}}}
"#;

#[test]
fn regions_by_hand_are_read() {
    let loaded = parse(GOOD, "m").unwrap();
    assert_eq!(loaded.warnings, []);
    assert!(schema().is_valid(&serde_json::from_str(GOOD).unwrap()));
    let application = loaded.model.application.unwrap();
    let methods: Vec<_> = application.regions.iter().map(|region| region.model.method()).collect();
    assert_eq!(methods, ["terms", "paper"]);
    let ExecutionTimeModel::Paper(model) = &application.regions[1].model else {
        panic!("the models of the paper")
    };
    assert_eq!(
        model.nt_models[0].communication.map(f64::to_bits),
        [5.0_f64, 6.0, 7.0].map(f64::to_bits)
    );
    assert_eq!((model.pt_models[0].processes, model.pt_models[0].reference.processes), ((2, 4), 2));
    assert_eq!(model.adjustment.as_ref().map(|adjustment| adjustment.slope), Some(2.0));
}

/// A replacement in [`GOOD`]; true if the schema rejects it; a part of the reader's error.
const BROKEN: &str = r#"
"method": "paper" => "method": "magic" => true => 4:28: models.application.regions[1].method:
    unknown method
"method": "paper" => "method": 7 => true => 4:28: models.application.regions[1].method: this is 7
"method": "paper" => "method": "terms" => true => 5:11: models.application.regions[1]: unknown field
    `limits`
"general" => "special" => true => 2:3: models.application.regions[0]: unknown family "special"
"region": "" => "region": "old" => false => 4:3: models.application.regions[1]: the region "old" is
    there twice
"limits" => "limit" => true => 5:10: models.application.regions[1]
[1e6, 2e6] => [2e6, 1e6] => false => 5:15: models.application.regions[1].limits[0]: the limits must
    be above 0
[1e6, 2e6] => [] => true => 5:15: models.application.regions[1].limits[0]: the limits must be above
    0
[1, 2, 3, 4], "communication": [5, 6, 7], "sizes" => [1, 2, 3], "communication": [5, 6, 7], "sizes"
    => true => 7:
"per_element": 2 => "per_element": 3 => false => 7:5: models.application.regions[1].size_models[0]:
    the number of processes is 2
"per_element": 2 => "per_element": 0 => true => 7:5: models.application.regions[1].size_models[0]:
    the number of processes is 2
"kind": "a", "per_element" => "kind": "c", "per_element" => false => 7:5:
    models.application.regions[1].size_models[0]: "c" is not one of the "kinds", a, b
[10, 20]}], => [20, 10]}], => false => 7:5: models.application.regions[1].size_models[0]: the sizes
    must be above 0
[5, 6, 7], "sizes" => [5, 6, NaN], "sizes" => true => 7:
[2, 4] => [1, 4] => false => 9:5: models.application.regions[1].process_models[0]: the processes are
    1 to 4
[2, 4] => [4, 2] => false => 9:5: models.application.regions[1].process_models[0]: the processes are
    4 to 2
0.27 => -0.27 => true => 11:21: models.application.regions[1].compositions[0]: the factors must
    be finite and above 0
"from_processes": 3, =>  => true => 12:
{"kind": "a", "from_p => {"kind": "x", "from_p => false => 12:18:
    models.application.regions[1].adjustment: "x" is not one of
"#;

#[test]
fn invalid_regions_are_rejected_with_their_path() {
    assert_rejected(GOOD, BROKEN);
}

#[test]
fn unreadable_values_are_not_written() {
    let good = parse(GOOD, "m").unwrap().model;
    let paper = good.application.as_ref().unwrap().regions[1].model.as_paper().unwrap().clone();
    let refused = |change: &dyn Fn(&mut PaperModel), words: &str| {
        let mut changed = paper.clone();
        change(&mut changed);
        let regions =
            vec![Region { name: String::new(), model: changed.into(), measured: Vec::new() }];
        let error = to_text(&Model {
            application: Some(Application { regions, ..Application::default() }),
            ..Model::default()
        })
        .unwrap_err();
        assert!(
            matches!(error, FileError::Write { .. }) && error.to_string().contains(words),
            "{error}"
        );
    };
    refused(
        &|m| m.nt_models[0].computation[2] = f64::NAN,
        "regions[0]: size_models[0]: a coefficient is NaN",
    );
    refused(
        &|m| m.pt_models[0].communication[1] = f64::INFINITY,
        "process_models[0]: a coefficient is inf",
    );
    refused(&|m| m.nt_models.clear(), "it must have an N-T model");
    refused(&|m| m.kinds.push("a".to_owned()), "the kind \"a\" is there twice");
    refused(&|m| _ = m.constants.insert("block".to_owned(), f64::NAN), "block is NaN");
}

#[test]
fn measured_points_are_of_a_region_and_valid() {
    let with = |row: &str| {
        let end = GOOD.rfind(']').unwrap();
        let text = format!("{}], \"measured\": [\n{row}\n]{}", &GOOD[..end], &GOOD[end + 1..]);
        let valid = schema().is_valid(&serde_json::from_str(&text).unwrap());
        (parse(&text, "m.json").map_err(|error| error.to_string()), valid)
    };
    let (loaded, valid) = with(
        r#"{"variables": {"n": 9600}, "configuration": {"b": {"elements": 2, "processes": 1}}, "variant": {"swap": "mix:64"}, "seconds": [12.5, 13]}"#,
    );
    let application = loaded.unwrap().model.application.unwrap();
    assert!(valid && application.regions[0].measured.is_empty());
    let measured = &application.regions[1].measured[0];
    assert_eq!(
        (measured.point.configuration.to_string(), &measured.seconds[..]),
        ("b=2x1".into(), &[12.5, 13.0][..])
    );
    assert_eq!(
        (measured.point.variables["n"], measured.variant["swap"].as_str()),
        (9600.0, "mix:64")
    );
    for (row, by_schema, words) in [
        (r#"{"region": "x", "seconds": [1]}"#, true, "measured[0]: there is no region \"x\" in"),
        (r#"{"seconds": []}"#, false, "measured[0]: the measured point has no time"),
        (r#"{"seconds": [0]}"#, false, "measured[0]: its time is 0.0 s"),
        (r#"{"seconds": [1], "time": 1}"#, false, "unknown field `time`"),
    ] {
        let (refused, valid) = with(row);
        let error = refused.unwrap_err();
        assert!(error.contains(words), "{error}");
        assert_eq!(valid, by_schema, "{row}");
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        -1e3..1e3_f64,
        any::<f64>().prop_filter("finite", |value| value.is_finite())
    ]
}

fn curve() -> impl Strategy<Value = NtCoefficients> {
    (prop::array::uniform4(number()), prop::array::uniform3(number())).prop_map(
        |(computation, communication)| NtCoefficients { processes: 7, computation, communication },
    )
}

fn sizes() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::btree_set(1..20_000_u32, 1..6)
        .prop_map(|sizes| sizes.into_iter().map(f64::from).collect())
}

fn any_paper() -> impl Strategy<Value = PaperModel> {
    let size = prop::collection::vec((curve(), sizes(), 0..3_usize), 1..5);
    let process = prop::collection::vec(
        (curve(), prop::array::uniform2(number()), sizes(), any::<bool>()),
        0..4,
    );
    let rest = (
        prop::option::of((number(), number())),
        prop::option::of(0.01..10.0_f64),
        prop::collection::btree_map("[a-z]{1,5}", number(), 0..3),
        prop::collection::vec(any::<String>(), 0..3),
        "[a-z\"ü]{1,4}",
    );
    (size, process, rest).prop_map(
        |(sizes, processes, (adjustment_of, factor, constants, unused, kind))| {
            let kinds = vec![kind.clone(), format!("{kind}2")];
            let nt_models =
                sizes.into_iter().enumerate().map(|(place, (coefficients, sizes, range))| {
                    NtModel {
                        kind: kind.clone(),
                        processes: 2 * (place as u64 + 1),
                        per_element: 2,
                        range,
                        computation: coefficients.computation,
                        communication: coefficients.communication,
                        sizes,
                    }
                });
            let pt_models = processes.into_iter().enumerate();
            let pt_models =
                pt_models.map(|(place, (reference, computation, sizes, composed))| PtModel {
                    kind: kinds[1].clone(),
                    per_element: place as u32 + 1,
                    range: place % 2,
                    reference,
                    computation,
                    communication: reference.communication,
                    sizes: (sizes[0], sizes[sizes.len() - 1]),
                    processes: (place as u64 + 2, 9),
                    composed_from: composed.then(|| kinds[0].clone()),
                });
            let composition = |factor| {
                let (kind, from) = (kinds[1].clone(), kinds[0].clone());
                let per_element = (factor > 2.0).then_some((3, 2));
                Composition {
                    kind,
                    from,
                    per_element,
                    computation: factor,
                    communication: 1.0 / factor,
                    estimated: factor > 1.0,
                }
            };
            let adjustment = |(intercept, slope)| {
                let (kind, from_processes, runs) = (kind.clone(), 3, 4);
                Adjustment { kind, from_processes, intercept, slope, runs }
            };
            PaperModel {
                limits: vec![MemoryLimits { kind: kinds[1].clone(), bytes: vec![1e6, 2.5e7] }],
                nt_models: nt_models.collect(),
                pt_models: pt_models.collect(),
                compositions: factor.map(composition).into_iter().collect(),
                adjustment: adjustment_of.map(adjustment),
                constants,
                runs: 3,
                unused,
                kinds: kinds.clone(),
            }
        },
    )
}

fn any_terms() -> impl Strategy<Value = TermModel> {
    let factor = ("[a-z]{1,3}", -3.0..3.0_f64, 0..3_u32)
        .prop_map(|(variable, power, logs)| Factor { variable, power, logs });
    let interval = prop::option::of((0.0..1.0_f64, 1.0..2.0_f64));
    let coefficient = (prop::collection::vec(factor, 0..3), any::<bool>(), 0.0..10.0_f64, interval)
        .prop_map(|(factors, computation, value, ends)| Coefficient {
            term: Term { factors },
            role: if computation { Role::Computation } else { Role::Communication },
            kind: computation.then(|| "a".to_owned()),
            estimate: Estimate {
                value,
                interval: ends.map(|(low, high)| Interval {
                    low: low * value,
                    high: high * value,
                    level: 0.9,
                }),
                samples: ends.map(|_| 7),
            },
        });
    let sure = prop::option::of((number(), 0.0..1.0_f64));
    (prop::collection::vec(coefficient, 0..4), sure, 0..3_usize).prop_map(
        |(coefficients, sure, family)| {
            let uncertainty = sure.map(|(covariance, misfit)| Uncertainty {
                covariance: vec![vec![covariance; coefficients.len()]; coefficients.len()],
                covariance_degrees: 4.5,
                misfit,
                misfit_degrees: 3.0,
                spread_variance: misfit / 3.0,
                spread_slope: covariance,
                spread_degrees: 0.0,
            });
            let (first, second) = (coefficients.clone(), uncertainty.clone());
            let level = |word: &str, factor| LevelEffect {
                levels: vec![word.to_owned()],
                factor,
                deviation: 0.25,
            };
            let effect = Effect {
                categories: vec!["mode".to_owned()],
                levels: vec![level("fast", 0.5), level("", 2.0)],
            };
            let effects = match family {
                0 => Effects::default(),
                _ => Effects { effects: vec![effect], degrees: 2.5 },
            };
            let alternatives =
                vec![Alternative { probability: 0.25, coefficients: first, uncertainty: second }];
            TermModel {
                family: TermFamily::ALL[family],
                coefficients,
                uncertainty,
                alternatives,
                effects,
                ranges: [("n".to_owned(), (1.0, 2.5))].into(),
                kinds: vec!["a".to_owned()],
                bounded_kinds: vec![BoundedKind { kind: "a".to_owned(), is_faster: family > 0 }],
                law_change: (family > 1).then(|| LawChange {
                    variable: "n".to_owned(),
                    below: 1.0,
                    from: 2.0,
                }),
                runs: 12,
                points: 5,
            }
        },
    )
}

fn any_measured() -> impl Strategy<Value = MeasuredPoint> {
    let run = (
        prop::collection::btree_map(any::<String>(), number(), 0..3),
        prop::collection::vec(1e-9..1e9_f64, 1..4),
    );
    let share = ("[a-z=, ]{1,3}", 1..5_u32, 1..5_u32)
        .prop_map(|(kind, elements, processes)| Share { kind, elements, processes });
    (run, share, "[A-Z0-9:]{0,3}").prop_map(|((mut variables, seconds), share, code)| {
        variables.retain(|name, _| !["p", "q", "processes"].contains(&name.as_str()));
        let point = Point {
            variables,
            configuration: Configuration { shares: vec![share] },
            ..Point::default()
        };
        MeasuredPoint { point, variant: [("variant".to_owned(), code)].into(), seconds }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn written_files_read_back_and_match_the_schema(
        terms in any_terms(),
        paper in any_paper(),
        name in any::<String>(),
        measured in prop::collection::vec(any_measured(), 0..3),
    ) {
        let one = Region { name: format!("{name}/terms"), model: terms.into(), measured: measured.clone() };
        let regions = vec![one, Region { name, model: paper.into(), measured }];
        let model = Model { application: Some(Application { regions, ..Application::default() }), ..Model::default() };
        let text = to_text(&model).unwrap();
        let loaded = parse(&text, "m").unwrap();
        prop_assert_eq!(&loaded.model, &model);
        prop_assert_eq!(to_text(&loaded.model).unwrap(), &*text);
        prop_assert!(schema().is_valid(&serde_json::from_str(&text).unwrap()), "{}", text);
    }
}
