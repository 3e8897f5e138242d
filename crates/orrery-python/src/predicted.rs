//! Predicted times in columns.

use std::ops::Range;
use std::sync::Arc;

use orrery::model::{Alarm, ModelKind, Prediction, Query, Uncertainty};
use orrery::units::{Bytes, Seconds};
use orrery_report::Table as ReportTable;
use orrery_report::notebook::{CurvePoint, PredictedCurve};

use crate::arrow::{Bits, Column, Values, texts};

/// The largest number of rows of a table in a notebook.
const MAX_ROWS: usize = 20;

/// The query of a size.
pub(crate) type QueryOfSize = Arc<dyn Fn(Bytes) -> Query + Send + Sync>;

/// Rows that differ in the size only.
pub(crate) struct Block {
    /// The query of each size.
    pub query: QueryOfSize,
    /// The kind of model.
    pub kind: ModelKind,
    /// The rows.
    pub rows: Range<usize>,
}

impl Block {
    /// The query of one of its sizes.
    fn any(&self) -> Query {
        (self.query)(Bytes::ZERO)
    }
}

/// Predicted times.
pub(crate) struct Predicted {
    pub blocks: Vec<Block>,
    sizes: Vec<i64>,
    seconds: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    from_readings: Vec<f64>,
    from_model: Vec<f64>,
    escalation: Vec<f64>,
    extrapolated: Bits,
    /// The alarms of all rows, and where those of each row begin and end.
    alarms: Vec<Alarm>,
    alarm_offsets: Vec<i64>,
}

impl Predicted {
    /// No predictions, with memory for some.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let column = || Vec::with_capacity(rows);
        let mut alarm_offsets = Vec::with_capacity(rows + 1);
        alarm_offsets.push(0);
        Self {
            blocks: Vec::new(),
            sizes: Vec::with_capacity(rows),
            seconds: column(),
            low: column(),
            high: column(),
            from_readings: column(),
            from_model: column(),
            escalation: column(),
            extrapolated: Bits::default(),
            alarms: Vec::new(),
            alarm_offsets,
        }
    }

    /// The number of predictions.
    pub(crate) fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Adds a prediction.
    pub(crate) fn push(&mut self, prediction: Prediction) {
        let (low, high) = prediction.interval.map_or((f64::NAN, f64::NAN), |(low, high)| (low.get(), high.get()));
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
        self.alarm_offsets.push(self.alarms.len() as i64);
    }

    /// The columns, with the keys of the command's JSON.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let word = |name: &str, pick: &dyn Fn(&Block) -> Option<String>| {
            let of_block = |block: &Block| std::iter::repeat_n(pick(block), block.rows.len());
            texts(name, self.blocks.iter().flat_map(of_block))
        };
        let whole = |name: &str, pick: &dyn Fn(&Block) -> Option<i64>| {
            let of_block = |block: &Block| std::iter::repeat_n(pick(block), block.rows.len());
            Column::optional_integers(name, &self.blocks.iter().flat_map(of_block).collect::<Vec<_>>())
        };
        let alarm = |pick: &dyn Fn(&Alarm) -> String, name: &str| {
            Arc::new(texts(name, self.alarms.iter().map(|alarm| Some(pick(alarm)))))
        };
        let records = vec![alarm(&|alarm| alarm.name().to_owned(), "alarm"), alarm(&ToString::to_string, "message")];
        let elements =
            Column { name: "item".into(), values: Values::Records(records), length: self.alarms.len(), present: None };
        let lists = Values::Lists { offsets: self.alarm_offsets.clone(), elements: Arc::new(elements) };
        let mut columns = vec![
            word("operation", &|block| Some(block.any().operation().to_owned())),
            word("algorithm", &|block| block.any().algorithm()),
            word("model", &|block| Some(block.kind.name().to_owned())),
            whole("root", &|block| block.any().distinct_root().map(|root| root.0.into())),
            whole("procs", &|block| Some(block.any().procs() as i64)),
            Column::integers("size", self.sizes.clone()),
            Column::floats("seconds", self.seconds.clone()),
            Column::floats("low", self.low.clone()),
            Column::floats("high", self.high.clone()),
            Column::floats("from_readings", self.from_readings.clone()),
            Column::floats("from_model", self.from_model.clone()),
            Column::flags("extrapolated", self.extrapolated.clone()),
            Column { name: "alarms".into(), values: lists, length: self.len(), present: None },
        ];
        if self.escalation.iter().any(|probability| !probability.is_nan()) {
            columns.push(Column::floats("escalation_probability", self.escalation.clone()));
        }
        columns
    }

    /// The interval of a row in seconds; `None` if it has none.
    fn interval(&self, row: usize) -> Option<(f64, f64)> {
        let (low, high) = (self.low[row], self.high[row]);
        (!low.is_nan() && !high.is_nan()).then_some((low, high))
    }

    /// A curve for each block.
    pub(crate) fn curves(&self) -> Vec<PredictedCurve> {
        let curve = |block: &Block| {
            let name = format!("{} by {}", block.any().operation_and_algorithm(), block.kind);
            let point = |row: usize| CurvePoint {
                size: Bytes::new(self.sizes[row] as u64),
                seconds: self.seconds[row],
                interval: self.interval(row),
            };
            PredictedCurve { name, points: block.rows.clone().map(point).collect() }
        };
        self.blocks.iter().map(curve).collect()
    }

    /// The table of the first rows, for people.
    pub(crate) fn first_rows(&self) -> ReportTable {
        let prediction = |block: &Block, row: usize| {
            let alarms = self.alarm_offsets[row] as usize..self.alarm_offsets[row + 1] as usize;
            let part = |value: f64| (!value.is_nan()).then_some(value);
            Prediction {
                query: (block.query)(Bytes::new(self.sizes[row] as u64)),
                model: block.kind,
                seconds: Seconds::new(self.seconds[row]),
                interval: self.interval(row).map(|(low, high)| (Seconds::new(low), Seconds::new(high))),
                uncertainty: Uncertainty { readings: part(self.from_readings[row]), model: part(self.from_model[row]) },
                escalation: part(self.escalation[row]),
                alarms: self.alarms[alarms].to_vec(),
            }
        };
        let rows = self.blocks.iter().flat_map(|block| block.rows.clone().map(move |row| (block, row)));
        let first: Vec<Prediction> = rows.take(MAX_ROWS).map(|(block, row)| prediction(block, row)).collect();
        orrery_report::tables::predictions(&first)
    }
}
