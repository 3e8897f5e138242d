//! Kernels in Rust, for hosts without a library.

mod product;
mod solve;
mod view;

use orrery::kernel::{
    KernelCall, KernelMachine, KernelReadings, KernelRoutine, KernelRunError, Operands,
};
use solve::Triangle;
use view::{View, ViewMut};

use crate::bench::Bench;
use crate::element::{Element, Kernels, PreparedCall};
use crate::options::{BlasError, LibraryDescription, Options, Pin};

/// The name in errors and descriptions.
const NAME: &str = "orrery-blas";

/// A machine with kernels in Rust, by one thread. Blocks fit caches, but instructions are those of
/// every processor of the kind, so that tuned libraries are several times faster.
pub struct RustKernels {
    bench: Bench,
    _pin: Option<Pin>,
}

impl RustKernels {
    /// A machine of the calling thread.
    ///
    /// # Errors
    ///
    /// When more than one thread is requested, or when the thread cannot be bound to the processor.
    pub fn new(options: Options) -> Result<Self, BlasError> {
        options.check()?;
        if let Some(requested) = options.threads.filter(|threads| *threads > 1) {
            let library = "rust".to_owned();
            return Err(BlasError::OtherThreads { library, requested, actual: 1 });
        }
        Ok(Self { bench: Bench::default(), _pin: options.processor.map(Pin::new).transpose()? })
    }

    /// The description of the kernels.
    pub fn description(&self) -> LibraryDescription {
        LibraryDescription {
            library: NAME.to_owned(),
            path: None,
            version: Some(format!("kernels in Rust {}", env!("CARGO_PKG_VERSION"))),
            threads: Some(1),
            adds_by_own_loop: false,
        }
    }
}

impl KernelMachine for RustKernels {
    /// Runs a call several times; with 0 repetitions it does nothing.
    fn run(
        &mut self,
        call: &KernelCall,
        operands: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError> {
        self.bench.run(&Loops, call, operands, repetitions)
    }
}

/// The kernels in Rust, as functions.
pub struct Loops;

impl Kernels for Loops {
    fn name(&self) -> &str {
        NAME
    }

    fn prepare<E: Element>(&self, call: &KernelCall) -> Result<PreparedCall<E>, KernelRunError> {
        let call = *call;
        let symbol = call.kernel().to_string();
        Ok(PreparedCall { symbol, run: Box::new(move |a, b, c| run(&call, a, b, c)) })
    }
}

/// Runs a call; returns 0 or the place at which a factorisation fails, as LAPACK does.
fn run<E: Element>(call: &KernelCall, a: &[E], b: &[E], c: &mut [E]) -> i32 {
    let [m, n, k] = call.dimensions().map(|dimension| dimension as usize);
    let mut letters = call.variant().chars();
    let mut letter = || letters.next().unwrap_or('n');
    match call.kernel().routine {
        KernelRoutine::Gemm => {
            let a = operand(a, [m, k], letter());
            let b = operand(b, [k, n], letter());
            product::multiply_add(E::ONE, a, b, &mut ViewMut::new(c, m, n));
        }
        KernelRoutine::Trsm | KernelRoutine::Trmm => {
            let (side, triangle, transposition) = (letter(), letter(), letter());
            let order = if side == 'l' { m } else { n };
            // XT = B on the right is TᵀXᵀ = Bᵀ; the same holds for products.
            let is_transposed = (transposition == 't') == (side == 'l');
            let matrix = View::new(a, order, order);
            let matrix = if is_transposed { matrix.transposed() } else { matrix };
            let is_lower = (triangle == 'l') != is_transposed;
            let system = Triangle { matrix, is_lower, has_unit_diagonal: false };
            let mut b = ViewMut::new(c, m, n);
            let mut b = if side == 'l' { b } else { b.transposed() };
            match call.kernel().routine {
                KernelRoutine::Trsm => system.solve(&mut b),
                _ => system.multiply(&mut b),
            }
        }
        KernelRoutine::Syrk => {
            let triangle = letter();
            let a = operand(a, [n, k], letter());
            let mut c = ViewMut::new(c, n, n);
            let mut lower = if triangle == 'l' { c } else { c.transposed() };
            product::multiply_add_lower(E::ONE, a, a.transposed(), &mut lower);
        }
        KernelRoutine::Gemv if letter() == 't' => {
            product::multiply_add_transposed(View::new(a, m, n), b, c);
        }
        KernelRoutine::Gemv => product::multiply_add_vector(View::new(a, m, n), b, c),
        KernelRoutine::Ger => {
            for (factor, column) in b.iter().zip(c.chunks_exact_mut(m)) {
                product::add_scaled(*factor, a, column);
            }
        }
        KernelRoutine::Axpy | KernelRoutine::Add => product::add_scaled(E::ONE, a, c),
        KernelRoutine::Getrf => return solve::factorise_lu(&mut ViewMut::new(c, m, n)),
        KernelRoutine::Potrf => {
            // A = UᴴU transposed is Aᵀ = LLᴴ with L = Uᵀ.
            let mut a = ViewMut::new(c, n, n);
            return solve::factorise_cholesky(&mut if letter() == 'l' {
                a
            } else {
                a.transposed()
            });
        }
    }
    0
}

/// An operand of these rows and columns, from its stored matrix, which is transposed if the letter
/// of the variant is `t`.
fn operand<E: Element>(data: &[E], [rows, columns]: [usize; 2], letter: char) -> View<'_, E> {
    if letter == 't' {
        View::new(data, columns, rows).transposed()
    } else {
        View::new(data, rows, columns)
    }
}
