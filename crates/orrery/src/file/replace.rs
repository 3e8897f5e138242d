use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Replaces the content of a file in one step, by way of a temporary file beside it.
///
/// # Errors
///
/// When the temporary file cannot be written or renamed; the file itself is then unchanged.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link keeps pointing to its file; a device or pipe is written to as it is.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = fs::metadata(&target).ok();
    if before.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return OpenOptions::new().write(true).open(&target)?.write_all(content);
    }
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it names no file"))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(beside);
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(content)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, &target)).inspect_err(|_| drop(fs::remove_file(&beside)))
}
