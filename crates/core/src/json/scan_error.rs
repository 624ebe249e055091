//! The error of a walk: bytes that are not JSON.

use super::vector::StringError;
use std::fmt;

/// A document that is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// Index of the byte in the cursor's bytes.
    pub at: usize,
    /// What was expected there, in words.
    pub expected: &'static str,
    /// Whether the bytes ended inside the value, so that more of them could complete it.
    pub open: bool,
}

/// What a walk reads, or the error that ends it.
pub type Scanned<T = ()> = Result<T, ScanError>;

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.open {
            write!(f, "the input ends where {} should follow", self.expected)
        } else {
            write!(f, "expected {}", self.expected)
        }
    }
}

impl std::error::Error for ScanError {}

impl From<StringError> for ScanError {
    #[cold]
    fn from(error: StringError) -> ScanError {
        match error {
            StringError::Open(at) => ScanError {
                at,
                expected: "a closing quote",
                open: true,
            },
            StringError::Control(at) => ScanError {
                at,
                expected: "an escape instead of a raw control character",
                open: false,
            },
            StringError::Escape(at) => ScanError {
                at,
                expected: "a valid escape",
                open: false,
            },
        }
    }
}
