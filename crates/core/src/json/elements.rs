//! Arrays of which only some elements are read: the objects, or the places of all elements.

use super::{Cursor, Kind, Members, ScanError};
use std::ops::Range;

impl Cursor<'_> {
    /// Whether another object follows among the elements, with the cursor before it. Elements of other kinds are skipped.
    ///
    /// # Errors
    /// The array is malformed up to there.
    #[inline]
    pub fn object_element(&mut self, members: &mut Members) -> Result<bool, ScanError> {
        while self.element(members)? {
            if self.kind()? == Kind::Object {
                return Ok(true);
            }
            self.skip()?;
        }
        Ok(false)
    }

    /// Where the elements of the array lie that comes next.
    ///
    /// # Errors
    /// Something else comes next, or the array is malformed.
    pub fn element_ranges(&mut self) -> Result<Vec<Range<usize>>, ScanError> {
        let mut found = Vec::new();
        let mut members = self.enter_array()?;
        while self.element(&mut members)? {
            self.peek();
            let from = self.at();
            self.skip()?;
            found.push(from..self.at());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_among_others() {
        let text = br#"[1, {"a":1}, [{"b":2}], "c", {}, null]"#;
        let mut cursor = Cursor::new(text);
        let mut members = cursor.enter_array().unwrap();
        let mut found = Vec::new();
        while cursor.object_element(&mut members).unwrap() {
            let from = cursor.at();
            cursor.skip().unwrap();
            found.push(&text[from..cursor.at()]);
        }
        assert_eq!(found, [&b"{\"a\":1}"[..], b"{}"]);
        assert!(cursor.at_end());
    }

    #[test]
    fn a_torn_array_is_an_error() {
        let mut cursor = Cursor::new(b"[1, {}, 2");
        let mut members = cursor.enter_array().unwrap();
        assert_eq!(cursor.object_element(&mut members), Ok(true));
        cursor.skip().unwrap();
        assert!(cursor.object_element(&mut members).is_err_and(|error| error.open));
    }

    #[test]
    fn ranges_are_of_the_values_alone() {
        let mut cursor = Cursor::new(b" [ 1 ,\"b\", [2]]");
        assert_eq!(cursor.element_ranges(), Ok(vec![3..4, 6..9, 11..14]));
        assert!(Cursor::new(b"{}").element_ranges().is_err());
    }
}
