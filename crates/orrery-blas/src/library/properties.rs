//! Threads, version and file of a library, as far as it has functions for them.

use std::ffi::{CStr, c_char, c_int};
use std::fs;
use std::path::PathBuf;

use super::loaded::LoadedLibrary;
use crate::options::BlasError;

/// Functions that set and return the number of threads. BLIS takes 64 bits by default, of which the
/// others read the lower half.
const THREAD_FUNCTIONS: [[&str; 2]; 3] = [
    ["openblas_set_num_threads", "openblas_get_num_threads"],
    ["MKL_Set_Num_Threads", "MKL_Get_Max_Threads"],
    ["bli_thread_set_num_threads", "bli_thread_get_num_threads"],
];

/// Sets the number of threads of calls, and returns it.
///
/// # Errors
///
/// When the library has no function for it, or when it runs another number of threads.
pub fn set_threads(library: &LoadedLibrary, requested: u32) -> Result<u32, BlasError> {
    for [set, get] in THREAD_FUNCTIONS {
        // SAFETY: the functions of OpenBLAS and MKL take `int`, that of BLIS an integer of the size
        // of a pointer or `int`; all are passed in the same register, or by the same word.
        let set = unsafe { library.find::<unsafe extern "C" fn(isize)>(set) };
        let Some(set) = set else { continue };
        // SAFETY: the number is positive; libraries limit it to what they were built for.
        unsafe { set(requested as isize) };
        // SAFETY: the functions take nothing and return an integer, whose lower half is taken.
        let get = unsafe { library.find::<unsafe extern "C" fn() -> i32>(get) };
        let Some(get) = get else { return Ok(requested) };
        // SAFETY: as above.
        let actual = unsafe { get() };
        // BLIS returns −1 or 1 for one thread.
        let actual = u32::try_from(actual).unwrap_or(1).max(1);
        if actual != requested {
            return Err(BlasError::OtherThreads {
                library: library.name().to_owned(),
                requested,
                actual,
            });
        }
        return Ok(actual);
    }
    Err(BlasError::Threads { library: library.name().to_owned() })
}

/// The version, in one line; `None` if the library does not report it.
pub fn version(library: &LoadedLibrary) -> Option<String> {
    type Text = unsafe extern "C" fn() -> *const c_char;
    for (symbol, prefix) in [("openblas_get_config", ""), ("bli_info_get_version_str", "BLIS ")] {
        // SAFETY: the functions take nothing and return a text that is never freed.
        if let Some(function) = unsafe { library.find::<Text>(symbol) } {
            // SAFETY: as above.
            let text = unsafe { function() };
            if !text.is_null() {
                // SAFETY: the text ends with a 0.
                let text = unsafe { CStr::from_ptr(text) };
                return Some(format!("{prefix}{}", one_line(&text.to_string_lossy())));
            }
        }
    }
    // SAFETY: the function takes a buffer and its length.
    let function = unsafe {
        library.find::<unsafe extern "C" fn(*mut c_char, c_int)>("MKL_Get_Version_String")
    }?;
    let mut buffer = [0_u8; 256];
    // SAFETY: the function writes at most the given number of bytes, and the last one stays 0.
    unsafe { function(buffer.as_mut_ptr().cast(), buffer.len() as c_int - 1) };
    Some(one_line(&CStr::from_bytes_until_nul(&buffer).ok()?.to_string_lossy()))
}

/// The words of a text, separated by single blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The file that holds the kernels; `None` if it is unknown.
pub fn path(library: &LoadedLibrary) -> Option<PathBuf> {
    let address = ["cblas_dgemm", "dgemm_", "dgetrf_"]
        .into_iter()
        .find_map(|symbol| library.address(symbol))?;
    mapped_file(&fs::read_to_string("/proc/self/maps").ok()?, address)
}

/// The file that is mapped at an address, from lines such as
/// `7f00-7f80 r-xp 00000000 08:01 123   /usr/lib/libblas.so`.
fn mapped_file(maps: &str, address: usize) -> Option<PathBuf> {
    let holds = |line: &&str| {
        let bounds = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).ok();
        let bounds = bounds.and_then(|(begin, end)| Some(number(begin)?..number(end)?));
        bounds.is_some_and(|bounds| bounds.contains(&address))
    };
    let line = maps.lines().find(holds)?;
    Some(PathBuf::from(&line[line.find('/')?..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_belongs_to_its_file() {
        let maps =
            "1000-2000 r--p 00000000 08:01 1    /lib/a b.so\n2000-3000 rw-p 00000000 00:00 0 \n";
        assert_eq!(mapped_file(maps, 0x1fff), Some(PathBuf::from("/lib/a b.so")));
        assert_eq!((mapped_file(maps, 0x2000), mapped_file(maps, 0x3000)), (None, None));
    }
}
