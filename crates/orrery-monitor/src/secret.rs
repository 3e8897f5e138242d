//! Tokens and keys from files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The maximum length of a secret in bytes.
pub const MAX_SECRET_LENGTH: usize = 4096;

/// The permissions in the mode of a file that no secret may have: to write, those of the group; all
/// of other users. A group may read it, such as that of the keys of a host.
#[cfg(unix)]
const OTHERS: u32 = 0o027;

/// A token or a key: visible ASCII characters. Its value is in no message.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret from a text, without the white space around it.
    ///
    /// # Errors
    ///
    /// Returns an error if it is empty, longer than `MAX_SECRET_LENGTH` or has other characters.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let text = text.trim();
        let is_valid = (1..=MAX_SECRET_LENGTH).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(text.to_owned())) } else { Err(SecretError::Text) }
    }

    /// Reads a secret from a file that other users cannot read.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, if others may read or write it, or if its text
    /// is no secret.
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let text = read_protected(path, MAX_SECRET_LENGTH as u64 + 2)?;
        Self::new(&text).map_err(|_| SecretError::File { path: path.to_owned() })
    }

    /// The characters.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The first `limit` bytes of a file that other users can neither read nor write: the only reader
/// of files with tokens and keys.
pub(crate) fn read_protected(path: &Path, limit: u64) -> Result<String, SecretError> {
    let at = |reason| SecretError::Read { path: path.to_owned(), reason };
    let file = File::open(path).map_err(at)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&file.metadata().map_err(at)?) & OTHERS != 0 {
        return Err(SecretError::Open { path: path.to_owned() });
    }
    let mut text = String::new();
    file.take(limit).read_to_string(&mut text).map_err(at)?;
    Ok(text)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

/// The reason why a secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The text is no secret.
    #[error(
        "a secret has 1 to {MAX_SECRET_LENGTH} visible ASCII characters; make one, such as by \
            `openssl rand -hex 32`"
    )]
    Text,
    /// The text of the file is no secret.
    #[error(
        "{}: the file has no secret of 1 to {MAX_SECRET_LENGTH} visible ASCII characters; make \
            one, such as by `openssl rand -hex 32`",
        path.display()
    )]
    File {
        /// The file.
        path: PathBuf,
    },
    /// Other users may read or write the file.
    #[error("{}: other users may read or write this secret; take that from them by `chmod \
        g-w,o= {}`", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: the secret cannot be read: {reason}; check the name and the owner of the \
        file", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
}
