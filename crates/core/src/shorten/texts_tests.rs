//! Each rule against a slow statement of it, on random texts of several scripts.

use super::measure::{head, tail};
use super::*;
use proptest::prelude::*;
use serde_json::json;

/// Texts of ASCII, accents, Chinese, emoji beyond one UTF-16 unit, joined emoji, line ends of both kinds and odd white space.
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
    (0..=bytes.len()).rev().find_map(|end| std::str::from_utf8(&bytes[..end]).ok()).unwrap()
}

/// The longest text of whole characters that is an end of `bytes`.
fn whole_end(bytes: &[u8]) -> &str {
    (0..=bytes.len()).find_map(|from| std::str::from_utf8(&bytes[from..]).ok()).unwrap()
}

fn of(measure: Measure, number: usize) -> Size {
    Size { measure, number: number as u64 }
}

fn apply(rule: &Rule, text: &str) -> Option<String> {
    rule.apply(text, TemplateValues { tool: "read", id: "c1", subject: "" }).map(|segments| joined(text, &segments))
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
        let rule = Rule::head(of(Measure::CodePoints, keep), "\n[... elided {excess} chars by cissor]");
        let all = chars(&text);
        let slow = (all.len() > keep).then(|| format!("{}\n[... elided {} chars by cissor]", string(&all[..keep]), all.len() - keep));
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn bytes_of_whole_characters(text in texts(), keep in 0..120usize) {
        let rule = Rule::head(of(Measure::Bytes, keep), "\n[ca-condensed {bytes}B #{digest}]");
        let found = apply(&rule, &text);
        let new = (text.len() > keep).then(|| {
            let hash = template_values::digest(&text, 8);
            assert!(hash.len() == 8 && hash.chars().all(|c| c.is_ascii_hexdigit()));
            format!("{}\n[ca-condensed {}B #{hash}]", whole(&text.as_bytes()[..keep]), text.len())
        });
        prop_assert_eq!(found, new);
    }

    #[test]
    fn lines_first_and_bytes_else(text in texts(), lines in 2..12u64, bytes in 2..150usize) {
        let half = bytes / 2;
        let rules = [
            Rule {
                over: of(Measure::Lines, lines as usize),
                head: of(Measure::Lines, lines as usize / 2),
                tail: of(Measure::Lines, lines as usize / 2),
                text: Template::new("{head}\n\n... [{excess} lines trimmed by cozempic] ...\n\n{tail}"),
                within: false,
                hard: false,
            },
            Rule {
                over: of(Measure::Bytes, bytes),
                head: of(Measure::CodePoints, half),
                tail: of(Measure::CodePoints, half),
                text: Template::new("{head}\n... [{excess} bytes trimmed by cozempic] ...\n{tail}"),
                within: false,
                hard: false,
            },
        ];
        let found = shortened(&rules, &text, TemplateValues::default()).map(|segments| joined(&text, &segments));
        let all: Vec<&str> = text.split('\n').collect();
        let keep = lines as usize / 2;
        let slow = if all.len() > lines as usize {
            let note = format!("\n... [{} lines trimmed by cozempic] ...\n", all.len() - lines as usize);
            Some([all[..keep].to_vec(), vec![&note], all[all.len() - keep..].to_vec()].concat().join("\n"))
        } else if text.len() > bytes && chars(&text).len() >= 2 * half {
            let all = chars(&text);
            let note = format!("\n... [{} bytes trimmed by cozempic] ...\n", text.len() - bytes);
            Some(format!("{}{note}{}", string(&all[..half]), string(&all[all.len() - half..])))
        } else {
            // Head and tail meet: other programs say the middle twice there, this one does not.
            found.clone()
        };
        prop_assert_eq!(found, slow);
    }

    #[test]
    fn a_note_that_counts_in_the_limit(text in texts(), limit in 0..80usize) {
        let mut rule = Rule::head(of(Measure::Chars, limit), "... [truncated {chars} chars]");
        (rule.within, rule.hard) = (true, true);
        let all = units(&text);
        let note = units(&format!("... [truncated {} chars]", all.len()));
        let slow = (all.len() > limit).then(|| {
            let new = if note.len() >= limit { note[..limit].to_vec() } else { [&all[..limit - note.len()], &note[..]].concat() };
            String::from_utf16(&new).ok()
        });
        // Where a pair would be split, one unit less is kept.
        match (apply(&rule, &text), slow) {
            (found, Some(Some(slow))) => prop_assert_eq!(found, Some(slow)),
            (found, Some(None)) => prop_assert_eq!(units(&found.unwrap()).len(), limit - 1),
            (found, None) => prop_assert_eq!(found, None),
        }
    }

    #[test]
    fn a_note_that_leaves_bytes_for_the_head(text in texts(), limit in 0..200usize) {
        let mut rule = Rule::head(of(Measure::Bytes, limit), "\n[pruned: {excess} bytes omitted, id={id}]");
        rule.within = true;
        let slow = (text.len() > limit).then(|| {
            let note = format!("\n[pruned: {} bytes omitted, id=c1]", text.len() - limit);
            format!("{}{note}", whole(&text.as_bytes()[..limit.saturating_sub(note.len())]))
        });
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn a_middle_that_says_what_went(text in texts(), limit in 0..120usize, tokens in any::<bool>()) {
        let (measure, bytes) = if tokens { (Measure::Tokens, limit * 4) } else { (Measure::Bytes, limit) };
        let text_of = if tokens { "{head}…{excess} tokens truncated…{tail}" } else { "{head}…{removed_points} chars truncated…{tail}" };
        let rule = Rule {
            over: of(measure, limit),
            head: of(Measure::Bytes, bytes / 2),
            tail: of(Measure::Bytes, bytes - bytes / 2),
            text: Template::new(text_of),
            within: false,
            hard: false,
        };
        let all = text.as_bytes();
        let slow = (text.len() > bytes).then(|| {
            let (first, last) = (whole(&all[..bytes / 2]), whole_end(&all[all.len() - (bytes - bytes / 2)..]));
            let removed = chars(&text).len() - chars(first).len() - chars(last).len();
            let note = if tokens { format!("{} tokens", (text.len() - bytes).div_ceil(4)) } else { format!("{removed} chars") };
            format!("{first}…{note} truncated…{last}")
        });
        prop_assert_eq!(apply(&rule, &text), slow);
    }

    #[test]
    fn pieces_that_are_kept_are_of_the_text(text in texts(), keep in 0..20usize) {
        let mut rule = Rule::head(of(Measure::Chars, keep), " {ref} {");
        rule.tail = of(Measure::Chars, keep);
        rule.text = Template::new("{head}{ref}{tail}");
        for segment in rule.apply(&text, TemplateValues::default()).into_iter().flatten() {
            match segment {
                Segment::Kept(range) => prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end)),
                Segment::New(new) => prop_assert_eq!(new.len(), 12),
            }
        }
    }

    #[test]
    fn an_outline_fits(texts in prop::collection::vec(texts(), 0..4), images in 0..3usize, limit in 1..200u64, preview in 0..120u64) {
        let mut items: Vec<Item<'_>> = texts.iter().map(|text| Item::Text(text)).collect();
        items.extend((0..images).map(|_| Item::Other { kind: "input_image", points: 30 }));
        let all = texts.iter().map(|text| chars(text).len() as u64).sum::<u64>() + 30 * images as u64;
        let found = outline(&items, "read", limit, preview);
        prop_assert_eq!(found.is_some(), all > limit);
        let Some(found) = found else { return Ok(()) };
        let (first, body) = found.split_once('\n').unwrap_or((&found, ""));
        prop_assert!(chars(&found).len() as u64 <= limit && "[Trimmed".starts_with(&first[..first.len().min(8)]), "{}", found);
        let joined = texts.join("\n");
        prop_assert!(joined.starts_with(body.strip_suffix("...").unwrap_or(body)) || body == "...", "{}", found);
        prop_assert!(chars(body).len() as u64 <= preview + 3);
    }

    #[test]
    fn compact_json_says_the_same(text in texts(), numbers in prop::collection::vec(any::<i32>(), 0..5), whole in any::<i64>()) {
        let numbers: Vec<f64> = numbers.into_iter().map(|n| f64::from(n) / 64.0).collect();
        let value = json!({"key": [text, numbers, whole, null, true, {}, []]});
        let spaced = serde_json::to_string_pretty(&value).unwrap().replace('\n', &format!("\n{}", " ".repeat(300)));
        let found = condense(&spaced).unwrap();
        prop_assert!(found.is_ascii());
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&found).unwrap(), value);
    }
}

