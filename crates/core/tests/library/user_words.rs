//! No cut takes away what a user says within the result of a tool: every format, every preset and pass.
//!
//! The oracle knows the words only: each is in the text of one result, and must be in one of the output, once. What a tool printed
//! may go, and what is shortened must be less.

use crate::notation::{Conversation, EVERY, Spoken, results};
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::engine::Setup;
use deadhead_core::internal::report::Detail;
use deadhead_core::settings::{Measure, Mode, Settings, Size, preset, presets, resolve};

const STEPS: usize = 12;

/// Steps that read files, some of them twice, and run commands. In every second result a user speaks.
fn talk() -> Conversation {
    let mut lines = String::from("system be brief\nuser look at all of it\n");
    for i in 0..STEPS {
        let (tool, about) = match i % 4 {
            0 | 1 => ("Read", format!("{{\"file_path\":\"/x{}\"}}", i / 8)),
            2 => ("Bash", "{\"command\":\"ls\"}".to_owned()),
            _ => ("AskUserQuestion", "{\"questions\":[]}".to_owned()),
        };
        let long = if i == 2 { 4000 } else { 60 };
        let printed = format!("out{} <0123456789 \"é\" 漢字*{long}>", i % 3);
        let result = match i % 4 {
            3 => format!("WORD{i}. <in my words*30>"),
            0 => format!(
                "{printed}\\n\\n<system-reminder>\\nThe user sent a new message while you were working:\\nWORD{i}.\\n\\n\
                 It came in mid-turn.\\n</system-reminder>\\n\\n<system-reminder>\\n<total_tokens>9 left</total_tokens>\\n\
                 </system-reminder>"
            ),
            2 => format!(
                "{printed} | <more*90>\\n\\n<system-reminder>\\nA user: WORD{i}.</system-reminder>"
            ),
            _ => printed,
        };
        lines += &format!("call c{i:02} {tool} {about}\nresult c{i:02} {result}\n");
        if i % 3 == 2 {
            lines += &format!("say answer {i}\nuser and on {i}\n");
        }
    }
    Conversation::parse(&(lines + "say done\nuser thanks\nsay yes\nuser so"))
}

/// Every preset, whatever the size or the time from which on it acts, and every pass that is in none of them.
pub fn policies() -> Vec<(String, Settings)> {
    let of = |name: &str| resolve(&[preset(name).unwrap()]).unwrap().settings;
    let named = presets().iter().map(|preset| preset.name.to_string());
    let mut all: Vec<_> = named.map(|name| (name.clone(), of(&name))).collect();
    for pass in [
        "dedupe",
        "stale-resource",
        "ephemeral",
        "rag-rerank",
        "soft-trim",
    ] {
        let mut settings = Settings::default();
        settings.context_pruning.mode = Mode::Adaptive;
        settings.context_pruning.hard_clear.enabled = false;
        settings.passes.on.insert(pass.to_owned());
        settings.ephemeral.keep_turns = 1;
        all.push((pass.to_owned(), settings));
    }
    for mode in [Mode::Aggressive, Mode::Adaptive, Mode::BreakEven] {
        let mut settings = Settings::default();
        settings.context_pruning.mode = mode;
        settings.context_pruning.min_prunable_tool_chars = 0;
        all.push((format!("{mode:?}"), settings));
    }
    for (_, settings) in &mut all {
        settings.context_window = Some(100);
        settings.context_pruning.keep_last_assistants = 1;
        settings.break_even.keep_last_assistants = 1;
        settings.passes.off.insert("turn-drop".to_owned());
        for step in &mut settings.edits {
            step.trigger = None;
            step.clear_at_least = None;
            if step.head.is_some() || step.tail.is_some() {
                let (unit, number) = (Measure::Chars, 40.0);
                step.over = Some(Size { unit, number });
                step.head = Some(Size { unit, number: 10.0 });
                step.tail = Some(Size { unit, number: 10.0 });
            }
            if let Some(keep) = &mut step.keep {
                keep.amount.number = 1.0;
            }
        }
    }
    all
}

fn setup(settings: &Settings) -> Setup {
    let clock = Clock {
        now: 0,
        last_call: None,
        assume_cold: true,
    };
    Setup::new(settings.clone(), clock, Detail::Full)
}

/// How often each word is in the results.
fn words(bytes: &[u8]) -> Vec<usize> {
    let all = results(bytes).join("\n");
    let of = |i: usize| all.matches(&format!("WORD{i}.")).count();
    (0..STEPS).map(of).collect()
}

/// What a policy leaves, pruned again; the words stay, and nothing new is broken.
fn pruned(spoken: &Spoken, name: &str, settings: &Settings, input: &[u8]) -> Vec<u8> {
    let about = format!("{} with {name}", spoken.name);
    let (output, report) = spoken.run_named(input, &setup(settings)).unwrap();
    assert_eq!(words(&output), words(input), "{about}");
    assert!(
        report.integrity.after.len() <= report.integrity.before.len(),
        "{about}"
    );
    let removed: u64 = report
        .cuts
        .iter()
        .map(|cut| cut.chars_before - cut.chars_after)
        .sum();
    assert_eq!(report.before.chars - report.after.chars, removed, "{about}");
    let (again, _) = spoken.run_named(&output, &setup(settings)).unwrap();
    assert_eq!(words(&again), words(input), "{about}, a second run");
    assert!(again == output, "{about}, a second run");
    output
}

