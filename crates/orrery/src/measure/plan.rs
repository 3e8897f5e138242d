use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::sample::Experiment;

/// What to measure, in rounds: experiments of one round share no processor and could run at the same time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    rounds: Vec<Vec<Experiment>>,
}

impl Plan {
    /// The rounds, and the experiments within each round, in an order drawn from `seed`.
    ///
    /// What drifts during a campaign then falls on all experiments alike.
    pub fn shuffled(mut rounds: Vec<Vec<Experiment>>, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rounds.retain(|round| !round.is_empty());
        rounds.shuffle(&mut rng);
        for round in &mut rounds {
            round.shuffle(&mut rng);
        }
        Self { rounds }
    }

    /// The rounds.
    pub fn rounds(&self) -> &[Vec<Experiment>] {
        &self.rounds
    }

    /// All experiments in order.
    pub fn experiments(&self) -> impl Iterator<Item = &Experiment> {
        self.rounds.iter().flatten()
    }

    /// How many experiments there are.
    pub fn len(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }
}
