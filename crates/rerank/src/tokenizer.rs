//! Words of a text by the Unicode rules (UAX 29), and runs of characters in scripts that write none.
//!
//! A stretch of ASCII is walked by its bytes; anything else passes through the segmentation tables. Apostrophes part words, so
//! that `l'eau` is found by `eau`. Han, kana and Hangul come as runs, and so do Thai, Lao, Khmer and Burmese: their words
//! are not distinguished here, and [`grams`] of neighbouring characters represent them.

use unicode_segmentation::UnicodeSegmentation;

/// One of a text's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// Letters, digits and `_` between spaces or signs; all of it ASCII.
    Ascii(&'a str),
    /// A word with a character beyond ASCII.
    Spaced(&'a str),
    /// Neighbouring characters of a script without spaces between words.
    Run(&'a str, Script),
}

/// Scripts without spaces, by what their characters represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// A character is a syllable or a meaning (Han, kana, Hangul): two of them are about a word.
    Syllables,
    /// A character is a letter (Thai, Lao, Khmer, Burmese): a word takes more of them.
    Letters,
}

/// Gives every word of `text` to `each`, in order.
pub fn words<'a>(text: &'a str, mut each: impl FnMut(Word<'a>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        let mut high = 0;
        while let Some(&byte) = bytes.get(at)
            && IS_WORD[usize::from(byte)]
        {
            high |= byte;
            at += 1;
        }
        if from == at {
            at += 1;
        } else if high < 0x80 {
            each(Word::Ascii(&text[from..at]));
        } else {
            segments(&text[from..at], &mut each);
        }
    }
}

/// Bytes that a word may have: ASCII letters, digits and `_`, and all beyond ASCII.
const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Words of a stretch without ASCII spaces or signs.
fn segments<'a>(stretch: &'a str, each: &mut impl FnMut(Word<'a>)) {
    let mut run: Option<(usize, usize, Script)> = None;
    for (start, segment) in stretch.unicode_word_indices() {
        let script = segment.chars().next().and_then(script_of);
        if let (Some((from, to, known)), Some(script)) = (run, script)
            && to == start
            && known == script
        {
            run = Some((from, start + segment.len(), known));
            continue;
        }
        if let Some((from, to, known)) = run.take() {
            each(Word::Run(&stretch[from..to], known));
        }
        match script {
            Some(script) => run = Some((start, start + segment.len(), script)),
            None => segment.split('\u{2019}').filter(|word| !word.is_empty()).for_each(|word| {
                each(if word.is_ascii() { Word::Ascii(word) } else { Word::Spaced(word) });
            }),
        }
    }
    if let Some((from, to, known)) = run {
        each(Word::Run(&stretch[from..to], known));
    }
}

fn script_of(c: char) -> Option<Script> {
    match c as u32 {
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0xa9e0..=0xa9ff | 0xaa60..=0xaa7f => Some(Script::Letters),
        0x1100..=0x11ff
        | 0x3005..=0x3007
        | 0x3040..=0x30ff
        | 0x3130..=0x318f
        | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xac00..=0xd7af
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x2_0000..=0x3_ffff => Some(Script::Syllables),
        _ => None,
    }
}

/// Gives the grams of a run: pairs of characters, and trigrams as well where a character is but a letter. A mark belongs to
/// its letter. A run that is shorter is a gram of its own.
pub fn grams<'a>(run: &'a str, script: Script, mut each: impl FnMut(&'a str)) {
    let mut starts = [0; 4];
    let mut n = 0;
    let mut emit = |starts: &[usize; 4], n: usize, end: usize| {
        if n >= 2 {
            each(&run[starts[2]..end]);
        }
        if n >= 3 && script == Script::Letters {
            each(&run[starts[1]..end]);
        }
    };
    for (at, c) in run.char_indices() {
        if n > 0 && is_mark(c) {
            continue;
        }
        emit(&starts, n, at);
        // The last three beginnings; before them, nothing that counts.
        starts = [0, starts[2], starts[3], at];
        n += 1;
    }
    emit(&starts, n, run.len());
    if n == 1 {
        each(run);
    }
}

