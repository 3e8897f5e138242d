use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::sample::Experiment;

/// A list of experiments in rounds; experiments of one round share no processor and can run in
/// parallel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    rounds: Vec<Vec<Experiment>>,
}

impl Plan {
    /// The rounds, and the experiments within each round, in an order drawn from `seed`, so that
    /// drift during a campaign affects all experiments alike.
    pub fn shuffled(mut rounds: Vec<Vec<Experiment>>, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rounds.retain(|round| !round.is_empty());
        rounds.shuffle(&mut rng);
        for round in &mut rounds {
            round.shuffle(&mut rng);
        }
        Self { rounds }
    }

    /// The plan of the experiments for which `keep` returns true.
    #[must_use]
    pub fn filtered(mut self, mut keep: impl FnMut(&Experiment) -> bool) -> Self {
        for round in &mut self.rounds {
            round.retain(&mut keep);
        }
        self.rounds.retain(|round| !round.is_empty());
        self
    }

    /// Returns the rounds of experiments.
    pub fn rounds(&self) -> &[Vec<Experiment>] {
        &self.rounds
    }

    /// All experiments in order.
    pub fn experiments(&self) -> impl Iterator<Item = &Experiment> {
        self.rounds.iter().flatten()
    }

    /// The number of experiments.
    pub fn len(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// Returns true if there is no experiment.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }
}

/// Round trips that a plan needs and that have no readings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("round trips must be measured first; {} missing, such as {}", .0.len(), .0[0])]
pub struct MissingRoundTrips(pub Vec<Experiment>);
