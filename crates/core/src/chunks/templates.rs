//! Labels: lines that name the text that follows, such as `Context:`, `### Question`, `【回答要求】`, `Antwort:`.
//!
//! A label is a short phrase before a colon, or alone on its line between ornaments. Its words (`vocabulary`) decide the kind of
//! text that follows.

use super::tag::tags;
use super::vocabulary;

/// The kind of text that a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelKind {
    /// Retrieved text.
    Context,
    /// The question.
    Question,
    /// The answer.
    Answer,
    /// Rules for the answer.
    Rules,
}

/// A label at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// The kind of text that it announces.
    pub kind: LabelKind,
    /// Byte of the line at which what it announces may begin.
    pub end: usize,
}

/// Characters of the longest phrase.
const LONGEST: usize = 90;
/// Words of the longest phrase, and of one that announces rules.
const WORDS: usize = 12;
const FEW_WORDS: usize = 4;
/// The characters that may surround a phrase.
const ORNAMENTS: [char; 16] = ['#', '*', '=', '-', '_', '>', '~', '[', ']', '【', '】', '「', '」', '<', '|', ' '];

/// The label that `line` begins with, if it does.
pub(crate) fn label(line: &str) -> Option<Label> {
    let indent = line.len() - line.trim_start().len();
    let inner = line[indent..].trim_start_matches(ORNAMENTS);
    let from = line.len() - inner.len();
    let near = inner.char_indices().take(LONGEST).find(|(_, c)| matches!(c, ':' | '：'));
    let (phrase, end) = match near {
        // An address or a time has a colon, too.
        Some((at, c)) if !inner[at + c.len_utf8()..].starts_with(|next: char| next == '/' || next.is_ascii_digit()) => {
            (&inner[..at], from + at + c.len_utf8())
        }
        Some(_) => return None,
        None => {
            let phrase = inner.trim_end_matches(|c| ORNAMENTS.contains(&c));
            let shouted = phrase.chars().any(char::is_uppercase) && !phrase.chars().any(char::is_lowercase);
            let ornate = from > indent && (line[indent..].starts_with(['#', '*', '=', '[', '【', '「', '<']));
            if phrase.chars().nth(LONGEST).is_some() || !(ornate || shouted) {
                return None;
            }
            (phrase, line.len())
        }
    };
    let phrase = phrase.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let end = end + line[end..].len() - line[end..].trim_start_matches(['*', '_', '#']).len();
    let words = if near.is_some() {
        WORDS
    } else if line[indent..].starts_with('#') {
        WORDS / 2
    } else {
        FEW_WORDS
    };
    let kind = label_kind(&phrase, words)?;
    // `Source: a.md` says where a chunk is from.
    let names = kind == LabelKind::Context && vocabulary::sources().has(&phrase) && !line[end..].trim().is_empty();
    (!names).then_some(Label { kind, end })
}

/// Returns the kind of label that a phrase is. The phrase is in lower case and has at most `most` words.
fn label_kind(phrase: &str, most: usize) -> Option<LabelKind> {
    let count = vocabulary::words(phrase).count();
    let short = count <= FEW_WORDS && phrase.chars().count() <= 30;
    let alone = most < WORDS;
    if count == 0 || count > most {
        return None;
    }
    let context = vocabulary::context().are_in(phrase);
    let points = vocabulary::pointers().are_in(phrase);
    match () {
        () if context && (points || vocabulary::context().end(phrase) && short) => Some(LabelKind::Context),
        () if vocabulary::answer().end(phrase) && !points => Some(LabelKind::Answer),
        () if (short || !context) && vocabulary::question().are_in(phrase) => Some(LabelKind::Question),
        () if count <= 2 && vocabulary::words(phrase).next().is_some_and(|word| vocabulary::person().has(word)) => {
            Some(LabelKind::Question)
        }
        () if vocabulary::answer().are_in(phrase) && short => Some(LabelKind::Answer),
        () if context && (short || alone) => Some(LabelKind::Context),
        () if vocabulary::rules().are_in(phrase) && short => Some(LabelKind::Rules),
        () => None,
    }
}

/// Whether a line leads in to retrieved text: it ends with a colon, or points to what follows, and names what that is.
pub(crate) fn is_cue(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.len() > 2000 {
        return false;
    }
    let lower = line.to_lowercase();
    vocabulary::context().are_in(&lower) && (line.ends_with([':', '：']) || vocabulary::pointers().are_in(&lower))
        || label(line).is_some_and(|label| label.kind == LabelKind::Context)
}

/// Whether a line may be directly before a list: it is the prompt's, or delimits.
pub(super) fn is_lead_in(line: &str) -> bool {
    let found = label(line);
    // What a label has behind it is the first text already.
    let alone = found.is_none_or(|label| label.kind != LabelKind::Context || line[label.end..].trim().is_empty());
    alone
        && (found.is_some()
            || super::separators::delimiter(line).is_some()
            || is_cue(line)
            || is_instruction(line)
            || line.trim_end().ends_with([':', '：']))
}

