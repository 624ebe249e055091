//! `edits`: each action in every format, each member of a step, and the error of each wrong step.

use crate::notation::{Conversation, EVERY, results, setup};
use deadhead_core::settings::{Layer, Mode, Settings, resolve};
use serde_json::{Value, json};

/// Five calls of two tools, the third of which failed.
const TALK: &str = "
    user   look at all
    say    I will
    call   c1 read {\"path\":\"x\",\"n\":1.5}
    call   c2 exec {\"cmd\":\"ls\"}
    result c1 first <0123456789*20>
    result c2 second <0123456789*20>
    call   c3 read {\"path\":\"y\"}
    result c3 error third <0123456789*20>
    say    one
    user   go on
    call   c4 exec {\"cmd\":\"ls\"}
    result c4 fourth <0123456789*20>
    say    two
    user   and on
    call   c5 read {\"path\":\"x\",\"n\":1.5}
    result c5 fifth <0123456789*20>
    say    three
    user   thanks";

fn steps(steps: &Value) -> Settings {
    let mut layer = Layer::new("test");
    layer.put("edits", "edits", steps).unwrap();
    layer
        .put(
            "contextPruning.mode",
            "contextPruning.mode",
            &json!("adaptive"),
        )
        .unwrap();
    resolve(&[layer]).unwrap().settings
}

fn error(steps: Value) -> String {
    let mut layer = Layer::new("c.json5");
    layer.put("edits", "edits", &steps).unwrap();
    resolve(&[layer]).unwrap_err().to_string()
}

/// The first word of each result, in every format that can say `talk`: a step does the same to all of them, and nothing in a second run.
fn words(talk: &str, settings: &Settings, want: &[&str]) {
    let said = Conversation::parse(talk);
    let mut formats = 0;
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
        let about = format!("{}: {:?}", spoken.name, settings.edits);
        let input = spoken.render(&said);
        let (output, report) = spoken
            .run(&input, &setup(settings.clone()))
            .unwrap_or_else(|e| panic!("{about}: {e}"));
        let found: Vec<String> = results(&output)
            .iter()
            .map(|text| text.split(' ').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, want, "{about}\n{}", String::from_utf8_lossy(&output));
        let (again, _) = spoken.run(&output, &setup(settings.clone())).unwrap();
        assert!(
            again == output,
            "{about}: a second run\n{}\n{}",
            String::from_utf8_lossy(&output),
            String::from_utf8_lossy(&again)
        );
        assert!(
            report.integrity.after.len() <= report.integrity.before.len(),
            "{about}"
        );
        let removed: i64 = report
            .cuts
            .iter()
            .map(|cut| cut.chars_before as i64 - cut.chars_after as i64)
            .sum();
        assert_eq!(
            removed,
            report.before.chars as i64 - report.after.chars as i64,
            "{about}"
        );
        formats += 1;
    }
    assert!(formats >= 12, "{formats} formats");
}

/// A pass that is named as a step makes the cuts that it makes alone, in every format.
#[test]
fn a_pass_is_a_step() {
    let said = Conversation::parse(TALK);
    for (name, least) in [("dedupe", 12), ("ephemeral", 12), ("stale-resource", 12)] {
        let mut step = steps(&json!([{"type": name}]));
        step.ephemeral.keep_turns = 1;
        let mut pass = Settings {
            edits: Vec::new(),
            ..step.clone()
        };
        pass.passes.on.insert(name.to_owned());
        pass.passes.off.insert("soft-trim".to_owned());
        pass.passes.off.insert("hard-clear".to_owned());
        let mut changed = 0;
        for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&said)) {
            let input = spoken.render(&said);
            let output =
                |settings: &Settings| spoken.run(&input, &setup(settings.clone())).unwrap();
            let ((output, report), (want, alone)) = (output(&step), output(&pass));
            assert!(output == want, "{name} in {}", spoken.name);
            assert_eq!(
                report.cuts.len(),
                alone.cuts.len(),
                "{name} in {}",
                spoken.name
            );
            changed += usize::from(output != input);
        }
        assert!(changed >= least, "{name}: {changed} formats");
    }
    assert!(error(json!([{"type": "dedupe", "keep": {"tool_results": 1}}])).contains("keep"));
}

/// Returns the first word of each result after one run over a body of Anthropic's.
fn first_words(list: &Value) -> Vec<String> {
    let spoken = EVERY
        .iter()
        .find(|spoken| spoken.format == "anthropic")
        .unwrap();
    let (output, _) = spoken
        .run(
            &spoken.render(&Conversation::parse(TALK)),
            &setup(steps(list)),
        )
        .unwrap();
    results(&output)
        .iter()
        .map(|text| text.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

const KEPT: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// The results that stay of the five, by their numbers; the others are cleared to `-`.
fn stay(step: Value, kept: &[usize]) {
    let mut step = step;
    step["type"] = json!("clear_tool_results");
    step["placeholder"] = json!("-");
    let want: Vec<&str> = (0..5)
        .map(|i| {
            if kept.contains(&(i + 1)) {
                KEPT[i]
            } else {
                "-"
            }
        })
        .collect();
    words(TALK, &steps(&json!([step])), &want);
}

#[test]
fn the_newest_are_kept() {
    stay(json!({}), &[]);
    stay(json!({"keep": {"tool_results": 2}}), &[4, 5]);
    stay(json!({"keep": {"tool_uses": 2}}), &[4, 5]);
    stay(json!({"keep": {"tool_results": "all"}}), &[1, 2, 3, 4, 5]);
    stay(json!({"keep": {"assistant_messages": 4}}), &[4, 5]);
    stay(json!({"keep": {"assistant_messages": 3}}), &[5]);
    stay(json!({"keep": {"user_turns": 2}}), &[5]);
    stay(json!({"keep": {"user_turns": 3}}), &[4, 5]);
    stay(json!({"keep": {"user_turns": 9}}), &[1, 2, 3, 4, 5]);
    stay(json!({"spare": {"user_turns": 2}}), &[5]);
    stay(json!({"keep": {"tokens": 60}}), &[5]);
    stay(json!({"newest_result": "keep"}), &[5]);
}

#[test]
fn exclusions_before_and_after_the_count() {
    stay(json!({"exclude_tools": ["read"]}), &[1, 3, 5]);
    stay(json!({"tools": ["ex*"]}), &[1, 3, 5]);
    stay(json!({"tools": ["EXEC"]}), &[1, 3, 5]);
    stay(
        json!({"tools": ["EXEC"], "exact_names": true}),
        &[1, 2, 3, 4, 5],
    );
    stay(
        json!({"exclude_tools": ["read"], "keep": {"tool_results": 1}}),
        &[1, 3, 4, 5],
    );
    stay(
        json!({"exclude_tools": ["read"], "keep": {"tool_results": 1, "counted": "before_exclusions"}}),
        &[1, 3, 5],
    );
    for unit in ["chars", "code_points", "bytes"] {
        stay(
            json!({"over": {unit: 206}, "keep": {"tool_results": 1}}),
            &[1, 3, 4, 5],
        );
    }
    stay(
        json!({"over": {"tokens": 51}, "keep": {"tool_results": 1}}),
        &[5],
    );
    stay(json!({"over": {"lines": 1}}), &[1, 2, 3, 4, 5]);
}

#[test]
fn when_it_fires() {
    stay(json!({"trigger": {"tool_uses": 4}}), &[]);
    stay(json!({"trigger": {"tool_uses": 5}}), &[1, 2, 3, 4, 5]);
    stay(json!({"trigger": {"chars": 1000}}), &[]);
    stay(json!({"trigger": {"chars": 2000}}), &[1, 2, 3, 4, 5]);
    stay(json!({"trigger": {"input_tokens": 100}}), &[]);
    stay(json!({"trigger": {"input_tokens": 2000}}), &[1, 2, 3, 4, 5]);
    stay(
        json!({"trigger": {"context_fraction": 0.5}}),
        &[1, 2, 3, 4, 5],
    );
    stay(json!({"trigger": {"idle": "1h"}}), &[1, 2, 3, 4, 5]);
    stay(json!({"trigger": {"idle": "1h"}, "rested": "61m"}), &[]);
    stay(json!({"trigger": {"idle": "1h"}, "rested": "1h"}), &[]);
    stay(
        json!({"trigger": {"idle": "1h"}, "rested": "59m"}),
        &[1, 2, 3, 4, 5],
    );
}

#[test]
fn the_target_and_the_minimum() {
    // What was freed is not remembered: a second run would free once more.
    let once = |step: Value, want: &[&str]| {
        let mut step = step;
        (step["type"], step["placeholder"]) = (json!("clear_tool_results"), json!("-"));
        assert_eq!(first_words(&json!([step])), want);
    };
    once(
        json!({"until": {"freed": {"input_tokens": 52}}}),
        &["-", "-", "third", "fourth", "fifth"],
    );
    once(
        json!({"until": {"freed": {"input_tokens": 50}}}),
        &["-", "second", "third", "fourth", "fifth"],
    );
    once(
        json!({"until": {"fits": {"chars": 420}}}),
        &["-", "-", "-", "fourth", "fifth"],
    );
    // Of a truncated result counts what is left of it: 206 chars become 107.
    let trim = json!({"type": "truncate_tool_results", "over": {"chars": 150}, "head": {"chars": 1}, "tail": {"chars": 104}, "note": "- "});
    for (chars, want) in [
        (935, ["f-", "second", "third", "fourth", "fifth"]),
        (830, ["f-", "s-", "t-", "fourth", "fifth"]),
    ] {
        let mut trim = trim.clone();
        trim["until"] = json!({"fits": {"chars": chars}});
        assert_eq!(first_words(&json!([trim])), want);
    }
    once(json!({"clear_at_least": {"input_tokens": 500}}), &KEPT);
    once(json!({"clear_at_least": {"input_tokens": 250}}), &["-"; 5]);
    once(
        json!({"clear_at_least": {"input_tokens": 100, "batches": true}}),
        &["-", "-", "-", "-", "fifth"],
    );
    // Arguments that go with a result are not chars of results.
    once(
        json!({"until": {"fits": {"chars": 840}}, "clear_tool_inputs": true}),
        &["-", "second", "third", "fourth", "fifth"],
    );
    once(
        json!({"until": {"fits": {"chars": 820}}, "clear_tool_inputs": true}),
        &["-", "-", "third", "fourth", "fifth"],
    );
    once(
        json!({"polling": 2, "keep": {"tool_results": 1}}),
        &["-", "-", "-", "fourth", "fifth"],
    );
    once(
        json!({"polling": 2, "also_counted": 1, "keep": {"tool_results": 1}}),
        &["-", "-", "-", "-", "fifth"],
    );
}

#[test]
fn rounds_count_calls_that_are_removed() {
    let removal = json!({"type": "drop_tool_calls", "tools": ["exec"]});
    let clearing = |polling: u64| json!({"type": "clear_tool_results", "polling": polling, "keep": {"tool_results": 0}, "placeholder": "-"});
    // Of five calls two are removed. A round of four has the first four, a round of three the first three, one of six is not full.
    for (polling, want) in [
        (4, ["-", "-", "fifth"]),
        (3, ["-", "third", "fifth"]),
        (5, ["-", "-", "-"]),
        (6, ["first", "third", "fifth"]),
    ] {
        // The output does not show what was removed, so that only a state file makes a second run change nothing.
        assert_eq!(first_words(&json!([removal, clearing(polling)])), want);
    }
}

#[test]
fn errors_duplicates_and_what_is_empty() {
    in_these(
        &["anthropic", "claude-code"],
        &json!([{"type": "clear_tool_results", "errors": "keep", "placeholder": "-"}]),
        &["-", "-", "third", "-", "-"],
    );
    let only = json!([{"type": "clear_tool_results", "errors": "only", "placeholder": "-"}]);
    in_these(
        &["anthropic", "claude-code"],
        &only,
        &["first", "second", "-", "fourth", "fifth"],
    );
    words(
        TALK,
        &steps(
            &json!([{"type": "clear_tool_results", "duplicates": "same_call", "placeholder": "-"}]),
        ),
        &["-", "-", "third", "fourth", "fifth"],
    );
    let same = TALK.replace("fourth", "second");
    words(
        &same,
        &steps(
            &json!([{"type": "clear_tool_results", "duplicates": "same_content", "placeholder": "-"}]),
        ),
        &["first", "-", "third", "second", "fifth"],
    );
}

#[test]
fn texts_with_names_and_heads_and_tails() {
    let named = json!([{"type": "clear_tool_results", "keep": {"tool_results": 4}, "placeholder": "{tool}:{chars}:{lines} {two words}"}]);
    words(
        TALK,
        &steps(&named),
        &["read:206:1", "second", "third", "fourth", "fifth"],
    );
    let cut = json!([{"type": "truncate_tool_results", "over": {"chars": 206}, "head": {"chars": 3}, "tail": {"chars": 1}, "note": "…{removed}…"}]);
    words(
        TALK,
        &steps(&cut),
        &["first", "sec…203…9", "third", "fou…203…9", "fifth"],
    );
    let turned = |unit: &str| json!([{"type": "truncate_tool_results", "over": {"chars": 206}, "head": {unit: 3}, "tail": {unit: 1}, "note": "{tail}…{head}…{head}"}]);
    for unit in ["chars", "bytes"] {
        words(
            TALK,
            &steps(&turned(unit)),
            &["first", "9…sec…sec", "third", "9…fou…fou", "fifth"],
        );
    }
    let whole = json!([{"type": "truncate_tool_results", "over": {"chars": 50}, "head": {"lines": 1}, "tail": {"lines": 1}}]);
    words(TALK, &steps(&whole), &KEPT);
}

#[test]
fn what_a_step_left_is_left_by_all_steps() {
    let list = json!([
        {"type": "clear_tool_results", "keep": {"tool_results": 3}, "clear_tool_inputs": true, "placeholder": "[{tool}: {chars} chars]"},
        {"type": "clear_tool_results", "keep": {"tool_results": 1}, "placeholder": "gone"},
    ]);
    let want = ["[read:", "[exec:", "gone", "gone", "fifth"];
    words(TALK, &steps(&list), &want);
    let list = json!([
        {"type": "truncate_tool_results", "keep": {"tool_results": 3}, "over": {"chars": 60}, "head": {"chars": 6}, "note": "{head}…{chars} chars that are {tool}'s"},
        {"type": "truncate_tool_results", "over": {"chars": 20}, "head": {"chars": 4}, "note": "-"},
    ]);
    let want = ["first", "second…207", "thir-", "four-", "fift-"];
    words(TALK, &steps(&list), &want);
}

#[test]
fn arguments_go_where_the_result_is_the_placeholder() {
    let list = json!([{"type": "clear_tool_results", "clear_tool_inputs": true, "placeholder": "[{tool} said {chars}]"}]);
    let said = Conversation::parse(
        "user go\ncall a read {\"path\":\"x\"}\nresult a [read said 9]\nsay so\nuser go on",
    );
    let spoken = EVERY
        .iter()
        .find(|spoken| spoken.format == "anthropic")
        .unwrap();
    let cuts = |input: &[u8]| {
        let (output, report) = spoken.run(input, &setup(steps(&list))).unwrap();
        let cuts = report.cuts.iter().map(|cut| cut.action.to_owned());
        (output, cuts.collect::<Vec<String>>())
    };
    let (output, found) = cuts(&spoken.render(&said));
    assert_eq!(found, ["clear-input"]);
    assert_eq!(results(&output), ["[read said 9]"]);
    assert!(cuts(&output).1.is_empty());
}

#[test]
fn arguments_go_where_the_call_has_an_id() {
    let settings = steps(
        &json!([{"type": "clear_tool_results", "keep": {"tool_results": 3}, "clear_tool_inputs": ["exec"], "placeholder": "-"}]),
    );
    let talk = Conversation::parse(TALK);
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
        let input = spoken.render(&talk);
        let (output, report) = spoken.run(&input, &setup(settings.clone())).unwrap();
        let said = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .replace('\\', "")
                .matches("\"ls\"")
                .count()
        };
        let cleared = report
            .cuts
            .iter()
            .filter(|cut| cut.action == "clear-input")
            .count();
        assert_eq!(
            cleared,
            usize::from(spoken.id("c2").is_some()),
            "{}",
            spoken.name
        );
        assert_eq!(said(&input) - said(&output), cleared, "{}", spoken.name);
    }
}

#[test]
fn calls_go_with_their_results() {
    let these = ["anthropic", "openai-chat", "claude-code"];
    in_these(
        &these,
        &json!([{"type": "drop_tool_calls", "keep": {"tool_results": 2}}]),
        &["fourth", "fifth"],
    );
    in_these(
        &these,
        &json!([{"type": "drop_tool_calls", "duplicates": "same_call"}]),
        &["third", "fourth", "fifth"],
    );
    // Elsewhere a call may have to stay, for the order of messages.
    let settings = steps(&json!([{"type": "drop_tool_calls", "keep": {"tool_results": 2}}]));
    let talk = Conversation::parse(TALK);
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
        let (output, report) = spoken
            .run(&spoken.render(&talk), &setup(settings.clone()))
            .unwrap();
        assert!((2..5).contains(&results(&output).len()), "{}", spoken.name);
        assert!(
            report.integrity.after.len() <= report.integrity.before.len()
                && report.cuts.iter().all(|cut| cut.action == "drop")
        );
    }
}

#[test]
fn reasoning_is_removed_but_for_the_newest() {
    let talk = Conversation::parse(
        "user one
         think first thought
         say   yes
         user  two
         think second thought
         say   no
         user  three",
    );
    for (keep, first, second) in [
        (json!(1), false, true),
        (json!(2), true, true),
        (json!("all"), true, true),
    ] {
        let settings =
            steps(&json!([{"type": "clear_thinking", "keep": {"thinking_turns": keep}}]));
        for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
            let (output, _) = spoken
                .run(&spoken.render(&talk), &setup(settings.clone()))
                .unwrap();
            let text = String::from_utf8_lossy(&output);
            // Where an answer belongs to its reasoning, both stay.
            let first = first || ["codex", "openai-responses"].contains(&spoken.format);
            assert_eq!(
                (
                    text.contains("first thought"),
                    text.contains("second thought")
                ),
                (first, second),
                "{}: {text}",
                spoken.name
            );
            assert!(
                text.contains("yes") && text.contains("no"),
                "{}: {text}",
                spoken.name
            );
        }
    }
}

