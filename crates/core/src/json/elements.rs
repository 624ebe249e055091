//! Reads the members of an object by a callback, and arrays of which only the objects or the
//! element ranges are needed.

use super::{Cursor, Id, Kind, Scanned, Span};
use std::ops::Range;

impl<'a> Cursor<'a> {
    /// Calls `member` for each member of the next object. Any other value is skipped.
    ///
    /// # Errors
    /// The value is malformed, or those of `member`.
    #[inline]
    pub fn each_member(
        &mut self,
        mut member: impl FnMut(&[u8], &mut Cursor<'a>) -> Scanned,
    ) -> Scanned {
        if self.kind()? != Kind::Object {
            return self.skip().map(|_| ());
        }
        let mut members = self.enter_object()?;
        while let Some(name) = self.key(&mut members)? {
            member(&name, self)?;
        }
        Ok(())
    }

    /// Calls `read` for the member `wanted` of the next object. Any other value is skipped.
    ///
    /// # Errors
    /// The value is malformed, or those of `read`.
    #[inline]
    pub fn member(
        &mut self,
        wanted: &[u8],
        mut read: impl FnMut(&mut Cursor<'a>) -> Scanned,
    ) -> Scanned {
        self.each_member(|name, cursor| if name == wanted { read(cursor) } else { Ok(()) })
    }

    /// Skips the next value; returns its span in the record.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn skip_span(&mut self) -> Scanned<Span> {
        let from = self.next_at();
        self.skip()?;
        Ok(self.span_from(from))
    }

    /// Reads the string that comes next as an id; any other value has no id.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn id_or_skip(&mut self) -> Scanned<Id> {
        Ok(self.bytes_or_skip()?.map_or(Id::NONE, |id| Id::of(&id)))
    }

    /// Calls `read` with the cursor at byte `at`, then moves the cursor back.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read_at<T>(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Cursor<'a>) -> Scanned<T>,
    ) -> Scanned<T> {
        let back = self.at();
        self.go_to(at);
        let value = read(self)?;
        self.go_to(back);
        Ok(value)
    }

    /// Returns the next number as it is spelled; skips any other value.
    ///
    /// # Errors
    /// The value is malformed.
    pub fn number_or_skip(&mut self) -> Scanned<Option<&'a str>> {
        let from = self.at();
        if self.skip()? != Kind::Number {
            return Ok(None);
        }
        Ok(std::str::from_utf8(self.bytes()[from..self.at()].trim_ascii_start()).ok())
    }

    /// Calls `read` with the place and the cursor for each element of the next array.
    ///
    /// # Errors
    /// The next value is no array, the array is malformed, or those of `read`.
    #[inline]
    pub fn each_element(
        &mut self,
        mut read: impl FnMut(usize, &mut Cursor<'a>) -> Scanned,
    ) -> Scanned {
        let (mut members, mut place) = (self.enter_array()?, 0);
        while self.element(&mut members)? {
            read(place, self)?;
            place += 1;
        }
        Ok(())
    }

    /// Calls `read` for each object among the elements of the next array, with its place among the
    /// objects.
    ///
    /// # Errors
    /// The next value is no array, the array is malformed, or those of `read`.
    #[inline]
    pub fn each_object(
        &mut self,
        mut read: impl FnMut(usize, &mut Cursor<'a>) -> Scanned,
    ) -> Scanned {
        let mut place = 0;
        self.each_element(|_, cursor| {
            if cursor.kind()? == Kind::Object {
                read(place, cursor)?;
                place += 1;
            }
            Ok(())
        })
    }

    /// Returns the byte ranges of the elements of the next array.
    ///
    /// # Errors
    /// The next value is no array, or the array is malformed.
    pub fn element_ranges(&mut self) -> Scanned<Vec<Range<usize>>> {
        let mut found = Vec::new();
        self.each_element(|_, cursor| {
            let from = cursor.at();
            cursor.skip()?;
            found.push(from..cursor.at());
            Ok(())
        })?;
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
        let mut found = Vec::new();
        let read = cursor.each_object(|place, cursor| {
            let from = cursor.at();
            cursor.skip()?;
            found.push((place, &text[from..cursor.at()]));
            Ok(())
        });
        assert_eq!(
            (read, found),
            (Ok(()), vec![(0, &b"{\"a\":1}"[..]), (1, b"{}")])
        );
        assert!(cursor.at_end());
    }

    #[test]
    fn members_that_are_not_read_are_skipped() {
        let mut cursor = Cursor::new(br#" {"a" : {"b":[1]}, "c": "d" ,"e":[], "f":{"g":1}} 7"#);
        let mut found = Vec::new();
        let read = cursor.each_member(|name, cursor| {
            if name == b"c" {
                found.extend(cursor.string_or_skip()?.map(String::from));
            } else if name == b"f" {
                cursor.each_member(|name, _| {
                    found.push(String::from_utf8_lossy(name).into());
                    Ok(())
                })?;
            } else {
                cursor.kind()?;
            }
            Ok(())
        });
        assert_eq!(
            (read, found),
            (Ok(()), vec!["d".to_owned(), "g".to_owned()])
        );
        assert_eq!(cursor.each_member(|_, _| unreachable!()), Ok(()));
        assert!(cursor.at_end());
        assert!(
            Cursor::new(b"{\"a\":1")
                .each_member(|_, _| Ok(()))
                .is_err_and(|error| error.open)
        );
    }

    #[test]
    fn elements_that_are_not_read_are_skipped() {
        let mut cursor = Cursor::new(b"[ [1] , {\"a\":[]}, \"b\",3 ] 7");
        let mut elements = cursor.enter_array().unwrap();
        let mut found = Vec::new();
        while cursor.element(&mut elements).unwrap() {
            found.push(cursor.kind().unwrap());
        }
        assert_eq!(
            found,
            [Kind::Array, Kind::Object, Kind::String, Kind::Number]
        );
        assert!(!cursor.at_end() && cursor.skip() == Ok(Kind::Number));
        let mut torn = Cursor::new(b"[[1, 2");
        let mut elements = torn.enter_array().unwrap();
        assert_eq!(torn.element(&mut elements), Ok(true));
        assert!(torn.element(&mut elements).is_err_and(|error| error.open));
    }

    #[test]
    fn a_torn_array_is_an_error() {
        let mut objects = 0;
        let read = Cursor::new(b"[1, {}, 2").each_object(|_, _| {
            objects += 1;
            Ok(())
        });
        assert!(objects == 1 && read.is_err_and(|error| error.open));
    }

    #[test]
    fn ranges_are_of_the_values_alone() {
        let mut cursor = Cursor::new(b" [ 1 ,\"b\", [2]]");
        assert_eq!(cursor.element_ranges(), Ok(vec![3..4, 6..9, 11..14]));
        assert!(Cursor::new(b"{}").element_ranges().is_err());
    }
}
