use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Kernel, KernelRoutine};
use orrery_base::units::{Bytes, UnknownName};

/// A call of a kernel: its variant and dimensions.
///
/// ```
/// use orrery_program::kernel::KernelCall;
/// use orrery_base::units::Bytes;
/// let call = KernelCall::new("dgemm".parse()?, "nt", [100, 200, 50])?;
/// assert_eq!((call.operations(), call.space()), (2e6, Bytes::new(8 * (100 * 50 + 50 * 200 + 100 * 200))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelCall {
    kernel: Kernel,
    variant: &'static str,
    dimensions: [u64; 3],
}

/// The reason why a call is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelCallError {
    /// The routine has no such variant.
    #[error("{kernel} has no variant '{variant}'; it has {known}")]
    Variant {
        /// The kernel.
        kernel: Kernel,
        /// The variant.
        variant: String,
        /// The variants that the kernel has.
        known: String,
    },
    /// A dimension is 0 or too large.
    #[error("{name} is {value}; dimensions of {kernel} must be 1 to {MAX_DIMENSION}")]
    Dimension {
        /// The kernel.
        kernel: Kernel,
        /// The dimension.
        name: char,
        /// Its value.
        value: u64,
    },
    /// A text names no kernel.
    #[error(transparent)]
    Kernel(#[from] UnknownName),
    /// A text has other words than a call.
    #[error(
        "'{text}' is no call of {kernel}; write its dimensions after the kernel and a variant: \
            {example}"
    )]
    Text {
        /// The text.
        text: String,
        /// The kernel.
        kernel: Kernel,
        /// A call of the kernel.
        example: String,
    },
}

impl FromStr for KernelCall {
    type Err = KernelCallError;

    /// Parses the kernel, its variant (the first one if it is left out) and its dimensions,
    /// separated by blanks.
    ///
    /// ```
    /// use orrery_program::kernel::KernelCall;
    /// let call: KernelCall = "dgemm nt 100 200 50".parse()?;
    /// assert_eq!(call, KernelCall::new("dgemm".parse()?, "nt", [100, 200, 50])?);
    /// assert_eq!("dsyrk 100 50".parse::<KernelCall>()?.dimensions(), [1, 100, 50]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, KernelCallError> {
        let mut words = text.split_whitespace().peekable();
        let kernel: Kernel = words.next().unwrap_or_default().parse()?;
        let has_variant = words
            .peek()
            .is_some_and(|word| !word.starts_with(|letter: char| letter.is_ascii_digit()));
        let variant = if has_variant { words.next() } else { None };
        let variant = variant.unwrap_or(kernel.routine.variants()[0]);
        let exists = kernel.routine.dimensions();
        let mut values = words.map(|word| word.parse::<u64>().ok());
        let mut dimensions = [1; 3];
        let mut is_complete = true;
        for (dimension, _) in dimensions.iter_mut().zip(exists).filter(|(_, exists)| *exists) {
            match values.next().flatten() {
                Some(value) => *dimension = value,
                None => is_complete = false,
            }
        }
        if !is_complete || values.next().is_some() {
            let example = [kernel.to_string(), kernel.routine.variants()[0].to_owned()];
            let values = [100, 200, 50].into_iter().zip(exists).filter(|(_, exists)| *exists);
            let words = example.into_iter().filter(|word| !word.is_empty());
            let words: Vec<String> =
                words.chain(values.map(|(value, _)| value.to_string())).collect();
            return Err(KernelCallError::Text {
                text: text.trim().to_owned(),
                kernel,
                example: words.join(" "),
            });
        }
        Self::new(kernel, variant, dimensions)
    }
}

/// The largest dimension of a call.
const MAX_DIMENSION: u64 = 1 << 31;

