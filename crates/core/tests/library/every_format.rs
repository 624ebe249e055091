//! soft-trim, hard-clear and their protections in every format: one conversation, the same cuts.
//!
//! A conversation is said in the notation of `notation` and rendered into each format. What comes out of each
//! result must be what the case says; all else, a second run, the pairs and the account must be as promised.

use crate::notation::{Conversation, EVERY, results, setup, without_results};
use deadhead_core::internal::dialect::{DIALECTS, Layout, fits};
use deadhead_core::internal::json::Cursor;
use deadhead_core::settings::{Images, Mode, Settings};

/// A text of 30 chars, which is trimmed here.
const LONG: &str = "0123456789abcdefghij0123456789";
/// The text that a trim leaves of `LONG`.
const TRIMMED: &str =
    "0123\n...\n6789\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 30 chars.]";
/// The text that a clear leaves.
const CLEARED: &str = "[Old tool result content cleared]";

/// A long loop of tools: three results, one of them an error, and enough answers after them.
const TALK: &str = "
    system be brief
    user   look at both
    think  hm, two files
    say    I will
    call   c1 read {\"path\":\"x\",\"n\":1.5}
    call   c2 exec {\"cmd\":\"ls\"}
    result c1 0123456789abcdefghij0123456789
    result c2 error 0123456789abcdefghij0123456789
    call   c3 read {}
    result c3 short
    say    one
    user   go on
    say    two
    user   and on
    say    three
    user   thanks";

#[test]
fn the_notation_renders_every_format() {
    let rendered = |name: &str| EVERY.iter().any(|spoken| spoken.format == name);
    let names = DIALECTS.iter().map(|dialect| dialect.name);
    let missing: Vec<&str> = names.filter(|name| !rendered(name)).collect();
    assert!(missing.is_empty(), "no renderer for {missing:?}");
}

/// Settings under which the smallest results are cut.
fn tiny(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings {
        context_window: Some(10),
        ..Settings::default()
    };
    let pruning = &mut settings.context_pruning;
    pruning.mode = Mode::Adaptive;
    pruning.keep_last_assistants = 1;
    pruning.min_prunable_tool_chars = 0;
    (
        pruning.soft_trim.max_chars,
        pruning.soft_trim.head_chars,
        pruning.soft_trim.tail_chars,
    ) = (20, 4, 4);
    (pruning.hard_clear.enabled, pruning.hard_clear.skip_shorter) = (false, false);
    change(&mut settings);
    settings
}

/// Runs a conversation in every format that can say it; the texts of its results must be `want`. At least `least` formats.
fn alike(talk: &str, settings: &Settings, want: &[&str], least: usize) {
    let said = Conversation::parse(talk);
    let mut reported = None;
    let mut n = 0;
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
        let about = format!("{}: {talk}", spoken.name);
        let input = spoken.render(&said);
        let mut off = settings.clone();
        off.context_pruning.mode = Mode::Off;
        let (same, before) = spoken.run(&input, &setup(off)).unwrap();
        assert!(same == input, "{about}");
        assert!(before.warnings.is_empty(), "{about}: {:?}", before.warnings);
        let (output, report) = spoken
            .run(&input, &setup(settings.clone()))
            .unwrap_or_else(|e| panic!("{about}: {e}"));
        assert_eq!(
            results(&output),
            want,
            "{about}\n{}",
            String::from_utf8_lossy(&output)
        );
        assert_eq!(without_results(&output), without_results(&input), "{about}");
        let (again, _) = spoken.run(&output, &setup(settings.clone())).unwrap();
        assert!(again == output, "{about}: a second run");
        assert!(
            report.integrity.after.len() <= report.integrity.before.len(),
            "{about}"
        );
        // Where a format has one text only, what parts several counts.
        let several = said.answers().any(|a| a.parts.len() > 1);
        let before = |chars: u64| if several { 0 } else { chars };
        let cuts: Vec<_> = report
            .cuts
            .iter()
            .map(|c| {
                (
                    c.pass,
                    c.action,
                    c.tool.clone(),
                    before(c.chars_before),
                    c.chars_after,
                )
            })
            .collect();
        let account = (before(report.before.chars), report.after.chars, cuts);
        assert_eq!(
            *reported.get_or_insert_with(|| account.clone()),
            account,
            "{about}: the account"
        );
        let known: Vec<String> = said.answers().filter_map(|a| spoken.id(&a.call)).collect();
        assert!(
            report
                .cuts
                .iter()
                .all(|c| c.call_id.as_ref().is_none_or(|id| known.contains(id))),
            "{about}"
        );
        n += 1;
    }
    assert!(n >= least, "{n} formats");
}

#[test]
fn large_results_are_trimmed() {
    alike(TALK, &tiny(|_| {}), &[TRIMMED, TRIMMED, "short"], 19);
}

#[test]
fn surrogate_pairs_stay_whole() {
    let talk = TALK.replace(LONG, "abc😀<x*30>😀xyz");
    let trimmed =
        "abc\n...\nxyz\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 40 chars.]";
    alike(&talk, &tiny(|_| {}), &[trimmed, trimmed, "short"], 19);
}

#[test]
fn several_texts_are_one() {
    let talk = TALK.replace(
        "result c3 short",
        "result c3 0123456789 | abcdefghij0123456789",
    );
    let joined = TRIMMED.replace(" 30 ", " 31 ");
    alike(&talk, &tiny(|_| {}), &[TRIMMED, TRIMMED, &joined], 19);
}

#[test]
fn old_results_are_cleared_until_it_fits() {
    let clear = tiny(|s| s.context_pruning.hard_clear.enabled = true);
    alike(TALK, &clear, &[CLEARED; 3], 19);
    alike(
        TALK,
        &tiny(|s| s.context_pruning.mode = Mode::Aggressive),
        &[CLEARED; 3],
        18,
    );
    let placeholder = |s: &mut Settings| {
        s.context_pruning.mode = Mode::Aggressive;
        s.context_pruning.hard_clear.placeholder = "gone: \"é\"".to_owned();
    };
    alike(TALK, &tiny(placeholder), &["gone: \"é\""; 3], 19);
    // One result is as large as the others together: when it has gone, the ratio is met.
    let large = TALK.replacen(LONG, "<0123456789*200>", 1);
    let some = tiny(|s| {
        s.context_window = Some(600);
        s.context_pruning.hard_clear.enabled = true;
        s.context_pruning.soft_trim.max_chars = 9000;
    });
    alike(&large, &some, &[CLEARED, LONG, "short"], 19);
    let below_minimum = tiny(|s| {
        s.context_pruning.hard_clear.enabled = true;
        s.context_pruning.min_prunable_tool_chars = 10_000;
    });
    alike(TALK, &below_minimum, &[TRIMMED, TRIMMED, "short"], 19);
}

#[test]
fn results_that_are_no_longer_than_the_placeholder_stay() {
    let skip = |s: &mut Settings| {
        (
            s.context_pruning.mode,
            s.context_pruning.hard_clear.skip_shorter,
        ) = (Mode::Aggressive, true)
    };
    alike(TALK, &tiny(skip), &[LONG, LONG, "short"], 19);
    let shorter = tiny(|s| {
        skip(s);
        s.context_pruning.hard_clear.placeholder = "gone".to_owned();
    });
    alike(TALK, &shorter, &["gone"; 3], 19);
    let as_long = tiny(|s| {
        skip(s);
        s.context_pruning.hard_clear.placeholder = "ended".to_owned();
    });
    alike(TALK, &as_long, &["ended", "ended", "short"], 19);
}

#[test]
fn below_the_ratio_nothing_is_cut() {
    alike(
        TALK,
        &tiny(|s| s.context_window = Some(10_000)),
        &[LONG, LONG, "short"],
        18,
    );
}

#[test]
fn results_behind_the_last_answers_are_kept() {
    for (keep, want) in [
        (0, [TRIMMED, TRIMMED]),
        (3, [TRIMMED, TRIMMED]),
        (4, [TRIMMED, TRIMMED]),
        (5, [LONG, LONG]),
        (9, [LONG, LONG]),
    ] {
        alike(
            TALK,
            &tiny(|s| s.context_pruning.keep_last_assistants = keep),
            &[want[0], want[1], "short"],
            18,
        );
    }
    let talk = TALK.replace("result c3 short", &format!("result c3 {LONG}"));
    for (keep, last) in [(3, TRIMMED), (4, LONG)] {
        alike(
            &talk,
            &tiny(|s| s.context_pruning.keep_last_assistants = keep),
            &[TRIMMED, TRIMMED, last],
            18,
        );
    }
}

#[test]
fn messages_before_the_first_user_are_kept() {
    let bootstrap = format!(
        "call b0 read {{\"path\":\"AGENTS.md\"}}
         result b0 {LONG}
         {TALK}"
    );
    alike(
        &bootstrap,
        &tiny(|_| {}),
        &[LONG, TRIMMED, TRIMMED, "short"],
        18,
    );
    alike(
        &bootstrap,
        &tiny(|s| s.context_pruning.mode = Mode::Aggressive),
        &[LONG, CLEARED, CLEARED, CLEARED],
        18,
    );
    let no_user = bootstrap.replace("user   ", "system ");
    let kept = [LONG, LONG, LONG, "short"];
    alike(&no_user, &tiny(|_| {}), &kept, 8);
}

#[test]
fn images_are_left_or_go() {
    let talk = TALK.replace("result c3 short", &format!("result c3 {LONG} | image"));
    let kept = format!("{LONG}\n[image]");
    alike(&talk, &tiny(|_| {}), &[TRIMMED, TRIMMED, &kept], 12);
    let prune = tiny(|s| s.context_pruning.images = Images::Prune);
    let gone = "0123\n...\ning]\n\n[Tool result trimmed: kept first 4 chars and last 4 chars of 69 chars.]";
    alike(&talk, &prune, &[TRIMMED, TRIMMED, gone], 12);
    let small = TALK.replace("result c3 short", "result c3 see | image");
    let prune = tiny(|s| {
        s.context_pruning.images = Images::Prune;
        s.context_pruning.soft_trim.max_chars = 42;
    });
    alike(
        &small,
        &prune,
        &[LONG, LONG, "see\n[image removed during context pruning]"],
        12,
    );
    alike(
        &small,
        &tiny(|s| s.context_pruning.mode = Mode::Aggressive),
        &[CLEARED, CLEARED, "see\n[image]"],
        12,
    );
}

#[test]
fn tools_are_allowed_and_denied() {
    let tools = |allow: &[&str], deny: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        tiny(|s| {
            (s.context_pruning.tools.allow, s.context_pruning.tools.deny) =
                (list(allow), list(deny))
        })
    };
    alike(TALK, &tools(&[], &["EX*"]), &[TRIMMED, LONG, "short"], 19);
    alike(TALK, &tools(&["exec"], &[]), &[LONG, TRIMMED, "short"], 19);
    alike(
        TALK,
        &tools(&["*"], &["read", "exec"]),
        &[LONG, LONG, "short"],
        18,
    );
}

