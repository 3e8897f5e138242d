//! Bearer tokens.

use std::fmt;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::error::ServiceError;
use crate::secret::read_protected;

/// The minimum length of a token in bytes.
const MIN_TOKEN_LENGTH: usize = 16;

/// The maximum size of a file with tokens in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The tokens that give access, as their SHA-256 digests.
///
/// Digests have one length and are compared in constant time, so the time of a comparison depends
/// on no token.
pub struct Tokens {
    digests: Vec<[u8; 32]>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("count", &self.digests.len()).finish_non_exhaustive()
    }
}

impl Tokens {
    /// Reads a file with one token per line; several lines allow to replace a token without
    /// interruption.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, other users can read or write it, or it has no
    /// token or a short one.
    pub fn read(path: &Path) -> Result<Self, ServiceError> {
        let fault = |reason: String| ServiceError::Tokens { path: path.to_owned(), reason };
        let text = read_protected(path, MAX_FILE_BYTES)?;
        let tokens: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let is_valid = |token: &&str| {
            token.len() >= MIN_TOKEN_LENGTH && token.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if tokens.is_empty() || !tokens.iter().all(is_valid) {
            return Err(fault(format!(
                "a token has at least {MIN_TOKEN_LENGTH} letters and digits, one token per line; \
                    make one by \
                 `openssl rand -hex 32`"
            )));
        }
        Ok(Self { digests: tokens.into_iter().map(digest).collect() })
    }

    /// Returns true if the value of the header `Authorization` is `Bearer` and a token.
    pub(super) fn admit(&self, authorization: Option<&[u8]>) -> bool {
        let token = authorization.and_then(|value| value.split_at_checked(BEARER.len()));
        let Some((_, token)) = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(BEARER))
        else {
            return false;
        };
        let given = digest(token);
        // All are compared, so that the time does not depend on which one is equal.
        self.digests.iter().fold(0, |found, known| found | known.ct_eq(&given).unwrap_u8()) == 1
    }
}

/// The scheme of the header.
const BEARER: &[u8] = b"Bearer ";

/// The digest of a token.
fn digest(token: impl AsRef<[u8]>) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_whole() {
        let tokens =
            Tokens { digests: ["0123456789abcdef", "fedcba9876543210"].map(digest).to_vec() };
        for accepted in ["Bearer 0123456789abcdef", "bearer fedcba9876543210"] {
            assert!(tokens.admit(Some(accepted.as_bytes())), "{accepted}");
        }
        for refused in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef ",
            "Basic 0123456789abcdef",
        ] {
            assert!(!tokens.admit(Some(refused.as_bytes())), "{refused}");
        }
        assert!(!tokens.admit(None));
        assert!(!format!("{tokens:?}").contains("0123"));
    }
}
