//! The regions of a page, and groups of points that share a color.

use std::collections::BTreeSet;

use crate::figures::figure::SeriesColor;
use crate::tables::format::metric_text;
use orrery::run::{Metric, variable};
use orrery::scaling::{Accuracy, ComparedPoint, Evaluation, Point, Region};
use orrery::units::Seconds;

/// A region on the page, with the prefix of its section ids and the suffix of its titles.
pub(super) struct Subject<'a> {
    pub(super) region: &'a Region,
    /// What its model estimates.
    pub(super) metric: &'a Metric,
    pub(super) accuracy: &'a Accuracy,
    /// That of the accuracy.
    pub(super) evaluation: &'a Evaluation,
    /// The prefix of section ids; empty if there is one region.
    pub(super) prefix: String,
    /// The suffix of section titles.
    pub(super) suffix: String,
}

impl Subject<'_> {
    /// The text of a value of the metric.
    pub(super) fn text(&self, value: Seconds) -> String {
        metric_text(self.metric, value)
    }

    /// The id of a section.
    pub(super) fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The title of a section.
    pub(super) fn title(&self, title: &str) -> String {
        format!("{title}{}", self.suffix)
    }
}

/// The number of colors; the last one is that of all further groups.
const COLORS: usize = 7;

/// Groups of points by the processes per element of the kind for which they vary most, else by the
/// number of processes.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    by: By,
    /// The keys in ascending order.
    keys: Vec<u64>,
}

/// The criterion of groups.
#[derive(Debug, Clone)]
enum By {
    PerElement(String),
    Processes,
    Nothing,
}

impl By {
    /// The group of a point: its value of the criterion.
    fn key(&self, point: &Point) -> u64 {
        match self {
            Self::PerElement(kind) => {
                point.configuration.share(kind).map_or(0, |share| u64::from(share.processes))
            }
            Self::Processes => processes(point),
            Self::Nothing => 0,
        }
    }
}

/// The number of processes of a point.
fn processes(point: &Point) -> u64 {
    point.element_variables(None).get(variable::PROCESSES).map_or(0, |processes| processes as u64)
}

impl Groups {
    /// The groups of the points of an evaluation.
    pub(super) fn of(evaluation: &Evaluation) -> Self {
        let points = || evaluation.points.iter().map(|pair| &pair.point);
        let keys = |by: &By| points().map(|point| by.key(point)).collect::<BTreeSet<u64>>();
        let kinds: BTreeSet<&str> = points()
            .flat_map(|point| &point.configuration.shares)
            .map(|share| share.kind.as_str())
            .collect();
        let per_element = kinds.into_iter().map(|kind| By::PerElement(kind.to_owned()));
        let more =
            |most: By, next: By| if keys(&next).len() > keys(&most).len() { next } else { most };
        let varies = |by: &By| keys(by).len() > 1;
        let by = per_element
            .reduce(more)
            .filter(varies)
            .or(Some(By::Processes).filter(varies))
            .unwrap_or(By::Nothing);
        let keys = keys(&by).into_iter().collect();
        Self { by, keys }
    }

    /// The index of the group of a point.
    fn place(&self, point: &Point) -> usize {
        let key = self.by.key(point);
        self.keys.iter().position(|other| *other == key).unwrap_or_default().min(COLORS - 1)
    }

    /// The groups with their names, colors and points, in ascending order.
    pub(super) fn split<'a>(
        &self,
        pairs: &[&'a ComparedPoint],
    ) -> Vec<(String, SeriesColor, Vec<&'a ComparedPoint>)> {
        let count = self.keys.len().min(COLORS);
        let group = |place: usize| {
            let own =
                pairs.iter().copied().filter(|pair| self.place(&pair.point) == place).collect();
            (self.words(place), SeriesColor::Numbered(place as u8), own)
        };
        (0..count).map(group).filter(|(_, _, own): &(_, _, Vec<_>)| !own.is_empty()).collect()
    }

    /// The name of a group.
    fn words(&self, place: usize) -> String {
        let key = self.keys.get(place).copied().unwrap_or_default();
        let more = if place == COLORS - 1 && self.keys.len() > COLORS { " and more" } else { "" };
        match &self.by {
            By::PerElement(kind) if key == 0 => format!("without {kind}"),
            By::PerElement(kind) => format!("{key}{more} on each {kind}"),
            By::Processes if key == 1 => "1 process".to_owned(),
            By::Processes => format!("{key}{more} processes"),
            By::Nothing => "runs".to_owned(),
        }
    }
}
