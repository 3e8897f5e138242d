//! Repetitions of a call, and their times.

use std::time::{Duration, Instant};

use num_complex::Complex;
use orrery::kernel::{KernelCall, KernelReadings, KernelRunError, Operands, Precision};
use orrery::units::{Bytes, Seconds};

use super::element::{Element, Kernels, PreparedCall};
use super::memory::{self, CacheFlush};
use super::operands::{CallOperands, needs_fresh_operands};

/// The smallest duration of a reading; shorter calls are repeated in it.
const MIN_READING: Duration = Duration::from_micros(20);

/// The duration of an untimed call from which it cannot be the start of a library only.
const LONG_CALL: Duration = Duration::from_millis(100);

/// The largest number of calls in a reading.
const MAX_CALLS: usize = 1 << 16;

/// The largest memory of copies of operands.
const MAX_COPIED: Bytes = Bytes::new(32 << 20);

/// Measures calls; keeps the memory that displaces operands from caches.
#[derive(Default)]
pub struct Bench {
    flush: Option<CacheFlush>,
}

impl Bench {
    /// Runs a call several times.
    ///
    /// # Errors
    ///
    /// When the kernels do not have the call, when it fails, or when there is not enough memory.
    pub fn run(
        &mut self,
        kernels: &impl Kernels,
        call: &KernelCall,
        operands: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError> {
        match call.kernel().precision {
            Precision::Single => self.run_typed::<f32>(kernels, call, operands, repetitions),
            Precision::Double => self.run_typed::<f64>(kernels, call, operands, repetitions),
            Precision::Complex => {
                self.run_typed::<Complex<f32>>(kernels, call, operands, repetitions)
            }
            Precision::DoubleComplex => {
                self.run_typed::<Complex<f64>>(kernels, call, operands, repetitions)
            }
        }
    }

    /// Runs a call with elements of this type several times; with 0 repetitions it only prepares
    /// the call.
    fn run_typed<E: Element>(
        &mut self,
        kernels: &impl Kernels,
        call: &KernelCall,
        operands: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError> {
        let kernel = kernels.prepare::<E>(call)?;
        if repetitions == 0 {
            return Ok(KernelReadings::default());
        }
        let needed = call.space();
        let no_memory =
            |_| KernelRunError::Memory { needed, free: memory::available().unwrap_or_default() };
        if operands == Operands::Cold && self.flush.is_none() {
            self.flush = Some(CacheFlush::new().map_err(no_memory)?);
        }
        if let Some(free) = memory::available().filter(|free| *free < needed) {
            return Err(KernelRunError::Memory { needed, free });
        }
        let before = memory::reset_peak();
        let flush = self.flush.as_mut().filter(|_| operands == Operands::Cold);
        let mut readings = Readings { library: kernels.name(), call, kernel, flush, calls: 1 };
        let mut operands = readings.allocate().map_err(no_memory)?;
        while let Some(calls) = readings.more_calls(&mut operands)? {
            readings.calls = calls;
            // Before others are allocated, since the peak would have both.
            drop(operands);
            operands = readings.allocate().map_err(no_memory)?;
        }
        let seconds = (0..repetitions).map(|_| {
            let duration = readings.take(&mut operands)?;
            Ok(Seconds::new(duration.as_secs_f64() / readings.calls as f64))
        });
        let seconds = seconds.collect::<Result<_, _>>()?;
        let copies = operands.memory() - needed;
        let memory = before.zip(memory::peak()).map(|(before, peak)| peak - before - copies);
        Ok(KernelReadings { seconds, memory })
    }
}

/// Readings of a call, each the duration of a number of calls.
struct Readings<'a, E> {
    library: &'a str,
    call: &'a KernelCall,
    kernel: PreparedCall<E>,
    /// The memory to be written before each reading if operands are not in caches.
    flush: Option<&'a mut CacheFlush>,
    calls: usize,
}

impl<E: Element> Readings<'_, E> {
    /// The operands for the calls of a reading.
    ///
    /// All operands of a call that begins without caches are its own. Otherwise calls share inputs,
    /// and the overwritten operand if its numbers stay in range.
    fn allocate(&self) -> std::io::Result<CallOperands<E>> {
        let inputs = if self.flush.is_some() { self.calls } else { 1 };
        let outputs = if self.needs_copies() { self.calls } else { 1 };
        CallOperands::new(self.call, inputs, outputs)
    }

