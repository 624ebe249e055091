//! `deadhead hook`: an agent asks what to make of a tool's result before it enters the context.
//!
//! An agent ignores an answer of another shape than the tool's own, so that only texts within the
//! result change. The table [`AGENTS`] has what differs from agent to agent. A hook must not fail:
//! any error is a line on stderr, and the agent keeps the result as it is.

use super::*;
use crate::report::HOOKED;
use deadhead_core::{
    internal::{
        resource::kind_of,
        shorten::{Rule, Template, joined, reference, user_words},
    },
    settings::{Measure, Size, ToolKind},
};

/// What an agent's events and answers are like.
pub struct Agent {
    pub name: &'static str,
    event: &'static str,
    /// Where texts may be in `tool_response`; `*` is each element of a list.
    texts: &'static [&'static str],
    /// The member of a result that the agent has put into a file: the model is shown less of it
    /// than a hook would leave.
    kept: &'static str,
    /// The answer that puts a response, or its only text, in the place of the result; `None` if it
    /// cannot.
    answer: fn(Value, Option<String>) -> Option<Value>,
}

/// The agents with hooks that can replace a result.
pub const AGENTS: [Agent; 3] = [
    // code.claude.com/docs/en/hooks: `updatedToolOutput` must match the shape of the tool
    // (anthropics/claude-code#68951).
    Agent {
        name: HOOKED[0],
        event: "PostToolUse",
        texts: &[
            "",
            "stdout",
            "file/content",
            "content",
            "result",
            "*/text",
            "content/*/text",
            "task/output",
        ],
        // 2.1.332 shows 2 kB of an output of more than 30,000 characters.
        kept: "persistedOutputPath",
        answer: |response, _| {
            let output = json!({"hookEventName": "PostToolUse", "updatedToolOutput": response});
            Some(json!({"hookSpecificOutput": output}))
        },
    },
    // learn.chatgpt.com/docs/hooks: `updatedToolOutput` is rejected (openai/codex#38135); the
    // reason of a block replaces the result.
    Agent {
        name: HOOKED[1],
        event: "PostToolUse",
        texts: &["", "*/text", "content/*/text"],
        kept: "",
        answer: |_, text| Some(json!({"decision": "block", "reason": text?})),
    },
    // geminicli.com/docs/hooks/reference: the reason of a denial replaces the result.
    Agent {
        name: HOOKED[2],
        event: "AfterTool",
        texts: &["llmContent", "llmContent/text", "llmContent/*/text"],
        kept: "",
        answer: |_, text| Some(json!({"decision": "deny", "reason": text?})),
    },
];

/// Runs the command.
pub fn run(args: &HookArgs) -> Verdict {
    answer(args)
        .and_then(|answer| match answer {
            Some(answer) => streams::print(format!("{answer}\n")),
            None => Ok(Verdict::Done),
        })
        .unwrap_or_else(|error| {
            stderr_line!("deadhead: {error:#}; the result stays as it is");
            Verdict::Done
        })
}

fn answer(args: &HookArgs) -> Result<Option<Value>> {
    let agent = AGENTS.iter().find(|agent| agent.name == args.agent);
    let agent = agent.context("no such agent")?;
    let mut event: Value =
        serde_json::from_reader(streams::stdin()?).context("stdin is no event")?;
    ensure!(event.is_object(), "stdin is no event, which is an object");
    let tool = event["tool_name"].as_str().unwrap_or_default().to_owned();
    let mut response = event["tool_response"].take();
    let is_error = |name| !matches!(response[name], Value::Null | Value::Bool(false));
    let is_failed = ["error", "isError", "is_error"].into_iter().any(is_error);
    let default = match kind_of(&tool) {
        _ if event["hook_event_name"] != agent.event || is_failed => return Ok(None),
        _ if !response[agent.kept].is_null() => return Ok(None),
        ToolKind::Edit => return Ok(None),
        ToolKind::Search | ToolKind::Shell => 8_000,
        ToolKind::Read => 24_000,
        ToolKind::Task | ToolKind::Other => 16_000,
    };
    let mut result = ToolResult {
        args,
        tool: &tool,
        most: args.max_chars.unwrap_or(default),
        texts: Vec::new(),
        others: 0,
        is_cut: false,
    };
    for path in agent.texts {
        let path: Vec<&str> = path.split_terminator('/').collect();
        result.shorten(&mut response, &path)?;
    }
    let text = result.texts.join("\n");
    let answer = (agent.answer)(response, (result.others == 0).then_some(text));
    Ok(answer.filter(|_| result.is_cut))
}

/// The result of a tool while its texts are shortened.
struct ToolResult<'a> {
    args: &'a HookArgs,
    tool: &'a str,
    /// The largest text that stays whole, in UTF-16 units.
    most: u32,
    /// The texts as they are then.
    texts: Vec<String>,
    /// The number of parts without a text.
    others: usize,
    is_cut: bool,
}

impl ToolResult<'_> {
    /// Shortens the texts at `path` of a value.
    fn shorten(&mut self, value: &mut Value, path: &[&str]) -> Result<()> {
        match (path, value) {
            ([], Value::String(text)) => {
                if let Some(short) = self.shortened(text)? {
                    (*text, self.is_cut) = (short, true);
                }
                self.texts.push(text.clone());
            }
            (["*", rest @ ..], Value::Array(parts)) => {
                for part in parts {
                    let before = self.texts.len();
                    self.shorten(part, rest)?;
                    self.others += usize::from(self.texts.len() == before);
                }
            }
            ([name, rest @ ..], Value::Object(members)) => {
                if let Some(value) = members.get_mut(*name) {
                    self.shorten(value, rest)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Head and tail of a text that is too large, with a note between them.
    fn shortened(&self, text: &str) -> Result<Option<String>> {
        let size = |number: u32| Size {
            unit: Measure::Chars,
            number: f64::from(number),
        };
        let mut note = "{removed} of {chars} chars cut".to_owned();
        if let Some(path) = &self.args.sidecar {
            let (name, path) = (reference(text.as_bytes()), absolute(path)?);
            let path = path.display();
            note += &format!("; all of it: deadhead show {name} --sidecar '{path}'");
        }
        let rule = Rule {
            over: size(self.most),
            head: size(self.most / 2),
            tail: size(self.most / 2),
            text: Template::new(&format!("{{head}}\n[... {note} ...]\n{{tail}}")),
        };
        let (own, of_user) = text.split_at(user_words(self.tool, text, true));
        let short = rule
            .apply(own, "")
            .map(|segments| joined(own, &segments) + of_user)
            .filter(|short| short.len() < text.len());
        if let (Some(path), Some(_)) = (&self.args.sidecar, &short) {
            sidecar::keep_text(path, text.as_bytes())?;
        }
        Ok(short)
    }
}
