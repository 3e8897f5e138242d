use orrery::kernel::{KernelCall, KernelRunError};

use super::element::Element;

/// A call that only needs its operands: it takes A, B and C of [`CallOperands`](super::operands::CallOperands), and returns 0 or the
/// error of the library.
pub struct PreparedCall<E> {
    /// The function.
    pub symbol: String,
    /// The call.
    pub run: Box<dyn FnMut(&[E], &[E], &mut [E]) -> i32>,
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
