//! Chunks of one line each, from templates that join texts without a blank line between them.
//!
//! A text of several lines looks the same. Therefore each line must consist of whole sentences, most lines must have more than one,
//! and no line may continue the one before it.

use super::lines::{Line, is_blank};
use super::{Chunk, List, trim};

/// Chars that a line has on average at least; of scripts whose characters are words, a third of it.
const CHARS: usize = 40;
/// Beginnings of a sentence that continues what was said before.
const CONTINUES: &str = "\
 afterwards also and another besides but consequently finally first furthermore hence however instead likewise meanwhile moreover next \
 nevertheless nor or otherwise second then therefore third thus too yet he her his it its she such that their these they this those \
 danach dann daher damit deshalb dennoch diese dieser dieses doch ferner hingegen jedoch schließlich sodann sonst trotzdem zudem zuerst \
 zuletzt zunächst außerdem aber also auch er ihre sein seine und oder \
 après ainsi alors aussi cela celle celui ces cette cependant donc enfin ensuite et mais puis toutefois ils elles leur leurs \
 además así después entonces esta estas este estos esto finalmente luego pero también y ellos ellas él ella \
 dopo inoltre quindi questo questa questi infine però egli essi poi depois então isso assim porém também eles elas \
 daarna dan deze dus echter maar ook vervolgens zij en";
/// Beginnings of the same kind in scripts without spaces.
const CONTINUES_UNSPACED: [&str; 24] = [
    "然后",
    "之后",
    "此后",
    "随后",
    "接着",
    "最后",
    "但是",
    "但",
    "因此",
    "所以",
    "此外",
    "另外",
    "这",
    "那",
    "其",
    "它",
    "他",
    "她",
    "首先",
    "其次",
    "そして",
    "その",
    "しかし",
    "また",
];

/// The lines of a region as chunks, if they look like texts of their own.
pub(super) fn chunks(text: &str, lines: &[Line], mark: &str) -> Option<List> {
    let filled: Vec<&Line> = lines.iter().filter(|line| !is_blank(text, line)).collect();
    let blank = |a: usize, b: usize| lines.iter().any(|line| line.span.start > a && line.span.end < b && is_blank(text, line));
    let (first, last) = (filled.first()?, filled.last()?);
    if filled.len() < 3 || blank(first.span.start, last.span.end) || filled.iter().any(|line| line.code) {
        return None;
    }
    let texts: Vec<&str> = filled.iter().map(|line| text[line.span.clone()].trim()).collect();
    let several = texts.iter().filter(|line| sentences(line) > 1).count();
    let weight: usize = texts.iter().map(|line| weight(line)).sum();
    let alone = texts.iter().all(|line| is_whole(line) && !continues_previous(line));
    if !alone || several * 4 < texts.len() * 3 || weight < CHARS * texts.len() {
        return None;
    }
    let chunks = filled.iter().map(|line| Chunk { span: trim(text, line.span.clone()), number: None, names: Vec::new() }).collect();
    Some(List { layout: format!("lines in {mark}"), chunks, loose: true })
}

/// Chars of a line, those of scripts without spaces counted three times.
fn weight(line: &str) -> usize {
    line.chars().map(|c| if super::vocabulary::is_unspaced(c) { 3 } else { 1 }).sum()
}

/// Whether a line is whole sentences and no item, heading, quote or row.
fn is_whole(line: &str) -> bool {
    let begins = line.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || c.is_alphabetic() && !c.is_lowercase());
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = number.len() < line.len() && number.starts_with(['.', ')', ':', '、']);
    begins && !item && line.trim_end_matches(['"', '”', '»', ')', '」', '\'']).ends_with(['.', '!', '?', '。', '！', '？', '…', '।'])
}

fn sentences(line: &str) -> usize {
    let chars: Vec<char> = line.chars().collect();
    let ends = |i: usize| match chars[i] {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' | '।' | '؟' => chars.get(i + 1).is_none_or(|c| c.is_whitespace()),
        _ => false,
    };
    (0..chars.len()).filter(|&i| ends(i)).count()
}

/// Whether a text begins as one that continues what was said before it.
pub(super) fn continues_previous(text: &str) -> bool {
    let first = text.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    CONTINUES.split_whitespace().any(|word| word == first) || CONTINUES_UNSPACED.iter().any(|word| text.trim_start().starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::tests::chunks;

    #[test]
    fn lines_that_are_texts_of_their_own() {
        let fence = |text: &str| format!("<context>\n{text}\n</context>");
        let texts = [
            "Lockers open with a band. A lost one costs six euros.",
            "Lessons start in May. Children come with an adult.",
            "Soup is sold until nine. Cards are welcome here.",
        ];
        assert_eq!(chunks(&fence(&texts.join("\n"))).unwrap(), texts);
        let zh = [
            "储物柜用腕带打开。丢失腕带要付六欧元，请到前台。",
            "游泳课九月开始。五岁以下儿童须由成人陪同参加。",
            "餐厅卖汤到九点。欢迎使用银行卡付款，也可付现。",
        ];
        assert_eq!(chunks(&fence(&zh.join("\n"))).unwrap(), zh);
        for text in [
            "Drain the boiler.\nUnscrew the flange.\nPut in the gasket.",
            "A traveller hands in receipts within a month. Late ones lapse.\nThis does not hold for the sick. They have longer.\nTheir claim lapses after two months. It is then closed.",
            "Receipts are due within a month. Late ones lapse then.\n\nThe sick have a further month. Their claim lapses then.\n\nTravel abroad is paid in euros. The rate is that of the day.",
            "- Lockers open with a band. It costs six euros.\n- Lessons start in May. Bring an adult.\n- Soup is sold until nine. Cards work.",
        ] {
            assert!(chunks(&fence(text)).is_err(), "{text}");
        }
    }
}
