//! Skips values that the caller does not need, and validates all of them.
//!
//! There is no recursion: each open level takes one byte.

use super::{Cursor, Kind, Members, Scanned};

impl Cursor<'_> {
    /// Skips the next value, checking all of it.
    ///
    /// # Errors
    /// The value is malformed.
    #[inline]
    pub fn skip(&mut self) -> Scanned<Kind> {
        let kind = self.kind()?;
        match kind {
            Kind::Object | Kind::Array => self.skip_nested()?,
            scalar => self.skip_scalar(scalar)?,
        }
        Ok(kind)
    }

    fn skip_nested(&mut self) -> Scanned {
        let floor = self.levels.len();
        let mut members = self.open_level();
        loop {
            // Before a member or the end of the innermost level.
            let more = if self.levels.last() == Some(&true) {
                self.next_key(&mut members)?.is_some()
            } else {
                self.before_element(&mut members)?
            };
            if !more {
                self.levels.pop();
                if self.levels.len() == floor {
                    return Ok(());
                }
                members.started = true;
                continue;
            }
            match self.kind()? {
                Kind::Object | Kind::Array => members = self.open_level(),
                scalar => self.skip_scalar(scalar)?,
            }
        }
    }

    /// Skips a value that holds no others; `kind` says what it is.
    #[inline]
    fn skip_scalar(&mut self, kind: Kind) -> Scanned {
        match kind {
            Kind::String => self.string_end().map(|_| ()),
            Kind::Number => self.skip_number(),
            Kind::True => self.word(b"true"),
            Kind::False => self.word(b"false"),
            Kind::Null | Kind::Object | Kind::Array => self.word(b"null"),
        }
    }

    #[inline]
    fn open_level(&mut self) -> Members {
        self.levels.push(self.bytes[self.at] == b'{');
        self.at += 1;
        Members::default()
    }

    fn skip_number(&mut self) -> Scanned {
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> Scanned {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == from {
            Err(self.expected("a digit"))
        } else {
            Ok(())
        }
    }

    fn word(&mut self, word: &[u8]) -> Scanned {
        let found = self.bytes[self.at..]
            .iter()
            .zip(word)
            .take_while(|(a, b)| a == b)
            .count();
        self.at += found;
        if found == word.len() {
            Ok(())
        } else {
            Err(self.expected("a value"))
        }
    }
}
