//! A small notation for conversations, and their form in every format.
//!
//! A test says a conversation once and runs it through all formats:
//!
//! ```text
//! let talk = Conversation::parse(
//!     "system be brief
//!      user   look at it
//!      think  there are two
//!      say    I will read both
//!      call   a read {\"path\":\"x\"}
//!      call   b read {\"path\":\"y\"}
//!      result a <0123456789*500>
//!      result b error no such file
//!      say    done",
//! );
//! for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
//!     let bytes = spoken.render(&talk);               // a body, or the lines of a history
//!     let (output, report) = spoken.run(&bytes, &setup)?;  // through the library, format detected
//!     let reported = results(&output);                    // the text of each result, in order
//! }
//! ```
//!
//! One line is one part; lines of the model (`think`, `say`, `call`) that follow each other are one message, and so are the
//! `result`s that follow each other where a format has them in one. `<text*n>` is the text n times. A result is
//! `result ID [error] PART…`, its parts parted by ` | `; the part `image` is an image. Every call has an id: `spoken.id("a")` is
//! what it is in a format, or `None` where the format has no ids.
//!
//! **A new format** takes a function `fn(&Conversation, Id) -> Vec<u8>` in `bodies.rs` or `histories.rs` and a row in [`EVERY`];
//! `results.rs` finds contents of results by their shape and takes a line if the format has a shape of its own.

mod bodies;
mod copies;
mod histories;
mod results;

pub use copies::copied;
pub use results::{results, without_results};

use deadhead_core::Error;
use deadhead_core::input::Source;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::dialect::{Detected, Layout, by_name, detect};
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::json::Cursor;
use deadhead_core::internal::read_at::ReadAt;
use deadhead_core::internal::reader;
use deadhead_core::internal::report::Detail;
use deadhead_core::outcome::Report;
use deadhead_core::settings::Settings;
use serde_json::Value;

/// A conversation, turn by turn.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    pub turns: Vec<Turn>,
}

/// One message, or the results that answer one.
#[derive(Clone, Debug)]
pub enum Turn {
    System(String),
    User(String),
    Model(Model),
    Results(Vec<Answer>),
}

/// The parts of one message of the model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub thinking: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<Call>,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: String,
    pub tool: String,
    pub arguments: Value,
}

/// A tool's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub call: String,
    /// The tool that the call names; empty where no call has this id.
    pub tool: String,
    pub arguments: Value,
    pub parts: Vec<Part>,
    pub error: bool,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Image,
}

impl Answer {
    /// Its texts, as formats have it that know one only.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|p| {
                if let Part::Text(text) = p {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect();
        texts.join("\n")
    }

    pub fn has_image(&self) -> bool {
        self.parts.contains(&Part::Image)
    }
}

impl Conversation {
    /// Reads the notation; what is no notation is a mistake of the test.
    pub fn parse(text: &str) -> Conversation {
        let mut said = Conversation::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            said.add(word, &repeated(rest.trim_start()));
        }
        said
    }

    fn add(&mut self, word: &str, rest: &str) {
        match word {
            "system" => self.turns.push(Turn::System(rest.to_owned())),
            "user" => self.turns.push(Turn::User(rest.to_owned())),
            "think" => self.model().thinking = Some(rest.to_owned()),
            "say" => self.model().text = Some(rest.to_owned()),
            "call" => {
                let mut words = rest.splitn(3, ' ');
                let (id, tool) = (
                    words.next().unwrap().to_owned(),
                    words.next().unwrap().to_owned(),
                );
                let arguments = words.next().map_or_else(
                    || serde_json::json!({}),
                    |json| serde_json::from_str(json).unwrap(),
                );
                self.model().calls.push(Call {
                    id,
                    tool,
                    arguments,
                });
            }
            "result" => self.result(rest),
            other => panic!("{other:?} is no word of the notation"),
        }
    }

    fn model(&mut self) -> &mut Model {
        if !matches!(self.turns.last(), Some(Turn::Model(_))) {
            self.turns.push(Turn::Model(Model::default()));
        }
        match self.turns.last_mut() {
            Some(Turn::Model(model)) => model,
            _ => unreachable!("one was pushed"),
        }
    }

    fn result(&mut self, rest: &str) {
        let (id, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (error, rest) = rest
            .strip_prefix("error ")
            .map_or((false, rest), |rest| (true, rest));
        let part = |part: &str| {
            if part == "image" {
                Part::Image
            } else {
                Part::Text(part.replace("\\n", "\n"))
            }
        };
        let call = self.calls().filter(|call| call.id == id).last();
        let (tool, arguments) = call.map_or((String::new(), Value::Null), |call| {
            (call.tool.clone(), call.arguments.clone())
        });
        let answer = Answer {
            call: id.to_owned(),
            tool,
            arguments,
            parts: rest.split(" | ").map(part).collect(),
            error,
        };
        match self.turns.last_mut() {
            Some(Turn::Results(answers)) => answers.push(answer),
            _ => self.turns.push(Turn::Results(vec![answer])),
        }
    }

    /// All calls.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns
            .iter()
            .filter_map(|t| {
                if let Turn::Model(m) = t {
                    Some(&m.calls)
                } else {
                    None
                }
            })
            .flatten()
    }

    /// Whether a result does not follow its call at once.
    fn has_results_apart(&self) -> bool {
        let called = |before: Option<&Turn>, id: &str| matches!(before, Some(Turn::Model(m)) if m.calls.iter().any(|c| c.id == id));
        let apart = |i: usize| match &self.turns[i] {
            Turn::Results(answers) => answers
                .iter()
                .any(|a| !called(i.checked_sub(1).map(|j| &self.turns[j]), &a.call)),
            _ => false,
        };
        (0..self.turns.len()).any(apart)
    }

    /// All answers.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.turns
            .iter()
            .filter_map(|t| {
                if let Turn::Results(answers) = t {
                    Some(answers)
                } else {
                    None
                }
            })
            .flatten()
    }
}