#[test]
fn known_texts() {
    let text = "this is an example of a long output that should be truncated";
    let rule = Rule {
        over: of(Measure::Bytes, 30),
        head: of(Measure::Bytes, 15),
        tail: of(Measure::Bytes, 15),
        text: Template::new("{head}…{removed_points} chars truncated…{tail}"),
        within: false,
        hard: false,
    };
    assert_eq!(apply(&rule, text).unwrap(), "this is an exam…30 chars truncated…ld be truncated");
    // SHA-256 of the empty text and of "abc", as FIPS 180 has them.
    assert_eq!(template_values::digest("", 12), "e3b0c44298fc");
    assert_eq!(template_values::digest("abc", 8), "ba7816bf");
}

#[test]
fn braces_that_are_no_name_stay() {
    let facts = TemplateValues { tool: "read", id: "c1", subject: "" };
    for (template, wanted) in [
        ("{tool} {id} {chars} {tokens} {lines}", "read c1 5 3 2"),
        ("{}", "{}"),
        ("{ tool", "{ tool"),
        ("{{tool}}", "{read}"),
        ("{\"a\": {tool}}", "{\"a\": read}"),
        ("{tools} {Tool} {tool }", "{tools} {Tool} {tool }"),
        ("[x{: tool}{ subject} — {kilobytes}KB]", "[x: read — 0.0KB]"),
        ("{subject|nothing}{: subject|?}", "nothing: ?"),
        ("\u{1f600}{漢}{tool}", "\u{1f600}{漢}read"),
        ("}{", "}{"),
    ] {
        assert_eq!(Template::new(template).of("a漢\n😀", facts), wanted, "{template}");
    }
    assert_eq!(Template::new("{ref}").of("abc", facts), "ba7816bf8f01");
    assert!(Template::new("[cleared] {x}").is_constant() && !Template::new("{ref}").is_constant());
}