    /// Returns true if every call of a reading overwrites its own operand.
    fn needs_copies(&self) -> bool {
        self.flush.is_some() || needs_fresh_operands(self.call.kernel().routine)
    }

    /// The duration of the calls of a reading, after the operands are restored and, if they are
    /// cold, caches are flushed; an error if a call fails.
    fn take(&mut self, operands: &mut CallOperands<E>) -> Result<Duration, KernelRunError> {
        operands.restore();
        if let Some(flush) = &mut self.flush {
            flush.flush();
        }
        let mut code = 0;
        let begin = Instant::now();
        for number in 0..self.calls {
            let (a, b, c) = operands.get(number);
            let returned = (self.kernel.run)(a, b, c);
            if code == 0 {
                code = returned;
            }
        }
        let duration = begin.elapsed();
        if code == 0 {
            return Ok(duration);
        }
        let (library, symbol) = (self.library.to_owned(), self.kernel.symbol.clone());
        Err(KernelRunError::Failed { library, symbol, code })
    }

    /// The larger number of calls by which a reading becomes long enough; `None` if it is long
    /// enough.
    ///
    /// The first reading is not used: the library may start, and operands are not in caches.
    fn more_calls(
        &mut self,
        operands: &mut CallOperands<E>,
    ) -> Result<Option<usize>, KernelRunError> {
        if self.take(operands)? >= LONG_CALL {
            return Ok(None);
        }
        let duration = self.take(operands)?;
        let mut largest = MAX_CALLS;
        if self.needs_copies() {
            largest = largest.min((MAX_COPIED.get() / self.call.space().get()) as usize);
        }
        if duration >= MIN_READING || self.calls >= largest {
            return Ok(None);
        }
        // Half more than by proportion, because repeated calls are faster.
        let factor = 1.5 * MIN_READING.as_secs_f64() / duration.as_secs_f64().max(1e-9);
        Ok(Some(((self.calls as f64 * factor.clamp(2.0, 64.0)) as usize).min(largest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kernels that overwrite their operand by 0 and fail on such an operand.
    struct Overwriting;

    impl Kernels for Overwriting {
        fn name(&self) -> &'static str {
            "overwriting"
        }

        fn prepare<E: Element>(
            &self,
            call: &KernelCall,
        ) -> Result<PreparedCall<E>, KernelRunError> {
            let run = |_: &[E], _: &[E], c: &mut [E]| {
                let is_fresh = c.iter().any(|element| element.magnitude() > 0.0);
                c.fill(E::default());
                if is_fresh { 0 } else { 7 }
            };
            Ok(PreparedCall { symbol: call.kernel().to_string(), run: Box::new(run) })
        }
    }

    fn run(
        kernel: &str,
        variant: &str,
        operands: Operands,
    ) -> Result<KernelReadings, KernelRunError> {
        let call = KernelCall::new(kernel.parse().unwrap(), variant, [4, 3, 2]).unwrap();
        Bench::default().run(&Overwriting, &call, operands, 5)
    }

    #[test]
    fn factorisations_begin_with_fresh_operands() {
        for operands in [Operands::Warm, Operands::Cold] {
            for (kernel, variant) in [("dgetrf", ""), ("cpotrf", "u"), ("strsm", "lun")] {
                assert_eq!(
                    run(kernel, variant, operands).unwrap().seconds.len(),
                    5,
                    "{kernel} {operands:?}"
                );
            }
        }
        assert_eq!(run("zgemm", "tn", Operands::Cold).unwrap().seconds.len(), 5);
    }
}
