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

use super::layout::{self, NUMBER, Row, Table, WrittenTable};
use super::suspicious_rows::RowTime;
use crate::sample::{KernelConditions, KernelReading, KernelTimings, Provenance};
use orrery_base::file::{Fault, FileKind};
use orrery_base::units::Bytes;
use orrery_program::kernel::{Kernel, KernelCall};

/// The valid states of operands.
const OPERANDS: &str = "warm or cold";

impl Table for KernelTimings {
    const COLUMNS: &'static str =
        "host,library,kernel,variant,m,n,k,operands,threads,rep,seconds,memory";
    const FILE: &'static str = "kernel timings file";
    const FORMAT: &'static str = "orrery-kernels 1";
    const EXAMPLE: &'static str = "kernel,m,n,k,seconds";
    const KIND: FileKind = FileKind::Kernels;
    const REQUIRED: &'static str = "kernel,seconds";
    const REPETITION: &'static str = "rep";

    fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    fn push(&mut self, row: Row) -> Result<RowTime, Fault> {
        self.readings.push(read(row)?);
        Ok(RowTime::None)
    }
}

/// Parses a row.
fn read(row: Row) -> Result<KernelReading, Fault> {
    let kernel: Kernel =
        row.text("kernel").parse().map_err(|unknown| row.at("kernel", Fault::new(unknown)))?;
    let dimensions = row.dimensions(kernel.routine.dimensions())?;
    let variant = Some(row.text("variant")).filter(|variant| !variant.is_empty());
    let variant = variant.unwrap_or(kernel.routine.variants()[0]);
    let call = KernelCall::new(kernel, variant, dimensions)
        .map_err(|error| row.at("kernel", Fault::new(error)))?;
    let memory: Option<u64> = row.optional("memory", NUMBER)?;
    let [host, library] = ["host", "library"].map(|column| row.text(column).to_owned());
    Ok(KernelReading {
        conditions: KernelConditions {
            host,
            library,
            threads: row.optional("threads", NUMBER)?.unwrap_or(1),
            operands: row.optional("operands", OPERANDS)?.unwrap_or_default(),
        },
        call,
        rep: row.number("rep")?,
        seconds: row.required_time("seconds")?,
        memory: memory.map(Bytes::new),
    })
}

impl WrittenTable for KernelTimings {
    type Reading = KernelReading;

    fn rows(&self) -> impl Iterator<Item = KernelReading> {
        self.readings.iter().cloned()
    }

    fn cells(reading: &KernelReading) -> Result<Vec<(&'static str, String)>, Fault> {
        let KernelReading { conditions, call, rep, seconds, memory } = reading;
        let dimension = |place: usize| {
            let exists = call.kernel().routine.dimensions()[place];
            if exists { call.dimensions()[place].to_string() } else { String::new() }
        };
        Ok(vec![
            ("host", layout::field(&conditions.host, "host")?),
            ("library", layout::field(&conditions.library, "library")?),
            ("kernel", call.kernel().to_string()),
            ("variant", call.variant().to_owned()),
            ("m", dimension(0)),
            ("n", dimension(1)),
            ("k", dimension(2)),
            ("operands", conditions.operands.name().to_owned()),
            ("threads", conditions.threads.to_string()),
            ("rep", rep.to_string()),
            ("seconds", layout::time_field(*seconds, "seconds")?),
            ("memory", memory.map(|memory| memory.get().to_string()).unwrap_or_default()),
        ])
    }
}
