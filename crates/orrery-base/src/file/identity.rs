use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The device and the inode of a file, which all its names and links share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    ///
    /// Returns the error of the operating system.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }

    /// The identity of the file at a path, behind all symbolic links; `None` if there is none.
    ///
    /// ```
    /// use orrery_base::file::Identity;
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, link) = (folder.path().join("runs.json"), folder.path().join("link"));
    /// # std::fs::write(&path, "{}")?;
    /// std::fs::hard_link(&path, &link)?;
    /// assert_eq!(Identity::at(&path), Identity::at(&link));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// Returns true if this is the file at a path.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        Self::at(path) == Some(self)
    }
}

impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}
