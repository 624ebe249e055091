//! Questions that need the whole list: for all or each of its parts, for their order, for a comparison, a ranking, a summary or a
//! translation. No part of such a list is removed, and none is moved.
//!
//! A verb counts if the user asks for it (`Compare …`, `can you rank …`), and not if the question is about it (`how does it compare
//! two strings?`). A word for all counts if it is about the parts: the counted noun is in none of the parts or in all of them.
//! `Each probe` is about the subject if only a few parts mention probes.

use super::whole_list_words::{
    ARTEFACTS, ARTICLES, ASKED, ASKS, BEFORE_SIGNS, BY, CHOICES, DETERMINERS, ENGLISH, IMPERATIVES, LANGUAGES, MAKERS, NOUNS_AS_WELL,
    OPTIONS, PARTS, PHRASES, POINTS, QUANTIFIERS, QUESTIONS, RELATIONS, SIGNS, STOPS, TIMES, VERBS,
};
use crate::chunks::vocabulary::{is_unspaced, words};

/// Why a list of these texts stays whole, if `question` says so.
pub(super) fn reason(question: &str, texts: &[&str]) -> Option<&'static str> {
    let lower = question.to_lowercase();
    let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    sentences(&lower).find_map(|sentence| {
        let tokens: Vec<&str> = words(sentence).collect();
        if phrase(sentence, &tokens, &texts) || is_request(sentence, &tokens) {
            return Some("the question asks for a comparison, a summary, a list or an order");
        }
        if is_choice(sentence, &tokens, &texts) {
            return Some("the question asks to compare the chunks");
        }
        quantified(sentence, &tokens, &texts).then_some("the question asks for all or each of the chunks")
    })
}

/// Whether a list of words has one.
fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// Whether a list of phrases, a line each, has one that is in a sentence.
fn has_phrase(list: &str, sentence: &str, tokens: &[&str]) -> bool {
    let joined = format!(" {} ", tokens.join(" "));
    list.lines().map(str::trim).filter(|line| !line.is_empty()).any(|phrase| match phrase.starts_with(is_unspaced) {
        true => sentence.contains(phrase),
        false => joined.contains(&format!(" {phrase} ")),
    })
}

/// Whether `question` asks how something is done, so that an answer may be steps in their order.
pub(super) fn is_procedure(question: &str) -> bool {
    const HOW: [&str; 20] = [
        "how do i ",
        "how do you ",
        "how do we ",
        "how to ",
        "how can i ",
        "how can we ",
        "how should ",
        "wie kann ich ",
        "wie mache ich ",
        "wie wird ",
        "comment faire",
        "comment puis-je",
        "cómo puedo ",
        "cómo se ",
        "come posso ",
        "come si ",
        "como posso ",
        "hoe kan ik ",
        "如何",
        "怎么",
    ];
    let lower = question.to_lowercase();
    HOW.iter().any(|how| lower.contains(how))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '.', '!', '?', ';', '。', '！', '？', '؟', '।', '；']).map(str::trim).filter(|s| !s.is_empty())
}

/// Whether a sentence is about a choice among the parts, or about how they are to each other.
fn is_choice(sentence: &str, tokens: &[&str], texts: &[String]) -> bool {
    let in_sentence = |word: &&str| word.starts_with(is_unspaced) && sentence.contains(*word);
    let unspaced = |list: &str| list.split_whitespace().filter(in_sentence).any(|word| !is_subject(word, texts));
    let of_parts = |word: &&str| has(PARTS, word) && !is_subject(word, texts);
    let chosen = |i: usize| has(CHOICES, tokens[i]) || i > 0 && has(POINTS, tokens[i - 1]) && has(OPTIONS, tokens[i]);
    (0..tokens.len()).any(|i| chosen(i) && !is_subject(tokens[i], texts))
        || unspaced(CHOICES)
        || tokens.iter().any(|word| has(RELATIONS, word)) && tokens.iter().any(of_parts)
        || unspaced(RELATIONS) && unspaced(PARTS)
}

/// Whether a sentence has one of the phrases, or a word for the parts by the same word: `chapter by chapter`.
fn phrase(sentence: &str, tokens: &[&str], texts: &[String]) -> bool {
    let in_order = |w: &[&str]| w[0] == "in" && w[1] == "order";
    let ordered =
        tokens.windows(3).any(|w| in_order(w) && !["to", "that", "for", "of"].contains(&w[2])) || tokens.ends_with(&["in", "order"]);
    let by = tokens.windows(3).any(|w| w[0] == w[2] && has(BY, w[1]) && with(w[0], texts) * 5 >= texts.len() * 4);
    let ordered = ordered || tokens.windows(4).any(|w| in_order(w) && w[2] == "of" && !w[3].starts_with("magnitude"));
    ordered || by || has_phrase(PHRASES, sentence, tokens)
}

