use std::fmt::Write as _;

use crate::sample::file::table::{self, Column, Layout, Row};
use crate::sample::{KernelConditions, KernelReading};
use orrery_base::file::Fault;
use orrery_base::units::{Bytes, Seconds};
use orrery_program::kernel::{Kernel, KernelCall};

/// The valid integers.
const NUMBER: &str = "an integer, such as 0";
/// The valid dimensions.
const DIMENSION: &str = "a number of rows or columns, such as 1000";
/// The valid times.
const TIME: &str = "a time in seconds, such as 0.0233 (finite, above 0)";
/// The valid states of operands.
const OPERANDS: &str = "warm or cold";

/// A column of a kernel timings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sample::file) enum KernelColumn {
    Host,
    Library,
    Kernel,
    Variant,
    M,
    N,
    K,
    Operands,
    Threads,
    Rep,
    Seconds,
    Memory,
}

impl Column for KernelColumn {
    const ALL: &'static [Self] = &[
        Self::Host,
        Self::Library,
        Self::Kernel,
        Self::Variant,
        Self::M,
        Self::N,
        Self::K,
        Self::Operands,
        Self::Threads,
        Self::Rep,
        Self::Seconds,
        Self::Memory,
    ];

    const REQUIRED: &'static [Self] = &[Self::Kernel, Self::Seconds];

    const REPETITION: Self = Self::Rep;

    fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Library => "library",
            Self::Kernel => "kernel",
            Self::Variant => "variant",
            Self::M => "m",
            Self::N => "n",
            Self::K => "k",
            Self::Operands => "operands",
            Self::Threads => "threads",
            Self::Rep => "rep",
            Self::Seconds => "seconds",
            Self::Memory => "memory",
        }
    }
}

/// A result whose error comes with its column.
type Located<T> = Result<T, (KernelColumn, Fault)>;

pub(super) fn read(row: Row<KernelColumn>) -> Located<KernelReading> {
    let kernel: Kernel = row
        .text(KernelColumn::Kernel)
        .parse()
        .map_err(|unknown| (KernelColumn::Kernel, Fault::new(unknown)))?;
    let mut dimensions = [1; 3];
    let columns = [KernelColumn::M, KernelColumn::N, KernelColumn::K];
    for ((dimension, exists), column) in
        dimensions.iter_mut().zip(kernel.routine.dimensions()).zip(columns)
    {
        if exists {
            *dimension = row.required(column, DIMENSION)?;
        }
    }
    let variant = Some(row.text(KernelColumn::Variant)).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(kernel.routine.variants()[0]);
    let call = KernelCall::new(kernel, variant, dimensions);
    let call = call.map_err(|error| (KernelColumn::Kernel, Fault::new(error)))?;
    let operands = row.optional(KernelColumn::Operands, OPERANDS)?.unwrap_or_default();
    let threads = row.optional(KernelColumn::Threads, NUMBER)?.unwrap_or(1);
    let rep = row.optional(KernelColumn::Rep, NUMBER)?.unwrap_or(0);
    let seconds: f64 = row.required(KernelColumn::Seconds, TIME)?;
    if !is_time(seconds) {
        return Err(row.invalid(KernelColumn::Seconds, TIME));
    }
    let memory: Option<u64> = row.optional(KernelColumn::Memory, NUMBER)?;
    let [host, library] =
        [KernelColumn::Host, KernelColumn::Library].map(|column| row.text(column).to_owned());
    Ok(KernelReading {
        conditions: KernelConditions { host, library, threads, operands },
        call,
        rep,
        seconds: Seconds::new(seconds),
        memory: memory.map(Bytes::new),
    })
}

/// Returns true if a reading is finite and above 0.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds > 0.0
}

/// Appends a row with the columns of `layout`.
pub(super) fn write(
    text: &mut String,
    layout: &Layout<KernelColumn>,
    row: &KernelReading,
) -> Result<(), Fault> {
    let KernelReading { conditions, call, rep, seconds, memory } = row;
    if !is_time(seconds.get()) {
        let found = seconds.get().to_string();
        return Err(table::invalid_value(KernelColumn::Seconds.name(), &found, TIME));
    }
    let dimension = |place: usize| {
        let exists = call.kernel().routine.dimensions()[place];
        if exists { call.dimensions()[place].to_string() } else { String::new() }
    };
    let mut fields = vec![String::new(); layout.width];
    for (column, field) in [
        (KernelColumn::Host, table::field(&conditions.host, KernelColumn::Host.name())?),
        (KernelColumn::Library, table::field(&conditions.library, KernelColumn::Library.name())?),
        (KernelColumn::Kernel, call.kernel().to_string()),
        (KernelColumn::Variant, call.variant().to_owned()),
        (KernelColumn::M, dimension(0)),
        (KernelColumn::N, dimension(1)),
        (KernelColumn::K, dimension(2)),
        (KernelColumn::Operands, conditions.operands.name().to_owned()),
        (KernelColumn::Threads, conditions.threads.to_string()),
        (KernelColumn::Rep, rep.to_string()),
        (KernelColumn::Seconds, seconds.get().to_string()),
        (KernelColumn::Memory, memory.map(|memory| memory.get().to_string()).unwrap_or_default()),
    ] {
        if let Some(place) = layout.field(column) {
            fields[place] = field;
        }
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", fields.join(","));
    Ok(())
}
