//! Chunks without heads: between separator lines (`---`, `===`), or one a line.
//!
//! Nothing marks where the first chunk begins and where the last one ends, so both stay where they
//! are, unless a separator does.

use super::{
    Chunk, List,
    lines::{Line, Lines, run},
};

/// The chunks between the separators of `lines`; `None` where there is no separator. All are alike.
pub fn separated(text: &str, lines: Lines<'_>, mark: &str) -> Option<Result<List, String>> {
    let rule = |line: &Line<'_>| line.read(rule);
    let sign = lines.iter().find_map(rule)?;
    if lines.iter().filter_map(rule).any(|other| other != sign) {
        return Some(Err(format!("{mark} has rules of more than one kind")));
    }
    let groups = lines.split(|line| rule(line).is_some());
    let mut chunks: Vec<_> = groups.map(|group| Chunk::of(text, group)).collect();
    let last = chunks.len() - 1;
    if chunks[1..last].contains(&None) {
        return Some(Err(format!("{mark} has nothing between two rules")));
    }
    for chunk in [0, last] {
        if let Some(chunk) = &mut chunks[chunk] {
            chunk.is_fixed = true;
        }
    }
    Some(Ok(List {
        layout: format!("{} in {mark}", char::from(sign.0).to_string().repeat(3)),
        chunks: chunks.into_iter().flatten().collect(),
    }))
}

/// The sign and the length of a line that is a rule: it is alone, and at least three signs long.
pub fn rule(line: &str) -> Option<(u8, usize)> {
    let line = line.trim();
    run(line, b"-=*_#+").filter(|(_, length)| *length == line.len())
}

/// Bytes that a line has on average at least.
const BYTES: usize = 40;

/// Lines as chunks. A text of several lines looks the same, so each must be two sentences or more,
/// with no blank line between.
pub fn rows(text: &str, lines: Lines<'_>, mark: &str) -> Option<List> {
    let begin = lines.iter().position(|line| !line.is_blank())?;
    let end = lines.iter().rposition(|line| !line.is_blank())? + 1;
    let lines = &lines[begin..end];
    let stands_alone = |line: &Line<'_>| {
        let own = line.text.trim();
        !line.code && is_whole(own) && sentences(own) > 1
    };
    let bytes: usize = lines.iter().map(|line| line.text.trim().len()).sum();
    if lines.len() < 3 || !lines.iter().all(stands_alone) || bytes < BYTES * lines.len() {
        return None;
    }
    let chunks = lines.chunks(1).filter_map(|line| Chunk::of(text, line));
    let mut chunks: Vec<Chunk> = chunks.collect();
    let last = chunks.len() - 1;
    (chunks[0].is_fixed, chunks[last].is_fixed) = (true, true);
    Some(List {
        layout: format!("lines in {mark}"),
        chunks,
    })
}

/// Whether a line begins and ends as sentences do.
fn is_whole(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = number.len() < line.len() && number.starts_with(['.', ')', ':', '、']);
    line.starts_with(|c: char| c.is_alphanumeric() && !c.is_lowercase())
        && !is_item
        && ends_sentence(line)
}

fn ends_sentence(line: &str) -> bool {
    line.trim_end_matches(['"', '”', '»', ')', '」', '\''])
        .ends_with(['.', '!', '?', '。', '！', '？', '…', '؟'])
}

fn sentences(line: &str) -> usize {
    let wide = |c: char| matches!(c, '。' | '！' | '？');
    line.split_inclusive(|c: char| c.is_whitespace() || wide(c))
        .filter(|word| ends_sentence(word.trim_end()))
        .count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{chunks, fixed};

    #[test]
    fn chunks_between_rules() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        for text in [
            "a\n---\nb\n\nb\n---\nc",
            "---\na\n---\nb\n\nb\n---\nc\n---",
            "\n=====\na\n=====\nb\n\nb\n=====\n\nc",
        ] {
            assert_eq!(chunks(&fence(text)).unwrap(), ["a", "b\n\nb", "c"]);
        }
        assert_eq!(fixed(&fence("a\n---\nb\n---\nc\n\nBe brief.")), [0, 2]);
        assert_eq!(fixed(&fence("---\na\n---\nb\n---\nc\n---")), [0; 0]);
        for (text, want) in [
            ("a\n---\nb\n===\nc", "more than one kind"),
            ("a\n---\nb\n-----\nc", "more than one kind"),
            ("a\n---\n\n---\nc", "nothing between two rules"),
            ("```\na\n---\nb\n```", "nothing that separates its chunks"),
            ("a\n - - -\nb", "nothing that separates its chunks"),
        ] {
            let why = chunks(&fence(text)).unwrap_err();
            assert!(why.contains(want), "{text}: {why}");
        }
    }

    #[test]
    fn lines_that_are_texts_of_their_own() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        let texts = [
            "Lockers open with a band. A lost one costs six euros.",
            "Lessons start in May. Children come with an adult.",
            "Soup is sold until nine. Cards are welcome here.",
        ];
        assert_eq!(chunks(&fence(&texts.join("\n"))).unwrap(), texts);
        assert_eq!(fixed(&fence(&texts.join("\n"))), [0, 2]);
        let zh = [
            "储物柜用腕带打开。丢失腕带要付六欧元，请到前台。",
            "游泳课九月开始。五岁以下儿童须由成人陪同参加。",
            "餐厅卖汤到九点。欢迎使用银行卡付款，也可付现。",
        ];
        assert_eq!(chunks(&fence(&zh.join("\n"))).unwrap(), zh);
        let labelled = format!(
            "Context:\n    {}\n\nQuestion: who?\nAnswer:",
            texts.join("\n    ")
        );
        assert_eq!(chunks(&labelled).unwrap(), texts);
        for text in [
            "Drain the boiler.\nUnscrew the flange.\nPut in the gasket.".to_owned(),
            texts.join("\n\n"),
            format!("{}\nAnswer only from the above.", texts.join("\n")),
            format!("- {}", texts.join("\n- ")),
        ] {
            assert!(chunks(&fence(&text)).is_err(), "{text}");
        }
    }
}