/// The text with every `<text*n>` in it written out.
fn repeated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, tail)) = rest.split_once('<') {
        out.push_str(before);
        let found = tail.split_once('>').and_then(|(inside, after)| {
            let (text, n) = inside.rsplit_once('*')?;
            Some((text.repeat(n.parse().ok()?), after))
        });
        match found {
            Some((text, after)) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push('<');
                rest = tail;
            }
        }
    }
    out + rest
}

/// A way to say a conversation in a format.
pub struct Spoken {
    /// Its name here; a format may have several.
    pub name: &'static str,
    /// The format's name.
    pub format: &'static str,
    /// The way in which the ids of calls are written.
    ids: Ids,
    /// The content that the format cannot express.
    lacks: &'static [Lack],
    render: fn(&Conversation, Id<'_>) -> Vec<u8>,
}

/// Says what an id is in a format; empty where calls have none.
type Id<'a> = &'a dyn Fn(&str) -> String;

/// The way in which a format writes the id of a call.
#[derive(Clone, Copy, PartialEq)]
enum Ids {
    AsTheyAre,
    /// Nine letters and digits.
    Nine,
    /// Not at all.
    Nothing,
}

/// The content that some formats cannot express.
#[derive(Clone, Copy, PartialEq)]
pub enum Lack {
    /// Images in a result, or such as a cut can take out.
    Images,
    /// Thinking.
    Thinking,
    /// Results that answer no call that is there.
    Orphans,
    /// Results that do not follow their calls at once, or come without those of the others.
    Apart,
}

/// All formats, in every way that they are said.
pub const EVERY: &[Spoken] = &[
    Spoken {
        name: "anthropic",
        format: "anthropic",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::anthropic,
    },
    Spoken {
        name: "anthropic, strings",
        format: "anthropic",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::anthropic_strings,
    },
    Spoken {
        name: "openai-chat",
        format: "openai-chat",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::openai_chat,
    },
    Spoken {
        name: "openai-responses",
        format: "openai-responses",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::openai_responses,
    },
    Spoken {
        name: "gemini",
        format: "gemini",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::gemini,
    },
    Spoken {
        name: "gemini, without ids",
        format: "gemini",
        ids: Ids::Nothing,
        lacks: &[],
        render: bodies::gemini_without_ids,
    },
    Spoken {
        name: "bedrock-converse",
        format: "bedrock-converse",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: bodies::converse,
    },
    Spoken {
        name: "mistral",
        format: "mistral",
        ids: Ids::Nine,
        lacks: &[],
        render: bodies::mistral,
    },
    Spoken {
        name: "cohere",
        format: "cohere",
        ids: Ids::AsTheyAre,
        lacks: &[Lack::Images],
        render: bodies::cohere,
    },
    Spoken {
        name: "cohere, v1",
        format: "cohere",
        ids: Ids::Nothing,
        lacks: &[Lack::Images, Lack::Thinking, Lack::Orphans],
        render: bodies::cohere_v1,
    },
    Spoken {
        name: "ollama",
        format: "ollama",
        ids: Ids::Nothing,
        lacks: &[Lack::Images],
        render: bodies::ollama,
    },
    Spoken {
        name: "messages",
        format: "messages",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: histories::messages,
    },
    Spoken {
        name: "openclaw",
        format: "openclaw",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: histories::openclaw,
    },
    Spoken {
        name: "claude-code",
        format: "claude-code",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: histories::claude_code,
    },
    Spoken {
        name: "cline",
        format: "cline",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: histories::cline,
    },
    Spoken {
        name: "codex",
        format: "codex",
        ids: Ids::AsTheyAre,
        lacks: &[],
        render: histories::codex,
    },
    Spoken {
        name: "copilot-cli",
        format: "copilot-cli",
        ids: Ids::AsTheyAre,
        lacks: &[Lack::Images],
        render: histories::copilot_cli,
    },
    Spoken {
        name: "gemini-cli",
        format: "gemini-cli",
        ids: Ids::AsTheyAre,
        lacks: &[Lack::Images, Lack::Orphans, Lack::Apart],
        render: histories::gemini_cli,
    },
    Spoken {
        name: "qwen-code",
        format: "qwen-code",
        ids: Ids::AsTheyAre,
        lacks: &[Lack::Images],
        render: histories::qwen_code,
    },
    Spoken {
        name: "opencode",
        format: "opencode",
        ids: Ids::AsTheyAre,
        lacks: &[Lack::Images, Lack::Orphans, Lack::Apart],
        render: histories::opencode,
    },
];

impl Spoken {
    /// Whether the format has words for all of it.
    pub fn can_say(&self, said: &Conversation) -> bool {
        let has = |lack: &Lack| match lack {
            Lack::Images => said.answers().any(Answer::has_image),
            Lack::Thinking => said
                .turns
                .iter()
                .any(|t| matches!(t, Turn::Model(m) if m.thinking.is_some())),
            Lack::Orphans => said.answers().any(|a| a.tool.is_empty()),
            Lack::Apart => said.has_results_apart(),
        };
        !self.lacks.iter().any(has)
    }

