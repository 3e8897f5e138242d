use orrery::kernel::{KernelCall, KernelRunError};

use super::element::Element;

/// A function of A, B and C of [`CallOperands`](super::operands::CallOperands) that returns 0 or
/// the error of the library.
pub type Run<E> = dyn FnMut(&[E], &[E], &mut [E]) -> i32;

/// A call that only needs its operands.
pub struct PreparedCall<E> {
    /// The name of the function.
    pub symbol: String,
    /// The function.
    pub run: Box<Run<E>>,
}

/// What runs prepared calls.
pub trait Kernels {
    /// The name in errors.
    fn name(&self) -> &str;

    /// The call of a kernel whose precision is that of the element.
    ///
    /// # Errors
    ///
    /// When the library does not have the kernel.
    fn prepare<E: Element>(&self, call: &KernelCall) -> Result<PreparedCall<E>, KernelRunError>;
}
