//! The members of a tar archive as parts of its content.
//!
//! CubeWriter 4.8 writes wrong checksums into the headers, so checksums are not compared; the
//! contents have lengths and checksums of their own.

use super::error;
use orrery_base::file::{Fault, Result};

/// The bytes of a header, and the unit of the sizes of members.
pub(super) const BLOCK: usize = 512;

/// The members of an archive by name, in their order.
pub(super) struct Archive<'a> {
    members: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Archive<'a> {
    /// The members of an archive.
    pub(super) fn new(content: &'a [u8]) -> Result<Self> {
        let mut members = Vec::new();
        let mut rest = content;
        while let Some((header, after)) = rest.split_at_checked(BLOCK) {
            if header.iter().all(|&byte| byte == 0) {
                break;
            }
            let name = header[..100].split(|&byte| byte == 0).next().unwrap_or_default();
            let size = size(&header[124..136])
                .filter(|&size| size <= after.len())
                .ok_or(error::not_archive())?;
            members.push((name, &after[..size]));
            rest = after.get(size.next_multiple_of(BLOCK)..).unwrap_or_default();
        }
        if members.is_empty() { Err(error::not_archive()) } else { Ok(Self { members }) }
    }

    /// The content of a member.
    pub(super) fn member(&self, name: &str) -> Result<&'a [u8]> {
        let found = self.members.iter().find(|(other, _)| *other == name.as_bytes());
        found
            .map(|(_, content)| *content)
            .ok_or_else(|| Fault::new(format!("the profile has no {name}; copy it again")))
    }
}

/// The size in a header, in bytes: octal digits, or a binary number behind a byte 0x80; `None` for
/// a damaged one. The field must not be empty.
fn size(field: &[u8]) -> Option<usize> {
    if field[0] == 0x80 {
        return field[1..].iter().try_fold(0_usize, |size, &byte| {
            size.checked_mul(256)?.checked_add(usize::from(byte))
        });
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    usize::from_str_radix(text, 8).ok()
}
