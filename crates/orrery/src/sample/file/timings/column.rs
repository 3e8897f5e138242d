use super::TimingsFault;

/// A column of a timings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Scheme,
    Communication,
    Source,
    Destination,
    Size,
    Delay,
    Kind,
    Launch,
    Rep,
    Seconds,
}

impl Column {
    /// All columns in the order in which they are written.
    pub(super) const ALL: [Self; 10] = [
        Self::Scheme,
        Self::Communication,
        Self::Source,
        Self::Destination,
        Self::Size,
        Self::Delay,
        Self::Kind,
        Self::Launch,
        Self::Rep,
        Self::Seconds,
    ];

    /// Those without which nothing can be read.
    const NEEDED: [Self; 7] =
        [Self::Scheme, Self::Communication, Self::Source, Self::Destination, Self::Size, Self::Kind, Self::Seconds];

    /// The name in the file.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Scheme => "scheme",
            Self::Communication => "communication",
            Self::Source => "source",
            Self::Destination => "destination",
            Self::Size => "size",
            Self::Delay => "delay",
            Self::Kind => "kind",
            Self::Launch => "launch",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
        }
    }
}

/// Which field of a row holds which column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    places: [Option<usize>; Column::ALL.len()],
    /// How many fields a row has.
    pub(super) width: usize,
}

impl Layout {
    /// Our own columns in our own order.
    pub(super) fn own() -> Self {
        Self { places: std::array::from_fn(Some), width: Column::ALL.len() }
    }

    /// What these names say. An error comes with the number of the field.
    pub(super) fn of<'a>(names: &(impl Iterator<Item = &'a str> + Clone)) -> Result<Self, (usize, TimingsFault)> {
        let mut layout = Self { places: [None; Column::ALL.len()], width: names.clone().count() };
        for (field, name) in names.clone().enumerate() {
            let Some(column) = Column::ALL.into_iter().find(|column| column.name() == name) else { continue };
            if layout.places[column as usize].replace(field).is_some() {
                return Err((field, super::Fault::ColumnTwice { column: column.name() }.into()));
            }
        }
        if layout.places.iter().all(Option::is_none) {
            return Err((0, TimingsFault::NoHeader));
        }
        match Column::NEEDED.into_iter().find(|column| layout.place(*column).is_none()) {
            Some(column) => Err((0, super::Fault::NoColumn { column: column.name() }.into())),
            None => Ok(layout),
        }
    }

    /// The number of the field that holds a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }
}
