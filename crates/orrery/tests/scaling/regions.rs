//! Regions of programs whose true terms are known: the generator of measurements that other
//! modelers are judged with too.
//!
//! One parameter: c0 + c1·p^i·log2(p)^j at p = 4, 8, …; two: c0 + c1·f(p)·g(n) or c0 + c1·(f(p) +
//! g(n)) on a 5×5 grid. Each point has five repetitions with triangular relative noise.

use orrery::run::Run;
use orrery::units::Seconds;

/// x^power·log2(x)^logs.
pub type Truth = (f64, i32);

const TERMS: [Truth; 10] = [
    (0.0, 0),
    (1.0, 0),
    (0.0, 1),
    (1.0, 1),
    (0.5, 0),
    (2.0, 0),
    (2.0, 1),
    (0.5, 1),
    (1.5, 0),
    (0.0, 2),
];

pub fn value((power, logs): Truth, x: f64) -> f64 {
    x.powf(power) * x.log2().powi(logs)
}

/// A region with its truth.
pub struct Region {
    pub terms: Vec<Truth>,
    pub product: bool,
    constant: f64,
    factor: f64,
    pub points: Vec<Vec<f64>>,
    pub seconds: Vec<Vec<f64>>,
}

impl Region {
    pub fn truth(&self, point: &[f64]) -> f64 {
        let values = self.terms.iter().zip(point).map(|(&term, &x)| value(term, x));
        let constant = self.terms.iter().all(|&term| term == (0.0, 0));
        let whole: f64 = if self.product { values.product() } else { values.sum() };
        self.constant + if constant { 0.0 } else { self.factor * whole }
    }

    pub fn runs(&self, names: &[&str]) -> Vec<Run> {
        let each = self.points.iter().zip(&self.seconds);
        each.flat_map(|(point, seconds)| {
            seconds.iter().map(move |&seconds| {
                let mut run = Run::new(Seconds::new(seconds));
                run.variables =
                    names.iter().zip(point).map(|(name, &x)| ((*name).to_owned(), x)).collect();
                run
            })
        })
        .collect()
    }
}

/// A linear congruential generator (Knuth, MMIX).
struct Noise {
    state: u64,
    size: f64,
}

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn disturb(&mut self, region: &mut Region) {
        for point in region.points.clone() {
            let truth = region.truth(&point);
            region.seconds.push(
                (0..5)
                    .map(|_| truth * (1.0 + self.size * (self.uniform() + self.uniform() - 1.0)))
                    .collect(),
            );
        }
    }
}

/// A hundred regions of one parameter, each with this number of points.
pub fn one_parameter(points: u32, noise: f64, seed: u64) -> Vec<Region> {
    let mut noise = Noise { state: seed, size: noise };
    let region = |i: usize| {
        let term = TERMS[i % TERMS.len()];
        let factor = (0.01 + 0.003 * (i % 11) as f64) * if term.0 < 1.0 { 10.0 } else { 1.0 };
        let points = (2..2 + points).map(|k| vec![f64::from(1_u32 << k)]).collect();
        let constant = 1.0 + (i % 7) as f64 * 0.5;
        let mut region = Region {
            terms: vec![term],
            product: true,
            constant,
            factor,
            points,
            seconds: Vec::new(),
        };
        noise.disturb(&mut region);
        region
    };
    (0..100).map(region).collect()
}

/// A hundred regions of two parameters, p and n.
pub fn two_parameters(noise: f64, seed: u64) -> Vec<Region> {
    let mut noise = Noise { state: seed, size: noise };
    let region = |i: usize| {
        let terms = vec![TERMS[1 + i % 4], TERMS[1 + i / 4 % 4]];
        let (constant, factor) = (1.0 + (i % 7) as f64 * 0.5, 0.02 + 0.005 * (i % 11) as f64);
        let grid = [4.0, 8.0, 16.0, 32.0, 64.0]
            .map(|p| [10.0, 20.0, 30.0, 40.0, 50.0].map(|n| vec![p, n]));
        let points = grid.into_iter().flatten().collect();
        let mut region = Region {
            terms,
            product: i.is_multiple_of(2),
            constant,
            factor,
            points,
            seconds: Vec::new(),
        };
        noise.disturb(&mut region);
        region
    };
    (0..100).map(region).collect()
}
