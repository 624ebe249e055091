//! `deadhead check --repair` on logs, line by line: removed lines, inserted lines, and links in a tree.

use crate::repaired::{NONE, repaired};
use crate::support::{Place, deadhead};
use std::io::{Read, Write};

/// Checks that of `lines` those go whose index is in `gone`, and that the rest changes as `changed` says.
fn becomes(lines: &[&str], gone: &[usize], changed: &[(usize, &str, &str)]) {
    let mut want: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
    for (i, from, to) in changed {
        assert!(want[*i].contains(from));
        want[*i] = want[*i].replace(from, to);
    }
    let want: String = (0..want.len())
        .filter(|i| !gone.contains(i))
        .map(|i| want[i].clone() + "\n")
        .collect();
    assert_eq!(repaired(&(lines.join("\n") + "\n")), want);
}

const HEAD: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}"#;

#[test]
fn openclaw_orphans_leave_the_tree_whole() {
    becomes(
        &[
            HEAD,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x"}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"toolResult","toolCallId":"q","content":[]}}"#,
            r#"{"type":"custom","id":"c","parentId":"b","timestamp":"t","customType":"note","data":{"parentId":"b"}}"#,
            r#"{"type":"label","id":"d","parentId":"c","timestamp":"t","targetId":"b","label":"here"}"#,
            r#"{ "type":"message", "id":"e", "parentId":"d", "timestamp":"t", "message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"f","arguments":{}}]}}"#,
            r#"{"type":"message","id":"f","parentId":"e","timestamp":"t","message":{"role":"toolResult","toolCallId":"k","content":[{"type":"text","text":"one"}]}}"#,
            r#"{"type":"message","id":"g","parentId":"f","timestamp":"t","message":{"role":"toolResult","toolCallId":"k","content":[{"type":"text","text":"two"}]}}"#,
            r#"{"type":"message","id":"h","parentId":"g","timestamp":"t","message":{"role":"user","content":"\u00e9 1.10"}}"#,
        ],
        &[2, 7],
        &[
            (
                3,
                r#""parentId":"b","timestamp""#,
                r#""parentId":"a","timestamp""#,
            ),
            (4, r#""targetId":"b""#, r#""targetId":"a""#),
            (8, r#""parentId":"g""#, r#""parentId":"f""#),
        ],
    );
}

#[test]
fn a_compaction_keeps_from_the_line_after_a_removed_one() {
    becomes(
        &[
            HEAD,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x"}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"toolResult","toolCallId":"q","content":[]}}"#,
            r#"{"type":"message","id":"c","parentId":"b","timestamp":"t","message":{"role":"user","content":"y"}}"#,
            r#"{"type":"compaction","id":"d","parentId":"c","timestamp":"t","summary":"s","firstKeptEntryId":"b"}"#,
            r#"{"type":"message","id":"e","parentId":"d","timestamp":"t","message":{"role":"user","content":"z"}}"#,
        ],
        &[2],
        &[
            (3, r#""parentId":"b""#, r#""parentId":"a""#),
            (4, r#""firstKeptEntryId":"b""#, r#""firstKeptEntryId":"c""#),
        ],
    );
}

#[test]
fn the_oldest_compactions_count_the_lines() {
    let place = Place::new();
    let head = r#"{"type":"session","id":"s","timestamp":"t","cwd":"/"}"#;
    let line =
        |message: &str| format!(r#"{{"type":"message","timestamp":"t","message":{message}}}"#);
    let user = |text: &str| line(&format!(r#"{{"role":"user","content":"{text}"}}"#));
    let stray = line(r#"{"role":"toolResult","toolCallId":"q","content":[]}"#);
    let call = line(
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"f","arguments":{}}]}"#,
    );
    let answer = line(&format!(
        r#"{{"role":"toolResult","toolCallId":"k","toolName":"f","content":[{{"type":"text","text":"{NONE}"}}],"isError":true}}"#
    ));
    let kept = |index: usize| {
        format!(
            r#"{{"type":"compaction","timestamp":"t","summary":"s","firstKeptEntryIndex":{index}}}"#
        )
    };
    let lines = |lines: &[&str]| format!("{head}\n{}\n", lines.join("\n"));
    let run = |scope: &str, input: &str| {
        let file = place.file("old.jsonl", input);
        let out = deadhead()
            .args(["check", "--repair", "-q", "--scope", scope])
            .arg(file)
            .output()
            .unwrap();
        (String::from_utf8(out.stdout).unwrap(), out.status.code())
    };
    let (x, y, z) = (&*user("x"), &*user("y"), &*user("z"));
    for (before, old, after, new) in [
        (vec![x, &stray, y], 3, vec![x, y], 2),
        // The line itself is removed: the next one is the first that is kept.
        (vec![x, &stray, y], 2, vec![x, y], 2),
        (vec![x, &stray, y], 1, vec![x, y], 1),
        (vec![x, &call, y, x], 4, vec![x, &call, &answer, y, x], 5),
        (vec![x, &call, y, x], 3, vec![x, &call, &answer, y, x], 4),
        (vec![x, &call, y, x], 2, vec![x, &call, &answer, y, x], 2),
        (
            vec![&stray, &call, x, &stray, y],
            5,
            vec![&call, &answer, x, y],
            4,
        ),
        (vec![x, &stray], 9, vec![x], 9),
    ] {
        let whole = |first: &[&str], index: usize| lines(&[first, &[&kept(index), z]].concat());
        assert_eq!(
            run("file", &whole(&before, old)),
            (whole(&after, new), Some(0)),
            "{before:?}"
        );
    }
    // What the compaction left behind is not looked at.
    let out_of_reach = lines(&[x, &stray, y, &kept(3), z]);
    assert_eq!(
        run("context", &out_of_reach),
        (out_of_reach.clone(), Some(0))
    );
    // A prune counts them, too.
    let file = place.file("drop.jsonl", lines(&[x, y, x, &kept(3), z]));
    let out = deadhead()
        .args(["prune", "-q", "--mode=off", "--scope=file", "--select=2"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(
        (String::from_utf8(out.stdout).unwrap(), out.status.code()),
        (lines(&[x, x, &kept(2), z]), Some(0))
    );
}

#[test]
fn an_answer_takes_its_place_in_the_tree() {
    let lines = [
        HEAD,
        r#"{"type":"message","id":"0000000a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"message","id":"0000000b","parentId":"0000000a","timestamp":"t1","message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"re\"ad","arguments":{}},{"type":"toolCall","id":"l","name":"f","arguments":{}}]}}"#,
        // A branch that was left, in which one call was answered.
        r#"{"type":"message","id":"0000000c","parentId":"0000000b","timestamp":"t","message":{"role":"toolResult","toolCallId":"k","content":[]}}"#,
        r#"{"type":"message","id":"0000000d","parentId":"0000000b","timestamp":"t2","message":{"role":"user","content":"y"}}"#,
        r#"{"type":"message","id":"0000000e","parentId":"0000000d","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"z"}]}}"#,
    ];
    let run = |input: String| {
        let out = deadhead()
            .args(["check", "--repair"])
            .write_stdin(input)
            .output()
            .unwrap();
        (
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
            out.status.code(),
        )
    };
    // What the branch says is not said anew.
    let (copy, reported, code) = run(lines.join("\r\n") + "\r\n");
    assert!(
        code == Some(1)
            && reported.contains("E01")
            && reported.contains("its result is on a line that is not read or not sent"),
        "{reported}"
    );
    assert_eq!(
        (
            copy.matches("No result was recorded").count(),
            copy.matches(r#""toolCallId":"k""#).count()
        ),
        (1, 1),
        "{copy}"
    );
    assert_eq!(run(copy.clone()).0, copy);
    let mut lines = lines;
    lines[3] = r#"{"type":"message","id":"0000000c","parentId":"0000000b","timestamp":"t","message":{"role":"user","content":"w"}}"#;
    let copy = repaired(&(lines.join("\r\n") + "\r\n"));
    let out: Vec<&str> = copy.split_terminator("\r\n").collect();
    assert_eq!(out.len(), lines.len() + 2, "{copy}");
    assert_eq!((&out[..4], out[7]), (&lines[..4], lines[5]));
    let read = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let (one, two, next) = (read(out[4]), read(out[5]), read(out[6]));
    assert_eq!(
        (&one["parentId"], &two["parentId"], &next["parentId"]),
        (&"0000000b".into(), &one["id"], &two["id"])
    );
    assert_eq!(
        (
            one["timestamp"].as_str(),
            one["type"].as_str(),
            one["id"].as_str().map(str::len)
        ),
        (Some("t2"), Some("message"), Some(8))
    );
    assert_eq!(
        one["message"],
        serde_json::json!({"role": "toolResult", "toolCallId": "k", "toolName": "re\"ad", "content": [{"type": "text", "text": NONE}], "isError": true})
    );
    assert_eq!(
        out[6].replace(two["id"].as_str().unwrap(), "0000000b"),
        lines[4]
    );
}

#[test]
fn claude_code() {
    let line = |id: &str, parent: &str, message: &str| {
        let kind = if message.contains("assistant") {
            "assistant"
        } else {
            "user"
        };
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}","message":{message},"uuid":"{id}","timestamp":"t","cwd":"/w","sessionId":"s"}}"#
        )
    };
    let said = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let call = |id: &str| {
        format!(
            r#"{{"id":"m1","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}]}}"#
        )
    };
    let result =
        |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"of {id}"}}"#);
    let answer = |results: &[&str]| {
        let results: Vec<String> = results.iter().map(|id| result(id)).collect();
        format!(r#"{{"role":"user","content":[{}]}}"#, results.join(", "))
    };
    let lines = [
        line("u1", "null", &said("x")),
        line("u2", "\"u1\"", &answer(&["gone"])),
        r#"{"parentUuid":"u2","isSidechain":false,"attachment":{},"type":"attachment","uuid":"u3","timestamp":"t","sessionId":"s"}"#
            .to_owned(),
        line("u4", "\"u3\"", &call("k")),
        line("u5", "\"u4\"", &call("l")),
        line("u6", "\"u4\"", &answer(&["k", "k"])),
        line("u7", "\"u5\"", &said("stop")),
        line("u8", "\"u7\"", &said("again")),
    ];
    let copy = repaired(&(lines.join("\n") + "\n"));
    let out: Vec<&str> = copy.lines().collect();
    assert_eq!(out.len(), 8, "{copy}");
    assert_eq!((out[0], out[7]), (&*lines[0], &*lines[7]));
    assert_eq!(out[1], lines[2].replace("\"u2\"", "\"u1\""));
    assert_eq!(
        out[4],
        lines[5].replacen(&format!(", {}", result("k")), "", 1)
    );
    let made: serde_json::Value = serde_json::from_str(out[5]).unwrap();
    assert_eq!(
        (
            &made["parentUuid"],
            &made["sessionId"],
            &made["cwd"],
            &made["type"]
        ),
        (&"u5".into(), &"s".into(), &"/w".into(), &"user".into())
    );
    assert_eq!(
        made["message"]["content"],
        serde_json::json!([{"type": "tool_result", "tool_use_id": "l", "content": NONE}])
    );
    assert_eq!(
        out[6],
        lines[6].replace("\"u5\"", &made["uuid"].to_string())
    );
}

#[test]
fn codex_and_copilot() {
    let item = |payload: &str| {
        format!(r#"{{"timestamp":"t","type":"response_item","payload":{payload}}}"#)
    };
    let user =
        item(r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#);
    let lines = [
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}"#.to_owned(),
        user.clone(),
        item(r#"{"type":"function_call_output","call_id":"q","output":"o"}"#),
        item(r#"{"type":"custom_tool_call","call_id":"c","name":"f","input":""}"#),
        r#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count"}}"#.to_owned(),
        user.clone(),
    ];
    let answer = item(&format!(
        r#"{{"type":"custom_tool_call_output","call_id":"c","output":"{NONE}"}}"#
    ));
    let want = [
        &lines[0], &lines[1], &lines[3], &lines[4], &answer, &lines[5],
    ]
    .map(String::as_str)
    .join("\n");
    assert_eq!(repaired(&lines.join("\n")), want);

    let event = |kind: &str, data: &str, id: &str, parent: &str| {
        format!(
            r#"{{"type":"{kind}","data":{data},"id":"{id}","timestamp":"t","parentId":"{parent}"}}"#
        )
    };
    let lines = [
        event("user.message", r#"{"content":"x"}"#, "a", "0"),
        event(
            "assistant.message",
            r#"{"content":"","toolRequests":[{"toolCallId":"k","name":"f","arguments":{}}]}"#,
            "b",
            "a",
        ),
        event("tool.execution_start", r#"{"toolCallId":"k"}"#, "c", "b"),
        event(
            "tool.execution_complete",
            r#"{"toolCallId":"q","success":true,"result":{"content":"o"}}"#,
            "d",
            "c",
        ),
        event("user.message", r#"{"content":"y"}"#, "e", "d"),
    ];
    let copy = repaired(&(lines.join("\n") + "\n"));
    let out: Vec<&str> = copy.lines().collect();
    assert_eq!(out.len(), 5);
    let made: serde_json::Value = serde_json::from_str(out[3]).unwrap();
    // The result is that of the call by its place.
    assert_eq!(
        made["data"],
        serde_json::json!({"toolCallId": "k", "success": true, "result": {"content": "o"}})
    );
    assert_eq!((made["parentId"].as_str(), out[4]), (Some("c"), &*lines[4]));

    let next = lines[4].replace("\"d\"", "\"c\"");
    let lines = [&lines[0], &lines[1], &lines[2], &next].map(String::as_str);
    let copy = repaired(&(lines.join("\n") + "\n"));
    let out: Vec<&str> = copy.lines().collect();
    assert_eq!(out.len(), 5);
    let made: serde_json::Value = serde_json::from_str(out[3]).unwrap();
    assert_eq!(
        made["data"],
        serde_json::json!({"toolCallId": "k", "success": false, "error": {"message": NONE}})
    );
    assert_eq!(
        (made["parentId"].as_str(), out[4]),
        (Some("c"), &*next.replace("\"c\"", &made["id"].to_string()))
    );
}

#[test]
fn the_last_step_may_still_be_running() {
    let lines = [
        HEAD,
        r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x"}}"#,
        r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"f","arguments":{}}]}}"#,
    ];
    becomes(&lines, &[], &[]);
}

#[test]
fn plain_lines_and_glued_ones() {
    let (user, answer) = (
        r#"{"role":"user","content":"x"}"#,
        r#"{"role":"assistant","content":"y"}"#,
    );
    let stray = r#"{"role":"tool","tool_call_id":"q","content":"z"}"#;
    assert_eq!(
        repaired(&format!("{user}\n{stray}\n{answer}")),
        format!("{user}\n{answer}")
    );
    let output = deadhead()
        .args(["check", "--repair"])
        .write_stdin(format!("{user}{stray}\n{answer}\n"))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{user}\n{answer}\n")
    );
    // Plain messages may begin with an answer.
    assert_eq!(
        repaired(&format!("{answer}\n{user}\n")),
        format!("{answer}\n{user}\n")
    );
}

#[test]
fn folders_and_packed_files() {
    let place = Place::new();
    let stray = r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"toolResult","toolCallId":"q","content":[]}}"#;
    let user = r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"x"}}"#;
    let (broken, whole) = (
        format!("{HEAD}\n{user}\n{stray}\n"),
        format!("{HEAD}\n{user}\n"),
    );
    let mut pack = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    pack.write_all(broken.as_bytes()).unwrap();
    place.file("in/one.jsonl", &broken);
    place.file("in/deep/two.jsonl", &whole);
    place.file("packed.jsonl.gz", pack.finish().unwrap());
    let run = |args: &[&str]| {
        let output = deadhead()
            .current_dir(place.root())
            .arg("check")
            .args(args)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, err) = run(&["-r", "in"]);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(
        out.contains("one.jsonl:line 3: call q: E02 a result answers no call")
            && out.ends_with("1 defect in 2 inputs\n"),
        "{out}"
    );
    assert!(out.ends_with("1 defect in 2 inputs\n"), "{out}");
    assert_eq!(
        run(&["-r", "in", "--repair", "-q", "--out-dir", "made"]).0,
        Some(0)
    );
    assert_eq!(run(&["-q", "-r", "made"]).0, Some(0));
    assert_eq!(run(&["-q", "packed.jsonl.gz"]).0, Some(1));
    assert_eq!(
        run(&[
            "--repair",
            "-q",
            "-o",
            "repaired.jsonl.gz",
            "packed.jsonl.gz"
        ])
        .0,
        Some(0)
    );
    let mut unpacked = String::new();
    let file = std::fs::File::open(place.path("repaired.jsonl.gz")).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, whole);
    assert_eq!(
        std::fs::read_to_string(place.path("in/one.jsonl")).unwrap(),
        broken
    );
}

#[test]
fn openclaw_writes_the_only_text_of_a_cut_result_anew() {
    let place = Place::new();
    let lines = |content: &str| {
        let entry = |id: &str, parent: &str, message: &str| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{message}}}"#
            )
        };
        [
            HEAD.to_owned(),
            entry("a", "null", r#"{"role":"user","content":"go"}"#),
            entry("b", r#""a""#, r#"{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"f","arguments":{}}]}"#),
            entry(
                "c",
                r#""b""#,
                &format!(r#"{{"role":"toolResult","toolCallId":"k","toolName":"f","content":{content},"isError":false}}"#),
            ),
            entry("d", r#""c""#, r#"{"role":"assistant","content":[{"type":"text","text":"so"}]}"#),
        ]
        .map(|line| line + "\n")
        .concat()
    };
    let run = |input: &str, args: &[&str]| {
        let file = place.file("signed.jsonl", input);
        let out = deadhead()
            .args(["prune", "-q", "--context-window=1"])
            .args(args)
            .arg(&file)
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    let long = format!("{}{}", "a".repeat(300), "z".repeat(300));
    let sets = [
        "keepLastAssistants=1",
        "softTrim.maxChars=9",
        "softTrim.headChars=3",
        "softTrim.tailChars=3",
        "hardClear.enabled=false",
    ];
    let trim: Vec<String> = sets
        .iter()
        .map(|set| format!("--set=contextPruning.{set}"))
        .collect();
    let trim = [
        &["--mode=adaptive"][..],
        &trim.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat();
    let trimmed = r"aaa\n...\nzzz\n\n[Tool result trimmed: kept first 3 chars and last 3 chars of 600 chars.]";
    let clear = [
        "--mode=aggressive",
        "--set=contextPruning.keepLastAssistants=1",
    ];
    for (args, text) in [
        (&trim[..], trimmed),
        (&clear[..], "[Old tool result content cleared]"),
    ] {
        let anew = lines(&format!(r#"[{{"type":"text","text":"{text}"}}]"#));
        for content in [
            format!(r#"[{{"type":"text","text":"{long}"}}]"#),
            format!(r#"[{{"type":"text","text":"{long}","textSignature":"c2ln"}}]"#),
            format!(r#"[ {{"textSignature":{{"id":[1]}}, "text" : "{long}","type":"text" }} ]"#),
        ] {
            let out = run(&lines(&content), args);
            assert_eq!(out, anew, "{content}");
            assert_eq!(run(&out, args), anew, "a second run");
        }
        // White space alone stays as it is.
        let spaced = |text: &str| lines(&format!(r#"[ {{"type" : "text", "text":"{text}"}} ]"#));
        assert_eq!(run(&spaced(&long), args), spaced(text));
    }
}
