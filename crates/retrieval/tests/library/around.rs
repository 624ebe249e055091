//! The text around chunks and between them stays: prompts are put together from chunks and from other text, and whatever the pass does,
//! all of the other text is in the output at its place, and each chunk is there as a whole or not at all.
//!
//! The oracle knows how a text was put together and nothing of how the pass reads it.

use crate::laws::setup;
use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::engine;
use deadhead_core::settings::{Mode, Order, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// One that may be moved or removed.
    Chunk(String),
    /// One that stays.
    Other(String),
}

/// Other text that may be around a list, inside a fence of it or outside.
const OTHERS: &[&str] = &[
    "Answer only from the above.",
    "Antworte nur aus dem Obigen.",
    "Réponds en français.",
    "只根据以上资料回答。",
    "أجب من المصادر فقط.",
    "Используй только эти тексты.",
    "Thank you.",
    "— end of results —",
    "Page 1 of 3",
    "</data>",
    "<data>",
    "</context>",
    "<note>Be brief.</note>",
    "```",
    "~~~",
    "---",
    "[END]",
    "Note: the list is not complete.",
    "Be brief.\nCite the sources.",
];

const TEXTS: &[&str] = &[
    "Lockers open with a wristband from the desk.",
    "The chlorine probe is recalibrated every fourteen days.",
    "Parking behind the hall is free on Sundays.",
    "The cafeteria sells soup until nine. Cards are welcome there.",
    "Lifeguards work in three shifts.\nThe rota hangs by the door.",
    "Swimming lessons start in September.\n\nChildren come with an adult.",
    "The sauna heats up at seven.\n\n- Towels are mandatory.\n- Shoes are not.",
    "Call `open(band)`:\n```\nopen(band)\n```",
];

const QUESTION: &str = "How often is the chlorine probe recalibrated?";

/// The head of a layout. Its last N alone is a number: CONTEXT has another.
fn numbered(layout: &str, number: usize) -> String {
    match layout.rsplit_once('N') {
        Some((before, behind)) => format!("{before}{number}{behind}"),
        None => layout.to_owned(),
    }
}

/// A prompt in pieces: a list in one of the layouts, in fences of some depth, with other text before and behind it, and between the ends
/// of its fences.
fn prompt() -> impl Strategy<Value = Vec<Piece>> {
    let layouts = prop::sample::select(vec![
        "[N] ",
        "Source N:\n",
        "[CONTEXT N]:\n",
        "【N】",
        "Title: N.md\nContent: ",
        "<doc>",
    ]);
    let fences = prop::collection::vec(
        prop::sample::select(vec![
            "context",
            "documents",
            "data",
            "search_results",
            "المصادر",
        ]),
        0..4,
    );
    let texts = prop::collection::vec(prop::sample::select(TEXTS.to_vec()), 3..8);
    let gap = prop::sample::select(vec!["\n", "\n\n"]);
    let others = || {
        prop::collection::vec(
            (
                prop::sample::select(OTHERS.to_vec()),
                prop::sample::select(vec!["\n", "\n\n"]),
            ),
            0..3,
        )
    };
    let flags = (any::<bool>(), any::<bool>());
    (
        layouts,
        fences,
        texts,
        gap,
        (others(), others(), others()),
        flags,
    )
        .prop_map(|(layout, fences, texts, gap, others, (crlf, tight))| {
            let (above, inside, below) = others;
            let mut pieces = vec![Piece::Other("Answer from the documents.\n\n".to_owned())];
            let other = |pieces: &mut Vec<Piece>, text: String| pieces.push(Piece::Other(text));
            fences
                .iter()
                .for_each(|name| other(&mut pieces, format!("<{name}>\n")));
            above
                .iter()
                .for_each(|(text, end)| other(&mut pieces, format!("{text}{end}")));
            for (i, text) in texts.iter().enumerate() {
                let head = numbered(layout, i + 1);
                let tail = if layout == "<doc>" { "</doc>" } else { "" };
                pieces.push(Piece::Chunk(format!("{head}{text}{tail}")));
                // The end of a fence may be on the line of the last chunk.
                let gap = if tight && i + 1 == texts.len() && inside.is_empty() {
                    ""
                } else {
                    gap
                };
                other(&mut pieces, gap.to_owned());
            }
            inside
                .iter()
                .for_each(|(text, end)| other(&mut pieces, format!("{text}{end}")));
            for (i, name) in fences.iter().rev().enumerate() {
                other(&mut pieces, format!("</{name}>\n"));
                if i == 0 {
                    below
                        .iter()
                        .for_each(|(text, end)| other(&mut pieces, format!("{text}{end}")));
                }
            }
            other(&mut pieces, format!("\n{QUESTION}"));
            if crlf {
                for piece in &mut pieces {
                    let (Piece::Chunk(text) | Piece::Other(text)) = piece;
                    *text = text.replace('\n', "\r\n");
                }
            }
            pieces
        })
}

