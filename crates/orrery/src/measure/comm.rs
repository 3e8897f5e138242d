//! The experiments that identify the point-to-point models.

use std::collections::BTreeMap;

use super::Plan;
use super::packing::packed;
use crate::numeric::{median, median_variance_factor, pooled_relative_deviation};
use crate::platform::{LinkClass, Pairs, Processor};
use crate::sample::{Experiment, Samples};
use crate::units::Bytes;

/// Which triplets of processors take part in one-to-two experiments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TripletDesign {
    /// From each processor to at most 48 pairs of its 16 nearest partners, so O(n) experiments.
    ///
    /// One experiment from i identifies C_i and t_i, given the round trips of its slower partner. Each further one with
    /// another slower partner adds the contrast of another link; beyond some fifteen links, each in three pairs, the
    /// repetitions are better spent on the round trips, whose error enters every estimate: for the same number of
    /// messages the intervals are then no wider than those of the full design. Partners are near because readings spread
    /// in proportion to the time: next to a short path the same delay of i shows more clearly. Partners that are about
    /// as near are taken in turn round the circle of processors, so that experiments can run at the same time.
    #[default]
    Spread,
    /// All triplets, each processor in turn the root: 3·C(n,3) experiments at each size, as the papers have it.
    Full,
}

/// The spread design goes from each processor to so many of the others.
const PARTNERS: usize = 16;

/// Partners whose round trips take up to so many times those of the nearest count as equally near.
const ABOUT_AS_NEAR: f64 = 1.5;

/// Round trips of all pairs: for each size M in `sizes` both (M, M) and (M, 0), which for M = 0 is one.
///
/// Rounds are those of a round-robin tournament: n − 1 of n/2 pairs for even n, n of (n − 1)/2 for odd n.
pub fn round_trips(processors: usize, sizes: &[Bytes], seed: u64) -> Plan {
    let mut rounds = Vec::new();
    for pairs in tournament(processors) {
        for &size in sizes {
            let round = |reply| pairs.iter().map(|&(i, j)| Experiment::RoundTrip { i, j, size, reply }).collect();
            rounds.push(round(size));
            if size > Bytes::ZERO {
                rounds.push(round(Bytes::ZERO));
            }
        }
    }
    Plan::shuffled(rounds, seed)
}

/// One-to-two experiments with empty messages and with messages of `size`, from each processor of a triplet to the
/// other two, the partner whose round trip was slower second.
///
/// # Errors
///
/// When the round trips (0, 0) and (size, 0) of a pair have not been measured.
pub fn one_to_twos(
    triplets: TripletDesign,
    samples: &Samples,
    processors: usize,
    size: Bytes,
    seed: u64,
) -> Result<Plan, MissingRoundTrips> {
    let mut missing = Vec::new();
    let mut time = |i, j, size| {
        let trip = |i, j| Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO };
        let measured = samples.get(&trip(i, j)).or_else(|| samples.get(&trip(j, i)));
        if measured.is_none() {
            missing.push(trip(i, j));
        }
        measured.map_or(0.0, |series| median(&series.seconds()))
    };
    let (hosts, noises) = (samples.hosts(), noise_of_round_trips(samples));
    let noise = |i, x| noises.get(&hosts.class(i, x)).copied().unwrap_or(0.0);
    let chosen: Vec<[Processor; 3]> = match triplets {
        TripletDesign::Full => all_triplets(processors),
        TripletDesign::Spread => Processor::first(processors)
            .flat_map(|i| near_pairs(i, processors, |x| time(i, x, size)).into_iter().map(move |[j, k]| [i, j, k]))
            .collect(),
    };
    let sizes = if size > Bytes::ZERO { vec![Bytes::ZERO, size] } else { vec![Bytes::ZERO] };
    let mut ordered = |size| {
        let in_order = |&[i, a, b]: &[Processor; 3]| {
            let (to_a, to_b) = (time(i, a, size), time(i, b, size));
            // Between equals noise must not choose: it would put second whose round trip was overestimated.
            let alike = noise(i, a).max(noise(i, b));
            let equal = (to_a - to_b).abs() <= alike * to_a.max(to_b);
            let a_first = if equal { (i.0 + a.0 + b.0) % 2 == 0 } else { to_a < to_b };
            let (j, k) = if a_first { (a, b) } else { (b, a) };
            Experiment::OneToTwo { i, j, k, size }
        };
        packed(processors, &chosen.iter().map(in_order).collect::<Vec<_>>())
    };
    let rounds: Vec<Vec<Experiment>> = sizes.into_iter().flat_map(&mut ordered).collect();
    if !missing.is_empty() {
        return Err(MissingRoundTrips(missing));
    }
    Ok(Plan::shuffled(rounds, seed))
}

/// Medians of round trips that differ by no more than this part of them are equal as far as noise lets us see: two
/// standard deviations of the difference of two medians, for each class of links.
fn noise_of_round_trips(samples: &Samples) -> BTreeMap<Option<LinkClass>, f64> {
    let hosts = samples.hosts();
    let mut classes: BTreeMap<Option<LinkClass>, Vec<Vec<f64>>> = BTreeMap::new();
    for series in samples.series() {
        if let Experiment::RoundTrip { i, j, .. } = series.experiment {
            classes.entry(hosts.class(i, j)).or_default().push(series.seconds());
        }
    }
    let noise = |readings: Vec<Vec<f64>>| {
        let counts: Vec<f64> = readings.iter().map(|readings| readings.len() as f64).collect();
        let factor = median_variance_factor(median(&counts) as usize);
        2.0 * (2.0 * factor).sqrt() * pooled_relative_deviation(readings.iter().map(Vec::as_slice))
    };
    classes.into_iter().map(|(class, readings)| (class, noise(readings))).collect()
}

