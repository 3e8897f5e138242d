/// An order of n things in which alike things stand side by side.
///
/// Clusters are joined by average linkage: the two whose members are closest to one another in the mean come together
/// first. When two are joined, one or both are turned round where that brings closer things to the seam. Among equal
/// choices the one that keeps lower numbers first is taken, so things that cannot be told apart stay in the order of
/// their numbers, and the same distances always give the same order.
///
/// `distance(a, b)` is asked once for each a < b and must not be NaN. The time grows as n³: up to some hundreds.
///
/// Sources: Sokal, Michener, "A statistical method for evaluating systematic relationships" (1958) for the linkage;
/// Gruvaeus, Wainer, "Two additions to hierarchical cluster analysis" (1972) for the turning.
///
/// ```
/// use orrery::numeric::seriation;
/// let places = [0.0_f64, 9.0, 1.0, 8.0];
/// assert_eq!(seriation(4, |a, b| (places[a] - places[b]).abs()), [0, 2, 3, 1]);
/// ```
pub fn seriation(n: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut between = vec![0.0; n * n];
    for a in 0..n {
        for b in a + 1..n {
            let d = distance(a, b);
            (between[a * n + b], between[b * n + a]) = (d, d);
        }
    }
    let things = between.clone();
    // A cluster is known by its lowest member; the others are empty.
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|thing| vec![thing]).collect();
    for _ in 1..n {
        let (a, b) = closest(&clusters, &between, n);
        let (size_a, size_b) = (clusters[a].len() as f64, clusters[b].len() as f64);
        for other in 0..n {
            let mean = (between[a * n + other] * size_a + between[b * n + other] * size_b) / (size_a + size_b);
            (between[a * n + other], between[other * n + a]) = (mean, mean);
        }
        let second = std::mem::take(&mut clusters[b]);
        let first = std::mem::take(&mut clusters[a]);
        clusters[a] = joined(first, second, |a, b| things[a * n + b]);
    }
    let mut order = clusters.into_iter().next().unwrap_or_default();
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

/// The two clusters at the smallest distance, the lower numbers first among equals.
fn closest(clusters: &[Vec<usize>], between: &[f64], n: usize) -> (usize, usize) {
    let mut best = (f64::INFINITY, (0, 1));
    let there: Vec<usize> = (0..n).filter(|&cluster| !clusters[cluster].is_empty()).collect();
    for (place, &a) in there.iter().enumerate() {
        for &b in &there[place + 1..] {
            if between[a * n + b] < best.0 || best.0.is_infinite() {
                best = (between[a * n + b], (a, b));
            }
        }
    }
    best.1
}

/// Both lists as one, each turned so that the things at the seam are as close as possible.
fn joined(mut first: Vec<usize>, mut second: Vec<usize>, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let seam = |turn_first: bool, turn_second: bool| {
        let last = if turn_first { first.first() } else { first.last() };
        let next = if turn_second { second.last() } else { second.first() };
        last.zip(next).map_or(0.0, |(&a, &b)| distance(a, b))
    };
    let mut best = (seam(false, false), (false, false));
    for turns in [(false, true), (true, false), (true, true)] {
        let closer = seam(turns.0, turns.1);
        if closer < best.0 {
            best = (closer, turns);
        }
    }
    if best.1.0 {
        first.reverse();
    }
    if best.1.1 {
        second.reverse();
    }
    first.extend(second);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_on_a_line_come_in_its_order() {
        let places = [5.0_f64, 1.0, 3.1, 0.0, 9.0, 4.2, 7.0];
        let order = seriation(7, |a, b| (places[a] - places[b]).abs());
        assert_eq!(order, [3, 1, 2, 5, 0, 6, 4]);
    }

    #[test]
    fn groups_stand_together_and_keep_their_order() {
        let order = seriation(9, |a, b| if a % 3 == b % 3 { 0.0 } else { 1.0 });
        assert_eq!(order, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    }

    #[test]
    fn what_is_alike_stays_in_order() {
        assert_eq!(seriation(12, |_, _| 0.0), (0..12).collect::<Vec<_>>());
        assert_eq!(seriation(3, |_, _| f64::INFINITY), [0, 1, 2]);
    }

    #[test]
    fn few_things_have_an_order_too() {
        assert_eq!(seriation(0, |_, _| 1.0), [0; 0]);
        assert_eq!(seriation(1, |_, _| 1.0), [0]);
        assert_eq!(seriation(2, |_, _| 1.0), [0, 1]);
    }

    #[test]
    fn every_thing_stands_once() {
        for n in [5, 40, 100] {
            let mut order = seriation(n, |a, b| ((a * 37 + b * 101) % 53) as f64);
            order.sort_unstable();
            assert_eq!(order, (0..n).collect::<Vec<_>>());
        }
    }
}
