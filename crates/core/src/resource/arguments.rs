//! The arguments of a call, read from the bytes of the call in its provider's form.
//!
//! They are an object (`input`, `arguments`, `args`), a string with an object in it (OpenAI), or
//! plain text (a free-form tool), in the call itself or in one of its members (`function`,
//! `functionCall`, `toolUse`). Only the outermost members are kept.

pub use crate::dialect::shared::arguments::place;
use crate::json::{Cursor, Kind, ScanError, text};

/// Arguments of one call.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    /// The outermost members, in order.
    pub values: Vec<(String, Argument)>,
    /// The input of a tool that takes plain text.
    pub text: Option<String>,
}

/// One argument.
#[derive(Debug, PartialEq)]
pub enum Argument {
    /// A string.
    Text(String),
    /// The strings of an array.
    List(Vec<String>),
    /// A number.
    Number(f64),
    /// Null.
    Null,
    /// Anything else.
    Other,
}

impl Argument {
    /// Returns the strings that it is or holds.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Argument::Text(text) => vec![text.clone()],
            Argument::List(texts) => texts.clone(),
            _ => Vec::new(),
        }
    }
}

impl Arguments {
    /// Returns the arguments of a call whose value is `call`; `None` if it has none that can be
    /// read.
    pub fn of(call: &[u8]) -> Option<Arguments> {
        let mut cursor = Cursor::new_at(call, place(call)?.1.start);
        arguments(&mut cursor).ok()
    }

    /// Returns the argument of that name; the last one, if there are two.
    pub fn get(&self, name: &str) -> Option<&Argument> {
        let (_, value) = self.values.iter().rfind(|(known, _)| known == name)?;
        Some(value)
    }

    /// Returns the argument of that name, if it is a string that is not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Argument::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

/// Reads an object of arguments, or a string that holds one.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Arguments, ScanError> {
    let mut found = Arguments::default();
    if cursor.kind()? == Kind::String {
        let plain = text::lossy(cursor.text()?.raw);
        let mut inner = Cursor::new(plain.as_bytes());
        if inner.kind().is_ok_and(|kind| kind == Kind::Object)
            && let Ok(found) = arguments(&mut inner)
        {
            return Ok(found);
        }
        found.text = Some(plain);
        return Ok(found);
    }
    cursor.each_member(|name, cursor| {
        let name = String::from_utf8_lossy(name).into_owned();
        found.values.push((name, value(cursor)?));
        Ok(())
    })?;
    Ok(found)
}

fn value(cursor: &mut Cursor<'_>) -> Result<Argument, ScanError> {
    Ok(match cursor.kind()? {
        Kind::String => Argument::Text(text::lossy(cursor.text()?.raw)),
        Kind::Array => {
            let mut texts = Vec::new();
            cursor.each_element(|_, cursor| {
                texts.extend(cursor.owned_string_or_skip()?);
                Ok(())
            })?;
            Argument::List(texts)
        }
        Kind::Null => cursor.skip().map(|_| Argument::Null)?,
        _ => {
            let number = cursor.number_or_skip()?;
            let number = number.and_then(|text| text.parse().ok());
            number.map_or(Argument::Other, Argument::Number)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_s_call() {
        for call in [
            r#"{"type":"tool_use","id":"i","name":"n","input":{"path":"/a","limit":3}}"#,
            r#"{"type":"toolCall","arguments":{"path":"/a","limit":3}}"#,
            r#"{"id":"i","type":"function","function":{"name":"n","arguments":"{\"path\":\"/a\",\"limit\":3}"}}"#,
            r#"{"type":"function_call","arguments":"{\"path\": \"\\/a\", \"limit\":3}"}"#,
            r#"{"functionCall":{"name":"n","args":{"path":"\u002fa","limit":3}}}"#,
            r#"{"type":"tool","tool":"n","state":{"status":"completed","input":{"path":"/a","limit":3},"output":"x"}}"#,
            r#"{"toolUse":{"name":"n","input":{"path":"/a","limit":3}}}"#,
        ] {
            let found = Arguments::of(call.as_bytes()).unwrap_or_else(|| panic!("{call}"));
            assert_eq!(
                (found.text("path"), found.get("limit")),
                (Some("/a"), Some(&Argument::Number(3.0))),
                "{call}"
            );
        }
        let free = Arguments::of(br#"{"type":"custom_tool_call","input":"*** Begin Patch"}"#);
        assert_eq!(
            free.and_then(|a| a.text).as_deref(),
            Some("*** Begin Patch")
        );
    }

    #[test]
    fn odd_values() {
        let found =
            Arguments::of(br#"{"input":{"a":null,"b":[1,"x",["y"]],"c":{},"d":true,"a2":""}}"#)
                .unwrap();
        assert_eq!(found.get("b"), Some(&Argument::List(vec!["x".to_owned()])));
        assert_eq!(
            (found.get("a"), found.get("d"), found.text("a2")),
            (Some(&Argument::Null), Some(&Argument::Other), None)
        );
        for none in [
            &b"{}"[..],
            b"[1]",
            b"{\"input\":",
            b"",
            br#"{"input":3}"#,
            br#"{"function":{"function":{"arguments":{}}}}"#,
        ] {
            assert_eq!(
                Arguments::of(none),
                None,
                "{}",
                String::from_utf8_lossy(none)
            );
        }
    }
}
