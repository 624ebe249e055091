//! Counts of the original: `counts.jsonl` has texts and their numbers of tokens, made with tokenizers 0.23.3 (PyPI) and the
//! `tokenizer.json` of anthropic 0.38.0, which LiteLLM 1.109.1 has as well. The texts are our own.

use super::*;

#[test]
fn texts_have_the_tokens_of_the_original() {
    let rows = include_str!("counts.jsonl").lines();
    let mut different = Vec::new();
    for row in rows.clone() {
        let (text, tokens): (String, u64) = serde_json::from_str(row).expect("a row is a text and a number");
        if count(&text) != tokens {
            different.push(format!("{text:?} has {tokens}, counted are {}", count(&text)));
        }
    }
    assert!(rows.count() > 100 && different.is_empty(), "{}", different.join("\n"));
}
