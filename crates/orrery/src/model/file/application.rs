//! Execution-time models of applications: `{"regions": [{"region": "", "family": "hpl", "coefficients": […], …}]}`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{Fault, Result};
use crate::json::{Layout, Node, Refused};
use crate::numeric::{Estimate, Interval};
use crate::scaling::{Application, Coefficient, Factor, Family, Region, Role, Term, TimeModel, Times, Uncertainty};

/// The key among the models.
pub(super) const KEY: &str = "application";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegionText {
    region: String,
    family: String,
    runs: usize,
    points: usize,
    #[serde(default)]
    kinds: Vec<String>,
    #[serde(default)]
    ranges: BTreeMap<String, (f64, f64)>,
    coefficients: Vec<CoefficientText>,
    #[serde(default)]
    uncertainty: Option<UncertaintyText>,
}

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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactorText {
    variable: String,
    power: f64,
    #[serde(default)]
    logs: u32,
}

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

/// Reads the models of an application.
pub(super) fn read(node: Node) -> Result<Application> {
    let object = node.object("an object with the regions of the application")?;
    let regions = object.needed("regions", "[{\"region\": \"\", \"family\": \"hpl\", \"coefficients\": […]}]")?;
    let nodes = regions.array("an array with the regions of the application")?;
    let regions = nodes.iter().map(|node| region(*node)).collect::<Result<Vec<Region>>>()?;
    let twice = (1..regions.len()).find(|&k| regions[..k].iter().any(|region| region.name == regions[k].name));
    match (twice, nodes.first()) {
        (Some(k), _) => Err(wrong(nodes[k], format!("the region {:?} is there twice", regions[k].name))),
        (None, None) => Err(wrong(node, "there is no region".to_owned())),
        (None, Some(_)) => Ok(Application { regions }),
    }
}

fn wrong(node: Node, reason: String) -> Refused<Fault> {
    node.refuse(Fault::Application { reason })
}

fn region(node: Node) -> Result<Region> {
    let text: RegionText = serde_json::from_str(node.text()).map_err(|error| {
        let words = error.to_string();
        let reason = words.split(" at line ").next().unwrap_or_default().to_owned();
        let place = crate::json::byte_at(node.text(), error.line(), error.column());
        Refused { byte: node.byte + place, fault: Fault::Application { reason } }
    })?;
    let family = Family::ALL.into_iter().find(|family| family.word() == text.family);
    let family = family
        .ok_or_else(|| wrong(node, format!("unknown family {:?}; known are hpl, scalapack, general", text.family)))?;
    let coefficients = text.coefficients.into_iter().map(|c| coefficient(node, c)).collect::<Result<Vec<_>>>()?;
    let uncertainty = text.uncertainty.map(|u| uncertainty(node, u, coefficients.len())).transpose()?;
    if let Some((name, _)) = text.ranges.iter().find(|(_, (low, high))| low > high) {
        return Err(wrong(node, format!("the range of {name} ends before it begins")));
    }
    let (ranges, kinds, runs, points) = (text.ranges, text.kinds, text.runs, text.points);
    let times = TimeModel { family, coefficients, uncertainty, ranges, kinds, runs, points };
    Ok(Region { name: text.region, times: times.into() })
}

fn coefficient(node: Node, text: CoefficientText) -> Result<Coefficient> {
    let roles = [Role::Computation, Role::Communication];
    let role = roles.into_iter().find(|role| role.word() == text.role);
    let role = role.ok_or_else(|| {
        wrong(node, format!("a coefficient is of computation or communication, not of {:?}", text.role))
    })?;
    if text.value < 0.0 {
        return Err(wrong(node, format!("the coefficient {} is below 0", text.value)));
    }
    let interval = match (text.low, text.high) {
        (Some(low), Some(high)) if low <= text.value && text.value <= high => {
            Some(Interval { low, high, level: text.level.unwrap_or(0.95) })
        }
        (None, None) => None,
        _ => return Err(wrong(node, format!("the coefficient {} is not between its low and high", text.value))),
    };
    let factor = |f: FactorText| Factor { variable: f.variable, power: f.power, logs: f.logs };
    let term = Term { factors: text.term.into_iter().map(factor).collect() };
    let estimate = Estimate { value: text.value, interval, samples: text.samples };
    Ok(Coefficient { term, role, kind: text.kind, estimate })
}

fn uncertainty(node: Node, text: UncertaintyText, coefficients: usize) -> Result<Uncertainty> {
    let square = text.covariance.len() == coefficients && text.covariance.iter().all(|row| row.len() == coefficients);
    if !square {
        return Err(wrong(
            node,
            format!("the covariance is not {coefficients}×{coefficients}, as there are coefficients"),
        ));
    }
    if text.misfit < 0.0 || text.spread_variance < 0.0 {
        return Err(wrong(node, "the misfit or the spread_variance is below 0".to_owned()));
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

/// Lays out the models of an application: a line for each region of many, for each coefficient of a single one.
pub(super) fn write(application: &Application) -> std::result::Result<Layout, (String, Fault)> {
    let refuse = |reason: String| (format!("models.{KEY}"), Fault::Application { reason });
    let mut rows = Vec::new();
    for region in &application.regions {
        let Times::Terms(model) = &region.times else {
            return Err(refuse(format!(
                "the region {:?} has the models of the paper, which have no place here",
                region.name
            )));
        };
        // serde_json writes null for what is not finite, which could not be read back.
        if !model.coefficients.iter().all(|c| c.estimate.value.is_finite()) {
            return Err(refuse(format!("a coefficient of the region {:?} is not finite", region.name)));
        }
        rows.push(serde_json::to_string(&text(&region.name, model)).map_err(|error| refuse(error.to_string()))?);
    }
    Ok(Layout::Object(vec![("regions".into(), Layout::Rows(rows))]))
}

fn text(region: &str, times: &TimeModel) -> RegionText {
    let factor = |f: &Factor| FactorText { variable: f.variable.clone(), power: f.power, logs: f.logs };
    let coefficient = |c: &Coefficient| CoefficientText {
        term: c.term.factors.iter().map(factor).collect(),
        role: c.role.word().to_owned(),
        kind: c.kind.clone(),
        value: c.estimate.value,
        low: c.estimate.interval.map(|interval| interval.low),
        high: c.estimate.interval.map(|interval| interval.high),
        level: c.estimate.interval.map(|interval| interval.level),
        samples: c.estimate.samples,
    };
    let uncertainty = |u: &Uncertainty| UncertaintyText {
        covariance: u.covariance.clone(),
        covariance_degrees: u.covariance_degrees,
        misfit: u.misfit,
        misfit_degrees: u.misfit_degrees,
        spread_variance: u.spread_variance,
        spread_slope: u.spread_slope,
        spread_degrees: u.spread_degrees,
    };
    RegionText {
        region: region.to_owned(),
        family: times.family.word().to_owned(),
        runs: times.runs,
        points: times.points,
        kinds: times.kinds.clone(),
        ranges: times.ranges.clone(),
        coefficients: times.coefficients.iter().map(coefficient).collect(),
        uncertainty: times.uncertainty.as_ref().map(uncertainty),
    }
}