/// The same as `words`, in a few formats.
fn in_these(formats: &[&str], list: &Value, want: &[&str]) {
    let talk = Conversation::parse(TALK);
    for format in formats {
        let spoken = EVERY
            .iter()
            .find(|spoken| spoken.format == *format)
            .unwrap();
        let (output, _) = spoken
            .run(&spoken.render(&talk), &setup(steps(list)))
            .unwrap();
        let found: Vec<String> = results(&output)
            .iter()
            .map(|text| text.split(' ').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, want, "{format}");
        assert_eq!(
            spoken.run(&output, &setup(steps(list))).unwrap().0,
            output,
            "{format}: a second run"
        );
    }
}

#[test]
fn the_mode_off_rests_and_the_built_in_passes_give_way() {
    let mut settings = steps(
        &json!([{"type": "clear_tool_results", "keep": {"tool_results": 4}, "placeholder": "-"}]),
    );
    settings.context_window = Some(10);
    words(
        TALK,
        &settings,
        &["-", "second", "third", "fourth", "fifth"],
    );
    settings.context_pruning.mode = Mode::Off;
    words(TALK, &settings, &KEPT);
}

#[test]
fn a_wrong_step_is_named() {
    for (steps, want) in [
        (json!({}), "c.json5: edits must be a list of steps"),
        (
            json!([1]),
            "c.json5: edits[0] must be an object with type, not 1",
        ),
        (
            json!([{}]),
            "c.json5: edits[0].type must be one of clear_tool_results,",
        ),
        (
            json!([{"type": "clear_tool_results"}, {"type": "clear_tool_uses"}]),
            "c.json5: edits[1].type must be one of",
        ),
        (
            json!([{"type": "clear_tool_results", "triger": {}}]),
            "c.json5: unknown key edits[0].triger, did you mean edits[0].trigger?",
        ),
        (
            json!([{"type": "clear_thinking", "head": {"chars": 1}}]),
            "c.json5: unknown key edits[0].head, ",
        ),
        (
            json!([{"type": "clear_tool_results"}, {"type": "clear_tool_results", "trigger": {"tokens": 1}}]),
            "c.json5: edits[1].trigger must be an object with one of input_tokens,",
        ),
        (
            json!([{"type": "clear_tool_results", "keep": {"tool_results": -1}}]),
            "c.json5: edits[0].keep must be",
        ),
        (
            json!([{"type": "clear_tool_results", "until": "some"}]),
            "c.json5: edits[0].until must be \"all\",",
        ),
        (
            json!([{"type": "clear_tool_results", "errors": "drop"}]),
            "c.json5: edits[0].errors must be one of clear, keep, only",
        ),
        (
            json!([{"type": "clear_tool_results", "placeholder": null}]),
            "c.json5: edits[0].placeholder must be a text",
        ),
        (
            json!([{"type": "clear_thinking", "keep": {"tool_uses": 1}}]),
            "c.json5: edits[0].keep must be thinking_turns for clear_thinking",
        ),
        (
            json!([{"type": "clear_tool_results", "keep": {"thinking_turns": 1}}]),
            "c.json5: edits[0].keep must be thinking_turns for",
        ),
    ] {
        let error = error(steps);
        assert!(error.starts_with(want), "{error}\n{want}");
    }
}

