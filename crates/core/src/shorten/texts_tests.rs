//! Each rule against a slow statement of it, on random texts of several scripts.

use super::*;
use proptest::prelude::*;

/// Texts of ASCII, accents, Chinese, emoji beyond one UTF-16 unit, joined emoji, line ends of both
/// kinds and odd white space.
fn texts() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        4 => "[a-z {}\"\\\\]{1,6}",
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        2 => "[é漢字😀]{1,3}",
        1 => Just("👩‍👩‍👧".to_owned()),
        1 => prop_oneof![Just("\u{2028}"), Just("\u{feff}"), Just("\0"), Just("\u{301}")].prop_map(str::to_owned),
    ];
    prop::collection::vec(segment, 0..40).prop_map(|segments| segments.concat())
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn string(chars: &[char]) -> String {
    chars.iter().collect()
}

/// The longest text of whole characters that is a beginning of `bytes`.
fn whole(bytes: &[u8]) -> &str {
    (0..=bytes.len())
        .rev()
        .find_map(|end| std::str::from_utf8(&bytes[..end]).ok())
        .unwrap()
}

/// The longest text of whole characters that is an end of `bytes`.
fn whole_end(bytes: &[u8]) -> &str {
    (0..=bytes.len())
        .find_map(|from| std::str::from_utf8(&bytes[from..]).ok())
        .unwrap()
}

fn of(measure: Measure, number: usize) -> Size {
    Size {
        unit: measure,
        number: number as f64,
    }
}

fn apply(rule: &Rule, text: &str) -> Option<String> {
    rule.apply(text, "read")
        .map(|segments| joined(text, &segments))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn heads_and_tails(text in texts(), number in 0..60usize) {
        let ends = |measure| {
            let size = of(measure, number);
            (text[head(&text, size)].to_owned(), text[tail(&text, size)].to_owned())
        };
        let all = chars(&text);
        let (first, last) = ends(Measure::CodePoints);
        prop_assert_eq!(first, string(&all[..number.min(all.len())]));
        prop_assert_eq!(last, string(&all[all.len() - number.min(all.len())..]));
        let all = text.as_bytes();
        for (measure, count) in [(Measure::Bytes, number), (Measure::Tokens, number * 4)] {
            let (first, last) = ends(measure);
            prop_assert_eq!(&*first, whole(&all[..count.min(all.len())]));
            prop_assert_eq!(&*last, whole_end(&all[all.len() - count.min(all.len())..]));
        }
        let all = units(&text);
        let (first, last) = ends(Measure::Chars);
        let decoded = |units: &[u16]| char::decode_utf16(units.iter().copied()).map(|c| c.ok()).collect::<Option<String>>();
        // A pair that the end would split is left out.
        let most = &all[..number.min(all.len())];
        prop_assert_eq!(Some(first), decoded(most).or_else(|| decoded(&most[..most.len() - 1])));
        let most = &all[all.len() - number.min(all.len())..];
        prop_assert_eq!(Some(last), decoded(most).or_else(|| decoded(&most[1..])));
        let all: Vec<&str> = text.split('\n').collect();
        prop_assert_eq!(size(&text, Measure::Lines), all.len() as u64);
        let (first, last) = ends(Measure::Lines);
        prop_assert_eq!(first, all[..number.min(all.len())].join("\n"));
        prop_assert_eq!(last, all[all.len() - number.min(all.len())..].join("\n"));
        prop_assert_eq!(size(&text, Measure::Chars), units(&text).len() as u64);
        prop_assert_eq!(size(&text, Measure::Tokens), text.len().div_ceil(4) as u64);
    }

    #[test]
    fn a_head_with_a_note_behind_it(text in texts(), keep in 0..40usize) {
        let size = of(Measure::CodePoints, keep);
        let rule = Rule { over: size, head: size, tail: of(Measure::CodePoints, 0), text: Template::new("{head} ({excess} more)") };
        let all = chars(&text);
        let slow = (all.len() > keep).then(|| format!("{} ({} more)", string(&all[..keep]), all.len() - keep));
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn lines_at_both_ends(text in texts(), keep in 1..6usize) {
        let size = of(Measure::Lines, keep);
        let text_of = Template::new("{head}\n[{excess} of {lines}]\n{tail}");
        let rule = Rule { over: of(Measure::Lines, 2 * keep), head: size, tail: size, text: text_of };
        let all: Vec<&str> = text.split('\n').collect();
        let slow = (all.len() > 2 * keep).then(|| {
            let note = format!("[{} of {}]", all.len() - 2 * keep, all.len());
            [all[..keep].to_vec(), vec![&note], all[all.len() - keep..].to_vec()].concat().join("\n")
        });
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn a_middle_that_says_what_went(text in texts(), limit in 0..120usize, tokens in any::<bool>()) {
        let (measure, bytes) = if tokens { (Measure::Tokens, limit * 4) } else { (Measure::Bytes, limit) };
        let rule = Rule {
            over: of(measure, limit),
            head: of(Measure::Bytes, bytes / 2),
            tail: of(Measure::Bytes, bytes - bytes / 2),
            text: Template::new("{head}…{excess} truncated…{tail}"),
        };
        let all = text.as_bytes();
        let slow = (text.len() > bytes).then(|| {
            let (first, last) = (whole(&all[..bytes / 2]), whole_end(&all[all.len() - (bytes - bytes / 2)..]));
            let excess = if tokens { (text.len() - bytes).div_ceil(4) } else { text.len() - bytes };
            format!("{first}…{excess} truncated…{last}")
        });
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn pieces_that_are_kept_are_of_the_text(text in texts(), keep in 0..20usize) {
        let size = of(Measure::Chars, keep);
        let rule = Rule { over: size, head: size, tail: size, text: Template::new("{head}{tool}{tail}") };
        for segment in rule.apply(&text, "read").into_iter().flatten() {
            match segment {
                Segment::Kept(range) => prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end)),
                Segment::New(new) => prop_assert_eq!(new, "read"),
            }
        }
    }
}

#[test]
fn braces_that_are_no_name_stay() {
    for (template, wanted) in [
        (
            "{tool} {chars} {tokens} {lines} {splitlines}",
            "read 5 3 2 2",
        ),
        ("{}", "{}"),
        ("{ tool", "{ tool"),
        ("{{tool}}", "{read}"),
        ("{\"a\": {tool}}", "{\"a\": read}"),
        ("{tools} {Tool} {tool } {id}", "{tools} {Tool} {tool } {id}"),
        ("\u{1f600}{漢}{tool}", "\u{1f600}{漢}read"),
        ("}{", "}{"),
    ] {
        assert_eq!(
            Template::new(template).of("a漢\n😀", "read"),
            wanted,
            "{template}"
        );
    }
    assert!(Template::new("[cleared] {x}").is_constant() && !Template::new("{tool}").is_constant());
}
