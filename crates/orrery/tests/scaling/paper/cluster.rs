//! A cluster whose times are known: an Athlon and eight Pentium-II as in the paper, with times like
//! those of its tables.

use orrery::scaling::PlannedRun;
use rand_distr::Normal;

use crate::prelude::*;

/// The Athlon's share of the times of a Pentium-II: computation, communication.
pub const ATHLON: (f64, f64) = (0.27, 0.85);

/// How communication goes with P: Tc = B(N)·(a·P + b/P).
pub const TALK: (f64, f64) = (0.12, 1.0);

/// Where the swapping of a Pentium-II begins, in bytes, and how much longer it computes then.
pub type Swap = (f64, f64);

#[derive(Debug, Clone, Copy, Default)]
pub struct Truth {
    /// Estimates of the Athlon with three processes and more beside others are a + b times what
    /// they should be.
    pub distortion: Option<(f64, f64)>,
    pub swap: Option<Swap>,
    /// The standard deviation of a part of the times, relative to it, and the seed.
    pub noise: Option<(f64, u64)>,
}

pub fn cluster() -> Configuration {
    "athlon=1x6,pentium-ii=8x6".parse().unwrap()
}

/// The 62 configurations for the sizes of the paper's table 2.
pub fn evaluation_plan() -> RunPlan {
    RunPlan::evaluation(
        &"athlon=1x6,pentium-ii=8x1".parse().unwrap(),
        &[3200.0, 4800.0, 6400.0, 8000.0, 9600.0],
    )
}

/// The P-T law of a Pentium-II with m processes, P > m, as functions of N: P·Ta and Tc/(a·P + b/P).
pub fn law(m: u32) -> ([f64; 4], [f64; 3]) {
    let (own, growth, talk) =
        (f64::from(m), 1.0 + 0.03 * f64::from(m - 1), 1.0 + 0.02 * f64::from(m - 1));
    ([1.8e-9, 1.5e-6, 2e-4, 0.02].map(|k| k * own * growth), [7e-7, 2.5e-3, 0.05].map(|k| k * talk))
}

/// The N-T law of a Pentium-II by itself.
pub fn law_alone(m: u32) -> ([f64; 4], [f64; 3]) {
    let (growth, others) = (1.0 + 0.02 * f64::from(m - 1), f64::from(m - 1));
    ([1.75e-9, 1.2e-6, 1e-4, 0.01].map(|k| k * growth), [2e-8, 1e-5, 1e-3].map(|k| k * others))
}

fn polynomial(coefficients: &[f64], n: f64) -> f64 {
    coefficients.iter().rev().enumerate().map(|(power, k)| k * n.powi(power as i32)).sum()
}

impl Truth {
    /// Ta, Tc of an element.
    fn parts(&self, share: &Share, n: f64, total: u64) -> (f64, f64) {
        let (m, p) = (share.processes, total as f64);
        let alone = total == u64::from(m);
        let (work, talk) = if alone { law_alone(m) } else { law(m) };
        let (mut ta, mut tc) = (polynomial(&work, n), polynomial(&talk, n));
        if !alone {
            (ta, tc) = (ta / p, tc * (TALK.0 * p + TALK.1 / p));
        }
        if share.kind == "athlon" {
            (ta, tc) = (ta * ATHLON.0, tc * ATHLON.1);
            if let Some((intercept, slope)) = self.distortion.filter(|_| m >= 3 && !alone) {
                (ta, tc) = (ta, intercept + slope * (ta + tc) - ta);
            }
        } else if let Some((limit, factor)) = self.swap
            && 8.0 * n * n * f64::from(m) / p > limit
        {
            ta *= factor;
        }
        (ta, tc)
    }

    /// T = max_i T_i.
    pub fn seconds(&self, point: &Point) -> f64 {
        let (n, total) = (point.variables["n"], point.configuration.processes());
        let of = |share: &Share| {
            let (ta, tc) = self.parts(share, n, total);
            ta + tc
        };
        point.configuration.shares.iter().map(of).fold(0.0, f64::max)
    }

    /// The runs of a plan; their origins are `plan:1`, `plan:2`, …
    pub fn runs(&self, plan: &RunPlan) -> Vec<Run> {
        let (deviation, seed) = self.noise.unwrap_or((0.0, 0));
        let mut noise = ChaCha8Rng::seed_from_u64(seed);
        let factors = Normal::new(1.0, deviation).unwrap();
        let mut factor = || factors.sample(&mut noise);
        let run = |(place, point): (usize, Point)| {
            let (n, total) = (point.variables["n"], point.configuration.processes());
            let mut part = |share: &Share| {
                let (ta, tc) = self.parts(share, n, total);
                let [computation, communication] = [ta * factor(), tc * factor()].map(Seconds::new);
                KindTimes { kind: share.kind.clone(), computation, communication }
            };
            let parts: Vec<KindTimes> = point.configuration.shares.iter().map(&mut part).collect();
            let seconds = parts
                .iter()
                .map(|part| part.computation + part.communication)
                .fold(Seconds::ZERO, Seconds::max);
            let mut run = Run::new(seconds);
            run.origin = format!("plan:{}", place + 1);
            run.parts = parts;
            run.variables = point.variables;
            run.configuration = point.configuration;
            run
        };
        plan.runs.iter().map(PlannedRun::point).enumerate().map(run).collect()
    }
}
