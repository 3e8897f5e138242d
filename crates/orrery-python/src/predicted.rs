//! Predicted times in columns.

use std::ops::Range;
use std::sync::Arc;

use orrery::model::{Alarm, ModelKind, Prediction, Query, Uncertainty};
use orrery::request::{Queries, SizedQuery};
use orrery::units::{Bytes, Seconds};
use orrery_report::Table as ReportTable;
use orrery_report::notebook::{CurvePoint, PredictedCurve};

use crate::arrow::{Bits, Column, Values, texts};

/// The largest number of rows of a table in a notebook.
const MAX_ROWS: usize = 20;

/// Rows that differ in the size only.
struct Block {
    /// The query of each size.
    query: SizedQuery,
    /// The kind of model.
    kind: ModelKind,
    /// The rows.
    rows: Range<usize>,
}

impl Block {
    /// The query of one of its sizes.
    fn any(&self) -> Query {
        self.query.of_size(Bytes::ZERO)
    }
}

/// Rows of predicted times.
#[derive(Default)]
pub(crate) struct Rows {
    sizes: Vec<i64>,
    seconds: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    from_readings: Vec<f64>,
    from_model: Vec<f64>,
    escalation: Vec<f64>,
    extrapolated: Bits,
    /// The alarms of all rows, and where those of each row end.
    alarms: Vec<Alarm>,
    alarm_ends: Vec<i64>,
}

impl Rows {
    /// Makes room for predictions.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.sizes.reserve(rows);
        self.alarm_ends.reserve(rows);
        let numbers = [
            &mut self.seconds,
            &mut self.low,
            &mut self.high,
            &mut self.from_readings,
            &mut self.from_model,
        ];
        numbers.into_iter().chain([&mut self.escalation]).for_each(|column| column.reserve(rows));
    }

    /// Adds a prediction.
    pub(crate) fn push(&mut self, prediction: Prediction) {
        let (low, high) =
            prediction.interval.map_or((f64::NAN, f64::NAN), |(low, high)| (low.get(), high.get()));
        let Uncertainty { readings, model } = prediction.uncertainty;
        self.sizes.push(prediction.query.size().get() as i64);
        self.seconds.push(prediction.seconds.get());
        self.low.push(low);
        self.high.push(high);
        self.from_readings.push(readings.unwrap_or(f64::NAN));
        self.from_model.push(model.unwrap_or(f64::NAN));
        self.escalation.push(prediction.escalation.unwrap_or(f64::NAN));
        self.extrapolated.push(prediction.is_extrapolated());
        self.alarms.extend(prediction.alarms);
        self.alarm_ends.push(self.alarms.len() as i64);
    }
}

/// Predicted times in columns. Those of numbers are made at once, so that arrays of them need no
/// other column.
pub(crate) struct Predicted {
    blocks: Vec<Block>,
    /// The number of rows.
    length: usize,
    pub sizes: Arc<Column>,
    pub seconds: Arc<Column>,
    pub low: Arc<Column>,
    pub high: Arc<Column>,
    from_readings: Arc<Column>,
    from_model: Arc<Column>,
    escalation: Arc<Column>,
    extrapolated: Arc<Column>,
    alarms: Vec<Alarm>,
    /// Where the alarms of each row begin, and where the last ones end.
    alarm_offsets: Vec<i64>,
}

impl Predicted {
    /// The columns of the rows that are the answers to queries: there must be one for each kind,
    /// query and size, in this order.
    pub(crate) fn new(queries: &Queries, rows: Rows) -> Self {
        let (length, sizes) = (rows.seconds.len(), queries.sizes.len());
        let all =
            queries.kinds.iter().flat_map(|kind| queries.queries.iter().map(|one| (*kind, *one)));
        let block = |(place, (kind, query))| {
            let rows = place * sizes..(place + 1) * sizes;
            Block { query, kind, rows }
        };
        let blocks = all.enumerate().map(block).collect();
        let floats = |name: &str, values| Arc::new(Column::floats(name, values));
        Self {
            blocks,
            length,
            sizes: Arc::new(Column::integers("size", rows.sizes)),
            seconds: floats("seconds", rows.seconds),
            low: floats("low", rows.low),
            high: floats("high", rows.high),
            from_readings: floats("from_readings", rows.from_readings),
            from_model: floats("from_model", rows.from_model),
            escalation: floats("escalation_probability", rows.escalation),
            extrapolated: Arc::new(Column::flags("extrapolated", rows.extrapolated)),
            alarms: rows.alarms,
            alarm_offsets: std::iter::once(0).chain(rows.alarm_ends).collect(),
        }
    }

