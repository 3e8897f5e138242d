use super::Escalation;
use crate::numeric::{binomial_proportion, mean, median_estimate};

/// A reading that escalates: by how much, and its deviation as other readings have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excess {
    pub(super) seconds: f64,
    pub(super) deviation: f64,
}

/// A level whose readings spread more than so many times their variance is more than one.
const MOST_SPREAD: f64 = 2.0;

/// A level has at least so many readings, and this part of all that escalate: fewer are wild ones.
const LEAST_READINGS: usize = 2;
const LEAST_PART: f64 = 0.02;

/// The levels of escalated readings out of `trials` readings: as few as explain their spread.
///
/// Sorted readings are cut in two where that leaves the least Σ ((x − mean)/deviation)², and their parts in turn, as long
/// as they spread more than twice the variance of calm readings. Wild readings count for the level that is nearest.
pub(super) fn levels(mut excesses: Vec<Excess>, trials: u64, level: f64) -> Vec<Escalation> {
    excesses.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let least = LEAST_READINGS.max((LEAST_PART * excesses.len() as f64).ceil() as usize);
    let mut groups: Vec<&[Excess]> = Vec::new();
    let mut open = vec![&excesses[..]];
    while let Some(group) = open.pop() {
        match cut(group) {
            // What is too few for a level is set aside.
            Some((low, high)) => open.extend([high, low].into_iter().filter(|part| part.len() >= least)),
            None if group.len() >= least => groups.push(group),
            None => {}
        }
    }
    let centres: Vec<f64> = groups.iter().map(|group| centre(group)).collect();
    let mut counts = vec![0; groups.len()];
    for excess in &excesses {
        let distance = |centre: f64| (excess.seconds - centre).abs();
        let nearest = (0..centres.len()).min_by(|&a, &b| distance(centres[a]).total_cmp(&distance(centres[b])));
        nearest.into_iter().for_each(|nearest| counts[nearest] += 1);
    }
    let escalation = |(group, count): (&[Excess], u64)| {
        let seconds: Vec<f64> = group.iter().map(|excess| excess.seconds).collect();
        Escalation { seconds: median_estimate(&seconds, level), probability: binomial_proportion(count, trials, level) }
    };
    groups.into_iter().zip(counts).map(escalation).collect()
}

fn centre(group: &[Excess]) -> f64 {
    mean(&group.iter().map(|excess| excess.seconds).collect::<Vec<_>>())
}

/// Σ ((x − mean)/deviation)² of a group.
fn squares(group: &[Excess]) -> f64 {
    let centre = centre(group);
    group.iter().map(|excess| ((excess.seconds - centre) / excess.deviation).powi(2)).sum()
}

/// The two parts of sorted readings, unless they spread like one level.
fn cut(group: &[Excess]) -> Option<(&[Excess], &[Excess])> {
    if group.len() < 2 || squares(group) <= MOST_SPREAD * (group.len() - 1) as f64 {
        return None;
    }
    // Plain sums suffice to find the place: deviations hardly differ within a group.
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
