//! A sum of terms: `{"region": "", "method": "terms", "family": "hpl", "coefficients": […], …}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::effects::{self, EffectsText};
use crate::model::file::error::{parsed, wrong_application as wrong};
use orrery_applications::scaling::{
    Alternative, BoundedKind, Coefficient, Factor, Region, Role, Term, TermFamily, TermModel,
    Uncertainty,
};
use orrery_base::file::Result;
use orrery_base::json::{Layout, Node};
use orrery_base::numeric::{Estimate, Interval};

/// A region modelled by a sum of terms, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionText {
    region: String,
    #[serde(default)]
    method: String,
    family: String,
    runs: usize,
    points: usize,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounded_kinds: Vec<BoundedKindText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effects: Option<EffectsText>,
    #[serde(default)]
    ranges: BTreeMap<String, (f64, f64)>,
    coefficients: Vec<CoefficientText>,
    #[serde(default)]
    uncertainty: Option<UncertaintyText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<AlternativeText>,
}

/// A kind whose cost is bounded only from above.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundedKindText {
    kind: String,
    is_faster: bool,
}

/// Another plausible sum of terms.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlternativeText {
    probability: f64,
    coefficients: Vec<CoefficientText>,
    #[serde(default)]
    uncertainty: Option<UncertaintyText>,
}

/// A term with its coefficient, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CoefficientText {
    term: Vec<FactorText>,
    role: String,
    #[serde(default)]
    kind: Option<String>,
    value: f64,
    #[serde(default)]
    low: Option<f64>,
    #[serde(default)]
    high: Option<f64>,
    #[serde(default)]
    level: Option<f64>,
    #[serde(default)]
    samples: Option<u64>,
}

/// A factor of a term, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactorText {
    variable: String,
    power: f64,
    #[serde(default)]
    logs: u32,
}

/// The uncertainty of a model, as stored in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UncertaintyText {
    covariance: Vec<Vec<f64>>,
    covariance_degrees: f64,
    misfit: f64,
    misfit_degrees: f64,
    spread_variance: f64,
    spread_slope: f64,
    spread_degrees: f64,
}

/// Reads a sum of terms.
pub(super) fn read(node: Node) -> Result<Region> {
    let text: RegionText = parsed(node)?;
    let family = TermFamily::ALL.into_iter().find(|family| family.name() == text.family);
    let family = family.ok_or_else(|| {
        wrong(node, &format!("unknown family {:?}; known are hpl, scalapack, general", text.family))
    })?;
    let (coefficients, uncertainty) = sum(node, text.coefficients, text.uncertainty)?;
    let alternatives =
        text.alternatives.into_iter().map(|a| alternative(node, a)).collect::<Result<Vec<_>>>()?;
    if alternatives.iter().map(|alternative| alternative.probability).sum::<f64>() > 1.0 + 1e-9 {
        return Err(wrong(node, "the probabilities of the alternatives sum to more than 1"));
    }
    if let Some((name, _)) = text.ranges.iter().find(|(_, (low, high))| low > high) {
        return Err(wrong(node, &format!("the range of {name} ends before it begins")));
    }
    let (ranges, kinds, runs, points) = (text.ranges, text.kinds, text.runs, text.points);
    let unknown = text.bounded_kinds.iter().find(|bounded| !kinds.contains(&bounded.kind));
    if let Some(BoundedKindText { kind, .. }) = unknown {
        return Err(wrong(node, &format!("the bounded kind {kind:?} is not one of the kinds")));
    }
    let effects = effects::read(node, text.effects)?;
    let bounded = |BoundedKindText { kind, is_faster }| BoundedKind { kind, is_faster };
    let bounded_kinds = text.bounded_kinds.into_iter().map(bounded).collect();
    let times = TermModel {
        family,
        coefficients,
        uncertainty,
        alternatives,
        effects,
        ranges,
        kinds,
        bounded_kinds,
        runs,
        points,
    };
    Ok(Region { name: text.region, model: times.into(), measured: Vec::new() })
}

/// Reads the coefficients of a sum of terms and their uncertainty.
fn sum(
    node: Node,
    coefficients: Vec<CoefficientText>,
    text: Option<UncertaintyText>,
) -> Result<(Vec<Coefficient>, Option<Uncertainty>)> {
    let coefficients =
        coefficients.into_iter().map(|c| coefficient(node, c)).collect::<Result<Vec<_>>>()?;
    let uncertainty = text.map(|u| uncertainty(node, u, coefficients.len())).transpose()?;
    Ok((coefficients, uncertainty))
}

fn alternative(node: Node, text: AlternativeText) -> Result<Alternative> {
    let probability = text.probability;
    if !(0.0..=1.0).contains(&probability) {
        return Err(wrong(node, &format!("the probability {probability} is not between 0 and 1")));
    }
    let (coefficients, uncertainty) = sum(node, text.coefficients, text.uncertainty)?;
    Ok(Alternative { probability, coefficients, uncertainty })
}