    /// The columns, with the keys of the command's JSON.
    pub(crate) fn columns(&self) -> Vec<Arc<Column>> {
        let word = |name: &str, pick: &dyn Fn(&Block) -> Option<String>| {
            let of_block = |block: &Block| std::iter::repeat_n(pick(block), block.rows.len());
            Arc::new(texts(name, self.blocks.iter().flat_map(of_block)))
        };
        let whole = |name: &str, pick: &dyn Fn(&Block) -> Option<i64>| {
            let of_block = |block: &Block| std::iter::repeat_n(pick(block), block.rows.len());
            Arc::new(Column::optional_integers(
                name,
                &self.blocks.iter().flat_map(of_block).collect::<Vec<_>>(),
            ))
        };
        let mut columns = vec![
            word("operation", &|block| Some(block.any().operation().to_owned())),
            word("algorithm", &|block| block.any().algorithm()),
            word("model", &|block| Some(block.kind.name().to_owned())),
            whole("root", &|block| block.any().distinct_root().map(|root| root.0.into())),
            whole("procs", &|block| Some(block.any().procs() as i64)),
        ];
        let numbers = [
            &self.sizes,
            &self.seconds,
            &self.low,
            &self.high,
            &self.from_readings,
            &self.from_model,
        ];
        columns.extend(numbers.into_iter().chain([&self.extrapolated]).map(Arc::clone));
        columns.push(Arc::new(self.alarm_column()));
        if self.escalation.missing() < self.length {
            columns.push(Arc::clone(&self.escalation));
        }
        columns
    }

    /// The column of alarms: lists of records.
    fn alarm_column(&self) -> Column {
        let text = |name: &str, pick: &dyn Fn(&Alarm) -> String| {
            Arc::new(texts(name, self.alarms.iter().map(|alarm| Some(pick(alarm)))))
        };
        let records = vec![
            text("alarm", &|alarm| alarm.name().to_owned()),
            text("message", &ToString::to_string),
        ];
        let (values, length) = (Values::Records(records), self.alarms.len());
        let elements = Arc::new(Column { name: "item".into(), values, length, present: None });
        let values = Values::Lists { offsets: self.alarm_offsets.clone(), elements };
        Column { name: "alarms".into(), values, length: self.length, present: None }
    }

    /// The size of a row.
    fn size(&self, row: usize) -> Bytes {
        Bytes::new(self.sizes.integer(row) as u64)
    }

    /// The interval of a row in seconds; `None` if it has none.
    fn interval(&self, row: usize) -> Option<(f64, f64)> {
        let (low, high) = (self.low.float(row), self.high.float(row));
        (!low.is_nan() && !high.is_nan()).then_some((low, high))
    }

    /// A curve for each block.
    pub(crate) fn curves(&self) -> Vec<PredictedCurve> {
        let curve = |block: &Block| {
            let name = format!("{} by {}", block.any().operation_and_algorithm(), block.kind);
            let point = |row: usize| CurvePoint {
                size: self.size(row),
                seconds: self.seconds.float(row),
                interval: self.interval(row),
            };
            PredictedCurve { name, points: block.rows.clone().map(point).collect() }
        };
        self.blocks.iter().map(curve).collect()
    }

    /// The table of the first [`MAX_ROWS`] rows, for people.
    pub(crate) fn first_rows(&self) -> ReportTable {
        let prediction = |block: &Block, row: usize| {
            let alarms = self.alarm_offsets[row] as usize..self.alarm_offsets[row + 1] as usize;
            let part = |value: f64| (!value.is_nan()).then_some(value);
            Prediction {
                query: block.query.of_size(self.size(row)),
                model: block.kind,
                seconds: Seconds::new(self.seconds.float(row)),
                interval: self
                    .interval(row)
                    .map(|(low, high)| (Seconds::new(low), Seconds::new(high))),
                uncertainty: Uncertainty {
                    readings: part(self.from_readings.float(row)),
                    model: part(self.from_model.float(row)),
                },
                escalation: part(self.escalation.float(row)),
                alarms: self.alarms[alarms].to_vec(),
            }
        };
        let rows =
            self.blocks.iter().flat_map(|block| block.rows.clone().map(move |row| (block, row)));
        let first: Vec<Prediction> =
            rows.take(MAX_ROWS).map(|(block, row)| prediction(block, row)).collect();
        orrery_report::tables::predictions(&first)
    }
}