/// Gives the ideographs of a run of several characters, each by itself: most have a meaning of their own.
pub fn ideographs<'a>(run: &'a str, script: Script, mut each: impl FnMut(&'a str)) {
    let several = script == Script::Syllables && run.chars().nth(1).is_some();
    let found = run.char_indices().filter(|&(_, c)| several && is_ideograph(c));
    found.for_each(|(at, c)| each(&run[at..at + c.len_utf8()]));
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// Vowel signs, tones and viramas of the scripts whose characters are letters.
fn is_mark(c: char) -> bool {
    matches!(
        c as u32,
        0x0e31 | 0x0e34..=0x0e3a | 0x0e47..=0x0e4e | 0x0eb1 | 0x0eb4..=0x0ebc | 0x0ec8..=0x0ece
            | 0x102b..=0x103e | 0x1056..=0x1059 | 0x105e..=0x1060 | 0x17b4..=0x17d3 | 0x17dd | 0x3099 | 0x309a | 0xff9e | 0xff9f
    )
}

/// Gives the parts of an identifier, split at `_`, at case (`readFile`, `HTTPServer`) and between letters and digits. Of a
/// word that is no identifier there is one part.
pub fn parts<'a>(word: &'a str, mut each: impl FnMut(&'a str)) {
    let mut from = 0;
    let mut before: Option<char> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let begins = before.is_some_and(|b| {
            b == '_'
                || c == '_'
                || b.is_ascii_digit() != c.is_ascii_digit()
                || c.is_uppercase() && (b.is_lowercase() || b.is_uppercase() && next.is_some_and(char::is_lowercase))
        });
        if begins {
            if &word[from..at] != "_" {
                each(&word[from..at]);
            }
            from = at;
        }
        before = Some(c);
    }
    if &word[from..] != "_" {
        each(&word[from..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |word| match word {
            Word::Ascii(w) | Word::Spaced(w) => found.push(w.to_owned()),
            Word::Run(run, script) => grams(run, script, |gram| found.push(format!("<{gram}>"))),
        });
        found
    }

    #[test]
    fn words_of_many_scripts() {
        for (text, want) in [
            ("The l'eau d\u{2019}été, e.g. read_file(x2)", "The l eau d été e g read_file x2"),
            ("Straße\u{a0}«Grüße»", "Straße Grüße"),
            ("что это?", "что это"),
            ("हिन्दी में", "हिन्दी में"),
            ("الكتاب، في", "الكتاب في"),
            ("IPCC主席是谁？", "IPCC <主席> <席是> <是谁>"),
            ("東京タワー", "<東京> <京タ> <タワ> <ワー>"),
            ("학교는 크다", "<학교> <교는> <크다>"),
            ("水", "<水>"),
            ("กินข้าว", "<กิน> <นข้> <กินข้> <ข้า> <นข้า> <าว> <ข้าว>"),
        ] {
            assert_eq!(all(text).join(" "), want);
        }
    }

    #[test]
    fn ideographs_of_a_run() {
        for (text, want) in [("东京タワー", "东 京"), ("学校", "学 校"), ("水", ""), ("학교는", ""), ("กินข้าว", "")]
        {
            let mut found = Vec::new();
            words(text, |word| {
                if let Word::Run(run, script) = word {
                    ideographs(run, script, |sign| found.push(sign.to_owned()));
                }
            });
            assert_eq!(found.join(" "), want, "{text}");
        }
    }

    #[test]
    fn parts_of_identifiers() {
        for (word, want) in [
            ("readFile", "read File"),
            ("HTTPServer2", "HTTP Server 2"),
            ("__init__", "init"),
            ("snake_case_id", "snake case id"),
            ("word", "word"),
            ("Word", "Word"),
            ("größeÄndern", "größe Ändern"),
            ("_", ""),
        ] {
            let mut found = Vec::new();
            parts(word, |part| found.push(part.trim_matches('_')));
            found.retain(|part| !part.is_empty());
            assert_eq!(found.join(" "), want);
        }
    }

    proptest! {
        #[test]
        fn nothing_is_invented(text: String) {
            words(&text, |word| match word {
                Word::Ascii(w) | Word::Spaced(w) => {
                    assert!(text.contains(w));
                    parts(w, |part| assert!(w.contains(part)));
                }
                Word::Run(run, script) => grams(run, script, |gram| assert!(run.contains(gram))),
            });
        }
    }
}
