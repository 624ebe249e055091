//! Leaving out what is cleared anyway leaves the same cuts as trimming all and clearing then.

use crate::dialect::builder::TranscriptBuilder;
use crate::dialect::{by_name, transcript};
use crate::edit::View;
use crate::json::Cursor;
use crate::pass::edits::pruning::both;
use crate::pass::edits::{HARD_CLEAR, SOFT_TRIM, step};
use crate::pass::proposed;
use crate::settings::{Images, Mode, Scope, Settings, SoftTrim};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A conversation with results of these lengths; length 0 makes an image.
fn body(sizes: &[usize]) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for (i, size) in sizes.iter().enumerate() {
        let id = format!("c{i}");
        let content = match size {
            0 => {
                json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}])
            }
            // Pairs, so that a cut may fall into one.
            size if size % 3 == 0 => {
                json!([{"type": "text", "text": "a".to_owned() + &"😀".repeat(size / 2)}, {"type": "text", "text": "b"}])
            }
            size => Value::from("x".repeat(*size)),
        };
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}));
    }
    messages.push(json!({"role": "assistant", "content": "done"}));
    json!({"model": "m", "messages": messages}).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Leaving out what is cleared anyway leaves the same cuts as trimming all and clearing then.
    #[test]
    fn cleared_results_are_not_trimmed_first(
        sizes in prop::collection::vec(prop_oneof![Just(0), 1..60usize, 60..250usize, 200..900usize], 1..14),
        (head, tail, max) in (0..60u64, 0..60u64, 0..300u64),
        (hard, soft, window) in (0.0..1.2f64, 0.0..0.5f64, 100..3000u64),
        (least, placeholder, skip_shorter, hard_on) in (0..3000u64, 0..200usize, any::<bool>(), prop::bool::weighted(0.9)),
    ) {
        let mut settings = Settings::default();
        let pruning = &mut settings.context_pruning;
        pruning.soft_trim = SoftTrim { max_chars: max, head_chars: head, tail_chars: tail };
        (pruning.hard_clear_ratio, pruning.soft_trim_ratio, pruning.min_prunable_tool_chars) = (hard, soft, least);
        (pruning.hard_clear.placeholder, pruning.hard_clear.skip_shorter) = ("p".repeat(placeholder), skip_shorter);
        (pruning.hard_clear.enabled, pruning.images, pruning.keep_last_assistants) = (hard_on, Images::Prune, 1);
        let text = body(&sizes);
        let (format, bytes) = (by_name("anthropic").unwrap(), text.as_bytes());
        let mut builder = TranscriptBuilder::new(settings.context_pruning.estimator);
        builder.begin(0, 1);
        (format.read)(&mut Cursor::new(bytes), &mut builder).unwrap();
        let read = transcript(format, builder, Scope::Context).unwrap();
        let cuts = |lazy: bool| {
            let mut view = View::new(&read, &bytes, &settings, window / 4);
            let proposal = if lazy || view.ratio() < soft {
                proposed((SOFT_TRIM.plan)(&view, &settings, Mode::Adaptive)).unwrap()
            } else {
                let mut alone = settings.clone();
                alone.context_pruning.hard_clear.enabled = false;
                proposed(step(&view, &alone, &both(&settings.context_pruning), 0, None)).unwrap()
            };
            let skipped = proposal.skipped.len();
            view.accept(proposal);
            let proposal = proposed((HARD_CLEAR.plan)(&view, &settings, Mode::Adaptive)).unwrap();
            let (note, left) = (proposal.note.clone(), proposal.skipped.len());
            view.accept(proposal);
            let cuts: Vec<_> = view.cuts().map(|cut| (cut.block, cut.action.clone(), cut.chars_after)).collect();
            (cuts, note, skipped, left)
        };
        prop_assert_eq!(cuts(true), cuts(false));
    }
}
