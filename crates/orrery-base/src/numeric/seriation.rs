/// Returns an order of n items in which similar items are adjacent (seriation).
///
/// Clusters are merged by average linkage. When two clusters are merged, each is reversed if that
/// brings closer items together at the junction. Ties are broken by the lower number, so that items
/// at equal distances keep their order and the result is deterministic.
///
/// `distance(a, b)` is called once for each a < b and must not return NaN. The time is O(n³): up to
/// some hundred items.
///
/// Sources: Sokal, Michener, "A statistical method for evaluating systematic relationships" (1958)
/// for the linkage; Gruvaeus, Wainer, "Two additions to hierarchical cluster analysis" (1972) for
/// the reversal.
///
/// ```
/// use orrery_base::numeric::seriation;
/// let positions = [0.0_f64, 9.0, 1.0, 8.0];
/// assert_eq!(seriation(4, |a, b| (positions[a] - positions[b]).abs()), [0, 2, 3, 1]);
/// ```
pub fn seriation(n: usize, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut between = vec![0.0; n * n];
    for a in 0..n {
        for b in a + 1..n {
            let d = distance(a, b);
            (between[a * n + b], between[b * n + a]) = (d, d);
        }
    }
    let items = between.clone();
    // A cluster is stored at the number of its lowest item; the other entries are empty.
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|item| vec![item]).collect();
    for _ in 1..n {
        let (a, b) = closest(&clusters, &between, n);
        let (size_a, size_b) = (clusters[a].len() as f64, clusters[b].len() as f64);
        for other in 0..n {
            let mean = (between[a * n + other] * size_a + between[b * n + other] * size_b)
                / (size_a + size_b);
            (between[a * n + other], between[other * n + a]) = (mean, mean);
        }
        let second = std::mem::take(&mut clusters[b]);
        let first = std::mem::take(&mut clusters[a]);
        clusters[a] = concatenate(first, second, |a, b| items[a * n + b]);
    }
    let mut order = clusters.into_iter().next().unwrap_or_default();
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

/// The numbers of the two clusters at the smallest distance, the lower number first; ties are
/// broken by the lower number. `between` has the distances of the n × n clusters, row by row.
fn closest(clusters: &[Vec<usize>], between: &[f64], n: usize) -> (usize, usize) {
    let mut best = (f64::INFINITY, (0, 1));
    let present: Vec<usize> = (0..n).filter(|&cluster| !clusters[cluster].is_empty()).collect();
    for (place, &a) in present.iter().enumerate() {
        for &b in &present[place + 1..] {
            if between[a * n + b] < best.0 || best.0.is_infinite() {
                best = (between[a * n + b], (a, b));
            }
        }
    }
    best.1
}

/// Concatenates two lists, each reversed if that reduces the distance at the junction.
fn concatenate(
    mut first: Vec<usize>,
    mut second: Vec<usize>,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let junction = |reverse_first: bool, reverse_second: bool| {
        let last = if reverse_first { first.first() } else { first.last() };
        let next = if reverse_second { second.last() } else { second.first() };
        last.zip(next).map_or(0.0, |(&a, &b)| distance(a, b))
    };
    let mut best = (junction(false, false), (false, false));
    for reversals in [(false, true), (true, false), (true, true)] {
        let closer = junction(reversals.0, reversals.1);
        if closer < best.0 {
            best = (closer, reversals);
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
    fn items_on_a_line_are_in_its_order() {
        let positions = [5.0_f64, 1.0, 3.1, 0.0, 9.0, 4.2, 7.0];
        let order = seriation(7, |a, b| (positions[a] - positions[b]).abs());
        assert_eq!(order, [3, 1, 2, 5, 0, 6, 4]);
    }

    #[test]
    fn groups_are_contiguous_and_keep_their_order() {
        let order = seriation(9, |a, b| if a % 3 == b % 3 { 0.0 } else { 1.0 });
        assert_eq!(order, [0, 3, 6, 1, 4, 7, 2, 5, 8]);
    }

    #[test]
    fn items_at_equal_distances_keep_their_order() {
        assert_eq!(seriation(12, |_, _| 0.0), (0..12).collect::<Vec<_>>());
        assert_eq!(seriation(3, |_, _| f64::INFINITY), [0, 1, 2]);
    }

    #[test]
    fn fewer_than_three_items_are_ordered() {
        assert_eq!(seriation(0, |_, _| 1.0), [0; 0]);
        assert_eq!(seriation(1, |_, _| 1.0), [0]);
        assert_eq!(seriation(2, |_, _| 1.0), [0, 1]);
    }

    #[test]
    fn each_item_appears_once() {
        for n in [5, 40, 100] {
            let mut order = seriation(n, |a, b| ((a * 37 + b * 101) % 53) as f64);
            order.sort_unstable();
            assert_eq!(order, (0..n).collect::<Vec<_>>());
        }
    }
}
