use super::*;
use proptest::prelude::*;

fn whole(bytes: &[u8]) -> Scanned {
    let mut cursor = Cursor::new(bytes);
    cursor.skip()?;
    if cursor.at_end() {
        Ok(())
    } else {
        Err(cursor.expected("the end"))
    }
}

#[test]
fn accepts_what_is_json() {
    for text in [
        "{}",
        " [ ] ",
        "[1,2.5e-3,-0,0.10,1E5]",
        r#"{"a":{"b":[{},[],"x"]},"c":null}"#,
        "\"\\ud800\"",
        "true",
        "[false,null]",
    ] {
        assert_eq!(whole(text.as_bytes()), Ok(()), "{text}");
    }
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    assert_eq!(whole(&deep), Ok(()));
}

#[test]
fn refuses_what_is_not_with_the_place() {
    for (text, at) in [
        ("[1,]", 3),
        ("{\"a\":1,}", 7),
        ("[1 2]", 3),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("[1}", 2),
        ("{\"a\" 1}", 5),
        ("{a:1}", 1),
        ("tru", 3),
        ("nulL", 3),
        ("\"a\nb\"", 2),
        ("[", 1),
        ("{\"a\"", 4),
        ("", 0),
        ("{,}", 1),
        ("[,1]", 1),
        ("\u{feff}1", 0),
        ("NaN", 0),
    ] {
        assert_eq!(whole(text.as_bytes()).map_err(|e| e.at), Err(at), "{text}");
    }
}

#[test]
fn a_newline_ends_a_value_in_lines() {
    let mut cursor = Cursor::lines(b"{\"a\":\n1}", 0);
    assert!(cursor.skip().is_err());
    let mut cursor = Cursor::lines(b"{\"a\":1} \r\n[2]", 0);
    assert_eq!(cursor.skip(), Ok(Kind::Object));
    assert!(cursor.at_end());
    assert_eq!(cursor.at(), 9);
}

#[test]
fn keys_are_decoded_when_they_must_be() {
    let mut cursor = Cursor::new(br#"{"r\u006fle":1,"content_of_this_very_long_key":2}"#);
    let mut members = cursor.enter_object().unwrap();
    assert_eq!(cursor.key(&mut members).unwrap().unwrap().as_ref(), b"role");
    cursor.skip().unwrap();
    assert_eq!(
        cursor.key(&mut members).unwrap().unwrap().as_ref(),
        b"content_of_this_very_long_key"
    );
    cursor.skip().unwrap();
    assert_eq!(cursor.key(&mut members), Ok(None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    /// Mutated JSON is accepted exactly when serde_json accepts its syntax.
    #[test]
    fn agrees_with_serde(mut bytes in r#"(\[|\{"a":|"x\\n","|1.5e3|,|true|null|\}|\]|:| |"k":|\\u00e9|"){0,14}"#.prop_map(String::into_bytes), flip in any::<Option<(u8, u8)>>()) {
        if let Some((i, byte)) = flip && !bytes.is_empty() {
            let i = i as usize % bytes.len();
            bytes[i] = byte & 0x7f;
        }
        let serde = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(whole(&bytes).is_ok(), serde, "{}", String::from_utf8_lossy(&bytes));
        // With space after it, where more bytes at once are looked at.
        bytes.extend([b' '; 64]);
        prop_assert_eq!(whole(&bytes).is_ok(), serde, "{}", String::from_utf8_lossy(&bytes));
    }

    /// Members are the same however they are spaced, however long keys and strings are, and
    /// wherever the bytes end.
    #[test]
    fn members_are_those_of_serde(
        members in prop::collection::vec(("([a-z]{0,40}|[a-z\"\\\\\u{1}é]{0,20})", "([ -~]{0,40}|[a-z\"\\\\\u{1}é]{0,20})"), 0..5),
        spaced: bool,
        behind in 0usize..50,
    ) {
        let quote = |text: &str| serde_json::to_string(text).unwrap();
        let (comma, colon) = if spaced { (", ", ": ") } else { (",", ":") };
        let inside: Vec<String> = members.iter().map(|(key, value)| [quote(key), quote(value)].join(colon)).collect();
        let text = format!("{{{}}}{}", inside.join(comma), " ".repeat(behind));
        let mut cursor = Cursor::new(text.as_bytes());
        let mut object = cursor.enter_object().unwrap();
        for (key, value) in &members {
            prop_assert_eq!(cursor.key(&mut object).unwrap(), Some(Cow::from(key.as_bytes())));
            let at = cursor.at();
            prop_assert_eq!(cursor.bytes_or_skip().unwrap(), Some(Cow::from(value.as_bytes())));
            cursor.go_to(at);
            prop_assert_eq!(cursor.string_or_skip().unwrap(), Some(Cow::from(value.as_str())));
        }
        prop_assert_eq!(cursor.key(&mut object), Ok(None));
        prop_assert!(cursor.at_end());
    }

    /// Numbers of any length are passed to their end, whatever comes after.
    #[test]
    fn numbers_end(number in "-?(0|[1-9][0-9]{0,30})([.][0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", behind in "[]},: a-df-z\u{80}]{0,12}") {
        let text = format!("{number}{behind}");
        let mut cursor = Cursor::new(text.as_bytes());
        prop_assert_eq!(cursor.skip(), Ok(Kind::Number));
        prop_assert_eq!(cursor.at(), number.len());
    }
}
