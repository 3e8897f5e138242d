//! Requests as a server reads them.

use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _};
use std::net::TcpStream;

/// Reads the head and the body of a request.
pub fn read(stream: &TcpStream) -> io::Result<(String, String)> {
    let (mut reader, mut head) = (BufReader::new(stream), String::new());
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.unwrap_or("0").trim().parse().map_err(io::Error::other)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}
