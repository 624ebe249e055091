//! Lists that are one text in parts, or that have items of another kind: steps, chapters, a conversation, a log, statements,
//! entries of a bibliography, short items. Each part depends on its place among the others, so none is removed.

use super::prose::continues_previous;
use super::tag::{tag, tags};
use super::vocabulary::{is_unspaced, words};
use super::{keys, numbered};
use std::collections::HashSet;

/// Why the chunks of these texts are no list of retrieved texts, if it shows. `loose` says that nothing but lines parts them.
pub(super) fn reason(texts: &[&str], loose: bool) -> Option<&'static str> {
    let own: Vec<&str> = texts.iter().map(|text| without_head(text)).collect();
    let most = |n: usize| n * 4 >= texts.len() * 3;
    let count = |fits: fn(&str) -> bool| own.iter().filter(|text| fits(text)).count();
    match () {
        () if texts.len() < 2 => None,
        () if most(own.iter().filter(|text| step(text).is_some()).count()) && ascends(&own) => Some("the chunks are steps or chapters"),
        () if refers(texts, &own) => Some("the chunks refer to each other"),
        () if is_conversation(&own) => Some("the chunks are turns of a conversation"),
        () if most(count(is_stamped)) => Some("the chunks are rows of a log"),
        () if most(count(|text| date(text).is_some())) && own.iter().filter_map(|text| date(text)).is_sorted() => {
            Some("the chunks are entries in the order of their dates")
        }
        () if most(count(is_statement)) => Some("the chunks are statements that build on each other"),
        () if most(count(is_reference)) => Some("the chunks are entries of a bibliography"),
        () if most(count(is_item)) => Some("the chunks are items and no texts"),
        () if most(own.iter().skip(1).filter(|text| continues_previous(text)).count() + 1)
            || loose && own.iter().any(|text| continues_previous(text)) =>
        {
            Some("the chunks go on with each other")
        }
        () => None,
    }
}

/// A chunk's text without its tags, its number and the key lines that lead to it.
fn without_head(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(open) = tag(rest, 0) {
        let inner = &rest[open.span.end..];
        // A short element before another one names the source.
        let close = tags(inner, 0).next().filter(|close| close.closes && close.name == open.name && close.span.start < 200);
        let after =
            close.map(|close| inner[close.span.end..].trim_start()).filter(|after| after.starts_with('<') && !after.starts_with("</"));
        rest = after.unwrap_or(inner.trim_start());
    }
    rest = numbered::without(rest).trim_start();
    while let Some((_, after)) = rest.split_once('\n').filter(|(line, _)| keys::is_source(line)) {
        rest = after.trim_start();
    }
    keys::value(rest)
}

/// Words before the number of a part.
const PARTS: &str = "\
 step chapter part day week lesson phase stage act scene section round schritt kapitel teil tag woche lektion abschnitt étape chapitre \
 partie jour semaine leçon paso capítulo parte día semana lección passo capitolo giorno settimana passo capítulo dia aula stap hoofdstuk \
 deel dag шаг глава часть krok rozdział część adım bölüm الخطوة الفصل";
/// First words of parts that are counted by words.
const COUNTED: &str = "\
 first second third fourth fifth next then finally lastly zuerst zunächst dann danach anschließend schließlich zuletzt d'abord ensuite puis enfin \
 premièrement deuxièmement primero segundo tercero luego después finalmente prima poi infine primeiro depois finalmente eerst daarna tenslotte \
 сначала затем потом наконец najpierw potem następnie";

/// The place of a part that says that it is one, if its number is one: `Step 3`, `第三章`; 0 where words count.
fn step(text: &str) -> Option<u32> {
    let text = text.trim_start_matches(['#', '*', ' ', '-', '[', '(']);
    let mut words = words(text);
    let first = words.next()?.to_lowercase();
    if PARTS.split_whitespace().any(|part| part == first) {
        return words.next().and_then(number);
    }
    let unspaced = ["第", "步骤", "步驟", "ステップ", "手順"].iter().find_map(|sign| text.strip_prefix(sign));
    if let Some(rest) = unspaced {
        let numeral: String =
            rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || "一二三四五六七八九十百".contains(*c)).collect();
        let after = &rest.trim_start()[numeral.len()..];
        let counted = !text.starts_with('第')
            || after.starts_with(['步', '章', '节', '節', '天', '课', '課', '部', '回', '话', '話', '幕', '条', '條']);
        return number(&numeral).filter(|_| counted);
    }
    COUNTED.split_whitespace().any(|word| word == first).then_some(0)
}

