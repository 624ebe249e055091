//! One conversation as each agent records it: the calls, the tokens and the price are the same, whatever the spelling.
//!
//! The shapes are those of the agents' sources: Gemini CLI `services/chatRecordingService.ts` (counts of the provider: the input includes
//! what was cached, thoughts are beside the output); OpenCode `session/processor.ts` (cached tokens are beside the input, reasoning beside
//! the output; a message had many steps once, and has one now); Cline `sdk/packages/llms/src/gateway/ai-sdk.ts` (the input includes what
//! was cached, the output the reasoning).

use deadhead_core::internal::dialect::by_name;
use deadhead_core::internal::dialect::usage::Usage;
use deadhead_core::internal::json::IdSet;
use deadhead_core::settings::{Layer, resolve};
use deadhead_replay::report::{Range, build};
use deadhead_replay::session::Session;
use deadhead_replay::simulation::{Policy, Retention};
use deadhead_replay::summary::Replay;
use serde_json::{Value, json};

/// Requests of the conversation.
const REQUESTS: usize = 40;
/// Milliseconds since 1970 at its beginning.
const BEGIN: i64 = 1_790_000_000_000;

/// A request: what it read, and what was counted.
struct Request {
    number: usize,
    result: String,
    fresh: u64,
    cached: u64,
    output: u64,
    thoughts: u64,
}

/// Results of changing length, and prompts that grow by them; every ninth prompt is not in the cache.
fn conversation() -> Vec<Request> {
    let mut before = 0;
    let mut prompt = 8_000;
    (0..REQUESTS)
        .map(|number| {
            let result =
                format!("line {number}: the quick brown fox\n").repeat(40 + number * 37 % 200);
            let cached = if number % 9 == 0 { 0 } else { before };
            let (output, thoughts) = (40 + (number as u64 * 61) % 90, 20);
            let request = Request {
                number,
                fresh: prompt - cached,
                cached,
                output,
                thoughts,
                result,
            };
            before = prompt;
            prompt += output + request.result.len() as u64 / 4 + 30;
            request
        })
        .collect()
}

fn time(number: usize, seconds: i64) -> i64 {
    BEGIN + number as i64 * 40_000 + seconds * 1000
}

fn iso(at: i64) -> String {
    jiff::Timestamp::from_millisecond(at).unwrap().to_string()
}

/// The messages of a Gemini CLI session: the result with its call, or as the user's message, as newer releases write it.
fn gemini_cli(twins: bool) -> Vec<Value> {
    let mut messages = vec![
        json!({"id": "u", "timestamp": iso(BEGIN), "type": "user", "content": [{"text": "Read all of it."}]}),
    ];
    for Request {
        number,
        result,
        fresh,
        cached,
        output,
        thoughts,
    } in conversation()
    {
        let (call, prompt) = (format!("c{number}"), fresh + cached);
        let response = json!([{"functionResponse": {"id": call, "name": "read_file", "response": {"output": result}}}]);
        let counts = json!({
            "input": prompt, "output": output, "cached": cached, "thoughts": thoughts, "tool": 0, "total": prompt + output + thoughts
        });
        messages.push(json!({
            "id": format!("g{number}"), "timestamp": iso(time(number, 9)), "type": "gemini", "content": "Next.", "thoughts": [],
            "tokens": counts, "model": "gemini-2.5-pro",
            "toolCalls": [{"id": call, "name": "read_file", "args": {"path": format!("f{number}")}, "result": response, "status": "success",
                "timestamp": iso(time(number, 10))}],
        }));
        if twins {
            let id = format!("r{number}");
            messages.push(json!({"id": id, "timestamp": iso(time(number, 10)), "type": "user", "content": response}));
        }
    }
    messages
}

