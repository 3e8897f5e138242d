//! Archives in the format zip. The central directory at the end lists the members:
//!
//! ```text
//! PK\3\4 … 26 u16 name length  u16 extra length  name  extra  content     of each member
//! PK\1\2 … 10 u16 method … 20 u32 compressed size … 28 u16 name, extra and comment length …
//!        42 u32 position  name  extra  comment                            of each member
//! PK\5\6 … 10 u16 members … 16 u32 position of the central directory … 20 u16 comment length
//! ```

use std::io::Read as _;

use flate2::read::DeflateDecoder;

use super::error;
use orrery_base::file::Result;

/// The signatures of the parts.
const MEMBER: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// The bytes of an entry of the central directory without its names.
const ENTRY_BYTES: usize = 46;

/// The bytes of the end without its comment.
const END_BYTES: usize = 22;

/// A member of an archive.
struct Member<'a> {
    name: &'a [u8],
    /// 0 for plain content, 8 for that of deflate.
    method: usize,
    content: &'a [u8],
}

/// The members of an archive.
pub(super) struct Archive<'a> {
    members: Vec<Member<'a>>,
}

/// The number of `count` bytes at a place; `None` behind the end.
fn number(content: &[u8], at: usize, count: usize) -> Option<usize> {
    let bytes = content.get(at..)?.get(..count)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

impl<'a> Archive<'a> {
    /// The members of an archive.
    pub(super) fn new(content: &'a [u8]) -> Result<Self> {
        Self::read(content).ok_or_else(error::not_archive)
    }

    /// The members; `None` for a damaged archive, or one of more than 4 GiB.
    fn read(content: &'a [u8]) -> Option<Self> {
        let tail = content.len().saturating_sub(END_BYTES + usize::from(u16::MAX));
        let end = tail + content[tail..].windows(END.len()).rposition(|part| part == END)?;
        let mut at = number(content, end + 16, 4)?;
        let mut members = Vec::new();
        for _ in 0..number(content, end + 10, 2)? {
            let entry = content.get(at..end)?;
            let field = |at, count| number(entry, at, count);
            let (name, extra, comment) = (field(28, 2)?, field(30, 2)?, field(32, 2)?);
            let start = field(42, 4)?;
            let head = content.get(start..end)?;
            if !entry.starts_with(ENTRY) || !head.starts_with(MEMBER) {
                return None;
            }
            let start = 30 + number(head, 26, 2)? + number(head, 28, 2)?;
            members.push(Member {
                name: entry.get(ENTRY_BYTES..)?.get(..name)?,
                method: field(10, 2)?,
                content: head.get(start..)?.get(..field(20, 4)?)?,
            });
            at += ENTRY_BYTES + name + extra + comment;
        }
        Some(Self { members })
    }

    /// The content of a member, of `budget` bytes at most.
    pub(super) fn member(&self, name: &str, budget: usize) -> Result<Vec<u8>> {
        let found = self.members.iter().find(|member| member.name == name.as_bytes());
        let found = found.ok_or_else(|| error::no_member(name))?;
        let mut content = Vec::new();
        let limit = budget as u64 + 1;
        let read = match found.method {
            0 => found.content.take(limit).read_to_end(&mut content),
            8 => DeflateDecoder::new(found.content).take(limit).read_to_end(&mut content),
            _ => return Err(error::damaged(name)),
        };
        read.map_err(|_| error::damaged(name))?;
        if content.len() > budget { Err(error::too_long(name, budget)) } else { Ok(content) }
    }
}
