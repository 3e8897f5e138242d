use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use num_complex::Complex;
use orrery::kernel::{KernelCall, KernelRunError};

/// The type of the elements of a matrix: `f32`, `f64` and their complex numbers.
///
/// A value whose bytes are all 0 is valid.
pub trait Element:
    Copy
    + Default
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// The letter in the names of functions.
    const LETTER: char;
    /// The number 1.
    const ONE: Self;
    /// A scalar as an argument of CBLAS: a real number itself, a complex one as a pointer to it.
    type Argument: Copy;

    /// The element as an argument; a pointer is valid as long as the element.
    fn argument(&self) -> Self::Argument;

    /// The number with this real and imaginary part; a real type ignores the imaginary one.
    fn from_parts(real: f64, imaginary: f64) -> Self;

    /// The real and the imaginary part.
    fn parts(self) -> [f64; 2];

    /// The complex conjugate.
    fn conjugate(self) -> Self {
        let [real, imaginary] = self.parts();
        Self::from_parts(real, -imaginary)
    }

    /// The sum of the absolute parts, by which LAPACK chooses pivots.
    fn magnitude(self) -> f64 {
        let [real, imaginary] = self.parts();
        real.abs() + imaginary.abs()
    }
}

/// Implements [`Element`] for a real type and its complex numbers.
macro_rules! elements {
    ($real:ty, $letter:literal, $complex_letter:literal) => {
        impl Element for $real {
            const LETTER: char = $letter;
            const ONE: Self = 1.0;
            type Argument = Self;

            fn argument(&self) -> Self {
                *self
            }

            fn from_parts(real: f64, _: f64) -> Self {
                real as Self
            }

            fn parts(self) -> [f64; 2] {
                [self.into(), 0.0]
            }
        }

        impl Element for Complex<$real> {
            const LETTER: char = $complex_letter;
            const ONE: Self = Self::new(1.0, 0.0);
            type Argument = *const Self;

            fn argument(&self) -> *const Self {
                self
            }

            fn from_parts(real: f64, imaginary: f64) -> Self {
                Self::new(real as $real, imaginary as $real)
            }

            fn parts(self) -> [f64; 2] {
                [self.re.into(), self.im.into()]
            }
        }
    };
}

elements!(f32, 's', 'c');
elements!(f64, 'd', 'z');

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