#[test]
fn no_pass_takes_the_words_of_a_user() {
    let said = talk();
    let policies = policies();
    let mut cut = vec![0; policies.len()];
    let mut formats = 0;
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
        let input = spoken.render(&said);
        assert_eq!(words(&input).iter().sum::<usize>(), 9, "{}", spoken.name);
        formats += 1;
        for (at, (name, settings)) in policies.iter().enumerate() {
            let output = pruned(spoken, name, settings, &input);
            // The result that a user speaks in is shorter.
            let has_words = |text: &&String| text.contains("WORD2.");
            let [before, after] = [&input[..], &output]
                .map(|bytes| results(bytes).iter().find(has_words).unwrap().len());
            cut[at] += usize::from(after < before);
        }
    }
    assert!(formats > 15, "{formats}");
    let cuts = policies.iter().map(|(name, _)| name).zip(&cut);
    let few: Vec<_> = cuts.filter(|(_, formats)| **formats == 0).collect();
    println!("{few:?}");
    assert!(few.len() < policies.len() / 2, "cut by nothing: {few:?}");
}

#[test]
fn whole_turns_go_with_the_words_in_them_and_it_is_said() {
    let spoken = EVERY
        .iter()
        .find(|spoken| spoken.name == "anthropic")
        .unwrap();
    let input = spoken.render(&talk());
    let mut settings = Settings::default();
    settings.passes.on.insert("turn-drop".to_owned());
    settings.turn_drop.keep_turns = 1;
    settings.turn_drop.tool_turns = deadhead_core::settings::ToolTurns::Drop;
    settings.context_pruning.mode = Mode::Off;
    let (output, report) = spoken.run_named(&input, &setup(&settings)).unwrap();
    assert!(words(&output).iter().sum::<usize>() < 9);
    assert!(
        format!("{:?}", report.warnings).contains("words of a user"),
        "{:?}",
        report.warnings
    );
}

/// The results of a body that is pruned with all old results cleared, each `text` being the inside of
/// a JSON string.
fn cleared(texts: &[String]) -> String {
    let message = |(i, text): (usize, &String)| {
        format!(
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{i}","name":"Bash","input":{{}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{i}","content":"{text}"}}]}}"#
        )
    };
    let messages: String = texts.iter().enumerate().map(message).collect();
    let body = format!(
        r#"{{"model":"claude-sonnet-4-5","messages":[{{"role":"user","content":"look"}}{messages},
        {{"role":"assistant","content":"done"}},{{"role":"user","content":"and"}}]}}"#
    );
    let mut settings = Settings::default();
    settings.context_pruning.mode = Mode::Aggressive;
    settings.context_pruning.keep_last_assistants = 1;
    let spoken = EVERY.iter().find(|spoken| spoken.name == "anthropic");
    let (output, _) = spoken
        .unwrap()
        .run_named(body.as_bytes(), &setup(&settings))
        .unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn words_stay_however_a_reminder_is_spelled() {
    let escaped = |text: &str| -> String {
        let one = |c: char| format!("\\u{:04x}", c as u32);
        text.chars().map(one).collect()
    };
    let out = "x".repeat(900);
    let open = "<system-reminder>";
    let close = "</system-reminder>";
    let refusal = "The user doesn't want to proceed with this tool use. ";
    let mut texts = vec![format!("{}WORD0.{out}", escaped(refusal))];
    for (open, close) in [
        (open.to_owned(), close.to_owned()),
        (escaped(open), escaped(close)),
        (open.to_owned(), close.replace('-', "\\u002d")),
        (open.to_owned(), close.replace('>', "\\u003E")),
    ] {
        for end in [
            "",
            "\\n",
            "\u{a0}\\n",
            "\\u00a0",
            " \u{3000} ",
            "\u{2028}",
            "\\u000b",
        ] {
            let (i, end) = (texts.len(), end.repeat(40));
            texts.push(format!("{out}{open}\\nA user: WORD{i}.\\n{close}{end}"));
        }
    }
    let left = cleared(&texts);
    for (i, text) in texts.iter().enumerate() {
        assert!(left.contains(&format!("WORD{i}.")), "{text:?}");
    }
    assert!(left.len() < texts.len() * 1200);
}

#[test]
fn a_reminder_at_the_beginning_keeps_nothing() {
    let printed = |length: usize| {
        let said = "<system-reminder>A user: WORD0. </system-reminder>";
        let dots = ".".repeat(length - said.len());
        format!(
            "{}{}",
            said.replace("0. ", &format!("0. {dots}")),
            "x".repeat(2000)
        )
    };
    for length in [255, 256, 257, 510, 511, 512, 513] {
        let left = cleared(&[printed(length)]);
        assert!(!left.contains("WORD0."), "{length}");
    }
}