impl KernelCall {
    /// A call with dimensions m, n and k; those that the routine does not have are ignored.
    ///
    /// # Errors
    ///
    /// When the routine has no such variant, or when a dimension is 0 or larger than 2³¹.
    pub fn new(
        kernel: Kernel,
        variant: &str,
        dimensions: [u64; 3],
    ) -> Result<Self, KernelCallError> {
        let variants = kernel.routine.variants();
        let Some(variant) = variants.iter().find(|known| **known == variant) else {
            let known = if variants == [""] { "none".to_owned() } else { variants.join(", ") };
            return Err(KernelCallError::Variant { kernel, variant: variant.to_owned(), known });
        };
        let mut own = dimensions;
        for ((value, exists), name) in
            own.iter_mut().zip(kernel.routine.dimensions()).zip(['m', 'n', 'k'])
        {
            if !exists {
                *value = 1;
            } else if *value == 0 || *value > MAX_DIMENSION {
                return Err(KernelCallError::Dimension { kernel, name, value: *value });
            }
        }
        Ok(Self { kernel, variant, dimensions: own })
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The variant, one of [`KernelRoutine::variants`].
    pub fn variant(&self) -> &'static str {
        self.variant
    }

    /// The dimensions m, n and k; 1 for those that the routine does not have.
    pub fn dimensions(&self) -> [u64; 3] {
        self.dimensions
    }

    /// The smallest dimension of those that the routine has.
    pub fn smallest_dimension(&self) -> u64 {
        let has = self.kernel.routine.dimensions();
        self.dimensions
            .iter()
            .zip(has)
            .filter(|(_, has)| *has)
            .map(|(value, _)| *value)
            .min()
            .unwrap_or(1)
    }

    /// The number of floating-point operations on elements, by the leading terms of the usual
    /// formulas.
    pub fn operations(&self) -> f64 {
        self.kernel.routine.operations(self.variant, self.dimensions)
    }

    /// The call of another kernel with about the same time, and how often it is made: ger on m×n as
    /// axpy of the m elements of each column, trmm as trsm. `None` for other kernels.
    ///
    /// ```
    /// use orrery_program::kernel::KernelCall;
    /// let call: KernelCall = "dger 100 32".parse()?;
    /// assert_eq!(call.substitute(), Some(("daxpy 100".parse()?, 32)));
    /// # Ok::<(), orrery_program::kernel::KernelCallError>(())
    /// ```
    pub fn substitute(&self) -> Option<(Self, u64)> {
        let [m, n, _] = self.dimensions;
        let kernel = self.kernel.substitute()?;
        match kernel.routine {
            KernelRoutine::Axpy => Some((Self { kernel, variant: "", dimensions: [1, m, 1] }, n)),
            _ => Some((Self { kernel, ..*self }, 1)),
        }
    }

    /// The dimensions of a call of another variant with the same work: m and n are exchanged if the
    /// triangle of trsm or trmm is on the other side in `variant`.
    pub fn dimensions_as(&self, variant: &str) -> [u64; 3] {
        let [m, n, k] = self.dimensions;
        let is_triangular =
            matches!(self.kernel.routine, KernelRoutine::Trsm | KernelRoutine::Trmm);
        let is_other_side =
            is_triangular && self.variant.starts_with('r') != variant.starts_with('r');
        if is_other_side { [n, m, k] } else { [m, n, k] }
    }

    /// The memory of the operands.
    pub fn space(&self) -> Bytes {
        let elements = self.kernel.routine.elements(self.variant, self.dimensions);
        Bytes::new(elements.saturating_mul(self.kernel.precision.element().get()))
    }
}

orrery_base::named_enum! {
    /// The state of the operands of a call when it begins.
    #[derive(
        Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
    )]
    #[serde(rename_all = "lowercase")]
    pub enum Operands: "state of operands" {
        /// In caches, as far as they fit: an untimed call of the same operands comes first.
        #[default]
        Warm => "warm",
        /// Not in caches: other memory is written before each call.
        Cold => "cold",
    }
}