/// A number in digits, as a word or in Roman or Chinese numerals.
fn number(word: &str) -> Option<u32> {
    const ENGLISH: [&str; 12] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let place = |list: &[&str]| list.iter().position(|known| known.eq_ignore_ascii_case(word)).map(|at| at as u32 + 1);
    let chinese = || {
        let digit = |c| "一二三四五六七八九".chars().position(|known| known == c).map(|at| at as u32 + 1);
        let (tens, ones) = word.split_once('十').unwrap_or(("", word));
        let tens = if word.contains('十') { tens.chars().next().map_or(Some(1), digit)? * 10 } else { 0 };
        let ones = ones.chars().next().map_or(Some(0), digit)?;
        Some(tens + ones).filter(|n| *n > 0)
    };
    word.parse().ok().or_else(|| place(&ENGLISH)).or_else(|| place(&ROMAN)).or_else(chinese)
}

/// Whether the numbers of parts go up by one.
fn ascends(texts: &[&str]) -> bool {
    let numbers: Vec<u32> = texts.iter().filter_map(|text| step(text)).collect();
    numbers.windows(2).all(|pair| pair[1] == pair[0] + 1 || pair[0] == 0 || pair[1] == 0)
}

/// Whether a text names another by its head: `Article 2: … as Article 3 says`.
fn refers(texts: &[&str], own: &[&str]) -> bool {
    let head = |pair: &[&str]| pair.get(1)?.parse::<u32>().ok().map(|number| (pair[0].to_lowercase(), number));
    let heads = texts.iter().map(|text| head(&words(text).take(2).collect::<Vec<_>>()));
    let Some(heads) = heads.collect::<Option<Vec<_>>>() else { return false };
    let all: HashSet<_> = heads.iter().collect();
    own.iter().zip(&heads).any(|(text, its)| {
        let words: Vec<&str> = words(text).collect();
        words.windows(2).filter_map(head).any(|named| named != *its && all.contains(&named))
    })
}

/// The date that a text begins with, year before month before day, as a number that grows with it.
fn date(text: &str) -> Option<u32> {
    let near = text.trim_start_matches(['[', '(', '#', '*', ' ', '-']);
    let mut parts = near.split(|c: char| !c.is_ascii_digit()).map(|part| (part.len(), part.parse::<u32>().ok()));
    match (parts.next()?, parts.next()?, parts.next()?) {
        ((4, Some(year)), (1..=2, Some(month @ 1..=12)), (1..=2, Some(day @ 1..=31))) => Some(year * 10_000 + month * 100 + day),
        _ => None,
    }
}

/// Whether most texts begin with a speaker and a colon, more than one of them, and at least one again.
fn is_conversation(texts: &[&str]) -> bool {
    let speakers: Vec<&str> = texts.iter().filter_map(|text| speaker(text)).collect();
    let mut names = speakers.clone();
    names.sort_unstable();
    names.dedup();
    speakers.len() * 4 >= texts.len() * 3 && names.len() > 1 && names.len() < speakers.len()
}

/// Returns the speaker whom a text names: a short name before a colon. A time may precede it.
fn speaker(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let at = text.char_indices().take(40).find(|(_, c)| matches!(c, ':' | '：'))?.0;
    let name = text[..at].split('(').next().unwrap_or_default().trim_end_matches(['*', ' ', '_']);
    let short =
        name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '\'' | '_' | '@' | '#')) && words(name).count() <= 4;
    (short && !keys::is_known(name) && !text[at..].starts_with("://")).then_some(name)
}