/// The lines of such a session. Each answer is written before its calls came to anything, and again after.
fn gemini_cli_lines() -> String {
    let head = json!({"sessionId": "s", "projectHash": "h", "startTime": iso(BEGIN), "lastUpdated": iso(BEGIN), "kind": "main"});
    let mut lines = vec![head.to_string()];
    for message in gemini_cli(true) {
        let mut first = message.clone();
        if first.as_object_mut().unwrap().remove("toolCalls").is_some() {
            lines.push(first.to_string());
        }
        lines.push(message.to_string());
        lines.push(json!({"$set": {"lastUpdated": message["timestamp"]}}).to_string());
    }
    lines.join("\n")
}

/// An OpenCode export, with a message for each step, or one message for all of them.
fn opencode(is_split: bool) -> Value {
    let text = json!({"type": "text", "text": "Read all of it."});
    let user = json!({"info": {"id": "msg_u", "role": "user", "time": {"created": BEGIN}}, "parts": [text]});
    let steps: Vec<(Value, Vec<Value>)> = conversation().iter().map(step).collect();
    let all: Vec<(Value, Vec<Value>)> = match is_split {
        true => steps,
        // The counts of a message are those of its last step.
        false => {
            let mut info = steps[0].0.clone();
            info["time"]["completed"] = steps.last().unwrap().0["time"]["completed"].clone();
            info["tokens"] = steps.last().unwrap().0["tokens"].clone();
            vec![(
                info,
                steps.into_iter().flat_map(|(_, parts)| parts).collect(),
            )]
        }
    };
    let messages: Vec<Value> = std::iter::once(user)
        .chain(
            all.into_iter()
                .map(|(info, parts)| json!({"info": info, "parts": parts})),
        )
        .collect();
    json!({"info": {"id": "ses_1", "directory": "/w", "time": {"created": BEGIN}}, "messages": messages})
}

/// A step of OpenCode's: the message around it, and its parts.
fn step(request: &Request) -> (Value, Vec<Value>) {
    let Request {
        number,
        result,
        fresh,
        cached,
        output,
        thoughts,
    } = request;
    let tokens = json!({"input": fresh, "output": output, "reasoning": thoughts, "cache": {"read": cached, "write": 0}});
    let info = json!({
        "id": format!("msg_{number}"), "role": "assistant", "parentID": "msg_u", "modelID": "gemini-2.5-pro", "providerID": "google",
        "path": {"cwd": "/w", "root": "/w"}, "cost": 0, "tokens": tokens,
        "time": {"created": time(*number, 1), "completed": time(*number, 10)},
    });
    let state = json!({
        "status": "completed", "input": {"path": format!("f{number}")}, "output": result, "title": "", "metadata": {},
        "time": {"start": time(*number, 9), "end": time(*number, 10)},
    });
    let parts = vec![
        json!({"type": "step-start"}),
        json!({"type": "text", "text": "Next."}),
        json!({"type": "tool", "callID": format!("c{number}"), "tool": "read", "state": state}),
        json!({"type": "step-finish", "reason": "tool-calls", "cost": 0, "tokens": tokens}),
    ];
    (info, parts)
}

/// A session file of Cline's.
fn cline() -> Value {
    let mut messages = vec![
        json!({"id": "u", "role": "user", "content": [{"type": "text", "text": "Read all of it."}], "ts": BEGIN}),
    ];
    for Request {
        number,
        result,
        fresh,
        cached,
        output,
        thoughts,
    } in conversation()
    {
        let call = format!("c{number}");
        let content = json!([
            {"type": "text", "text": "Next."},
            {"type": "tool_use", "id": call, "name": "read_files", "input": {"path": format!("f{number}")}},
        ]);
        messages.push(json!({
            "id": format!("a{number}"), "role": "assistant", "content": content, "ts": time(number, 9),
            "modelInfo": {"id": "google/gemini-2.5-pro", "provider": "cline", "family": "gemini"},
            "metrics": {"inputTokens": fresh + cached, "outputTokens": output + thoughts, "cacheReadTokens": cached, "cacheWriteTokens": 0},
        }));
        let content = json!([{"type": "tool_result", "tool_use_id": call, "content": result}]);
        messages.push(json!({"id": format!("r{number}"), "role": "user", "content": content, "ts": time(number, 10)}));
    }
    json!({"version": 1, "sessionId": "s", "agent": "lead", "messages": messages})
}

