//! A client of HTTP/1.1 for tests and load: one connection that is kept.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A test that waits for longer fails.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection.
pub struct Client<S: Read + Write> {
    stream: BufReader<S>,
    token: Option<String>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Client<TcpStream> {
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }
}

impl<S: Read + Write> Client<S> {
    /// A client over any stream, such as one of TLS.
    pub fn over(stream: S) -> Self {
        Self { stream: BufReader::new(stream), token: None }
    }

    /// Returns the client with a token for all requests.
    #[must_use]
    pub fn with_token(self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self }
    }

    pub fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.request("GET", path, "", "")
    }

    pub fn post(&mut self, path: &str, body: &str) -> io::Result<Answer> {
        self.request("POST", path, "Content-Type: application/json\r\n", body)
    }

    /// Sends a request with further header lines, and reads the answer.
    pub fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> io::Result<Answer> {
        let token = self
            .token
            .as_ref()
            .map(|token| format!("Authorization: Bearer {token}\r\n"))
            .unwrap_or_default();
        let length = if body.is_empty() {
            String::new()
        } else {
            format!("Content-Length: {}\r\n", body.len())
        };
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{token}{headers}{length}\r\n{body}"
        );
        self.send(&text)?;
        self.read()
    }

    /// Sends a text as it is.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(text.as_bytes())?;
        self.stream.get_mut().flush()
    }

    /// Reads an answer.
    pub fn read(&mut self) -> io::Result<Answer> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let fault = || io::Error::other(format!("no answer of HTTP: {head}"));
        let status =
            head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(fault)?;
        let lower = head.to_ascii_lowercase();
        let length = lower
            .split("content-length: ")
            .nth(1)
            .and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, body: String::from_utf8(body).map_err(io::Error::other)?, head: lower })
    }
}

/// The body of samples: (series, time, value).
pub fn samples<'a>(samples: impl IntoIterator<Item = (&'a str, f64, f64)>) -> String {
    let one =
        |(series, time, value)| format!(r#"{{"series":"{series}","time":{time},"value":{value}}}"#);
    format!(r#"{{"samples":[{}]}}"#, samples.into_iter().map(one).collect::<Vec<_>>().join(","))
}
