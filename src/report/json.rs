//! Prints JSON, indented by two: one object alone, or an array of several.
//!
//! The first object is kept until a second one or the end comes, which decides between the two.

use serde::Serialize;
use std::io::{self, Write};

/// The state of the array: printed objects, and the one that waits.
#[derive(Default)]
pub struct Array {
    /// Invariant: `Some` only while nothing is printed.
    first: Option<String>,
    open: bool,
}

impl Array {
    /// Prints an object, or holds it back if it is the first.
    pub fn one(&mut self, object: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
        let text = serde_json::to_string_pretty(object)?;
        if let Some(first) = self.first.take() {
            self.element(&first, out)?;
        } else if !self.open {
            self.first = Some(text);
            return Ok(());
        }
        self.element(&text, out)
    }

    /// Returns whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.first.is_none() && !self.open
    }

    /// Prints the waiting object if it is the only one, else the end of the array. Without any object, prints an empty array.
    pub fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.first.take() {
            Some(first) => writeln!(out, "{first}"),
            None if self.open => writeln!(out, "\n]"),
            None => writeln!(out, "[]"),
        }
    }

    /// Prints the last object and the end of the array.
    pub fn end_with(&mut self, last: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
        self.one(last, out)?;
        // An array even if the last object is the only one.
        if let Some(only) = self.first.take() {
            self.element(&only, out)?;
        }
        self.end(out)
    }

    fn element(&mut self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.open { b",\n  " } else { b"[\n  " })?;
        self.open = true;
        // A line feed inside a JSON string is always escaped, so those here are all layout.
        out.write_all(text.replace('\n', "\n  ").as_bytes())
    }
}