/// Whether a sentence asks to do something with all of the material.
fn is_request(sentence: &str, tokens: &[&str]) -> bool {
    let asked = has_phrase(ASKED, sentence, tokens);
    let is_question = sentence.ends_with(['?', '？', '؟'])
        || tokens.first().is_some_and(|first| has(QUESTIONS, first))
        || QUESTIONS.split_whitespace().any(|word| word.starts_with(is_unspaced) && sentence.contains(word));
    if is_question && !asked {
        return false;
    }
    let made = asked || tokens.first().is_some_and(|first| has(MAKERS, first));
    let artefact = |i: usize| {
        let loose = has(NOUNS_AS_WELL, tokens[i])
            && !tokens.get(i + 1).is_some_and(|next| ["of", "with", "von", "mit", "de", "des"].contains(next));
        has(ARTEFACTS, tokens[i]) && !loose && tokens[i.saturating_sub(3)..i].iter().any(|word| has(ARTICLES, word))
    };
    let english = tokens.iter().any(|token| has(ENGLISH, token));
    let language = LANGUAGES.iter().find(|(own, _)| tokens.iter().any(|token| has(own, token)));
    let other = |token: &&str| match language {
        Some((_, verbs)) => verbs.split_whitespace().any(|verb| token.starts_with(verb)),
        // A letter that English does not have is cue enough.
        None => {
            !token.is_ascii()
                && LANGUAGES.iter().any(|(_, verbs)| verbs.split_whitespace().any(|verb| !verb.is_ascii() && token.starts_with(verb)))
        }
    };
    made && (0..tokens.len().min(10)).any(artefact)
        || (0..tokens.len()).any(|i| is_wanted(tokens, i, asked))
        || !english && tokens.iter().any(other)
        || SIGNS.split_whitespace().any(|verb| sentence.match_indices(verb).any(|(at, _)| asked || is_wanted_sign(&sentence[..at])))
}

/// Whether the word at `i` is an English verb that somebody is asked to do.
fn is_wanted(tokens: &[&str], i: usize, asked: bool) -> bool {
    let next = tokens.get(i + 1);
    let verb = has(VERBS, tokens[i])
        && (!has(NOUNS_AS_WELL, tokens[i]) || next.is_none_or(|next| has(DETERMINERS, next) || next.parse::<u32>().is_ok()));
    let wants = |word: &str| ["want", "need", "like", "is", "task", "job", "try", "help", "me", "you"].contains(&word);
    let before = i.checked_sub(1).map(|before| tokens[before]);
    verb && match before {
        None => true,
        Some("to") => asked || i >= 2 && wants(tokens[i - 2]),
        // What follows `and` is asked for where what comes before it is.
        Some("and" | "then") => asked || has(IMPERATIVES, tokens[0]) || has(VERBS, tokens[0]) || has(MAKERS, tokens[0]),
        Some(before) => asked || has(ASKS, before),
    }
}

/// Whether a verb of a script without spaces is asked for by what comes before it in its sentence.
fn is_wanted_sign(before: &str) -> bool {
    before.is_empty() || before.ends_with(|c: char| BEFORE_SIGNS.contains(c)) || ["把", "将", "將"].iter().any(|sign| before.contains(sign))
}

/// Whether a word for all is about the parts of the list.
fn quantified(sentence: &str, tokens: &[&str], texts: &[String]) -> bool {
    let spaced = tokens.iter().enumerate().filter(|(_, token)| has(QUANTIFIERS, token)).any(|(i, token)| {
        // `which of`, `how many of`: the word alone asks nothing.
        let partial =
            ["which", "many", "who", "wer", "welche", "welcher", "welches", "lesquels", "lequel", "cuáles", "cuál"].contains(token);
        // The parts by the name that lists give them: `each document`, `how many passages`.
        let counted = tokens[i + 1..].iter().find(|next| !has(STOPS, next)).is_some_and(|next| has(PARTS, next));
        let parted = counted && !["which", "who", "wer"].contains(token) && !tokens.contains(&"per");
        if parted {
            return true;
        }
        if partial && !tokens.get(i + 1).is_some_and(|next| ["of", "von", "der", "de", "des", "d"].contains(next)) {
            return false;
        }
        let noun = |word: &&str| !has(STOPS, word) && word.chars().count() > 3;
        let after: Vec<&str> = tokens[i + 1..].iter().copied().take(5).filter(noun).take(if partial { 1 } else { 2 }).collect();
        let pronoun = || {
            tokens[i + 1..].iter().take(2).any(|word| ["them", "these", "those", "ihnen", "diesen", "eux", "ellos", "ellas"].contains(word))
        };
        match after.first() {
            None => pronoun(),
            Some(first) => !has(TIMES, first) && !after.iter().any(|word| is_subject(word, texts)),
        }
    });
    let unspaced = QUANTIFIERS.split_whitespace().filter(|word| word.starts_with(is_unspaced)).any(|word| {
        sentence.match_indices(word).any(|(at, _)| {
            let noun: String = sentence[at + word.len()..].chars().filter(|c| c.is_alphanumeric() && *c != '的').take(2).collect();
            let times = TIMES.split_whitespace().any(|time| time.starts_with(is_unspaced) && noun.starts_with(time));
            !times && !noun.is_empty() && !is_subject(&noun, texts)
        })
    });
    spaced || unspaced
}

