//! Words by which prompts name retrieved text, the question, the answer and the source of a chunk,
//! in English, Arabic and Chinese.
//!
//! A list is found by its structure; a word only gives that structure a meaning. Words of scripts
//! that write spaces are whole words in lower case; Chinese words are found anywhere in a phrase.

use crate::score::words::is_unspaced;

/// The words for retrieved text.
pub const CONTEXT: &str = include_str!("../words/context.txt");
/// The words for a question.
pub const QUESTION: &str = "question questions query السؤال سؤال 问题 提问 問題";
/// The words for the person who asks, as a label of one word or two.
pub const PERSON: &str = "user human input 用户";
/// The words for an answer.
pub const ANSWER: &str =
    "answer answers response reply assistant output الإجابة إجابة الجواب 回答 答案 回复 回覆";
/// The words that may precede the number in a chunk's head.
pub const HEADS: &str = include_str!("../words/heads.txt");
/// Keys of lines that say where a chunk is from.
pub const SOURCES: &str = include_str!("../words/sources.txt");
/// Keys of lines that hold a chunk's text.
pub const BODIES: &str = "content text body snippet description excerpt passage summary pagecontent value المحتوى النص 内容 正文 摘要 片段";
/// Words that ask for an answer, say by what to answer, or point to what comes before them.
pub const INSTRUCTS: &str = "answer answers answered answering respond reply cite use used using based refer rely given above أجب استخدم أعلاه 回答 使用 根据 基于 以上 上述";
/// Phrases for what to do where nothing answers.
pub const UNKNOWN: [&str; 7] = [
    "don't know",
    "do not know",
    "don’t know",
    "not sure",
    "لا تعرف",
    "不知道",
    "不确定",
];

/// The words of a phrase.
pub fn words(phrase: &str) -> impl DoubleEndedIterator<Item = &str> {
    phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Whether a text has a letter or a digit.
pub fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Whether a list has `word`, in lower case.
pub fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a phrase in lower case has a word of a list.
pub fn are_in(list: &str, phrase: &str) -> bool {
    words(phrase).any(|word| has(list, word)) || unspaced(list).any(|known| phrase.contains(known))
}

/// Whether a phrase in lower case ends with a word of a list.
pub fn end(list: &str, phrase: &str) -> bool {
    let last = words(phrase).next_back();
    last.is_some_and(|word| has(list, word)) || unspaced(list).any(|known| phrase.ends_with(known))
}

fn unspaced(list: &str) -> impl Iterator<Item = &str> {
    list.split_whitespace()
        .filter(|word| word.starts_with(is_unspaced))
}