#[test]
fn options_of_a_preset_are_named_as_its_program_names_them() {
    let of = |preset: Value| {
        let mut layer = Layer::new("c.json5");
        layer.put("preset", "preset", &preset).unwrap();
        resolve(&[layer])
    };
    let name = "langchain-clear-tool-uses";
    let settings = of(
        json!({"name": name, "options": {"trigger": 12500, "keep": 5, "exclude_tools": ["read"]}}),
    )
    .unwrap()
    .settings;
    let step = &settings.edits[0];
    assert_eq!(
        (
            step.trigger.unwrap().number,
            step.keep.unwrap().amount.number
        ),
        (12500.0, 5.0)
    );
    assert_eq!(step.exclude_tools, ["read"]);
    let both = of(json!([name, "swe-agent-last-n"])).unwrap().settings;
    assert_eq!(both.edits.len(), 2);
    for (preset, want) in [
        (
            json!({"name": name, "options": {"triger": 1}}),
            "preset langchain-clear-tool-uses: unknown key triger, did you mean trigger?",
        ),
        (
            json!({"name": name, "options": {"trigger": "x"}}),
            "preset langchain-clear-tool-uses: edits[0].trigger must be",
        ),
        (
            json!({"name": name, "opts": {}}),
            "c.json5: preset must be a name, {name, options}, or a list of these",
        ),
        (json!("langchain"), "unknown preset langchain"),
    ] {
        let error = of(preset).unwrap_err().to_string();
        assert!(error.starts_with(want), "{error}\n{want}");
    }
}

#[test]
fn less_than_one_is_none() {
    for unit in ["assistant_messages", "user_turns", "tool_results"] {
        let mut keep = json!({});
        keep[unit] = json!(0.5);
        stay(json!({ "keep": keep }), &[]);
    }
}
