//! The kinds of values that keys take: how each is read, written, described, and named in errors.
//!
//! Numbers are clamped and floored, texts trimmed as OpenClaw does it, but a value of another kind
//! is never guessed.

use super::{
    duration::{self, format_duration, parse_duration},
    keys::PLACEHOLDER,
    patterns::{Globs, Regexes},
    section::Words,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{collections::BTreeSet, marker::PhantomData};

/// A kind of value.
pub trait Kind {
    /// The type of the setting.
    type Value;
    /// Whether a value is written only if it is not the default.
    const IS_SPARSE: bool = false;
    /// Returns the description of a valid value, to follow "must be".
    fn expected() -> String;
    /// Returns the setting that a value states; `None` if it is of another kind.
    fn read(value: &Value) -> Option<Self::Value>;
    /// Returns the setting that a value states.
    ///
    /// # Errors
    /// The value is of another kind: the description of a valid one.
    fn parse(value: &Value) -> Result<Self::Value, String> {
        Self::read(value).ok_or_else(Self::expected)
    }
    /// A value that reads back.
    fn write(value: &Self::Value) -> Value;
    /// The JSON Schema of a value.
    fn schema() -> Value;
}

/// A kind whose settings are written as serde writes them, unless `write` is given.
macro_rules! kind {
    ($(#[$doc:meta])* $name:ident = $value:ty, $expected:expr, $schema:tt, $read:expr $(, $write:expr)? $(,)?) => {
        $(#[$doc])*
        pub struct $name;

        impl Kind for $name {
            type Value = $value;
            fn expected() -> String {
                $expected.to_owned()
            }
            fn read(value: &Value) -> Option<$value> {
                let read: fn(&Value) -> Option<$value> = $read;
                read(value)
            }
            fn write(value: &$value) -> Value {
                let write: fn(&$value) -> Value = kind!(@write $($write)?);
                write(value)
            }
            fn schema() -> Value {
                json!($schema)
            }
        }
    };
    (@write) => { |value| json!(value) };
    (@write $write:expr) => { $write };
}
pub(super) use kind;

const TEXTS: &str = "a list of texts such as [\"a\", \"b\"]";
const GLOBS: &str = "a list of globs such as [\"*.lock\", \"src/**\"]";
const EXPRESSIONS: &str = "a list of regular expressions such as [\"(?i)important\"]";

kind!(
    /// `true` or `false`.
    Flag = bool, "true or false", {"type": "boolean"}, Value::as_bool
);
kind!(
    /// A whole number from 0.
    Whole = u64, "a whole number from 0", {"type": "integer", "minimum": 0}, whole
);
kind!(
    /// A whole number from 0 as a count.
    Count = usize, Whole::expected(), (Whole::schema()),
    |value| whole(value).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
);
kind!(
    /// A count of which 0 is taken as 1.
    AtLeastOne = usize, Whole::expected(), (Whole::schema()), |value| Count::read(value).map(|count| count.max(1))
);
kind!(
    /// A whole number from 1.
    FromOne = u64, "a whole number from 1", {"type": "integer", "minimum": 1}, |value| whole(value).filter(|number| *number > 0)
);
kind!(
    /// A number of tokens from 1.
    Tokens = u64, "a number of tokens from 1", (FromOne::schema()), FromOne::read
);
kind!(
    /// A number that is brought into 0..1.
    Ratio = f64, Share::expected(), (Share::schema()), |value| value.as_f64().map(|number| number.clamp(0.0, 1.0))
);
kind!(
    /// A number from 0 to 1, and no other.
    Share = f64, "a number from 0 to 1", {"type": "number", "minimum": 0, "maximum": 1},
    |value| value.as_f64().filter(|number| (0.0..=1.0).contains(number))
);
kind!(
    /// A price in dollars.
    Price = f64, "a number from 0", {"type": "number", "minimum": 0},
    |value| value.as_f64().filter(|price| price.is_finite() && *price >= 0.0)
);
kind!(
    /// Any text.
    Marker = String, "a text", {"type": "string"}, |value| value.as_str().map(str::to_owned)
);
kind!(
    /// The text left in place of a cleared result: trimmed, and the usual one if blank.
    Placeholder = String, "a text", {"type": "string"},
    |value| value.as_str().map(|text| if trim(text).is_empty() { PLACEHOLDER } else { trim(text) }.to_owned())
);
kind!(
    /// A text that is not blank, trimmed.
    Text = String, "a text that is not blank", {"type": "string", "pattern": r"\S"},
    |value| value.as_str().map(|text| trim(text).to_owned()).filter(|text| !text.is_empty())
);
kind!(
    /// A list of texts, trimmed, without blanks.
    List = Vec<String>, TEXTS, {"type": "array", "items": {"type": "string"}}, |value| {
        let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
        Some(texts?.into_iter().map(trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
    }
);
kind!(
    /// Patterns of tool names: a list in lower case.
    Patterns = Vec<String>, TEXTS, (List::schema()),
    |value| Some(List::read(value)?.iter().map(|pattern| pattern.to_lowercase()).collect())
);
kind!(
    /// Names of passes, each once; layers add up.
    Names = BTreeSet<String>, TEXTS, (List::schema()), |value| Some(List::read(value)?.into_iter().collect())
);
kind!(
    /// Globs of paths.
    PathGlobs = Globs, GLOBS, (List::schema()), |value| Globs::new(List::read(value)?), |globs| json!(globs.list())
);
kind!(
    /// Regular expressions.
    Expressions = Regexes, EXPRESSIONS, {"type": "array", "items": {"type": "string", "format": "regex"}},
    |value| Regexes::new(List::read(value)?), |expressions| json!(expressions.list())
);
kind!(
    /// Milliseconds of a duration: a text, or a number of minutes.
    Millis = u64, duration::EXPECTED,
    {"type": ["string", "number"], "pattern": duration::PATTERN, "minimum": 0},
    |value| match value {
        Value::String(text) => parse_duration(text).ok(),
        Value::Number(number) => parse_duration(&number.to_string()).ok(),
        _ => None,
    },
    |ms| json!(format_duration(*ms))
);
kind!(
    /// `auto`, or milliseconds of a duration.
    AutoMillis = Option<u64>, format!("auto, or {}", duration::EXPECTED),
    {"type": ["string", "number"], "pattern": format!("^auto$|{}", duration::PATTERN), "minimum": 0},
    |value| if value == "auto" { Some(None) } else { Millis::read(value).map(Some) },
    |ms| ms.as_ref().map_or(json!("auto"), Millis::write)
);

/// One of a few words, which is taken exactly as written.
pub struct Choice<T>(PhantomData<T>);

impl<T: DeserializeOwned + Serialize + Words> Kind for Choice<T> {
    type Value = T;
    fn expected() -> String {
        format!("one of {}", T::WORDS.join(", "))
    }
    fn read(value: &Value) -> Option<T> {
        value.as_str()?;
        T::deserialize(value).ok()
    }
    fn write(value: &T) -> Value {
        json!(value)
    }
    fn schema() -> Value {
        json!({"enum": T::WORDS})
    }
}

/// The words of a schema, without null.
pub fn words(schema: &Value) -> Vec<&str> {
    schema["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// The word of a choice, as the configuration writes it.
pub fn word(choice: impl Serialize) -> String {
    json!(choice).as_str().unwrap_or_default().to_owned()
}

/// A value, or null for none.
pub struct Nullable<K>(PhantomData<K>);

impl<K: Kind> Kind for Nullable<K> {
    type Value = Option<K::Value>;
    fn expected() -> String {
        format!("{}, or null", K::expected())
    }
    fn read(value: &Value) -> Option<Self::Value> {
        if value.is_null() {
            Some(None)
        } else {
            K::read(value).map(Some)
        }
    }
    fn write(value: &Self::Value) -> Value {
        value.as_ref().map_or(Value::Null, K::write)
    }
    fn schema() -> Value {
        let mut schema = K::schema();
        for (name, none) in [("enum", Value::Null), ("type", json!("null"))] {
            match schema.get_mut(name) {
                Some(Value::Array(several)) => several.push(none),
                Some(one) => *one = json!([one.take(), none]),
                None => {}
            }
        }
        schema
    }
}

/// A value that may be left out, but is not null.
pub struct Optional<K>(PhantomData<K>);

impl<K: Kind> Kind for Optional<K> {
    type Value = Option<K::Value>;
    const IS_SPARSE: bool = true;
    fn expected() -> String {
        K::expected()
    }
    fn read(value: &Value) -> Option<Self::Value> {
        K::read(value).map(Some)
    }
    fn write(value: &Self::Value) -> Value {
        value.as_ref().map_or(Value::Null, K::write)
    }
    fn schema() -> Value {
        K::schema()
    }
}

/// A value that is not written where it is the default.
pub struct Sparse<K>(PhantomData<K>);

impl<K: Kind> Kind for Sparse<K> {
    type Value = K::Value;
    const IS_SPARSE: bool = true;
    fn expected() -> String {
        K::expected()
    }
    fn read(value: &Value) -> Option<Self::Value> {
        K::read(value)
    }
    fn write(value: &Self::Value) -> Value {
        K::write(value)
    }
    fn schema() -> Value {
        K::schema()
    }
}

/// A whole number from 0: fractions are cut off, negative numbers are 0.
fn whole(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_f64().map(|number| number.floor().max(0.0) as u64))
}

/// Trims what JavaScript trims: also the byte order mark, but not the control character U+0085.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_normalised() {
        for (value, want) in [
            (json!(3), Some(3)),
            (json!(3.9), Some(3)),
            (json!(-2), Some(0)),
            (json!(-0.5), Some(0)),
            (json!(1e300), Some(u64::MAX)),
            (json!("3"), None),
            (json!(null), None),
        ] {
            assert_eq!(Whole::read(&value), want, "{value}");
        }
        for (value, want) in [
            (json!(0.3), Some(0.3)),
            (json!(7), Some(1.0)),
            (json!(-1), Some(0.0)),
            (json!("0.3"), None),
            (json!(null), None),
        ] {
            assert_eq!(Ratio::read(&value), want, "{value}");
        }
        assert_eq!(Nullable::<Tokens>::read(&json!(0)), None);
        assert_eq!(Nullable::<Tokens>::read(&json!(null)), Some(None));
        assert_eq!(Millis::read(&json!(5)), Some(300_000));
        assert_eq!(Millis::read(&json!(-5)), None);
    }

    #[test]
    fn texts_are_trimmed() {
        assert_eq!(
            Placeholder::read(&json!("  [padded]\u{feff} ")).as_deref(),
            Some("[padded]")
        );
        assert_eq!(Placeholder::read(&json!(" ")).as_deref(), Some(PLACEHOLDER));
        assert_eq!(Placeholder::read(&json!(1)), None);
        assert_eq!(
            Patterns::read(&json!([" Exec ", "", "*IMAGE*"])),
            Some(vec!["exec".into(), "*image*".into()])
        );
        assert_eq!(List::read(&json!(["a", 1])), None);
        assert_eq!(Text::read(&json!(" ")), None);
    }

    #[test]
    fn words_are_taken_as_written() {
        use crate::settings::Mode;
        assert_eq!(
            words(&Choice::<Mode>::schema()),
            [
                "auto",
                "off",
                "cache-ttl",
                "adaptive",
                "aggressive",
                "break-even"
            ]
        );
        assert_eq!(
            Choice::<Mode>::read(&json!("cache-ttl")),
            Some(Mode::CacheTtl)
        );
        assert_eq!(word(Mode::CacheTtl), "cache-ttl");
        for other in [
            json!("Auto"),
            json!(" auto"),
            json!({"auto": null}),
            json!(null),
            json!(0),
        ] {
            assert_eq!(Choice::<Mode>::read(&other), None, "{other}");
        }
        assert_eq!(Nullable::<Choice<Mode>>::schema()["enum"][6], Value::Null);
    }
}
