//! Random logs of the formats whose lines name each other, line by line in the order in which an agent writes them.

use crate::dice::Dice;
use serde_json::{Value, json};

/// The kind of times that the lines of a log have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    Growing,
    Equal,
    None,
}

/// A log as it was written.
pub struct Log {
    pub format: &'static str,
    pub times: Times,
    /// Lines that stay first.
    pub head: usize,
    pub lines: Vec<Value>,
}

pub const FORMATS: [fn(&mut Dice) -> Log; 3] = [claude_code, openclaw, copilot_cli];

/// The state that the writers of all formats share.
struct Writer<'d> {
    dice: &'d mut Dice,
    times: Times,
    lines: Vec<Value>,
    made: usize,
    tip: Value,
    /// Places to which a conversation can go back.
    turns: Vec<Value>,
    /// The ids of a person's messages. A boundary may keep the conversation from one of them on.
    asked: Vec<Value>,
}

impl<'d> Writer<'d> {
    fn new(dice: &'d mut Dice) -> Writer<'d> {
        let times = dice.pick(&[Times::Growing, Times::Growing, Times::Equal, Times::None]);
        Writer {
            dice,
            times,
            lines: Vec::new(),
            made: 0,
            tip: Value::Null,
            turns: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn id(&mut self) -> String {
        self.made += 1;
        format!("{:08x}-{:04}", self.dice.roll() as u32, self.made)
    }

    fn time(&self) -> String {
        let n = if self.times == Times::Growing {
            self.made
        } else {
            0
        };
        format!(
            "2026-01-02T{:02}:{:02}:{:02}.{:03}Z",
            n / 360,
            n / 6 % 60,
            n % 6 * 10,
            n % 7
        )
    }

    fn push(&mut self, mut line: Value) {
        if self.times != Times::None {
            line["timestamp"] = json!(self.time());
        }
        self.lines.push(line);
    }

    fn text(&mut self, most: usize) -> String {
        let n = self.dice.below(most);
        format!("{} {}", self.made, "word ".repeat(n))
    }

    fn log(self, format: &'static str, head: usize) -> Log {
        Log {
            format,
            times: self.times,
            head,
            lines: self.lines,
        }
    }
}

// ---------------------------------------------------------------- Claude Code

struct Claude<'d> {
    w: Writer<'d>,
    side: bool,
}

impl Claude<'_> {
    fn line(&mut self, kind: &str, parent: &Value, rest: Value) -> Value {
        let id = self.w.id();
        let mut line = json!({"parentUuid": parent, "isSidechain": self.side, "type": kind, "uuid": id, "sessionId": "s", "cwd": "/w"});
        for (key, value) in rest.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        self.w.push(line);
        json!(id)
    }

    fn on(&mut self, kind: &str, rest: Value) -> Value {
        let tip = self.w.tip.clone();
        self.w.tip = self.line(kind, &tip, rest);
        self.w.tip.clone()
    }

    fn user(&mut self) {
        let text = self.w.text(20);
        let id = self.on(
            "user",
            json!({"message": {"role": "user", "content": text}}),
        );
        self.w.turns.push(id);
    }

    fn piece(&mut self, message: &str, block: Value) -> Value {
        let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 20, "output_tokens": 7});
        json!({"requestId": message, "message": {"role": "assistant", "id": message, "model": "claude-opus-4-5", "content": [block], "usage": usage}})
    }

    fn say(&mut self) {
        let (message, text) = (self.w.id(), self.w.text(20));
        let rest = self.piece(&message, json!({"type": "text", "text": text}));
        let id = self.on("assistant", rest);
        self.w.turns.push(id);
    }

    fn result(&mut self, piece: &Value, call: &str) -> Value {
        let size = 10 + self.w.dice.below(300);
        let text = self.w.text(size);
        let rest = json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]},
            "toolUseResult": {"stdout": text}, "sourceToolAssistantUUID": piece});
        self.line("user", piece, rest)
    }

    /// A message with calls in pieces, and their results: all of one tip, or the way continues from one of them.
    fn calls(&mut self) {
        let (message, n) = (self.w.id(), 1 + self.w.dice.below(4));
        // Of pieces that hang on one line only times say which is first.
        let (flat, woven) = (
            self.w.times == Times::Growing && self.w.dice.once_in(5),
            self.w.dice.once_in(4),
        );
        let (from, mut open) = (self.w.tip.clone(), Vec::new());
        let mut last = Value::Null;
        for _ in 0..n {
            let call = format!("toolu_{}", self.w.id());
            let path = format!("/w/{}", self.w.dice.below(4));
            let tool = self.w.dice.pick(&["Read", "Bash", "Grep"]);
            let rest = self.piece(
                &message,
                json!({"type": "tool_use", "id": call, "name": tool, "input": {"file_path": path}}),
            );
            let piece = if flat {
                self.line("assistant", &from, rest)
            } else {
                self.on("assistant", rest)
            };
            self.notice(6);
            if woven && !flat {
                last = self.result(&piece, &call);
                self.w.tip = last.clone();
            } else {
                open.push((piece, call));
            }
        }
        // Times say which result came first, or the calls do.
        while !open.is_empty() {
            let at = if self.w.times == Times::Growing {
                self.w.dice.below(open.len())
            } else {
                0
            };
            let (piece, call) = open.remove(at);
            last = self.result(&piece, &call);
        }
        self.w.tip = last.clone();
        self.w.turns.push(last);
    }

    /// Something that is no message: on the way, beside it, or with a parent in another file.
    fn notice(&mut self, once_in: usize) {
        if !self.w.dice.once_in(once_in) {
            return;
        }
        match self.w.dice.below(5) {
            0 => drop(self.on(
                "attachment",
                json!({"attachment": {"type": "todo_reminder"}}),
            )),
            1 => drop(self.on(
                "system",
                json!({"subtype": "informational", "content": "x"}),
            )),
            2 => drop(self.line(
                "system",
                &json!("elsewhere"),
                json!({"subtype": "turn_duration"}),
            )),
            3 => self
                .w
                .push(json!({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})),
            _ => self
                .w
                .push(json!({"type": "last-prompt", "lastPrompt": "x", "sessionId": "s"})),
        }
    }

    fn compact(&mut self) {
        let before = std::mem::take(&mut self.w.tip);
        self.on("system", json!({"subtype": "compact_boundary", "logicalParentUuid": before, "compactMetadata": {"trigger": "auto"}}));
        self.on(
            "user",
            json!({"isCompactSummary": true, "message": {"role": "user", "content": "so far"}}),
        );
        self.w.turns = vec![self.w.tip.clone()];
    }

    fn aside(&mut self) {
        let (tip, turns) = (
            std::mem::take(&mut self.w.tip),
            std::mem::take(&mut self.w.turns),
        );
        self.side = true;
        self.user();
        (0..1 + self.w.dice.below(2)).for_each(|_| self.calls());
        self.say();
        self.side = false;
        (self.w.tip, self.w.turns) = (tip, turns);
    }
}

