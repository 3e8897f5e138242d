//! Whatever is written is read back, and no bytes do harm.

use orrery::comm::plogp::Curve;
use orrery::comm::{Hlmo, Hockney, Lmo, LogGp, PLogP};
use orrery::model::Model;
use orrery::model::file::{parse, to_text};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{Pairs, PerPair};
use orrery::sample::Provenance;
use orrery::units::Bytes;
use proptest::prelude::*;
use serde_json::Value;

use super::{GOOD, schema};

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
            Interval { low: value * low - 1e-9, high: if high.is_finite() { high } else { value }, level }
        });
        Estimate { value, interval, samples }
    })
}

fn any_curve() -> impl Strategy<Value = Curve> {
    prop::collection::btree_map(any::<u64>().prop_map(Bytes::new), any_estimate(), 1..5)
        .prop_map(|points| Curve::new(points.keys().copied().collect(), points.into_values().collect()).unwrap())
}

/// The models whose parameters are the same for all processors.
fn homogeneous() -> impl Strategy<Value = Model> {
    let estimates = |count| prop::option::of(prop::collection::vec(any_estimate(), count));
    let curves = prop::option::of((any_estimate(), any_curve(), any_curve(), any_curve()));
    (estimates(4), estimates(4), estimates(5), curves).prop_map(|(hlmo, logp, loggp, plogp)| Model {
        hlmo: hlmo.map(|e| Hlmo::from_estimates([e[0], e[1], e[2], e[3]])),
        logp: logp.and_then(|estimates| LogGp::from_estimates(&estimates)),
        loggp: loggp.and_then(|estimates| LogGp::from_estimates(&estimates)),
        plogp: plogp.map(|(latency, send_overhead, receive_overhead, gap)| PLogP {
            latency,
            send_overhead,
            receive_overhead,
            gap,
        }),
        ..Model::default()
    })
}

fn any_model() -> impl Strategy<Value = Model> {
    (2..5_usize).prop_flat_map(|n| {
        let each = move || prop::collection::vec(any_estimate(), n);
        let pairs = move || {
            let values = prop::collection::vec(any_estimate(), Pairs::of(n).count());
            values.prop_map(move |values| PerPair::new(n, values).unwrap())
        };
        let hockney = (pairs(), pairs(), any_estimate(), any_estimate()).prop_map(
            |(latency, byte_delay, mean_latency, mean_byte_delay)| Hockney {
                latency,
                byte_delay,
                mean_latency,
                mean_byte_delay,
            },
        );
        let lmo =
            move |latency: bool| {
                (each(), each(), pairs(), pairs()).prop_map(move |(fixed_delay, byte_delay, link, link_byte_delay)| {
                    Lmo { fixed_delay, byte_delay, link_latency: latency.then_some(link), link_byte_delay }
                })
            };
        let entries = prop::collection::vec((any::<String>(), any::<String>()), 0..4);
        let hosts = prop::collection::vec("[a-z]{0,3}", n);
        let measured = prop::option::of((0..100_u64, 100..u64::MAX));
        let models = (prop::option::of(hockney), prop::option::of(lmo(false)), prop::option::of(lmo(true)));
        (entries, measured, hosts, models, homogeneous()).prop_map(|(entries, measured, hosts, models, alike)| {
            let (hockney, lom, lmo) = models;
            let mut provenance = Provenance::new();
            for (key, value) in entries {
                provenance.set(key, value);
            }
            let measured = measured.map(|(low, high)| (Bytes::new(low), Bytes::new(high)));
            Model { provenance, measured, hosts, hockney, lom, lmo, ..alike }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_written_is_read_back_and_fits_the_schema(model in any_model()) {
        let text = to_text(&model).unwrap();
        let loaded = parse(&text, "m").unwrap();
        prop_assert_eq!(&loaded.model, &model);
        prop_assert_eq!(to_text(&loaded.model).unwrap(), &*text);
        let value: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(schema().is_valid(&value));
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, "m");
    }

    #[test]
    fn mutated_files_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b"{}[],:\"\\0-.e".to_vec())]), 1..8),
    ) {
        let mut bytes = GOOD.as_bytes().to_vec();
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