/// Whether a text begins with a time, or a date with a time.
fn is_stamped(text: &str) -> bool {
    let near: String = text.trim_start_matches(['[', '(', '<', '-', ' ', '*']).chars().take(25).collect();
    let time = near.split([' ', 'T', '\t']).take(3).any(|word| {
        let mut parts = word.trim_end_matches(|c: char| !c.is_ascii_digit()).split(':');
        let hour = parts.next().is_some_and(|hour| (1..=2).contains(&hour.len()) && hour.bytes().all(|b| b.is_ascii_digit()));
        hour && parts.next().is_some_and(|minute| minute.len() >= 2 && minute.bytes().take(2).all(|b| b.is_ascii_digit()))
    });
    time && near.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a text is a statement of SQL that changes something.
fn is_statement(text: &str) -> bool {
    let is_comment = |line: &str| ["--", "#", "//", "/*"].iter().any(|sign| line.trim_start().starts_with(sign));
    let mut text = text;
    while let Some((_, rest)) = text.split_once('\n').filter(|(line, _)| is_comment(line) || line.trim().is_empty()) {
        text = rest;
    }
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let mut words = text.split_whitespace().map(str::to_ascii_uppercase);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let object = [
        "TABLE",
        "INDEX",
        "UNIQUE",
        "VIEW",
        "SCHEMA",
        "DATABASE",
        "TYPE",
        "SEQUENCE",
        "FUNCTION",
        "TRIGGER",
        "OR",
        "COLUMN",
        "EXTENSION",
        "TEMPORARY",
    ];
    match &*first {
        "CREATE" | "ALTER" | "DROP" | "TRUNCATE" => object.contains(&&*second),
        "INSERT" => second == "INTO",
        "DELETE" => second == "FROM",
        "UPDATE" => text.to_ascii_uppercase().contains(" SET "),
        _ => false,
    }
}

/// Whether a text is one line that names a work: names and a title with commas or points between them, and a year.
fn is_reference(text: &str) -> bool {
    let text = text.trim();
    let year = |word: &str| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()) && ("1500".."2100").contains(&word);
    let all: Vec<&str> = words(text).collect();
    let last = all.iter().rev().take(2).any(|word| year(word));
    let after_names = text.char_indices().filter(|(_, c)| *c == '(').take(2).any(|(at, _)| text.get(at + 1..at + 5).is_some_and(year));
    let marks = ["et al", "doi", "ISBN", "pp.", "vol.", "Vol.", "In:"].iter().any(|mark| text.contains(mark));
    !text.contains('\n') && all.len() <= 45 && text.contains([',', '.']) && (last || after_names || marks) && !text.ends_with('?')
}

/// Whether a text is a word or two and no sentence.
fn is_item(text: &str) -> bool {
    let weight: usize = words(text).map(|word| if word.starts_with(is_unspaced) { word.chars().count() } else { 2 }).sum();
    weight <= 6 && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_text() {
        for (texts, want) in [
            (["Step 1: open it", "Step 2: drain it", "Step 3: close it"], Some("the chunks are steps or chapters")),
            (["第一章 她继承了灯塔。", "第二章 陌生人来了。", "第三章 灯灭了。"], Some("the chunks are steps or chapters")),
            (["Chapter I. She came", "Chapter II. He went", "Chapter III. They met"], Some("the chunks are steps or chapters")),
            (
                ["First open the valve slowly", "Then drain the boiler well", "Finally close it all again"],
                Some("the chunks are steps or chapters"),
            ),
            (
                ["Ann: shall we ship it?", "Bo: no, tests are red", "Ann: then on which day?"],
                Some("the chunks are turns of a conversation"),
            ),
            (["12:01 upload of part one", "12:02 upload of part two", "12:05 the upload did fail"], Some("the chunks are rows of a log")),
            (
                ["[2026-01-02 10:00:00] it began", "[2026-01-02 10:00:05] went on", "[2026-01-02 10:01:00] ended so"],
                Some("the chunks are rows of a log"),
            ),
            (
                ["CREATE TABLE a (id INT)", "ALTER TABLE a ADD b INT", "DROP TABLE c"],
                Some("the chunks are statements that build on each other"),
            ),
            (
                [
                    "[1] Shannon, A theory of communication, 1948.",
                    "[2] Codd, A relational model of data, 1970.",
                    "[3] Lamport (1978), Time and clocks, CACM.",
                ],
                Some("the chunks are entries of a bibliography"),
            ),
            (
                ["Article 1: The rent is due.", "Article 2: Late rent bears the interest of Article 3.", "Article 3: It is five percent."],
                Some("the chunks refer to each other"),
            ),
            (
                ["2026-01-30: We left Rome", "2026-02-01: A storm came up", "2026-02-01: We lost the mast"],
                Some("the chunks are entries in the order of their dates"),
            ),
            (["2026-02-30: We left Rome", "2025-02-01: A storm came up", "2026-02-01: We lost the mast"], None),
            (["Source 1: The rent is due.", "Source 2: Late rent bears interest.", "Source 3: Source 3 of all is the sea."], None),
            (["[1] milk", "[2] eggs and butter", "[3] bread"], Some("the chunks are items and no texts")),
            (["Receipts are due in a month.", "After that they lapse for good.", "This is not so for the sick."], None),
            (
                ["Receipts are due in a month.", "Then they lapse for all of us.", "This is not so for the sick."],
                Some("the chunks go on with each other"),
            ),
            (["Chapter 3. A stranger came ashore", "Chapter 9. The lamp went out", "Chapter 2. Nobody was at home"], None),
            (["Content: The moon pulls the sea", "Content: Bread is baked in clay", "Content: Cats sleep all of the day"], None),
            (["[1] The moon pulls on the sea.", "[2] Bread is baked in an oven.", "[3] Since 1948 cats sleep well."], None),
        ] {
            assert_eq!(reason(&texts, false), want, "{texts:?}");
        }
    }
}
