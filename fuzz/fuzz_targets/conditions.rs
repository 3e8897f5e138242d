//! The reader of conditions does not panic; what it reads is written and read back, and gives paths
//! and a model without infinite times.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::comm::Hockney;
use orrery::conditions::file;
use orrery::model::{Model, ModelKind, Query};
use orrery::numeric::Estimate;
use orrery::platform::{PerPair, Processor};
use orrery::units::Bytes;

fuzz_target!(|text: &str| {
    let conditions = match file::parse(text, "fuzz") {
        Ok(conditions) => conditions,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(
        file::parse(file::to_text(&conditions), "again").expect("it was written"),
        conditions
    );
    let names: Vec<&String> = conditions
        .hosts
        .keys()
        .chain(conditions.links.iter().map(|link| &link.to))
        .take(4)
        .collect();
    for (from, to) in names.iter().flat_map(|from| names.iter().map(move |to| (from, to))) {
        if let Some(path) = conditions.path(from, to) {
            assert!(
                path.hosts.len() >= 2
                    && path.hosts.first() == Some(from)
                    && path.hosts.last() == Some(to)
            );
        }
    }
    let pairs = |value| PerPair::from_fn(3, |_, _| Estimate::exact(value));
    let mean = Estimate::exact(1e-5);
    let hockney = Hockney {
        latency: pairs(1e-5),
        byte_delay: pairs(1e-8),
        mean_latency: mean,
        mean_byte_delay: mean,
    };
    let mut model = Model::new(3).with(ModelKind::Hockney, &hockney);
    for (host, name) in model.hosts.iter_mut().zip(names) {
        host.clone_from(name);
    }
    let present = conditions.apply(&model);
    let message = Query::message(Processor(0), Processor(1), Bytes::new(1 << 20));
    let seconds =
        present.model.predict(ModelKind::Hockney, &message).expect("a message").seconds.get();
    assert!(seconds.is_finite() && seconds > 0.0);
    for host in &model.hosts {
        let (low, high) = present.availability.interval(host);
        assert!(
            0.0 < low
                && low <= present.availability.of(host)
                && present.availability.of(host) <= high
                && high <= 1.0
        );
    }
});