fn claude_code(dice: &mut Dice) -> Log {
    let mut log = Claude {
        w: Writer::new(dice),
        side: false,
    };
    log.user();
    for _ in 0..2 + log.w.dice.below(9) {
        match log.w.dice.below(12) {
            0 | 1 => log.user(),
            2 => log.say(),
            3 if log.w.dice.once_in(2) => log.compact(),
            4 => log.aside(),
            5 => log.w.tip = log.w.turns[log.w.dice.below(log.w.turns.len())].clone(),
            _ => log.calls(),
        }
        log.notice(3);
    }
    log.user();
    log.w.log("claude-code", 0)
}

// ---------------------------------------------------------------- OpenClaw

struct Claw<'d>(Writer<'d>);

impl Claw<'_> {
    fn entry(&mut self, kind: &str, rest: Value) -> String {
        let id = self.0.id();
        let mut line = json!({"type": kind, "id": id, "parentId": self.0.tip});
        for (key, value) in rest.as_object().into_iter().flatten() {
            line[key] = value.clone();
        }
        self.0.push(line);
        id
    }

    fn on(&mut self, kind: &str, rest: Value) {
        self.0.tip = json!(self.entry(kind, rest));
    }

    fn user(&mut self) {
        let text = self.0.text(20);
        self.on(
            "message",
            json!({"message": {"role": "user", "content": text}}),
        );
        self.0.turns.push(self.0.tip.clone());
        self.0.asked.push(self.0.tip.clone());
    }

    fn said(&mut self, content: Value) {
        let made = self.0.made;
        let message = json!({"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-5", "content": content,
            "usage": {"input": 3, "output": 7, "cacheRead": 50, "cacheWrite": 20}, "timestamp": 1_767_312_000_000u64 + made as u64 * 1000});
        self.on("message", json!({ "message": message }));
    }

    fn calls(&mut self) {
        let calls: Vec<(String, &str)> = (0..1 + self.0.dice.below(3))
            .map(|_| {
                (
                    format!("toolu_{}", self.0.id()),
                    self.0.dice.pick(&["read", "exec"]),
                )
            })
            .collect();
        let path = format!("/w/{}", self.0.dice.below(4));
        self.said(
            calls.iter().map(|(id, tool)| json!({"type": "toolCall", "id": id, "name": tool, "arguments": {"path": path}})).collect(),
        );
        for (id, tool) in calls {
            self.notice(8);
            let size = 10 + self.0.dice.below(300);
            let text = self.0.text(size);
            let content = json!([{"type": "text", "text": text}]);
            self.on(
                "message",
                json!({"message": {"role": "toolResult", "toolCallId": id, "toolName": tool, "content": content, "isError": false}}),
            );
        }
        self.0.turns.push(self.0.tip.clone());
    }

    fn notice(&mut self, once_in: usize) {
        if !self.0.dice.once_in(once_in) {
            return;
        }
        let made = self.0.made;
        match self.0.dice.below(6) {
            0 => self.on("custom", json!({"customType": "note", "data": {}})),
            1 => {
                let data = json!({"timestamp": 1_767_312_000_000u64 + made as u64 * 1000, "provider": "anthropic", "modelId": "claude-opus-4-5"});
                self.on(
                    "custom",
                    json!({"customType": "openclaw.cache-ttl", "data": data}),
                );
            }
            2 => self.on("thinking_level_change", json!({"thinkingLevel": "high"})),
            3 => {
                let model = self.0.dice.pick(&["claude-opus-4-5", "claude-sonnet-4-5"]);
                self.on(
                    "model_change",
                    json!({"provider": "anthropic", "modelId": model}),
                );
            }
            4 => drop(self.entry(
                "message",
                json!({"appendMode": "side", "message": {"role": "user", "content": "aside"}}),
            )),
            _ => {
                let target = self.0.turns.last().cloned().unwrap_or_default();
                self.on("label", json!({"targetId": target, "label": "here"}));
            }
        }
    }

    fn boundary(&mut self) {
        let kept = self.0.asked[self.0.dice.below(self.0.asked.len())].clone();
        match self.0.dice.below(4) {
            0 => self.on("reset", json!({"reason": "new"})),
            1 => self.on("reset", json!({"reason": "idle", "firstKeptEntryId": kept})),
            _ => self.on(
                "compaction",
                json!({"summary": "so far", "tokensBefore": 9, "firstKeptEntryId": kept}),
            ),
        }
        self.0.turns.push(self.0.tip.clone());
    }
}

