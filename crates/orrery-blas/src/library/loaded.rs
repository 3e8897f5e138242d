use std::mem::ManuallyDrop;

use libloading::Library;
use orrery::kernel::KernelRunError;

use crate::options::BlasError;

/// A library that stays loaded until the process ends, so that its functions are valid until then.
pub struct LoadedLibrary {
    name: String,
    /// Libraries with threads of their own do not survive their removal.
    library: ManuallyDrop<Library>,
}

impl LoadedLibrary {
    /// Loads a library by its name or path.
    ///
    /// # Errors
    ///
    /// When it cannot be loaded, or when its integers have 64 bits.
    pub fn open(name: &str) -> Result<Self, BlasError> {
        // SAFETY: loading runs the constructors of the library; the user names it for this.
        let loaded = unsafe { Library::new(name) };
        let library = loaded.map_err(|error| {
            let reason = error.to_string();
            // The linker repeats the name.
            let reason = reason.strip_prefix(&format!("{name}: ")).unwrap_or(&reason).to_owned();
            BlasError::Load { library: name.to_owned(), reason }
        })?;
        let library = Self { name: name.to_owned(), library: ManuallyDrop::new(library) };
        if library.has_wide_integers() {
            return Err(BlasError::Integers { library: name.to_owned() });
        }
        Ok(library)
    }

    /// The name or path by which the library was loaded.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A function by its name, of type `F`; `None` if the library does not have it.
    ///
    /// # Safety
    ///
    /// `F` is a type of function pointers, and the function with this name has that type.
    pub unsafe fn find<F: Copy>(&self, symbol: &str) -> Option<F> {
        // SAFETY: the caller guarantees the type.
        unsafe { self.library.get::<F>(symbol.as_bytes()) }.ok().map(|function| *function)
    }

    /// A function that a kernel needs.
    ///
    /// # Safety
    ///
    /// As for [`Self::find`].
    ///
    /// # Errors
    ///
    /// When the library does not have it.
    pub unsafe fn function<F: Copy>(&self, symbol: &str) -> Result<F, KernelRunError> {
        // SAFETY: the caller guarantees the type.
        unsafe { self.find(symbol) }.ok_or_else(|| self.no_symbol(symbol))
    }

    /// The error of a missing function.
    pub fn no_symbol(&self, symbol: &str) -> KernelRunError {
        KernelRunError::NoSymbol { library: self.name.clone(), symbol: symbol.to_owned() }
    }

    /// The address of a function; `None` if the library does not have it.
    pub fn address(&self, symbol: &str) -> Option<usize> {
        // SAFETY: the address is not called.
        unsafe { self.find::<unsafe extern "C" fn()>(symbol) }.map(|function| function as usize)
    }

    /// Returns true if integers of the library have 64 bits.
    ///
    /// The largest of three elements is searched in a number of elements that is 3 in its lower
    /// half, and negative in 64 bits. The place is 0 if the number is not positive. Not tested
    /// where the upper half comes first in memory.
    fn has_wide_integers(&self) -> bool {
        type LargestPlace = unsafe extern "C" fn(&i64, *const f32, &i64) -> i32;
        // SAFETY: the type is that of Fortran; integers that the library reads are within those of
        // 64 bits.
        let function = unsafe { self.find::<LargestPlace>("isamax_") };
        let Some(function) = function.filter(|_| cfg!(target_endian = "little")) else {
            return false;
        };
        let count = (-1_i64 << 32) | 3;
        // SAFETY: the arguments point to two integers and, if the number is 3, to three elements.
        let place = unsafe { function(&count, [1.0, 3.0, 2.0].as_ptr(), &1) };
        place == 0
    }
}