/// Whether a sentence or line is of the prompt and not of the person: it says from what the answer comes, how it is to be
/// given, or what to do where nothing answers.
pub(crate) fn is_instruction(line: &str) -> bool {
    let lower = line.to_lowercase();
    let begins = |word: &str| vocabulary::answers().begin(word);
    let answers = || vocabulary::uses().begin_in(&lower) || vocabulary::answers().begin_in(&lower);
    let first = || vocabulary::words(&lower).next().is_some_and(begins);
    vocabulary::unknown(&lower)
        || vocabulary::context().are_in(&lower) && (answers() || vocabulary::above().are_in(&lower))
        || vocabulary::question().are_in(&lower) && answers()
        || first()
}

/// Whether a line says in a few words what the text above it is: `The above is the knowledge base.`
pub(super) fn sums_up(line: &str) -> bool {
    let lower = line.to_lowercase();
    vocabulary::words(&lower).count() <= WORDS && vocabulary::context().are_in(&lower) && vocabulary::above().are_in(&lower)
}

/// The question that a prompt marks as one: in a tag (`<user_query>`), or behind the last label that has any.
pub(crate) fn question(text: &str) -> Option<String> {
    let said = |text: &&str| text.chars().any(char::is_alphanumeric);
    let asks = |name: &str| name.to_lowercase().split(['_', '-']).any(|word| vocabulary::question().has(word) || word == "input");
    let tagged = tags(text, 0).take(200).filter(|tag| !tag.closes && asks(tag.name)).filter_map(|open| {
        let close = tags(text, open.span.end).take(50).find(|tag| tag.closes && tag.name == open.name)?;
        Some(&text[open.span.end..close.span.start]).filter(said)
    });
    if let Some(tagged) = tagged.last() {
        return Some(tagged.trim().to_owned());
    }
    let lines: Vec<&str> = text.lines().collect();
    let labels: Vec<(usize, Label)> = lines.iter().enumerate().filter_map(|(i, line)| Some((i, label(line)?))).collect();
    let behind = |at: usize| {
        let (line, found) = labels[at];
        let end = labels.get(at + 1).map_or(lines.len(), |(next, _)| *next);
        let first = &lines[line][found.end..];
        let mut words = vec![first];
        words.extend(&lines[line + 1..end]);
        Some(words.join("\n").trim().to_owned()).filter(|words| said(&words.as_str()))
    };
    (0..labels.len()).rev().filter(|&at| labels[at].1.kind == LabelKind::Question).find_map(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_announce_lists() {
        use LabelKind::*;
        for (line, want) in [
            ("Context:", Some(Context)),
            ("Context: The moon", Some(Context)),
            ("### CONTEXT", Some(Context)),
            ("**Relevant documents:**", Some(Context)),
            ("【上下文信息】", Some(Context)),
            ("已知信息：", Some(Context)),
            ("Kontext:", Some(Context)),
            ("Here are the search results:", Some(Context)),
            ("Voici le contexte sur lequel tu dois baser ta réponse :", Some(Context)),
            ("Use the following pieces of context to answer the question:", Some(Context)),
            ("Question: who?", Some(Question)),
            ("QUESTION", Some(Question)),
            ("My question is: who?", Some(Question)),
            ("Voici la question à laquelle tu dois répondre :", Some(Question)),
            ("我的问题是:\"谁?\"", Some(Question)),
            ("用户问题：谁？", Some(Question)),
            ("User: who?", Some(Question)),
            ("When answer to user:", Some(Answer)),
            ("Frage: wer?", Some(Question)),
            ("Helpful Answer:", Some(Answer)),
            ("FINAL ANSWER:", Some(Answer)),
            ("Réponse:", Some(Answer)),
            ("答案：", Some(Answer)),
            ("## Instructions", Some(Rules)),
            ("【回答要求】", Some(Answer)),
            ("对话要求：", Some(Rules)),
            ("A sentence that says nothing of it.", None),
            ("see https://a.example/question", None),
            ("at 12:30 the question came", None),
            ("The moon rises: it is late", None),
            ("", None),
        ] {
            assert_eq!(label(line).map(|label| label.kind), want, "{line}");
        }
        let line = "**Question:** who?";
        assert_eq!(label(line).map(|label| &line[label.end..]), Some(" who?"));
    }

    #[test]
    fn cues_and_instructions() {
        for cue in
            ["Answer from the passages below.", "Answer using the following information:", "Context information is below.", "Contexte :"]
        {
            assert!(is_cue(cue), "{cue}");
        }
        for none in ["The sea rises.", "", "Who is it?"] {
            assert!(!is_cue(none) && !is_instruction(none), "{none}");
        }
        for instruction in [
            "Given the context information and not prior knowledge, answer the query.",
            "If you don't know, say so.",
            "Beantworte die Frage nur mit den Quellen.",
            "根据上述资料回答。",
        ] {
            assert!(is_instruction(instruction), "{instruction}");
        }
    }
}
