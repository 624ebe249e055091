//! Rows of reports, as the tests of several modules write them.

/// A row of a report whose other fields are those of a default, or of another row: it may get more of them.
macro_rules! row {
    ($kind:ident { $($field:ident $(: $value:expr)?),* $(, ..$base:expr)? $(,)? }) => {{
        #[allow(unused_mut, unused_assignments)]
        let mut row = $kind::default();
        $(row = $base;)?
        $(row.$field = row!(@ $field $($value)?);)*
        row
    }};
    (@ $field:ident) => { $field };
    (@ $field:ident $value:expr) => { $value };
}
