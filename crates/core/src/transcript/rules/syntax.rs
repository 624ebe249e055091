//! The characters and lengths of ids and names that providers accept.

use crate::json::text;

/// The characters that a provider accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// Any.
    Any,
    /// Letters and digits.
    Digits,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Letters, digits and `_`.
    Underscore,
    /// Letters, digits, `_`, `-`, `.` and `:`.
    Dotted,
}

impl Letters {
    /// Returns whether `byte` is one of them.
    pub fn has(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || match self {
                Letters::Any => true,
                Letters::Digits => false,
                Letters::Word => matches!(byte, b'_' | b'-'),
                Letters::Underscore => byte == b'_',
                Letters::Dotted => matches!(byte, b'_' | b'-' | b'.' | b':'),
            }
    }
}

/// The required first character of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Any accepted character.
    Any,
    /// An ASCII letter.
    Letter,
    /// An ASCII letter, or `_`.
    LetterOrUnderscore,
    /// This prefix.
    Prefix(&'static str),
}

/// The accepted characters and length of an id or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    /// The required beginning.
    pub first: First,
    /// The accepted characters.
    pub letters: Letters,
    /// The minimum length in characters.
    pub min: usize,
    /// The maximum length in characters.
    pub max: usize,
}

impl Default for Syntax {
    fn default() -> Syntax {
        Syntax::FREE
    }
}

impl Syntax {
    /// Any spelling.
    pub const FREE: Syntax = Syntax {
        first: First::Any,
        letters: Letters::Any,
        min: 0,
        max: usize::MAX,
    };

    /// Returns the fault of a word as it is spelled in JSON. Escapes contain no accepted character
    /// and only make a word longer: a word without a fault as spelled has none when decoded.
    pub fn fault_of_raw(&self, raw: &[u8]) -> Option<String> {
        self.fault(raw)
            .and_then(|_| self.fault(text::lossy(raw).as_bytes()))
    }

    /// Returns the fault of `word`, or `None` if it is accepted.
    pub fn fault(&self, word: &[u8]) -> Option<String> {
        // The provider counts characters, and a long word may not be ASCII.
        let length = if word.is_ascii() {
            word.len()
        } else {
            String::from_utf8_lossy(word).chars().count()
        };
        if length < self.min || length > self.max {
            let want = match (self.min, self.max) {
                (min, usize::MAX) => format!("at least {min}"),
                (0, max) => format!("at most {max}"),
                (min, max) if min == max => format!("{max}"),
                (min, max) => format!("{min} to {max}"),
            };
            return Some(format!("has {length} characters, and {want} are allowed"));
        }
        if let Some(byte) = word.iter().find(|byte| !self.letters.has(**byte)) {
            let shown = if byte.is_ascii_graphic() {
                format!(" {:?}", char::from(*byte))
            } else {
                String::new()
            };
            return Some(format!("has a character{shown} that is not allowed"));
        }
        let first = word.first().copied().unwrap_or_default();
        let begins = match self.first {
            First::Any => true,
            First::Letter => first.is_ascii_alphabetic(),
            First::LetterOrUnderscore => first.is_ascii_alphabetic() || first == b'_',
            First::Prefix(prefix) if !word.starts_with(prefix.as_bytes()) => {
                return Some(format!("does not begin with {prefix}"));
            }
            First::Prefix(_) => true,
        };
        (!begins).then(|| "does not begin with a letter".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_as_they_are_wanted() {
        let nine = Syntax {
            letters: Letters::Digits,
            min: 9,
            max: 9,
            ..Syntax::FREE
        };
        let name = Syntax {
            first: First::LetterOrUnderscore,
            letters: Letters::Dotted,
            min: 1,
            max: 64,
        };
        let item = Syntax {
            first: First::Prefix("fc"),
            letters: Letters::Word,
            max: 64,
            ..Syntax::FREE
        };
        for (syntax, word, fine) in [
            (nine, "abcdefGH9", true),
            (nine, "abcdefGH", false),
            (nine, "abcdef_H9", false),
            (name, "_a.b:c-9", true),
            (name, "9a", false),
            (name, "a b", false),
            (name, "", false),
            (item, "fc_1", true),
            (item, "call_1", false),
            (Syntax::FREE, "é/ ", true),
        ] {
            assert_eq!(
                syntax.fault(word.as_bytes()).is_none(),
                fine,
                "{word:?}: {:?}",
                syntax.fault(word.as_bytes())
            );
        }
        assert!(
            Syntax {
                max: 3,
                ..Syntax::FREE
            }
            .fault("äöü".as_bytes())
            .is_none()
        );
    }
}
