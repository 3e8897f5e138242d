//! The reader of schemes does not panic; errors have a position, and small schemes have penalties.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::sharing::{MaxMinPorts, PenaltyModel, conflicts, scheme};

fuzz_target!(|text: &str| match scheme::parse(text) {
    Ok(scheme) => {
        assert!(scheme.arcs.len() <= scheme::MAX_TRANSFERS);
        let transfers: Vec<_> = scheme.transfers().into_iter().take(100).collect();
        assert_eq!(conflicts(&transfers).len(), transfers.len());
        assert!(
            MaxMinPorts
                .penalties(&transfers)
                .expect("max-min shares anything")
                .iter()
                .all(|&penalty| penalty >= 1.0)
        );
    }
    Err(error) => {
        assert!(error.line >= 1 && error.column >= 1 && error.line <= text.lines().count());
        assert_eq!(error.to_string().lines().count(), 3);
    }
});
