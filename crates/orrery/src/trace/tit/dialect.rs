use super::line::Line;

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// SimGrid 3.20 and later: peer, tag, count.
    Tagged,
    /// Before: peer, count; names in camel case.
    Untagged,
}

/// The dialect of a text, from the first line that shows it; later versions where none does.
///
/// Signs are the comment `# version:`, a name in camel case (`Isend`, `waitAll`; `sendRecv` is of both), and a message
/// with two arguments, or with four. A last line without its end may be torn, and shows nothing.
pub(super) fn dialect(text: &[u8]) -> Dialect {
    let whole = text.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    text[..whole].split(|&byte| byte == b'\n').find_map(sign).unwrap_or(Dialect::Tagged)
}

fn sign(line: &[u8]) -> Option<Dialect> {
    let mut line = Line::new(line);
    let (_, first) = line.word()?;
    if first.starts_with(b"#") {
        let is_versioned = first == b"#version:" || line.word().is_some_and(|(_, word)| word == b"version:");
        return is_versioned.then_some(Dialect::Tagged);
    }
    let (_, name) = line.word()?;
    if name != b"sendRecv" && name.iter().any(u8::is_ascii_uppercase) {
        return Some(Dialect::Untagged);
    }
    match (name, line.left()) {
        (b"send" | b"isend" | b"recv" | b"irecv", 2) => Some(Dialect::Untagged),
        (b"send" | b"isend" | b"recv" | b"irecv", 4) => Some(Dialect::Tagged),
        _ => None,
    }
}
