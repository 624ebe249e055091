//! Sections of the settings, whose fields are keys, and choices of words, as they are declared.

use serde_json::{Value, json};

/// Declares a section of the settings. A field is a key: its name by the function in parentheses,
/// its kind, and its default where that is not the default of its type; its doc is the help, and
/// the description in the schema. Fields after `beside` have no key.
macro_rules! section {
    (
        $(#[doc = $about:literal])* $(#[derive($derived:ident)])?
        pub struct $name:ident($key:path) {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $default:expr)?,)*
        }
        $(beside { $($(#[$own_doc:meta])* $own:ident: $own_type:ty,)* })?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, $($derived)?)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: <$kind as $crate::settings::kinds::Kind>::Value,)*
            $($($(#[$own_doc])* pub $own: $own_type,)*)?
        }

        impl Default for $name {
            fn default() -> $name {
                $name {
                    $($field: section!(@default $($default)?),)*
                    $($($own: Default::default(),)*)?
                }
            }
        }

        impl $crate::settings::kinds::Kind for $name {
            type Value = $name;

            fn expected() -> String {
                concat!("an object of ", stringify!($name)).to_owned()
            }

            fn read(value: &serde_json::Value) -> Option<$name> {
                Self::parse(value).ok()
            }

            fn parse(value: &serde_json::Value) -> Result<$name, String> {
                let mut members = value.as_object().ok_or_else(Self::expected)?.clone();
                let mut section = $name::default();
                $(if let Some(value) = members.shift_remove(&$key(stringify!($field))) {
                    section.$field = <$kind>::parse(&value)?;
                })*
                if members.is_empty() { Ok(section) } else { Err(Self::expected()) }
            }

            fn write(section: &$name) -> serde_json::Value {
                let (default, mut members) = ($name::default(), serde_json::Map::new());
                $(if !<$kind>::IS_SPARSE || section.$field != default.$field {
                    members.insert($key(stringify!($field)), <$kind>::write(&section.$field));
                })*
                members.into()
            }

            fn schema() -> serde_json::Value {
                let (default, mut members) = ($name::default(), serde_json::Map::new());
                $({
                    let mut schema = $crate::settings::section::described(<$kind>::schema(), concat!($($doc),*));
                    if !<$kind>::IS_SPARSE {
                        schema["default"] = <$kind>::write(&default.$field);
                    }
                    members.insert($key(stringify!($field)), schema);
                })*
                let schema = serde_json::json!({"type": "object", "additionalProperties": false, "properties": members});
                $crate::settings::section::described(schema, concat!($($about),*))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::write(self).serialize(to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                let value = serde_json::Value::deserialize(from)?;
                Self::parse(&value).map_err(serde::de::Error::custom)
            }
        }
    };
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
}
pub(super) use section;

/// A schema with its description: a doc in one line, without the full stop.
pub(super) fn described(mut schema: Value, doc: &str) -> Value {
    schema["description"] = json!(doc.trim().trim_end_matches('.'));
    schema
}

/// The key of a field in camel case, without the unit of a duration.
pub(super) fn camel(field: &str) -> String {
    let mut words = field.trim_end_matches("_ms").split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |key, word| {
        key + &word[..1].to_ascii_uppercase() + &word[1..]
    })
}

/// A choice of a few words.
pub trait Words {
    /// The words, as the configuration writes them.
    const WORDS: &'static [&'static str];
}

/// Declares choices, each with the words that the configuration has for it; the first is the
/// default.
macro_rules! choices {
    ($($(#[$doc:meta])* pub enum $name:ident {
        $(#[$first_doc:meta])* $first:ident = $first_word:literal,
        $($(#[$other_doc:meta])* $other:ident = $word:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[$first_doc])*
            #[default]
            #[serde(rename = $first_word)]
            $first,
            $($(#[$other_doc])* #[serde(rename = $word)] $other,)*
        }

        impl $crate::settings::Words for $name {
            const WORDS: &'static [&'static str] = &[$first_word, $($word),*];
        }
    )*};
}
pub(super) use choices;