fn openclaw(dice: &mut Dice) -> Log {
    let mut log = Claw(Writer::new(dice));
    log.0
        .push(json!({"type": "session", "version": 3, "id": "session", "cwd": "/w"}));
    log.user();
    for _ in 0..2 + log.0.dice.below(9) {
        match log.0.dice.below(12) {
            0 | 1 => log.user(),
            2 => {
                let text = log.0.text(9);
                log.said(json!([{"type": "text", "text": text}]));
                log.0.turns.push(log.0.tip.clone());
            }
            3 if log.0.dice.once_in(2) => log.boundary(),
            4 => {
                let to = log.0.turns[log.0.dice.below(log.0.turns.len())].clone();
                if log.0.dice.once_in(2) {
                    log.0.push(json!({"type": "leaf", "targetId": to}));
                }
                log.0.tip = to;
            }
            _ => log.calls(),
        }
        log.notice(3);
    }
    log.user();
    log.0.log("openclaw", 1)
}

// ---------------------------------------------------------------- Copilot CLI

struct Events<'d>(Writer<'d>);

impl Events<'_> {
    fn event(&mut self, kind: &str, data: Value) {
        let id = self.0.id();
        self.0
            .push(json!({"type": kind, "data": data, "id": id, "parentId": self.0.tip}));
        self.0.tip = json!(id);
    }

    fn calls(&mut self) {
        let calls: Vec<String> = (0..1 + self.0.dice.below(3))
            .map(|_| format!("call_{}", self.0.id()))
            .collect();
        let requests: Vec<Value> = calls
            .iter()
            .map(|id| json!({"toolCallId": id, "name": "view", "arguments": {"path": format!("/w/{}", self.0.dice.below(4))}}))
            .collect();
        let text = self.0.text(9);
        self.event(
            "assistant.message",
            json!({"content": text, "toolRequests": requests, "outputTokens": 5}),
        );
        for id in calls {
            self.event(
                "tool.execution_start",
                json!({"toolCallId": id, "toolName": "view"}),
            );
            let size = 10 + self.0.dice.below(300);
            let text = self.0.text(size);
            if self.0.dice.once_in(3) {
                self.event("hook.start", json!({"hookType": "postToolUse", "input": {"toolResult": {"textResultForLlm": text}}}));
            }
            self.event(
                "tool.execution_complete",
                json!({"toolCallId": id, "success": true, "result": {"content": text, "detailedContent": text}}),
            );
        }
        self.event("assistant.turn_end", json!({"turnId": "1"}));
    }
}

fn copilot_cli(dice: &mut Dice) -> Log {
    let mut log = Events(Writer::new(dice));
    log.event(
        "session.start",
        json!({"sessionId": "s", "version": 1, "context": {"cwd": "/w"}}),
    );
    log.event("session.model_change", json!({"newModel": "gpt-5"}));
    for _ in 0..2 + log.0.dice.below(9) {
        match log.0.dice.below(10) {
            0 | 1 => {
                let text = log.0.text(20);
                log.event(
                    "user.message",
                    json!({"content": text, "transformedContent": text}),
                );
            }
            2 => {
                let model = log.0.dice.pick(&["gpt-5", "claude-sonnet-4.5"]);
                log.event("session.model_change", json!({"newModel": model}));
            }
            3 => log.event(
                "session.compaction_complete",
                json!({"success": true, "summaryContent": "so far"}),
            ),
            4 => log.event(
                "assistant.message",
                json!({"content": "of a helper", "parentToolCallId": "call_0"}),
            ),
            _ => log.calls(),
        }
    }
    log.event("user.message", json!({"content": "last"}));
    log.0.log("copilot-cli", 1)
}