#[test]
fn trimmed_results_are_not_trimmed_again() {
    let talk = TALK.replacen(LONG, &TRIMMED.replace('\n', "\\n"), 1);
    alike(&talk, &tiny(|_| {}), &[TRIMMED, TRIMMED, "short"], 19);
    let cleared = TALK.replacen(LONG, CLEARED, 1);
    alike(&cleared, &tiny(|_| {}), &[CLEARED, TRIMMED, "short"], 19);
}

/// Bodies whose messages are under one key may be named as one another: the user knows which service will read them.
#[test]
fn a_wrong_name_does_not_fit() {
    let family = |format: &str| match format {
        "openai-chat" | "mistral" | "cohere" | "ollama" | "anthropic" | "bedrock-converse" => {
            "messages"
        }
        "claude-code" | "openclaw" | "codex" | "copilot-cli" | "gemini-cli" | "qwen-code"
        | "opencode" => "lines",
        other => ["openai-responses", "gemini", "cline"]
            .into_iter()
            .find(|f| *f == other)
            .unwrap_or("new"),
    };
    let said = Conversation::parse(TALK.replace("    think  hm, two files\n", "").as_str());
    for spoken in EVERY.iter().filter(|spoken| spoken.is_body()) {
        let bytes = spoken.render(&said);
        for named in DIALECTS.iter().filter(|f| f.layout == Layout::Body) {
            let fits = fits(named, &mut Cursor::new(&bytes)).unwrap().is_some();
            if family(named.name) != family(spoken.format) {
                assert!(!fits, "{} is not {}", spoken.name, named.name);
            }
            assert!(
                fits || named.name != spoken.format,
                "{} is {}",
                spoken.name,
                named.name
            );
        }
    }
}