/// Whether a word is what some of the texts are about: it is in one of them, and not in most.
fn is_subject(word: &str, texts: &[String]) -> bool {
    let with = with(word, texts);
    with > 0 && with * 5 < texts.len() * 4
}

/// Returns the number of texts that contain the first letters of a word.
fn with(word: &str, texts: &[String]) -> usize {
    let letters = word.chars().count();
    let stem: String = word.chars().take(if letters > 5 { letters - 2 } else { letters.max(1) }).collect();
    let stem = if letters > 3 { stem.trim_end_matches('s') } else { &stem };
    texts.iter().filter(|text| text.contains(stem)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 5] = [
        "Chapter 1. Ida runs a bakery with two ovens.",
        "Chapter 2. The probe is recalibrated every fortnight.",
        "Chapter 3. Metropolitan areas have more than a million people.",
        "第四章 探头每两周校准一次。Chapter 4.",
        "Chapter 5. X.25 differs from other networks; it sorts strings.",
    ];

    #[test]
    fn questions_that_need_every_part() {
        for question in [
            "Compare all four applicants for a bakery with ovens.",
            "Rank the applicants, with a reason for each refusal.",
            "Summarise the story of Nora chapter by chapter, in order.",
            "Translate each chapter about the lighthouse into Dutch.",
            "List all of these works in BibTeX.",
            "Guide me through the work on the boiler.",
            "Can you summarize this for me?",
            "Please sort them by date.",
            "I want you to compare the offers.",
            "What does each applicant know of ovens?",
            "Which of the applicants has ovens?",
            "Which of them has ovens?",
            "Who of the applicants sorts best?",
            "Give me an overview of the documents",
            "Write a summary of the minutes.",
            "In what order did it happen?",
            "What are the steps?",
            "Do all of them agree?",
            "Which candidate fits a bakery best?",
            "How do the applicants differ?",
            "How many applicants have ovens?",
            "Which offer has the shortest delay?",
            "Pick one of these for the bakery.",
            "Who has the most experience with ovens?",
            "Return the ids in order of relevance.",
            "What does each document say of ovens?",
            "How many passages are about the probe?",
            "Do the documents contradict each other on the probe?",
            "Shortlist them for the bakery.",
            "Welcher Bewerber passt zur Bäckerei?",
            "Quel candidat convient le mieux ?",
            "候选人中谁最适合面包店？",
            "Vergleiche die Bewerber für die Bäckerei.",
            "Kannst du die Kapitel zusammenfassen?",
            "Übersetze die Kapitel ins Englische.",
            "Was sagt jede Quelle dazu?",
            "Nenne alle Quellen.",
            "Erkläre es Schritt für Schritt.",
            "Comparez les candidats.",
            "Peux-tu résumer ces documents ?",
            "Que dit chaque source ?",
            "Traduis le texte en anglais.",
            "Resume los documentos.",
            "Ordena los candidatos por experiencia.",
            "¿Qué dice cada fuente?",
            "¿Puedes traducir los capítulos?",
            "Riassumi i documenti.",
            "Сравни кандидатов.",
            "Переведите все главы.",
            "请总结这些文档。",
            "比较四位候选人。",
            "把每一章翻译成英文",
            "依次说明。",
            "所有文件都说了什么？",
            "これらの文書を要約してください。",
            "각 문서를 비교해 주세요.",
        ] {
            assert!(reason(question, &TEXTS).is_some(), "{question}");
        }
    }

    #[test]
    fn questions_that_do_not() {
        for question in [
            "How often is the chlorine probe recalibrated?",
            "Is the probe recalibrated every week?",
            "How often is each probe recalibrated?",
            "Each of the metropolitan areas has a population that exceeds what number?",
            "How does the function compare two strings?",
            "The competence compares well against what type of governments?",
            "Whose English translation of the Bible did it influence?",
            "What rank did Ida hold?",
            "What must be done in order to open a bakery?",
            "Where is the list of ovens kept?",
            "rate of heat transfer to a cylinder",
            "rankine cycle and ordered phases",
            "group theory",
            "resume upload",
            "list comprehension syntax",
            "create table migration",
            "methods to index and classify papers",
            "What is the difference between a probe and an oven?",
            "accurate to an order of magnitude, in order of magnitude terms",
            "What options does tar have?",
            "Which document format does it use?",
            "Why does the probe differ from the other sensors in metropolitan areas?",
            "classical problems of layer by layer growth in metropolitan areas",
            "who sang all of me",
            "comparison of methods for the evaluation of systems",
            "in summarizing theoretical work is it possible to develop a procedure .",
            "What do Ida and Jon have in common?",
            "Are both areas in one country?",
            "他先后担任过什么职务？",
            "2022年大学排名",
            "Which function is used to sort strings?",
            "Wie oft wird die Sonde kalibriert?",
            "Wird die Sonde alle zwei Wochen kalibriert?",
            "À quelle fréquence la sonde est-elle étalonnée ?",
            "¿Con qué frecuencia se calibra la sonda?",
            "探头多久校准一次？",
            "哪位总统上过哈佛?",
            "all metropolitan areas have people",
            "experimental studies of the creep of columns",
        ] {
            assert_eq!(reason(question, &TEXTS), None, "{question}");
        }
    }
}
