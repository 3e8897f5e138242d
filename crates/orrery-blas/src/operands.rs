use std::io;

use orrery::kernel::{KernelCall, KernelRoutine};
use orrery::units::Bytes;

use super::buffer::Buffer;
use super::element::Element;

/// The operands of calls: A, B and the operand that a call overwrites, C.
///
/// Matrices are stored by columns without gaps. B is the second matrix of gemm, the vector x of
/// gemv and y of ger; the overwritten operand is B of trsm and trmm, y of gemv and axpy, A of ger,
/// and the matrix of a factorisation.
pub struct CallOperands<E> {
    inputs: [Copies<E>; 2],
    output: Copies<E>,
    call: KernelCall,
}

/// Operands of the same content, each at the beginning of a cache line.
struct Copies<E> {
    memory: Buffer<E>,
    length: usize,
    stride: usize,
    count: usize,
}

/// The largest usual size of a cache line; prefetchers load two lines of 64 bytes.
const LINE_BYTES: usize = 128;

/// The distance between the copies of consecutive calls, modulo the number of copies: a prime above
/// it, so that each copy is used once.
const COPY_STEP: u64 = 2_654_435_761;

impl<E: Element> Copies<E> {
    /// Memory for `count` operands of `length` elements.
    fn new(length: usize, count: usize) -> io::Result<Self> {
        let stride =
            if count > 1 { length.next_multiple_of(LINE_BYTES / size_of::<E>()) } else { length };
        let elements = stride.checked_mul(count).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { memory: Buffer::new(elements)?, length, stride, count })
    }

    /// Fills each copy.
    fn fill(&mut self, fill: impl Fn(&mut [E])) {
        for copy in self.memory.chunks_mut(self.stride.max(1)) {
            fill(&mut copy[..self.length]);
        }
    }

    /// The index of the first element of the copy of a call, by the number of the call. Consecutive
    /// calls use distant copies, which processors do not prefetch.
    fn begin(&self, number: usize) -> usize {
        // A division would take longer than the shortest calls.
        if self.count == 1 {
            0
        } else {
            (number as u64 * COPY_STEP) as usize % self.count * self.stride
        }
    }

    /// The copy of a call, by the number of the call.
    fn get(&self, number: usize) -> &[E] {
        let begin = self.begin(number);
        &self.memory[begin..begin + self.length]
    }

    /// The copy of a call, by the number of the call, to be overwritten.
    fn get_mut(&mut self, number: usize) -> &mut [E] {
        let begin = self.begin(number);
        &mut self.memory[begin..begin + self.length]
    }
}

impl<E: Element> CallOperands<E> {
    /// Operands with copies of the inputs and of the overwritten operand, filled with reproducible
    /// values.
    ///
    /// # Errors
    ///
    /// When the system has not enough memory.
    pub fn new(call: &KernelCall, input_copies: usize, output_copies: usize) -> io::Result<Self> {
        let [a, b, c] = lengths(call);
        let mut inputs = [Copies::new(a, input_copies)?, Copies::new(b, input_copies)?];
        if matches!(call.kernel().routine, KernelRoutine::Trsm | KernelRoutine::Trmm) {
            inputs[0].fill(|triangle| fill_triangle(triangle, a.isqrt()));
        } else {
            inputs[0].fill(|matrix| fill_general(matrix, 1 << 62));
        }
        inputs[1].fill(|matrix| fill_general(matrix, 1 << 61));
        let mut operands = Self { inputs, output: Copies::new(c, output_copies)?, call: *call };
        operands.restore();
        Ok(operands)
    }

    /// The memory of all copies.
    pub fn memory(&self) -> Bytes {
        let elements = self
            .inputs
            .iter()
            .chain([&self.output])
            .map(|copies| copies.memory.len())
            .sum::<usize>();
        Bytes::new((elements * size_of::<E>()) as u64)
    }

    /// Writes the overwritten operands again.
    pub fn restore(&mut self) {
        let [_, order, _] = self.call.dimensions().map(|dimension| dimension as usize);
        match self.call.kernel().routine {
            KernelRoutine::Potrf => self.output.fill(|matrix| fill_definite(matrix, order)),
            _ => self.output.fill(|matrix| fill_general(matrix, 0)),
        }
    }