/// Round trips that say which partner of a one-to-two experiment is the slower one, and have not been measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("one-to-two experiments need round trips first: {} of them are missing, such as {}", .0.len(), .0[0])]
pub struct MissingRoundTrips(pub Vec<Experiment>);

/// All pairs in rounds of disjoint ones, by the circle method: one processor stays, the others go round.
pub(super) fn tournament(processors: usize) -> Vec<Vec<(Processor, Processor)>> {
    let seats = processors + processors % 2;
    if seats < 2 {
        return Vec::new();
    }
    let turn = seats - 1;
    let seat = |round: usize, place: usize| if place == turn { turn } else { (round + place) % turn };
    let rounds = 0..turn;
    let meet = |round: usize| {
        let tables = (0..seats / 2).map(move |table| (seat(round, table), seat(round, turn - table)));
        // With an odd number one processor sits out: it meets the empty seat.
        let pairs = tables.filter(|&(a, b)| a < processors && b < processors);
        pairs.map(|(a, b)| (Processor(a.min(b) as u32), Processor(a.max(b) as u32))).collect()
    };
    rounds.map(meet).collect()
}

/// All triplets, each processor in turn first.
fn all_triplets(processors: usize) -> Vec<[Processor; 3]> {
    let sets =
        Pairs::of(processors).iter().flat_map(|(i, j)| (j.0 + 1..processors as u32).map(move |k| [i, j, Processor(k)]));
    sets.flat_map(|[i, j, k]| [[i, j, k], [j, k, i], [k, i, j]]).collect()
}

/// Pairs of the partners nearest to i: each with one that is nearer, and with two that are farther round the circle.
fn near_pairs(i: Processor, processors: usize, mut time: impl FnMut(Processor) -> f64) -> Vec<[Processor; 2]> {
    let round_the_circle = (1..processors).map(|step| Processor(((i.index() + step) % processors) as u32));
    let mut partners: Vec<(f64, Processor)> = round_the_circle.map(|x| (time(x), x)).collect();
    let nearest = partners.iter().map(|(time, _)| *time).fold(f64::INFINITY, f64::min);
    // Sorting is stable: those about as near stay in the order of the circle.
    let key = |time: f64| if time <= ABOUT_AS_NEAR * nearest { 0.0 } else { time };
    partners.sort_by(|a, b| key(a.0).total_cmp(&key(b.0)));
    let near: Vec<Processor> = partners.iter().map(|(_, x)| *x).take(PARTNERS).collect();
    let count = near.len();
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for place in 0..count {
        for other in [place.saturating_sub(1) / 2, (place + 3) % count, (place + 4) % count] {
            let pair = [place.min(other), place.max(other)];
            if place != other && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
    pairs.into_iter().map(|[a, b]| [near[a], near[b]]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::platform::Placement;
    use crate::sample::{Provenance, Sample};
    use crate::units::Seconds;

    #[test]
    fn a_tournament_has_every_pair_once_in_as_few_rounds_as_can_be() {
        for n in 0..20 {
            let rounds = tournament(n);
            let all: Vec<_> = rounds.iter().flatten().copied().collect();
            assert_eq!(all.len(), Pairs::of(n).count());
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
            assert!(n < 2 || rounds.len() == n - 1 + n % 2);
            for round in &rounds {
                let players: BTreeSet<_> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                assert_eq!(players.len(), 2 * round.len(), "{n} {round:?}");
            }
        }
    }

    fn round_trip_samples(processors: usize, size: Bytes) -> Samples {
        let mut samples = Samples::new(Provenance::new());
        for experiment in round_trips(processors, &[Bytes::ZERO, size], 1).experiments() {
            let Experiment::RoundTrip { i, j, .. } = experiment else { continue };
            // Processors far apart in number are far apart.
            let seconds = Seconds::new(1e-6 * f64::from(i.0.abs_diff(j.0)));
            samples.push(Sample { experiment: *experiment, launch: 0, rep: 0, seconds });
        }
        samples
    }

    #[test]
    fn plans_of_triplets_are_packed_in_disjoint_rounds() {
        let size = Bytes::new(1024);
        for n in 3..14 {
            let samples = round_trip_samples(n, size);
            for triplets in [TripletDesign::Full, TripletDesign::Spread] {
                let plan = one_to_twos(triplets, &samples, n, size, 1).unwrap();
                let different: BTreeSet<_> = plan.experiments().collect();
                assert_eq!(different.len(), plan.len());
                let expected = match triplets {
                    TripletDesign::Full => n * (n - 1) * (n - 2),
                    TripletDesign::Spread => plan.len().min(2 * n * 3 * PARTNERS),
                };
                assert_eq!(plan.len(), expected, "{n} {triplets:?}");
                for round in plan.rounds() {
                    let placements: Vec<_> = round.iter().map(Experiment::placement).collect();
                    let players: BTreeSet<_> = placements.iter().flat_map(Placement::processors).collect();
                    assert_eq!(players.len(), 3 * round.len());
                }
            }
        }
    }

    #[test]
    fn the_slower_partner_comes_second_and_near_partners_are_taken() {
        let samples = round_trip_samples(30, Bytes::new(8));
        for experiment in one_to_twos(TripletDesign::Spread, &samples, 30, Bytes::new(8), 1).unwrap().experiments() {
            let Experiment::OneToTwo { i, j, k, .. } = *experiment else { panic!("{experiment}") };
            assert!(i.0.abs_diff(j.0) <= i.0.abs_diff(k.0) && i.0.abs_diff(k.0) <= 16, "{experiment}");
        }
        let error = one_to_twos(TripletDesign::Full, &Samples::default(), 3, Bytes::new(8), 1).unwrap_err();
        assert!(error.to_string().contains("round trip 0-1"), "{error}");
    }
}
