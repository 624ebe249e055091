//! Words by which prompts name retrieved text, the question, the answer and the source of a chunk, in English, Arabic and Chinese.
//!
//! A list is found by its structure; a word only gives that structure a meaning. Words of scripts that write spaces are whole words
//! in lower case; Chinese words are found anywhere in a phrase.

use crate::score::words::is_unspaced;

/// The words for retrieved text.
pub(super) const CONTEXT: &str = "\
 context document documents docs source sources passage passages excerpt excerpts extract extracts snippet snippets chunk chunks \
 reference references result results knowledge background information evidence article articles fragment fragments retrieved \
 السياق سياق المستندات مستندات الوثائق وثائق المصادر مصادر المقاطع مقاطع النتائج نتائج المعلومات معلومات \
 上下文 文档 文件 资料 参考 来源 片段 段落 检索 搜索结果 知识 背景 已知 信息 材料 引用 資料 參考 來源 檢索 知識";
/// The words for a question.
pub(super) const QUESTION: &str = "question questions query السؤال سؤال 问题 提问 問題";
/// The words for the person who asks, as a label of one word or two.
pub(super) const PERSON: &str = "user human input 用户";
/// The words for an answer.
pub(super) const ANSWER: &str =
    "answer answers response reply assistant output الإجابة إجابة الجواب 回答 答案 回复 回覆";
/// The words that may precede the number in a chunk's head.
pub(super) const HEADS: &str = "\
 document doc source passage chunk result context excerpt extract snippet reference fragment citation hit evidence \
 المستند مستند المصدر مصدر المقطع مقطع الوثيقة وثيقة النتيجة \
 文档 文件 资料 来源 片段 段落 结果 上下文 参考 引用 材料 出处 資料 來源 結果";
/// Keys of lines that say where a chunk is from.
pub(super) const SOURCES: &str = "\
 source url uri link file filename filepath path document doc title page id docid chunkid name website reference pagelabel documentname \
 documentid documenttitle sourceurl sourcefile sourceid collection المصدر العنوان الرابط الملف 来源 标题 链接 网址 文件 文件名 文档 页码 出处";
/// Keys of lines that hold a chunk's text.
pub(super) const BODIES: &str = "content text body snippet description excerpt passage summary pagecontent value المحتوى النص 内容 正文 摘要 片段";
/// Words that ask for an answer, say by what to answer, or point to what comes before them.
pub(super) const INSTRUCTS: &str = "answer answers answered answering respond reply cite use used using based refer rely given above أجب استخدم أعلاه 回答 使用 根据 基于 以上 上述";
/// Phrases for what to do where nothing answers.
pub(super) const UNKNOWN: [&str; 7] = [
    "don't know",
    "do not know",
    "don’t know",
    "not sure",
    "لا تعرف",
    "不知道",
    "不确定",
];

/// The words of a phrase.
pub(super) fn words(phrase: &str) -> impl DoubleEndedIterator<Item = &str> {
    phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Whether a text has a letter or a digit.
pub(super) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Whether a list has `word`, in lower case.
pub fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a phrase in lower case has a word of a list.
pub(super) fn are_in(list: &str, phrase: &str) -> bool {
    words(phrase).any(|word| has(list, word)) || unspaced(list).any(|known| phrase.contains(known))
}

/// Whether a phrase in lower case ends with a word of a list.
pub(super) fn end(list: &str, phrase: &str) -> bool {
    let last = words(phrase).next_back();
    last.is_some_and(|word| has(list, word)) || unspaced(list).any(|known| phrase.ends_with(known))
}

fn unspaced(list: &str) -> impl Iterator<Item = &str> {
    list.split_whitespace()
        .filter(|word| word.starts_with(is_unspaced))
}