    /// The operands A, B and C of a call by its number; copies are used in turn.
    pub fn get(&mut self, number: usize) -> (&[E], &[E], &mut [E]) {
        let [a, b] = &self.inputs;
        (a.get(number), b.get(number), self.output.get_mut(number))
    }
}

/// The numbers of elements of A, B and C.
pub fn lengths(call: &KernelCall) -> [usize; 3] {
    let [m, n, k] = call.dimensions().map(|dimension| dimension as usize);
    let variant = call.variant();
    match call.kernel().routine {
        KernelRoutine::Gemm => [m * k, k * n, m * n],
        KernelRoutine::Trsm | KernelRoutine::Trmm if variant.starts_with('r') => [n * n, 0, m * n],
        KernelRoutine::Trsm | KernelRoutine::Trmm => [m * m, 0, m * n],
        KernelRoutine::Syrk => [n * k, 0, n * n],
        KernelRoutine::Gemv if variant == "n" => [m * n, n, m],
        KernelRoutine::Gemv => [m * n, m, n],
        KernelRoutine::Ger => [m, n, m * n],
        KernelRoutine::Axpy => [n, 0, n],
        KernelRoutine::Getrf => [0, 0, m * n],
        KernelRoutine::Potrf => [0, 0, n * n],
        KernelRoutine::Add => [m * n, 0, m * n],
    }
}

/// Returns true if repeated calls on their own results would leave the range of usual numbers.
pub fn needs_fresh_operands(routine: KernelRoutine) -> bool {
    matches!(
        routine,
        KernelRoutine::Trsm | KernelRoutine::Trmm | KernelRoutine::Getrf | KernelRoutine::Potrf
    )
}

/// A reproducible number whose parts are uniform in −1 to 1, by its place.
///
/// Source: G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom number generators*, OOPSLA
/// 2014: the output function of SplitMix.
fn value<E: Element>(place: u64) -> E {
    let mut bits = place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let part = |bits: u32| f64::from(bits as i32) / f64::from(1_u32 << 31);
    E::from_parts(part((bits >> 32) as u32), part(bits as u32))
}

/// Fills a matrix with numbers of −1 to 1, by their places counted from `first`.
fn fill_general<E: Element>(matrix: &mut [E], first: u64) {
    for (place, element) in (first + 1..).zip(matrix) {
        *element = value(place);
    }
}

/// Fills a square matrix whose two triangles are well conditioned: 2 on the diagonal, at most
/// 1/order beside it.
fn fill_triangle<E: Element>(matrix: &mut [E], order: usize) {
    fill_general(matrix, 1 << 62);
    let scale = E::from_parts(1.0 / order as f64, 0.0);
    for element in &mut *matrix {
        *element = *element * scale;
    }
    for element in matrix.iter_mut().step_by(order + 1) {
        *element = E::from_parts(2.0, 0.0);
    }
}

/// Fills a Hermitian positive definite matrix: the diagonal is larger than the sum of the others in
/// its row.
fn fill_definite<E: Element>(matrix: &mut [E], order: usize) {
    for (column, elements) in matrix.chunks_exact_mut(order).enumerate() {
        for (row, element) in elements.iter_mut().enumerate() {
            let place = (row.min(column) * order + row.max(column) + 1) as u64;
            *element = match row.cmp(&column) {
                std::cmp::Ordering::Less => value(place),
                std::cmp::Ordering::Equal => E::from_parts(2.0 * order as f64, 0.0),
                std::cmp::Ordering::Greater => value::<E>(place).conjugate(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_call_has_its_copy() {
        let call = KernelCall::new("sgetrf".parse().unwrap(), "", [3, 5, 1]).unwrap();
        for count in [1, 2, 7, 256, 1000] {
            let mut operands = CallOperands::<f32>::new(&call, 1, count).unwrap();
            let reference = operands.get(0).2.to_vec();
            let mut places = BTreeSet::new();
            for number in 0..count {
                let (_, _, c) = operands.get(number);
                assert_eq!(c, reference);
                places.insert(c.as_ptr() as usize);
            }
            assert_eq!(places.len(), count);
            operands.get(count - 1).2.fill(0.0);
            operands.restore();
            assert_eq!(operands.get(count - 1).2, reference);
        }
    }
}
