use super::Escalation;
use orrery_base::numeric::{binomial_proportion, mean, median_estimate};

/// The excess time of an escalated reading over the line of the other readings, with its standard
/// deviation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excess {
    pub(super) seconds: f64,
    pub(super) deviation: f64,
}

/// The largest ratio of the variance of one level to that of readings without escalation; a larger
/// one shows several levels.
const MAX_VARIANCE_RATIO: f64 = 2.0;

/// The smallest number of readings in a level; fewer are outliers.
const MIN_READINGS: usize = 2;
/// The smallest fraction of all escalated readings in a level; less are outliers.
const MIN_FRACTION: f64 = 0.02;

/// Returns the smallest number of levels that explains the spread of escalated readings out of
/// `trials` readings. `level` is the confidence level of the intervals of their times and
/// probabilities.
///
/// Sorted readings are split in two where the sum Σ ((x − mean)/deviation)² becomes smallest, and
/// the parts are split again as long as their variance is more than twice that of readings without
/// escalation. Outliers are counted with the nearest level.
pub(super) fn levels(mut excesses: Vec<Excess>, trials: u64, level: f64) -> Vec<Escalation> {
    excesses.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let least = MIN_READINGS.max((MIN_FRACTION * excesses.len() as f64).ceil() as usize);
    let mut groups: Vec<&[Excess]> = Vec::new();
    let mut open = vec![&excesses[..]];
    while let Some(group) = open.pop() {
        match split_levels(group) {
            // Groups that are too small for a level are left out.
            Some((low, high)) => {
                open.extend([high, low].into_iter().filter(|part| part.len() >= least));
            }
            None if group.len() >= least => groups.push(group),
            None => {}
        }
    }
    // Outliers are escalations, too: without them the probabilities would be too small.
    let centres: Vec<f64> = groups.iter().map(|group| centre(group)).collect();
    let mut counts = vec![0; groups.len()];
    for excess in &excesses {
        if let Some(nearest) = nearest(&centres, excess.seconds) {
            counts[nearest] += 1;
        }
    }
    let mut escalations = Vec::with_capacity(groups.len());
    for (group, count) in groups.into_iter().zip(counts) {
        let seconds: Vec<f64> = group.iter().map(|excess| excess.seconds).collect();
        escalations.push(Escalation {
            seconds: median_estimate(&seconds, level),
            probability: binomial_proportion(count, trials, level),
        });
    }
    escalations
}

/// Returns the index of the centre nearest to an excess; `None` without centres.
fn nearest(centres: &[f64], seconds: f64) -> Option<usize> {
    let distance = |centre: usize| (seconds - centres[centre]).abs();
    (0..centres.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}

/// Splits sorted readings into two parts; `None` if they spread like one level.
fn split_levels(group: &[Excess]) -> Option<(&[Excess], &[Excess])> {
    if group.len() < 2 || weighted_squares(group) <= MAX_VARIANCE_RATIO * (group.len() - 1) as f64 {
        return None;
    }
    // Plain sums suffice to find the position: deviations hardly differ within a group.
    let sums = |excesses: &mut dyn Iterator<Item = &Excess>| {
        let shift = group[0].seconds;
        let add = |(sum, square): &mut (f64, f64), excess: &Excess| {
            let x = excess.seconds - shift;
            (*sum, *square) = (*sum + x, *square + x * x);
            Some((*sum, *square))
        };
        excesses.scan((0.0, 0.0), add).collect::<Vec<_>>()
    };
    let (below, above) = (sums(&mut group.iter()), sums(&mut group.iter().rev()));
    let left = |(sum, square): (f64, f64), count: usize| square - sum * sum / count as f64;
    let n = group.len();
    let rest = |place: usize| left(below[place - 1], place) + left(above[n - place - 1], n - place);
    let place = (1..n).min_by(|&a, &b| rest(a).total_cmp(&rest(b)))?;
    Some(group.split_at(place))
}

/// Returns the mean excess of a group.
fn centre(group: &[Excess]) -> f64 {
    mean(&group.iter().map(|excess| excess.seconds).collect::<Vec<_>>())
}

/// Returns Σ ((x − mean)/deviation)² of a group.
fn weighted_squares(group: &[Excess]) -> f64 {
    let centre = centre(group);
    group.iter().map(|excess| ((excess.seconds - centre) / excess.deviation).powi(2)).sum()
}
