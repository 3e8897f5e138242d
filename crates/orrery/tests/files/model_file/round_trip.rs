//! Whatever is written is read back, and no bytes do harm.

use std::collections::BTreeMap;

use orrery::comm::{Index, ParameterSet, ParameterSpec, Shape};
use orrery::model::file::{parse, to_text};
use orrery::model::{
    Discrepancies, Discrepancy, MeasuredError, Measurements, Model, ModelKind, SeenExperiments,
    Sweep,
};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{Pairs, Processor};
use orrery::sample::{LaunchDifference, Provenance};
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;
use proptest::prelude::*;
use serde_json::Value;

use super::{GOOD, schema};
use crate::application_file;

fn any_estimate() -> impl Strategy<Value = Estimate> {
    let value = prop_oneof![
        Just(0.0),
        1e-12..1e-3_f64,
        any::<f64>().prop_filter_map("a delay", |v| v.is_finite().then(|| v.abs()))
    ];
    let level = prop_oneof![Just(0.95), 0.01..0.99_f64];
    let ends = prop::option::of((0.0..1.0_f64, 1.0..2.0_f64, level));
    (value, ends, prop::option::of(any::<u64>())).prop_map(|(value, ends, samples)| {
        let interval = ends.map(|(low, high, level)| {
            let high = value * high;
            Interval {
                low: value * low - 1e-9,
                high: if high.is_finite() { high } else { value },
                level,
            }
        });
        Estimate { value, interval, samples }
    })
}

/// The values of a parameter of this shape in a model of n processors.
fn any_values(shape: Shape, n: usize) -> BoxedStrategy<(Index, Vec<Estimate>)> {
    let count = match shape {
        Shape::Cluster => 1,
        Shape::Processors => n,
        Shape::Pairs => Pairs::of(n).count(),
        Shape::Sizes => {
            let points = prop::collection::btree_map(
                any::<u64>().prop_map(Bytes::new),
                any_estimate(),
                1..5,
            );
            let values = |points: BTreeMap<Bytes, Estimate>| {
                (Index::Sizes(points.keys().copied().collect()), points.into_values().collect())
            };
            return points.prop_map(values).boxed();
        }
        Shape::LinkGroups => {
            // Each group contains the smaller ones.
            let order = Just(Processor::first(n).collect::<Vec<_>>()).prop_shuffle();
            let sizes = prop::collection::btree_map(1..=n, any_estimate(), 0..4);
            let values = |(order, sizes): (Vec<Processor>, BTreeMap<usize, Estimate>)| {
                let groups = sizes.keys().map(|&size| order[..size].to_vec()).collect();
                (Index::LinkGroups(groups), sizes.into_values().collect())
            };
            return (order, sizes).prop_map(values).boxed();
        }
    };
    prop::collection::vec(any_estimate(), count).prop_map(|values| (Index::Implied, values)).boxed()
}

/// Parameters of a kind of model of n processors.
fn any_parameters(kind: ModelKind, n: usize) -> BoxedStrategy<ParameterSet> {
    let plain = kind.parameters().filter(|(_, spec)| spec.object().is_none());
    let nested = kind.parameters().filter(|(_, spec)| spec.object().is_some());
    let all: Vec<_> = plain.chain(nested).collect();
    let values: Vec<_> = all.iter().map(|(shape, _)| any_values(*shape, n)).collect();
    let names: Vec<_> = all.iter().map(|(_, spec)| spec.name).collect();
    let set = move |values: Vec<(Index, Vec<Estimate>)>| {
        let named = names.iter().zip(values);
        named.fold(ParameterSet::new(), |set, (name, (index, values))| {
            set.with_index(name, index, values)
        })
    };
    values.prop_map(set).boxed()
}

