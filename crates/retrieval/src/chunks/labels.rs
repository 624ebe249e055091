//! Labels: lines that name the text that follows, such as `Context:`, `### Question`, `【问题】`; and
//! the question that a prompt asks.

use super::{
    tag::matched,
    vocabulary::{
        ANSWER, CONTEXT, INSTRUCTS, PERSON, QUESTION, UNKNOWN, are_in, end, has, has_words, words,
    },
};

/// The kind of text that a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// Retrieved text.
    Context,
    /// The question.
    Question,
    /// The answer.
    Answer,
}

/// Characters and words of the longest label.
const LONGEST: usize = 40;
const WORDS: usize = 4;
/// The characters that may surround a phrase.
const ORNAMENTS: [char; 14] = [
    '#', '*', '=', '-', '_', '>', '~', '[', ']', '【', '】', '<', '|', ' ',
];

/// The label that `line` begins with, and the byte at which what it names may begin.
pub fn label(line: &str) -> Option<(LabelKind, usize)> {
    let inner = line.trim_start_matches(ORNAMENTS);
    let from = line.len() - inner.len();
    let mut signs = inner.char_indices().take(LONGEST);
    let (phrase, end_at) = match signs.find(|(_, c)| matches!(c, ':' | '：')) {
        Some((at, c)) => (&inner[..at], from + at + c.len_utf8()),
        None if line.starts_with(['#', '*', '=', '[', '【', '<']) => {
            (inner.trim_end_matches(ORNAMENTS), line.len())
        }
        None => return None,
    };
    let phrase = phrase.to_lowercase();
    let count = words(&phrase).count();
    let kind = match () {
        () if count == 0 || count > WORDS || phrase.chars().count() > LONGEST => return None,
        () if end(ANSWER, &phrase) => LabelKind::Answer,
        () if are_in(QUESTION, &phrase)
            || count <= 2 && words(&phrase).next().is_some_and(|word| has(PERSON, word)) =>
        {
            LabelKind::Question
        }
        () if are_in(CONTEXT, &phrase) => LabelKind::Context,
        () => return None,
    };
    let rest = line[end_at..].trim_start_matches(['*', '_', '#']);
    Some((kind, line.len() - rest.len()))
}

/// Whether a line names retrieved text.
pub fn is_cue(line: &str) -> bool {
    are_in(CONTEXT, &line.to_lowercase())
}

/// Whether a sentence is of the prompt and not of the person: it says from what to answer, or what
/// to do where nothing answers.
fn is_instruction(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let names_text = are_in(CONTEXT, &lower) || are_in(QUESTION, &lower) || are_in(ANSWER, &lower);
    names_text && are_in(INSTRUCTS, &lower) || UNKNOWN.iter().any(|words| lower.contains(words))
}

/// The question that a prompt marks as one: in a tag (`<user_query>`), or behind the last label
/// that has any.
pub fn marked_question(text: &str) -> Option<String> {
    let asks = |name: &str| {
        name.to_lowercase()
            .split(['_', '-'])
            .any(|word| has(QUESTION, word) || has(PERSON, word))
    };
    let tags = matched(text).into_iter().rev();
    let asking = tags.filter(|(tag, _)| !tag.closes && asks(tag.name));
    let mut tagged = asking.filter_map(|(open, close)| Some(&text[open.span.end..close?.start]));
    if let Some(tagged) = tagged.find(|text| has_words(text)) {
        return Some(tagged.trim().to_owned());
    }
    let mut parts: Vec<(LabelKind, String)> = Vec::new();
    for mut line in text.lines() {
        if let Some((kind, end)) = label(line) {
            parts.push((kind, String::new()));
            line = &line[end..];
        }
        if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    let is_question =
        |(kind, part): &&(LabelKind, String)| *kind == LabelKind::Question && has_words(part);
    let (_, asked) = parts.iter().rfind(is_question)?;
    Some(asked.trim().to_owned())
}

/// The question in `text`: what the prompt marks as one, else all but lines that lead to a list,
/// labels of the answer and instructions. `None` if no word is left.
pub fn question(text: &str) -> Option<String> {
    if let Some(marked) = marked_question(text) {
        return Some(marked);
    }
    let leads =
        |line: &str| line.trim_end().ends_with([':', '：']) && !line.contains(['?', '？', '؟']);
    let unlabelled = |line| match label(line) {
        Some((LabelKind::Answer, end)) => &line[end..],
        _ => line,
    };
    let lines = text.lines().filter(|line| !leads(line));
    let sentences = lines.map(unlabelled).collect::<Vec<_>>().join("\n");
    let asks = |sentence: &&str| sentence.contains(['?', '？', '؟']) || !is_instruction(sentence);
    let own: String = sentences
        .split_inclusive(['.', '!', '?', '。', '！', '？', '؟', '\n'])
        .filter(asks)
        .collect();
    has_words(&own).then(|| own.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_what_follows() {
        use LabelKind::*;
        for (line, want) in [
            ("Context:", Some(Context)),
            ("Context: The moon", Some(Context)),
            ("### CONTEXT", Some(Context)),
            ("**Relevant documents:**", Some(Context)),
            ("【上下文信息】", Some(Context)),
            ("已知信息：", Some(Context)),
            ("السياق:", Some(Context)),
            ("Question: who?", Some(Question)),
            ("我的问题是:\"谁?\"", Some(Question)),
            ("User: who?", Some(Question)),
            ("السؤال: من؟", Some(Question)),
            ("Helpful Answer:", Some(Answer)),
            ("答案：", Some(Answer)),
            ("A sentence that says nothing of it.", None),
            ("The moon rises: it is late", None),
            ("", None),
        ] {
            assert_eq!(label(line).map(|(kind, _)| kind), want, "{line}");
        }
        let line = "**Question:** who?";
        assert_eq!(label(line).map(|(_, end)| &line[end..]), Some(" who?"));
    }

    #[test]
    fn the_question_is_found() {
        for (text, want) in [
            ("Here is the context:\n\nWho was it?\n", Some("Who was it?")),
            (
                "Given the context, answer the query.\nQuery: who?\nAnswer: ",
                Some("who?"),
            ),
            ("question: a\nb\n\nUser question: c", Some("c")),
            ("Use this:\n\n \n", None),
            ("\n…\n", None),
            (
                "Is it one of these? Look here:",
                Some("Is it one of these? Look here:"),
            ),
            ("是谁？", Some("是谁？")),
            (
                "Answer from the passages below. If you don't know, say so.\nWho was it?",
                Some("Who was it?"),
            ),
            ("Answer from the documents.", None),
            ("请根据资料回答。\n请回答：是谁", Some("是谁")),
            (
                "### Task\nAnswer with citations.\n<user_query>\nWho was it?\n</user_query>",
                Some("Who was it?"),
            ),
            ("我的问题是:\"是谁?\"", Some("\"是谁?\"")),
            ("Question: who?\nContext:\n\nAnswer:", Some("who?")),
        ] {
            assert_eq!(question(text).as_deref(), want, "{text}");
        }
    }
}
