use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;

/// A parameter as a function of the message size: linear interpolation between the sizes at which
/// it is known.
///
/// Below the smallest size it is constant. Beyond the largest size the last piece is extrapolated,
/// unless it decreases.
///
/// ```
/// use orrery_models::comm::plogp::Curve;
/// use orrery_base::numeric::Estimate;
/// use orrery_base::units::Bytes;
/// let (sizes, values) = ([0, 1000, 3000], [5e-6, 7e-6, 8e-6]);
/// let curve = Curve::new(sizes.map(Bytes::new).to_vec(), values.map(Estimate::exact).to_vec()).unwrap();
/// let at = |size| (curve.at(Bytes::new(size)) * 1e9).round();
/// assert_eq!([at(0), at(500), at(2000), at(5000)], [5000.0, 6000.0, 7500.0, 9000.0]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    sizes: Vec<Bytes>,
    values: Vec<Estimate>,
}

impl Curve {
    /// Returns the function with these values at these sizes; `None` if it has no values, if the
    /// numbers of sizes and values differ, or if the sizes do not ascend.
    pub fn new(sizes: Vec<Bytes>, values: Vec<Estimate>) -> Option<Self> {
        let ascending = sizes.windows(2).all(|pair| pair[0] < pair[1]);
        (!sizes.is_empty() && sizes.len() == values.len() && ascending)
            .then_some(Self { sizes, values })
    }

    /// The sizes at which the function is known.
    pub fn sizes(&self) -> &[Bytes] {
        &self.sizes
    }

    /// The values at these sizes.
    pub fn values(&self) -> &[Estimate] {
        &self.values
    }

    /// Returns the value at a size, in the unit of the values.
    pub fn at(&self, size: Bytes) -> f64 {
        let values: Vec<f64> = self.values.iter().map(|estimate| estimate.value).collect();
        weights(&self.sizes, &values, size)
            .iter()
            .map(|&(place, weight)| weight * values[place])
            .sum()
    }
}

/// Returns the value at `size` as Σ weight × value at two knots: their indices and weights.
pub(super) fn weights(sizes: &[Bytes], values: &[f64], size: Bytes) -> [(usize, f64); 2] {
    let after = sizes.partition_point(|known| *known < size);
    let constant = |place| [(place, 1.0), (place, 0.0)];
    if after == 0 || sizes.get(after) == Some(&size) {
        return constant(after);
    }
    let last = sizes.len() - 1;
    let right = after.min(last);
    if after > last && (right == 0 || values[right] < values[right - 1]) {
        return constant(right);
    }
    let (low, high) = (sizes[right - 1].get() as f64, sizes[right].get() as f64);
    let part = (size.get() as f64 - low) / (high - low);
    [(right - 1, 1.0 - part), (right, part)]
}