/// Converts a term of the file; an error names what is invalid.
fn coefficient(node: Node, text: CoefficientText) -> Result<Coefficient> {
    let roles = [Role::Computation, Role::Communication];
    let role = roles.into_iter().find(|role| role.name() == text.role);
    let role = role.ok_or_else(|| {
        wrong(
            node,
            &format!("a coefficient is of computation or communication, not of {:?}", text.role),
        )
    })?;
    if text.value < 0.0 {
        return Err(wrong(node, &format!("the coefficient {} is below 0", text.value)));
    }
    let interval = match (text.low, text.high) {
        (Some(low), Some(high)) if low <= text.value && text.value <= high => {
            Some(Interval { low, high, level: text.level.unwrap_or(0.95) })
        }
        (None, None) => None,
        _ => {
            return Err(wrong(
                node,
                &format!("the coefficient {} is not between its low and high", text.value),
            ));
        }
    };
    let factor = |f: FactorText| Factor { variable: f.variable, power: f.power, logs: f.logs };
    let term = Term { factors: text.term.into_iter().map(factor).collect() };
    let estimate = Estimate { value: text.value, interval, samples: text.samples };
    Ok(Coefficient { term, role, kind: text.kind, estimate })
}

/// Converts the uncertainty of the file; an error if its sizes or numbers are invalid.
fn uncertainty(node: Node, text: UncertaintyText, coefficients: usize) -> Result<Uncertainty> {
    let square = text.covariance.len() == coefficients
        && text.covariance.iter().all(|row| row.len() == coefficients);
    if !square {
        return Err(wrong(
            node,
            &format!(
                "the covariance is not {coefficients}×{coefficients}, as there are coefficients"
            ),
        ));
    }
    if text.misfit < 0.0 || text.spread_variance < 0.0 {
        return Err(wrong(node, "the misfit or the spread_variance is below 0"));
    }
    Ok(Uncertainty {
        covariance: text.covariance,
        covariance_degrees: text.covariance_degrees,
        misfit: text.misfit,
        misfit_degrees: text.misfit_degrees,
        spread_variance: text.spread_variance,
        spread_slope: text.spread_slope,
        spread_degrees: text.spread_degrees,
    })
}

/// Lays out a sum of terms on one line.
pub(super) fn write(region: &str, model: &TermModel) -> Result<Layout, String> {
    // serde_json writes null for numbers that are not finite, and null cannot be read back.
    let sums = std::iter::once((&model.coefficients, &model.uncertainty));
    for (coefficients, uncertainty) in
        sums.chain(model.alternatives.iter().map(|a| (&a.coefficients, &a.uncertainty)))
    {
        let ends = |c: &Coefficient| {
            c.estimate.interval.map_or([0.0; 2], |interval| [interval.low, interval.high])
        };
        let finite =
            |c: &Coefficient| ends(c).into_iter().chain([c.estimate.value]).all(f64::is_finite);
        if !coefficients.iter().all(finite) {
            return Err("a coefficient is not finite".to_owned());
        }
        if !uncertainty.as_ref().is_none_or(|uncertainty| numbers(uncertainty).all(f64::is_finite))
        {
            return Err("a number of the uncertainty is not finite".to_owned());
        }
    }
    effects::check(&model.effects)?;
    serde_json::to_string(&text(region, model)).map(Layout::Line).map_err(|error| error.to_string())
}

/// Returns all numbers of an uncertainty.
fn numbers(u: &Uncertainty) -> impl Iterator<Item = f64> {
    let single = [
        u.covariance_degrees,
        u.misfit,
        u.misfit_degrees,
        u.spread_variance,
        u.spread_slope,
        u.spread_degrees,
    ];
    u.covariance.iter().flatten().copied().chain(single)
}

/// Converts a model to a region of the file.
fn text(region: &str, times: &TermModel) -> RegionText {
    let alternative = |a: &Alternative| AlternativeText {
        probability: a.probability,
        coefficients: a.coefficients.iter().map(coefficient_text).collect(),
        uncertainty: a.uncertainty.as_ref().map(uncertainty_text),
    };
    RegionText {
        region: region.to_owned(),
        method: "terms".to_owned(),
        family: times.family.name().to_owned(),
        runs: times.runs,
        points: times.points,
        kinds: times.kinds.clone(),
        bounded_kinds: times
            .bounded_kinds
            .iter()
            .map(|BoundedKind { kind, is_faster }| BoundedKindText {
                kind: kind.clone(),
                is_faster: *is_faster,
            })
            .collect(),
        effects: effects::text(&times.effects),
        ranges: times.ranges.clone(),
        coefficients: times.coefficients.iter().map(coefficient_text).collect(),
        uncertainty: times.uncertainty.as_ref().map(uncertainty_text),
        alternatives: times.alternatives.iter().map(alternative).collect(),
    }
}

fn coefficient_text(c: &Coefficient) -> CoefficientText {
    let factor =
        |f: &Factor| FactorText { variable: f.variable.clone(), power: f.power, logs: f.logs };
    CoefficientText {
        term: c.term.factors.iter().map(factor).collect(),
        role: c.role.name().to_owned(),
        kind: c.kind.clone(),
        value: c.estimate.value,
        low: c.estimate.interval.map(|interval| interval.low),
        high: c.estimate.interval.map(|interval| interval.high),
        level: c.estimate.interval.map(|interval| interval.level),
        samples: c.estimate.samples,
    }
}

fn uncertainty_text(u: &Uncertainty) -> UncertaintyText {
    UncertaintyText {
        covariance: u.covariance.clone(),
        covariance_degrees: u.covariance_degrees,
        misfit: u.misfit,
        misfit_degrees: u.misfit_degrees,
        spread_variance: u.spread_variance,
        spread_slope: u.spread_slope,
        spread_degrees: u.spread_degrees,
    }
}
