//! The kernel timings file: times of calls of kernels, as CSV in the style of the samples file.
//!
//! ```text
//! # format: orrery-kernels 1
//! # machine: local
//! host,library,kernel,variant,m,n,k,operands,threads,rep,seconds,memory
//! a,libopenblas.so.0,dgemm,nn,100,100,100,warm,1,0,0.000041,240000
//! ```
//!
//! Columns are found by name, in any order; comments and unknown columns are ignored. Without a
//! variant, calls are of the first one of the kernel; dimensions that the kernel does not have are
//! empty.
//!
//! ```
//! use orrery_measure::sample::{KernelTimings, file::parse_table};
//! let text = "# format: orrery-kernels 1\nkernel,m,n,k,seconds\ndgemm,100,100,100,0.000041\n";
//! let loaded = parse_table::<KernelTimings>(text, "by-hand.csv")?;
//! assert_eq!(loaded.samples.readings[0].call.variant(), "nn");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

use super::layout::{self, NUMBER, Row, Table, WrittenTable, columns};
use super::suspicious_rows::RowTime;
use crate::sample::{KernelConditions, KernelReading, KernelTimings, Provenance};
use orrery_base::file::{Fault, FileKind};
use orrery_base::units::Bytes;
use orrery_program::kernel::{Kernel, KernelCall};

/// The valid states of operands.
const OPERANDS: &str = "warm or cold";

columns! {
    KernelColumn:
    Host "host",
    Library "library",
    Kernel "kernel",
    Variant "variant",
    M "m",
    N "n",
    K "k",
    Operands "operands",
    Threads "threads",
    Rep "rep",
    Seconds "seconds",
    Memory "memory",
}

impl Table for KernelTimings {
    type Column = KernelColumn;
    const FILE: &'static str = "kernel timings file";
    const FORMAT: &'static str = "orrery-kernels 1";
    const EXAMPLE: &'static str = "kernel,m,n,k,seconds";
    const KIND: FileKind = FileKind::Kernels;
    const REQUIRED: &'static [KernelColumn] = &[KernelColumn::Kernel, KernelColumn::Seconds];
    const REPETITION: KernelColumn = KernelColumn::Rep;

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row<KernelColumn>) -> Result<RowTime, Fault> {
        self.readings.push(read(row)?);
        Ok(RowTime::None)
    }
}

/// Parses a row.
fn read(row: Row<KernelColumn>) -> Result<KernelReading, Fault> {
    let kernel: Kernel = row
        .text(KernelColumn::Kernel)
        .parse()
        .map_err(|unknown| row.at(KernelColumn::Kernel, Fault::new(unknown)))?;
    let columns = [KernelColumn::M, KernelColumn::N, KernelColumn::K];
    let dimensions = row.dimensions(columns, kernel.routine.dimensions())?;
    let variant = Some(row.text(KernelColumn::Variant)).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(kernel.routine.variants()[0]);
    let call = KernelCall::new(kernel, variant, dimensions)
        .map_err(|error| row.at(KernelColumn::Kernel, Fault::new(error)))?;
    let memory: Option<u64> = row.optional(KernelColumn::Memory, NUMBER)?;
    let [host, library] =
        [KernelColumn::Host, KernelColumn::Library].map(|column| row.text(column).to_owned());
    Ok(KernelReading {
        conditions: KernelConditions {
            host,
            library,
            threads: row.optional(KernelColumn::Threads, NUMBER)?.unwrap_or(1),
            operands: row.optional(KernelColumn::Operands, OPERANDS)?.unwrap_or_default(),
        },
        call,
        rep: row.number(KernelColumn::Rep)?,
        seconds: row.required_time(KernelColumn::Seconds)?,
        memory: memory.map(Bytes::new),
    })
}

impl WrittenTable for KernelTimings {
    type Reading = KernelReading;

    fn rows(&self) -> impl Iterator<Item = KernelReading> {
        self.readings.iter().cloned()
    }

    fn cells(reading: &KernelReading) -> Result<Vec<(KernelColumn, String)>, Fault> {
        use KernelColumn as C;
        let KernelReading { conditions, call, rep, seconds, memory } = reading;
        let dimension = |place: usize| {
            let exists = call.kernel().routine.dimensions()[place];
            if exists { call.dimensions()[place].to_string() } else { String::new() }
        };
        Ok(vec![
            (C::Host, layout::field(&conditions.host, C::Host)?),
            (C::Library, layout::field(&conditions.library, C::Library)?),
            (C::Kernel, call.kernel().to_string()),
            (C::Variant, call.variant().to_owned()),
            (C::M, dimension(0)),
            (C::N, dimension(1)),
            (C::K, dimension(2)),
            (C::Operands, conditions.operands.name().to_owned()),
            (C::Threads, conditions.threads.to_string()),
            (C::Rep, rep.to_string()),
            (C::Seconds, layout::time_field(*seconds, C::Seconds)?),
            (C::Memory, memory.map(|memory| memory.get().to_string()).unwrap_or_default()),
        ])
    }
}