fn any_model() -> impl Strategy<Value = Model> {
    (2..5_usize).prop_flat_map(|n| {
        let of_kind =
            |kind| prop::option::of(any_parameters(kind, n)).prop_map(move |set| (kind, set));
        let models: Vec<_> = ModelKind::stored().map(of_kind).collect();
        let entries = prop::collection::vec((any::<String>(), any::<String>()), 0..4);
        let hosts = prop::collection::vec("[a-z]{0,3}", n);
        let measured = prop::option::of((0..100_u64, 100..u64::MAX));
        let operation = prop::sample::select(CollectiveKind::SCATTER_GATHER.to_vec());
        let sweep = (operation, 0..9_u32, 2..9_usize, any::<u64>()).prop_map(
            |(operation, root, procs, largest)| Sweep {
                operation,
                root: Processor(root),
                procs,
                largest: Bytes::new(largest),
            },
        );
        let launches =
            (2..9_usize, 0.0..1.0, 0.0..1.0).prop_map(|(launches, between, expected)| {
                LaunchDifference { launches, between, expected }
            });
        let sweeps = prop::collection::vec(sweep, 0..3);
        let counts = || [(); 3].map(|()| prop::option::of(2..99_usize));
        let sizes = prop::collection::btree_set(any::<u64>().prop_map(Bytes::new), 0..3);
        let seen = prop::collection::btree_map(any::<String>(), sizes, 0..3);
        let counts = (counts(), prop::option::of(any::<u64>().prop_map(Bytes::new)));
        let measurements = (counts, sweeps, prop::option::of(launches), seen).prop_map(
            |(([processors, measured, exchanging], exchange_backlog), sweeps, launches, seen)| {
                Measurements {
                    processors,
                    measured,
                    exchanging,
                    exchange_backlog,
                    sweeps,
                    launches,
                    seen: SeenExperiments(seen),
                }
            },
        );
        let discrepancy = (0.0..3.0, any::<u64>())
            .prop_map(|(relative, degrees)| Discrepancy { relative, degrees });
        let discrepancy = prop::option::of(discrepancy);
        let names = ["bcast/pipeline:8K", "native/alltoall/ompi/pairwise"];
        let of_collective = (prop::sample::select(names.to_vec()), any::<u32>(), 1..99_usize)
            .prop_flat_map(|named| (Just(named), any::<u64>(), -13.0..13.0_f64, 0.0..13.0_f64))
            .prop_map(|((name, root, procs), size, error, noise)| MeasuredError {
                algorithm: name.parse().unwrap(),
                root: Processor(root),
                procs,
                size: Bytes::new(size),
                error,
                noise,
            });
        let collectives = prop::collection::vec(of_collective, 0..3);
        let both = (discrepancy.clone(), discrepancy, collectives).prop_map(
            |(point_to_point, concurrent, collectives)| Discrepancies {
                point_to_point,
                concurrent,
                collectives,
            },
        );
        let kinds = prop::sample::select(ModelKind::ALL.to_vec());
        let discrepancies = prop::collection::btree_map(kinds, both, 0..3);
        let measurements = (measurements, discrepancies);
        (entries, measured, measurements, hosts, models).prop_map(
            |(entries, measured, measurements, hosts, models)| {
                let (measurements, discrepancies) = measurements;
                let mut provenance = Provenance::new();
                for (key, value) in entries {
                    provenance.set(key, value);
                }
                let measured = measured.map(|(low, high)| (Bytes::new(low), Bytes::new(high)));
                let point_to_point =
                    models.into_iter().filter_map(|(kind, set)| Some((kind, set?))).collect();
                let model =
                    Model { provenance, measured, measurements, discrepancies, ..Model::default() };
                Model { hosts, point_to_point, ..model }
            },
        )
    })
}

/// The schema has an entry for each kind of model, which requires its parameters in their shape,
/// unless they are optional.
#[test]
fn schema_contains_every_kind_of_model() {
    let estimate = r#"{"value": 1e-6}"#;
    for kind in ModelKind::stored() {
        let parameter = |shape, spec: &ParameterSpec| {
            let value = match shape {
                Shape::Sizes => r#"{"size": [0, 8], "value": [1e-6, 2e-6]}"#,
                Shape::LinkGroups => r#"{"groups": [[0, 1]], "value": [1e-6]}"#,
                _ => estimate,
            };
            format!("\"{}\": {value}", spec.key())
        };
        let present: Vec<_> =
            kind.parameters().filter(|(_, spec)| spec.object().is_none()).collect();
        let file = |left_out: Option<&str>| {
            let kept = present.iter().filter(|(_, spec)| Some(spec.name) != left_out);
            let parameters: Vec<_> = kept.map(|(shape, spec)| parameter(*shape, spec)).collect();
            let (name, parameters) = (kind.name(), parameters.join(", "));
            let processors = r#"[{"rank": 0}, {"rank": 1}]"#;
            format!(
                r#"{{"format": "orrery-model", "version": 1, "processors": {processors}, "models": {{"{name}": {{{parameters}}}}}}}"#
            )
        };
        let is_valid = |text: &str| schema().is_valid(&serde_json::from_str(text).unwrap());
        assert!(parse(file(None), "m").is_ok() && is_valid(&file(None)), "{kind}");
        for (_, spec) in &present {
            let without = file(Some(spec.name));
            let is_optional = kind.definition().optional.contains(&spec.name);
            let accepted = [parse(&without, "m").is_ok(), is_valid(&without)];
            assert_eq!(accepted, [is_optional; 2], "{kind} without {}", spec.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn written_files_read_back_and_match_the_schema(model in any_model()) {
        let text = to_text(&model).unwrap();
        let loaded = parse(&text, "m").unwrap();
        prop_assert_eq!(&loaded.model, &model);
        prop_assert_eq!(to_text(&loaded.model).unwrap(), &*text);
        let value: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(schema().is_valid(&value));
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, "m");
    }

    #[test]
    fn mutated_files_do_not_panic(
        good in prop::sample::select(vec![GOOD, application_file::GOOD]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b"{}[],:\"\\0-.e9a".to_vec())]), 1..8),
    ) {
        let mut bytes = good.as_bytes().to_vec();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(loaded) = parse(&bytes, "m") {
            // Whatever is read can be written and read again.
            let again = parse(to_text(&loaded.model).unwrap(), "m").unwrap();
            prop_assert_eq!(again.model, loaded.model);
        }
    }
}
