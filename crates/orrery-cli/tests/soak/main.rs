//! Minutes of misfortune for `make soak`: mutated inputs, killed commands, floods of connections.
//! All tests are seeded (`SOAK_SEED`, default 1) and ignored by default.

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "each test needs a part")]
mod common;
#[path = "../common/copy.rs"]
mod copy;
mod flood;
mod kills;
mod mutation;
mod trial;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}"))
    })
}

/// The random numbers of one task.
fn random(task: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(number("SOAK_SEED", 1));
    rng.set_stream(task);
    rng
}
