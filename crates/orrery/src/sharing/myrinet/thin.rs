//! Leaving states out without bias.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sweep::Entry;

/// Leaves so many entries or fewer. Those that weigh much stay; of the others one in a few stays and stands for them all.
///
/// An entry of w ways stays with the probability min(1, w/c), where c is such that `most` stay on average; if w < c, it
/// then counts as c. So sums over the ways keep their expectation. Draws are systematic, with one random number. Source:
/// Fearnhead, Clifford, "On-line inference for hidden Markov models via particle filters", J. R. Stat. Soc. B 65 (2003).
pub(super) fn thin<const WORDS: usize>(entries: &mut Vec<Entry<WORDS>>, most: usize, rng: &mut ChaCha8Rng) {
    if entries.len() <= most {
        return;
    }
    let level = level(entries.iter().map(|entry| entry.ways).collect(), most);
    let mut due = level * rng.random::<f64>();
    entries.retain_mut(|entry| {
        if entry.ways >= level {
            return true;
        }
        due -= entry.ways;
        let stays = due < 0.0;
        if stays {
            due += level;
            entry.stands_for = level / entry.ways;
            entry.ways = level;
        }
        stays
    });
}

/// c with Σ min(1, w/c) = most.
fn level(mut ways: Vec<f64>, most: usize) -> f64 {
    ways.sort_by(|a, b| b.total_cmp(a));
    // The sum of all that are smaller than the first so many.
    let mut rest: f64 = ways.iter().sum();
    for (large, &next) in ways.iter().take(most).enumerate() {
        let level = rest / (most - large) as f64;
        if next < level {
            return level;
        }
        rest -= next;
    }
    ways[most]
}
