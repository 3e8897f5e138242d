use super::Fault;

/// A column of the samples file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Experiment,
    I,
    J,
    K,
    Procs,
    Size,
    Reply,
    Segment,
    Count,
    Delay,
    Launch,
    Rep,
    Seconds,
}

impl Column {
    /// All columns in the order in which they are written.
    pub(super) const ALL: [Self; 13] = [
        Self::Experiment,
        Self::I,
        Self::J,
        Self::K,
        Self::Procs,
        Self::Size,
        Self::Reply,
        Self::Segment,
        Self::Count,
        Self::Delay,
        Self::Launch,
        Self::Rep,
        Self::Seconds,
    ];

    /// The name in the line of column names.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Experiment => "experiment",
            Self::I => "i",
            Self::J => "j",
            Self::K => "k",
            Self::Procs => "procs",
            Self::Size => "size",
            Self::Reply => "reply",
            Self::Segment => "segment",
            Self::Count => "count",
            Self::Delay => "delay",
            Self::Launch => "launch",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
        }
    }
}

/// Which field of a row holds which column: what the line of column names says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// For each column of ours, the number of its field.
    places: [Option<usize>; Column::ALL.len()],
    /// How many fields a row has.
    pub(super) width: usize,
}

impl Layout {
    /// Our own columns in our own order.
    pub(super) fn own() -> Self {
        Self { places: std::array::from_fn(Some), width: Column::ALL.len() }
    }

    /// What these names say; unknown ones are passed over. An error comes with the number of the field.
    pub(super) fn of<'a>(names: &(impl Iterator<Item = &'a str> + Clone)) -> Result<Self, (usize, Fault)> {
        let mut layout = Self { places: [None; Column::ALL.len()], width: names.clone().count() };
        for (field, name) in names.clone().enumerate() {
            let Some(column) = Column::ALL.into_iter().find(|column| column.name() == name) else { continue };
            let place = &mut layout.places[column as usize];
            if place.is_some() {
                return Err((field, Fault::ColumnTwice { column: column.name() }));
            }
            *place = Some(field);
        }
        if layout.places.iter().all(Option::is_none) {
            return Err((0, Fault::NoHeader { json: false }));
        }
        for needed in [Column::Experiment, Column::Seconds] {
            if layout.place(needed).is_none() {
                return Err((0, Fault::NoColumn { column: needed.name() }));
            }
        }
        Ok(layout)
    }

    /// The number of the field that holds a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }
}