#[test]
fn diffs_lose_their_unchanged_lines() {
    let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@ fn\n one of many\n two of many\n three of many\n-old\n+new\n four\n five is longer\n six is longer\n\n Merged by hand\n and so on";
    let found = condense(diff).unwrap();
    assert_eq!(
        found,
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@ fn\n  [...3 unchanged lines...]\n-old\n+new\n  [...3 unchanged lines...]\n\n Merged by hand\n and so on"
    );
    assert_eq!(condense("@@ -1 +1 @@\n a\n b\n c\n d"), None, "a hunk alone is no diff");
    assert_eq!(condense(&format!("{diff}\0")), None);
    assert_eq!(condense("{\"a\":1}"), None, "there is nothing to gain");
    assert_eq!(condense("[1.0,   1e5, 1E400]         "), None, "no number of Python's");
    assert_eq!(condense("[ 1.0,   1e5,  -0 , 1e16, 1e-5,  0.10 ]         ").unwrap(), "[1.0,100000.0,0,1e+16,1e-05,0.1]");
}

#[test]
fn masks() {
    let of = |response: serde_json::Value, shell: bool| masked(Masked { response: &response, shell, path: "/x.txt" });
    let frame = |preview: &str| {
        format!("<tool_output_masked>\n{preview}\n\nOutput too large. Full output available at: /x.txt\n</tool_output_masked>")
    };
    assert_eq!(
        of(json!({"output": "a\n漢", "n": [1.0, 2.5, {}], "e": []}), false),
        frame("{\n  \"output\": \"a\\n漢\",\n  \"n\": [\n    1,\n    2.5,\n    {}\n  ],\n  \"e\": []\n}")
    );
    let long = of(json!({"output": "x".repeat(600)}), false);
    assert!(long.contains(&format!("\n... [TRUNCATED] ...\n{}\"\n}}", "x".repeat(247))), "{long}");
    let lines: Vec<String> = (0..25).map(|i| i.to_string()).collect();
    let shown = format!("{}\n\n... [5 lines omitted] ...\n\n{}", lines[..10].join("\n"), lines[15..].join("\n"));
    assert_eq!(of(json!({"output": lines.join("\n")}), true), frame(&shown));
    let sections = format!("Command: ls\nOutput: {}\nExit Code: 1\nSignal: \n", lines.join("\n"));
    assert_eq!(
        of(json!({"output": sections, "exitCode": 1, "error": "no"}), true),
        frame(&format!("Command: ls\nOutput: {shown}\nExit Code: 1\nSignal: \n[Error: no]"))
    );
    assert_eq!(of(json!({"error": "no"}), true), frame(""));
}
