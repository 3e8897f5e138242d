use super::super::mapping::Target;
use super::super::{ColumnMapping, Fault};

/// The columns of a table: their names, and what each is.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) targets: Vec<Target>,
}

impl Columns {
    /// What the columns of these names are.
    pub(super) fn new(names: Vec<String>, map: &ColumnMapping) -> Result<Self, Fault> {
        for (place, name) in names.iter().enumerate() {
            if names[..place].contains(name) {
                return Err(Fault::Twice { what: "the column", name: name.clone() });
            }
        }
        if let Some((column, _)) = map.entries.iter().find(|(column, _)| !names.contains(column)) {
            return Err(Fault::Column { column: column.clone(), known: names });
        }
        let mapped =
            |name: &str| map.entries.iter().find(|(column, _)| column == name).map(|(_, target)| target.clone());
        let targets = names.iter().map(|name| {
            mapped(name).unwrap_or_else(|| match Target::unmapped(name) {
                // What is mapped goes first: a column of the same name is only a label then.
                target if map.entries.iter().any(|(_, other)| other.collides(&target)) => Target::Label(name.clone()),
                target => target,
            })
        });
        let columns = Self { targets: targets.collect(), names };
        columns.check()?;
        Ok(columns)
    }

    /// Whether each row is a rank of a run.
    pub(super) fn by_rank(&self) -> bool {
        self.targets.contains(&Target::Run)
    }

    fn check(&self) -> Result<(), Fault> {
        for (place, target) in self.targets.iter().enumerate() {
            if let Some(first) = self.targets[..place].iter().position(|other| other.collides(target)) {
                let name = format!("{} and {}", self.names[first], self.names[place]);
                return Err(Fault::Twice { what: "the meaning of the columns", name });
            }
            let absent = match target {
                Target::Computation(kind) => Some(Target::Communication(kind.clone())),
                Target::Communication(kind) => Some(Target::Computation(kind.clone())),
                Target::Processes(kind) => Some(Target::Elements(kind.clone())),
                Target::Run | Target::Kind => Some(Target::Computation(String::new())),
                _ => None,
            };
            if let Some(absent) = absent.filter(|absent| !self.targets.contains(absent)) {
                return Err(Fault::Half { present: words(target), absent: words(&absent) });
            }
        }
        let timed = |target: &Target| matches!(target, Target::Time(_) | Target::Computation(_));
        if self.targets.iter().any(timed) { Ok(()) } else { Err(Fault::NoTime { known: self.names.clone() }) }
    }
}

/// What stands before the `=` of a mapping.
fn words(target: &Target) -> String {
    let of = |word: &str, kind: &str| if kind.is_empty() { word.to_owned() } else { format!("{word}:{kind}") };
    match target {
        Target::Computation(kind) => of("computation", kind),
        Target::Communication(kind) => of("communication", kind),
        Target::Elements(kind) => of("elements", kind),
        Target::Processes(kind) => of("processes", kind),
        Target::Label(name) => of("label", name),
        Target::Variable(name) => name.clone(),
        Target::Time(_) => "seconds".to_owned(),
        Target::Region => "region".to_owned(),
        Target::Run => "run".to_owned(),
        Target::Rank => "rank".to_owned(),
        Target::Kind => "kind".to_owned(),
    }
}