    /// The conversation in this format: a body, or the lines of a history.
    pub fn render(&self, said: &Conversation) -> Vec<u8> {
        (self.render)(said, &|id| self.id(id).unwrap_or_default())
    }

    /// Returns an id as this format writes it; `None` where calls have no ids.
    pub fn id(&self, id: &str) -> Option<String> {
        match self.ids {
            Ids::AsTheyAre => Some(id.to_owned()),
            Ids::Nine => Some(format!("{id:0<9}")),
            Ids::Nothing => None,
        }
    }

    /// Whether it is a body.
    pub fn is_body(&self) -> bool {
        by_name(self.format).unwrap().layout == Layout::Body
    }

    /// Prunes bytes through the library: the output and the report. The format must be found by content.
    pub fn run(&self, bytes: &[u8], setup: &Setup) -> Result<(Vec<u8>, Report), Error> {
        let found = detect(&mut Cursor::new(bytes))
            .unwrap()
            .unwrap_or_else(|| panic!("{}: no format is found", self.name));
        assert_eq!(
            (found.format.name, found.rival.map(|r| r.name)),
            (self.format, None),
            "{}",
            self.name
        );
        self.prune(bytes, found, setup)
    }

    /// The same where the format is named, as some conversations could be of several.
    pub fn run_named(&self, bytes: &[u8], setup: &Setup) -> Result<(Vec<u8>, Report), Error> {
        self.prune(bytes, by_name(self.format).unwrap().into(), setup)
    }

    fn prune(
        &self,
        bytes: &[u8],
        found: Detected,
        setup: &Setup,
    ) -> Result<(Vec<u8>, Report), Error> {
        if self.is_body() {
            let pruned = engine::body(bytes, 1, found, setup)?;
            return Ok((
                pruned
                    .slices(bytes)?
                    .iter()
                    .flat_map(|slice| slice.iter().copied())
                    .collect(),
                pruned.report,
            ));
        }
        let source = Source::unpacked(bytes.to_vec())?;
        let settings = &setup.settings;
        let read = reader::log(
            &source,
            &reader::Reading::new(
                found.format,
                settings.context_pruning.estimator,
                settings.scope,
            ),
            1,
            &|_| {},
        )?;
        let pruned = engine::history(&read, &source, setup)?;
        Ok((
            pruned.edits.render(&source, 0, source.size())?,
            pruned.report,
        ))
    }
}

/// A run with these settings and no clock.
pub fn setup(settings: Settings) -> Setup {
    Setup::new(
        settings,
        Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        },
        Detail::Full,
    )
}
