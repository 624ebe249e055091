//! The format that CONTRIBUTING adds by example, compiled and tried.

use super::accept::accept;
use super::builder::TranscriptBuilder;
use super::detect::detect_among;
use super::{Dialect, messages, proxy_log_tests, transcript};
use crate::json::Cursor;
use crate::settings::{Estimator, Scope};

#[test]
fn the_example_is_a_format() {
    static TABLE: &[Dialect] = &[proxy_log_tests::DIALECT, messages::DIALECT];
    assert!(
        include_str!("../../../../CONTRIBUTING.md").contains(include_str!("proxy_log_tests.rs"))
    );
    let line = br#"{"ts":1,"model":"m","prompt":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}"#;
    let found = detect_among(TABLE, &mut Cursor::new(line))
        .unwrap()
        .unwrap();
    assert_eq!((found.format.name, found.certain), ("proxy-log", true));
    let mut builder = TranscriptBuilder::new(Estimator::Utf16);
    builder.begin(0, 1);
    (found.format.read)(&mut Cursor::new(line), &mut builder).unwrap();
    let read = transcript(found.format, builder, Scope::Context).unwrap();
    assert!(accept(&read, found).is_ok());
    assert_eq!((read.messages.len(), read.model.as_deref()), (2, Some("m")));
}