/// The conversation in each spelling, with the name of the format.
fn spellings() -> Vec<(&'static str, String)> {
    let document = json!({"sessionId": "s", "projectHash": "h", "startTime": iso(BEGIN), "messages": gemini_cli(false)});
    vec![
        ("gemini-cli", gemini_cli_lines()),
        ("gemini-cli", document.to_string()),
        (
            "gemini-cli",
            serde_json::to_string_pretty(&document).unwrap(),
        ),
        ("opencode", opencode(true).to_string()),
        (
            "opencode",
            serde_json::to_string_pretty(&opencode(true)).unwrap(),
        ),
        (
            "opencode",
            opencode(true)["messages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|message| format!("{message}\n"))
                .collect(),
        ),
        (
            "opencode",
            serde_json::to_string_pretty(&opencode(false)).unwrap(),
        ),
        ("cline", cline().to_string()),
        ("cline", serde_json::to_string_pretty(&cline()).unwrap()),
    ]
}

fn policy(name: &str, sets: &[(&str, &str)]) -> Policy {
    let mut layer = Layer::new("test");
    sets.iter()
        .for_each(|(key, value)| layer.put_text(key, value).unwrap());
    Policy {
        name: name.to_owned(),
        flags: Vec::new(),
        settings: resolve(&[layer]).unwrap().settings,
        retention: Retention::Sticky,
    }
}

fn replayed(session: &Session) -> Replay {
    let policies = [
        policy("aggressive", &[("contextPruning.mode", "aggressive")]),
        policy(
            "break-even",
            &[
                ("contextPruning.mode", "break-even"),
                ("breakEven.minTokens", "1000"),
            ],
        ),
    ];
    let counts = Range::default().counts(session, &mut IdSet::default());
    build(session, "log", &policies, &counts).unwrap()
}

#[test]
fn a_conversation_has_the_same_calls_and_tokens_in_every_format() {
    let (mut counted, mut wrong) = (Usage::default(), Vec::new());
    for Request {
        fresh,
        cached,
        output,
        thoughts,
        ..
    } in conversation()
    {
        counted += Usage {
            input: fresh,
            cache_read: cached,
            output: output + thoughts,
            ..Usage::default()
        };
    }
    for (format, text) in spellings() {
        let session = Session::read(text.into_bytes(), by_name(format).unwrap()).unwrap();
        assert_eq!(
            (session.calls.len(), session.threads.len()),
            (REQUESTS, 1),
            "{format}"
        );
        let pauses = session
            .calls
            .windows(2)
            .map(|calls| calls[1].start.unwrap() - calls[0].start.unwrap());
        wrong.extend(pauses.filter(|pause| !(9_000..=50_000).contains(pause)));
        let Replay { sums, .. } = replayed(&session);
        let truth = &sums.calibration;
        assert_eq!(truth.recorded, counted, "{format}");
        assert!(
            (truth.simulated.usd - truth.recorded_usd).abs() <= truth.recorded_usd * 0.01,
            "{format}"
        );
        assert!(
            truth.recorded_usd > 0.1 && truth.prompt_error < 0.01,
            "{format}: {}",
            truth.recorded_usd
        );
        for row in &sums.policies {
            assert!(
                row.cuts > 3 && row.totals.prompt < sums.baseline.prompt * 0.9,
                "{format} {}: {} cuts",
                row.name,
                row.cuts
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_copy_in_another_spelling_counts_once() {
    let mut seen = IdSet::default();
    let counts: Vec<u64> = spellings()
        .into_iter()
        .filter(|(format, _)| *format != "cline")
        .map(|(format, text)| Session::read(text.into_bytes(), by_name(format).unwrap()).unwrap())
        .map(|session| Range::default().counts(&session, &mut seen).repeated)
        .collect();
    let all = REQUESTS as u64;
    // The message of many steps has the id of the first.
    assert_eq!(counts, [0, all, all, 0, all, all, 1]);
}