fn text(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|(Piece::Chunk(text) | Piece::Other(text))| text.as_str())
        .collect()
}

/// Text without white space, of which some is removed with a chunk.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The fault of the output of a prompt, if it has one.
fn fault(pieces: &[Piece], output: &str) -> Option<String> {
    let mut chunks: Vec<String> = Vec::new();
    let (mut before, mut behind) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Piece::Chunk(text) => chunks.push(dense(text)),
            Piece::Other(text) if chunks.is_empty() => before += &dense(text),
            Piece::Other(text) => behind += &dense(text),
        }
    }
    let output = dense(output);
    let Some(mut rest) = output
        .strip_prefix(&*before)
        .and_then(|rest| rest.strip_suffix(&*behind))
    else {
        return Some("what is around the chunks has changed".to_owned());
    };
    while !rest.is_empty() {
        let Some(at) = chunks.iter().position(|chunk| rest.starts_with(&**chunk)) else {
            return Some(format!("this is no chunk: {rest}"));
        };
        rest = &rest[chunks.remove(at).len()..];
    }
    None
}

/// The text as the pass leaves it, and why it left a list.
fn pruned(
    text: &str,
    max: Option<u64>,
    order: Order,
    threshold: Option<f64>,
) -> (String, Vec<String>) {
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Off;
    settings.rag_rerank.enabled = true;
    settings.rag_rerank.min_body_chars = 0;
    (
        settings.rag_rerank.max_chunks,
        settings.rag_rerank.order,
        settings.rag_rerank.threshold,
    ) = (max, order, threshold);
    let input =
        json!({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}).to_string();
    let pruned = engine::body(
        input.as_bytes(),
        1,
        by_name("openai-chat").unwrap().into(),
        &setup(settings),
    )
    .unwrap();
    let output = pruned
        .slices(input.as_bytes())
        .unwrap()
        .iter()
        .flat_map(|slice| slice.to_vec())
        .collect::<Vec<u8>>();
    let value: Value = serde_json::from_slice(&output).unwrap();
    let why = pruned
        .report
        .skipped
        .iter()
        .map(|skip| skip.why.clone())
        .collect();
    (
        value["messages"][0]["content"].as_str().unwrap().to_owned(),
        why,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn other_text_stays(pieces in prompt(), max in prop::option::of(1u64..4), keep: bool, all: bool) {
        let input = text(&pieces);
        let order = if keep { Order::Keep } else { Order::Rank };
        let (output, _) = pruned(&input, max, order, all.then_some(0.0));
        if let Some(fault) = fault(&pieces, &output) {
            prop_assert!(false, "{fault}\n--- in\n{input}\n--- out\n{output}");
        }
    }
}

/// Plain lists of each layout are ranked, so that the law above says something.
#[test]
fn plain_lists_are_ranked() {
    for (head, tail) in [
        ("[N] ", ""),
        ("Source N:\n", ""),
        ("【N】", ""),
        ("Title: N.md\nContent: ", ""),
        ("<doc>", "</doc>"),
    ] {
        for behind in ["", "\n\nAnswer only from the above.", "\nNur daraus."] {
            let chunks: Vec<String> = TEXTS[..5]
                .iter()
                .enumerate()
                .map(|(i, text)| {
                    format!(
                        "{}{}{tail}",
                        head.replace('N', &(i + 1).to_string()),
                        text.replace('\n', " ")
                    )
                })
                .collect();
            let input = format!(
                "<context>\n{}{behind}\n</context>\n\n{QUESTION}",
                chunks.join("\n")
            );
            let (output, why) = pruned(&input, Some(1), Order::Rank, None);
            assert!(output.len() < input.len(), "{head:?} {behind:?}: {why:?}");
            assert!(
                output.ends_with(&format!("{behind}\n</context>\n\n{QUESTION}"))
                    && output.contains("chlorine probe is"),
                "{output}"
            );
        }
    }
}
