//! Pruning by hand, by age and by newer versions: vectors from Anahata's behaviour, in every format with ids, with our results
//! where the original has a fault.
//!
//! A selector in brackets names a part by its text: `[t]` the part that begins with `t`, `[[t]]` its message, `[c1]` a call,
//! `[=c1]` its result and `[say t]` a text of the assistant.

use crate::notation::{Conversation, EVERY, Spoken, setup};
use deadhead_core::diagnostics::PartRow;
use deadhead_core::internal::report::Detail;
use deadhead_core::outcome::Report;
use deadhead_core::settings::{Layer, Selection, Settings, resolve};

/// One vector.
struct Vector {
    /// Its number, and what it shows.
    name: &'static str,
    said: &'static str,
    /// `--set` flags.
    sets: &'static [&'static str],
    select: &'static [&'static str],
    /// The expected output: a conversation, `=` for all of it, or `!WORDS` for a refusal with these words.
    left: &'static str,
    /// The rule that the reasons of what was wanted name.
    rule: &'static str,
}

const BASE: &str = "user u\nsay t\ncall c1 run {\"x\":1}\nresult c1 r1\nuser v";
const TWO: &str = "user u\ncall c1 run\ncall c2 run\nresult c1 r1\nresult c2 r2\nuser v";
const STATEFUL: &str = "resources.stateful={readFile:'path'}";
const EPHEMERAL: &str = "ephemeral.enabled=true";
const STALE: &str = "resources.enabled=true";

const VECTORS: &[Vector] = &[
    Vector {
        name: "1 a call",
        said: BASE,
        sets: &[],
        select: &["tool:c1"],
        left: "user u\nsay t\nuser v",
        rule: "manual",
    },
    Vector {
        name: "2 an attachment is a part of its result",
        said: "user u\nsay t\ncall c1 run\nresult c1 r1 | image\nuser v",
        sets: &[],
        select: &["[=c1]"],
        left: "user u\nsay t\nuser v",
        rule: "manual",
    },
    Vector {
        name: "3 siblings stay",
        said: TWO,
        sets: &[],
        select: &["tool:c1"],
        left: "user u\ncall c2 run\nresult c2 r2\nuser v",
        rule: "manual",
    },
    Vector {
        name: "4 messages of results",
        said: TWO,
        sets: &[],
        select: &["[[=c1]]", "[[=c2]]"],
        left: "user u\nuser v",
        rule: "manual",
    },
    Vector {
        name: "5 no such message",
        said: BASE,
        sets: &[],
        select: &["99"],
        left: "!99 (message id not found)",
        rule: "",
    },
    Vector {
        name: "6 no such part",
        said: BASE,
        sets: &[],
        select: &["[t]", "1/7"],
        left: "!could not resolve 1/7 (part index out of bounds)",
        rule: "",
    },
    Vector {
        name: "6 lenient",
        said: BASE,
        sets: &["lenient"],
        select: &["[t]", "1/7"],
        left: "user u\ncall c1 run {\"x\":1}\nresult c1 r1\nuser v",
        rule: "manual",
    },
    Vector {
        name: "7 lenient, nothing left to cut",
        said: BASE,
        sets: &["lenient"],
        select: &["1/7"],
        left: "=",
        rule: "",
    },
    Vector {
        name: "8 seven turns",
        said: "user u\ncall c1 run\nresult c1 r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6\nsay f\nuser 7",
        sets: &[EPHEMERAL],
        select: &[],
        left: "user u\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6\nsay f\nuser 7",
        rule: "natural-ephemeral",
    },
    Vector {
        name: "9 six turns, as the words have it",
        said: "user u\ncall c1 run\nresult c1 r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        sets: &[EPHEMERAL],
        select: &[],
        left: "user u\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        rule: "natural-ephemeral",
    },
    Vector {
        name: "9 six turns, as the original's code has it",
        said: "user u\ncall c1 run\nresult c1 r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        sets: &[EPHEMERAL, "ephemeral.compat=anahata"],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "10 five turns",
        said: "user u\ncall c1 run\nresult c1 r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5",
        sets: &[EPHEMERAL],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "11 feedback is no turn",
        said: "user u\ncall c1 run\nresult c1 r1\nsay a\nuser 2\nsay b\nuser Tool Feedback: [run EXECUTED]\nsay c\nuser 4\nsay d\nuser Tool Feedback: [run]\nsay e\nuser 6\nsay f\nuser 7",
        sets: &[EPHEMERAL],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "12 a resource stays",
        said: "user u\ncall c1 readFile {\"path\":\"/a\"}\nresult c1 r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        sets: &[EPHEMERAL, STATEFUL],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "13 a failed read does not",
        said: "user u\ncall c1 readFile {\"path\":\"/a\"}\nresult c1 error r1\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        sets: &[EPHEMERAL, STATEFUL],
        select: &[],
        left: "user u\nsay a\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        rule: "failed-stateful",
    },
    Vector {
        name: "14 nor does one that nothing answers",
        said: "user u\nsay t\ncall c1 readFile {\"path\":\"/a\"}\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        sets: &[EPHEMERAL, STATEFUL],
        select: &[],
        left: "user u\nsay t\nuser 2\nsay b\nuser 3\nsay c\nuser 4\nsay d\nuser 5\nsay e\nuser 6",
        rule: "orphaned-call",
    },
    Vector {
        name: "15 the newer read",
        said: "user u\ncall c1 readFile {\"path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 readFile {\"path\":\"/a\"}\nresult c2 v2\nuser v",
        sets: &[STALE, STATEFUL],
        select: &[],
        left: "user u\nuser w\ncall c2 readFile {\"path\":\"/a\"}\nresult c2 v2\nuser v",
        rule: "stale-resource",
    },
    Vector {
        name: "16 a newer read that failed",
        said: "user u\ncall c1 readFile {\"path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 readFile {\"path\":\"/a\"}\nresult c2 error v2\nuser v",
        sets: &[STALE, STATEFUL],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "17 two reads in one message",
        said: "user u\ncall c1 readFile {\"path\":\"/a\"}\ncall c2 readFile {\"path\":\"/a\"}\nresult c1 v1\nresult c2 v2\nuser v",
        sets: &[STALE, STATEFUL],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "18 a guarded selector refuses a resource, and all",
        said: "user u\ncall c1 run\nresult c1 r1\nuser w\ncall s1 readFile {\"path\":\"/a\"}\nresult s1 v1\nuser v",
        sets: &[STATEFUL],
        select: &["ephemeral:c1", "ephemeral:s1"],
        left: "! names a call of \"readFile\", which is stateful: it holds /a; use resource:/a for all its versions, or tool:s1",
        rule: "",
    },
    Vector {
        name: "19 and the other one a call",
        said: BASE,
        sets: &[],
        select: &["other:[c1]"],
        left: "!use ephemeral:ID",
        rule: "",
    },
    Vector {
        name: "19 or a result",
        said: BASE,
        sets: &[],
        select: &["other:[=c1]", "[t]"],
        left: "!use ephemeral:ID",
        rule: "",
    },
    Vector {
        name: "20 every version",
        said: "user u\nsay t\ncall c1 readFile {\"path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 readFile {\"path\":\"/a\"}\nresult c2 v2\nuser v",
        sets: &[STATEFUL],
        select: &["resource:/a"],
        left: "user u\nsay t\nuser w\nuser v",
        rule: "manual",
    },
    Vector {
        name: "21 what is equal is not the same",
        said: "user ok\nsay ok\ncall c1 run\nresult c1 r\nuser ok\nsay z\nuser end",
        sets: &[],
        select: &["[say ok]"],
        left: "user ok\ncall c1 run\nresult c1 r\nuser ok\nsay z\nuser end",
        rule: "manual",
    },
];

/// Beyond the vectors.
const MORE: &[Vector] = &[
    Vector {
        name: "a partial read replaces nothing",
        said: "user u\ncall c1 Read {\"file_path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 Read {\"file_path\":\"/a\",\"offset\":9,\"limit\":5}\nresult c2 v2\nuser v",
        sets: &[STALE],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "a whole one replaces partial ones and edits",
        said: "user u\ncall c1 Read {\"file_path\":\"/a\",\"limit\":5}\nresult c1 v1\nuser w\ncall c2 Edit {\"file_path\":\"/a\"}\nresult c2 v2\nuser x\ncall c3 Read {\"file_path\":\"/a\"}\nresult c3 v3\nuser v",
        sets: &[STALE],
        select: &[],
        left: "user u\nuser w\nuser x\ncall c3 Read {\"file_path\":\"/a\"}\nresult c3 v3\nuser v",
        rule: "stale-resource",
    },
    Vector {
        name: "an edit replaces nothing, another path neither",
        said: "user u\ncall c1 Read {\"file_path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 Edit {\"file_path\":\"/a\"}\nresult c2 v2\nuser x\ncall c3 Read {\"file_path\":\"./a\"}\nresult c3 v3\nuser v",
        sets: &[STALE],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "what is deleted is gone",
        said: "user u\ncall c1 read_file {\"path\":\"/a\"}\nresult c1 v1\nuser w\ncall c2 delete_file {\"path\":\"/a\"}\nresult c2 v2\nuser v",
        sets: &[STALE],
        select: &[],
        left: "user u\nuser w\ncall c2 delete_file {\"path\":\"/a\"}\nresult c2 v2\nuser v",
        rule: "stale-resource",
    },
    Vector {
        name: "a patch that adds a file replaces what was read of it",
        said: "user u\ncall c1 read {\"path\":\"a\"}\nresult c1 v1\nuser w\ncall c2 apply_patch {\"input\":\"*** Add File: a\"}\nresult c2 v2\nuser v",
        sets: &[STALE],
        select: &[],
        left: "user u\nuser w\ncall c2 apply_patch {\"input\":\"*** Add File: a\"}\nresult c2 v2\nuser v",
        rule: "stale-resource",
    },
    Vector {
        name: "protected tools stay",
        said: BASE,
        sets: &["protect.tools=['r*']"],
        select: &["tool:c1"],
        left: "!protect.tools holds \"run\"; `lenient` leaves it, `force` takes it",
        rule: "",
    },
    Vector {
        name: "and go by force",
        said: BASE,
        sets: &["protect.tools=['r*']", "force"],
        select: &["tool:c1"],
        left: "user u\nsay t\nuser v",
        rule: "manual",
    },
    Vector {
        name: "protected files stay, whatever the pass",
        said: "user u\ncall c1 Read {\"file_path\":\"/x/a.md\"}\nresult c1 v1\nuser w\ncall c2 Read {\"file_path\":\"/x/a.md\"}\nresult c2 v2\nuser v",
        sets: &[STALE, "protect.files=['*.md']"],
        select: &[],
        left: "=",
        rule: "",
    },
    Vector {
        name: "protected words stay",
        said: BASE,
        sets: &["protect.patterns=['^t$']"],
        select: &["[t]"],
        left: "!protect.patterns holds a word of it",
        rule: "",
    },
    Vector {
        name: "words in a result protect nothing",
        said: BASE,
        sets: &["protect.patterns=['r1']"],
        select: &["tool:c1"],
        left: "user u\nsay t\nuser v",
        rule: "manual",
    },
    Vector {
        name: "the newest message of the user stays",
        said: BASE,
        sets: &[],
        select: &["[v]"],
        left: "!newest message of the user",
        rule: "",
    },
    Vector {
        name: "an open tool loop stays",
        said: "user u\ncall c1 run\nresult c1 r1",
        sets: &[],
        select: &["tool:run@name"],
        left: "!open tool loop",
        rule: "",
    },
    Vector {
        name: "and lenient continues without it",
        said: "user u\ncall c1 run\nresult c1 r1\ncall c2 run\nresult c2 r2",
        sets: &["lenient"],
        select: &["tool:run@name"],
        left: "user u\ncall c2 run\nresult c2 r2",
        rule: "manual",
    },
    Vector {
        name: "thinking does not stay alone",
        said: "user u\nthink h\ncall c1 run\nresult c1 r1\nsay x\nuser v",
        sets: &[],
        select: &["tool:RU*@name"],
        left: "user u\nsay x\nuser v",
        rule: "manual",
    },
    Vector {
        name: "unknown names are all reported",
        said: BASE,
        sets: &[],
        select: &["tool:x", "resource:/y", "nonsense"],
        left: "!could not resolve tool:x (no call of this id), resource:/y (no call holds this resource), nonsense (not a selector",
        rule: "",
    },
];

#[test]
fn the_vectors_hold_in_every_format() {
    VECTORS.iter().for_each(hold);
}

#[test]
fn and_what_is_beyond_them() {
    MORE.iter().for_each(hold);
}

/// Formats in which a result cannot be marked as an error.
const NO_ERRORS: [&str; 7] = [
    "openai-chat",
    "openai-responses",
    "mistral",
    "cohere",
    "ollama",
    "messages",
    "codex",
];

fn hold(vector: &Vector) {
    let said = Conversation::parse(vector.said);
    let errors = said.answers().any(|answer| answer.error);
    let mut tried = 0;
    for spoken in EVERY
        .iter()
        .filter(|spoken| spoken.can_say(&said) && spoken.id("c1").is_some())
    {
        if errors && NO_ERRORS.contains(&spoken.format) || is_odd_one(spoken, vector) {
            continue;
        }
        tried += 1;
        check(spoken, &said, vector);
    }
    assert!(tried >= 6, "{}: {tried} formats", vector.name);
}

/// Returns whether a rule of the provider interferes that the vector does not test.
fn is_odd_one(spoken: &Spoken, vector: &Vector) -> bool {
    match spoken.format {
        // The user does not speak after a result, the roles take turns.
        "mistral" | "bedrock-converse" => !["1 ", "3 ", "5 ", "18 ", "19 "]
            .iter()
            .any(|n| vector.name.starts_with(n)),
        // A call that nothing answers is one that was broken off, and the agent says so in its place.
        "opencode" => vector.name.starts_with("14 "),
        // A reasoning group is removed whole, and what it says with it.
        "codex" | "openai-responses" => vector.said.contains("think"),
        _ => false,
    }
}

fn check(spoken: &Spoken, said: &Conversation, vector: &Vector) {
    let name = format!("{} in {}", vector.name, spoken.name);
    let bytes = spoken.render(said);
    let mut settings = settings(vector.sets);
    settings.select.list = vector
        .select
        .iter()
        .map(|s| selector(s, spoken, &rows(spoken, &bytes)))
        .collect();
    let (output, report) = match (
        spoken.run(&bytes, &setup(settings)),
        vector.left.strip_prefix('!'),
    ) {
        (Err(error), Some(words)) => {
            let reported = error.to_string();
            return assert!(
                reported.contains(words) && !error.is_refusal(),
                "{name}: {reported}"
            );
        }
        (result, None) => result.unwrap_or_else(|e| panic!("{name}: {e}")),
        (Ok(_), Some(words)) => panic!("{name}: nothing was refused for {words}"),
    };
    let wanted = if vector.left == "=" {
        bytes.clone()
    } else {
        spoken.render(&Conversation::parse(vector.left))
    };
    assert_eq!(
        reported(&rows(spoken, &output)),
        reported(&rows(spoken, &wanted)),
        "{name}"
    );
    assert!(vector.left != "=" || output == bytes, "{name}");
    assert!(
        report.integrity.after.len() <= report.integrity.before.len(),
        "{name}"
    );
    let (linked, wanted): (Vec<_>, Vec<_>) = report.cuts.iter().partition(|cut| cut.linked);
    assert!(
        linked.iter().all(|cut| cut.reason.starts_with("linked: ")),
        "{name}"
    );
    assert!(
        wanted
            .iter()
            .all(|cut| cut.reason.split(':').next() == Some(vector.rule)),
        "{name}: {wanted:?}"
    );
    assert_eq!(wanted.is_empty(), vector.rule.is_empty(), "{name}");
}

fn settings(sets: &[&str]) -> Settings {
    let mut layer = Layer::new("--set");
    for (path, text) in ["contextPruning.mode=off"]
        .iter()
        .chain(sets)
        .filter_map(|set| set.split_once('='))
    {
        layer.put_text(path, text).unwrap();
    }
    let mut settings = resolve(&[layer]).unwrap().settings;
    settings.select = Selection {
        lenient: sets.contains(&"lenient"),
        force: sets.contains(&"force"),
        ..Selection::default()
    };
    settings
}

/// The parts of an input.
fn rows(spoken: &Spoken, bytes: &[u8]) -> Vec<PartRow> {
    let mut list = setup(settings(&[]));
    list.detail = Detail::Parts;
    let report: Report = spoken
        .run(bytes, &list)
        .unwrap_or_else(|e| panic!("{}: {e}", spoken.name))
        .1;
    report.parts
}

/// A selector with what is in brackets looked up.
fn selector(text: &str, spoken: &Spoken, rows: &[PartRow]) -> String {
    if let Some(id) = text
        .strip_prefix("tool:")
        .filter(|id| !id.contains('@'))
        .or(text.strip_prefix("ephemeral:"))
    {
        let kind = text.split(':').next().unwrap();
        return format!("{kind}:{}", spoken.id(id).unwrap());
    }
    let Some(at) = text.find('[') else {
        return text.to_owned();
    };
    let inner = text[at..].trim_matches(['[', ']']);
    let id = |id: &str| Some(spoken.id(id).unwrap());
    let fits = |row: &&PartRow| match inner.strip_prefix('=') {
        Some(call) => row.kind == "result" && row.call_id == id(call),
        None if inner.starts_with("say ") => {
            row.role == "assistant" && row.kind == "text" && row.text == inner[4..]
        }
        None => {
            row.kind == "call" && row.call_id == id(inner)
                || row.kind == "text" && row.text == inner
        }
    };
    let row = rows
        .iter()
        .find(fits)
        .unwrap_or_else(|| panic!("{}: {inner}", spoken.name));
    if text.contains("[[") {
        row.message.to_string()
    } else {
        format!("{}{}", &text[..at], row.select)
    }
}

/// Returns role, kind, tool, call id and text of each part that is left, but no empty texts.
fn reported(rows: &[PartRow]) -> Vec<(&'static str, &'static str, String, Option<String>, String)> {
    let blank = |row: &&PartRow| row.kind != "text" || !row.text.is_empty();
    let one = |row: &PartRow| {
        (
            row.role,
            row.kind,
            row.tool.clone(),
            row.call_id.clone(),
            row.text.clone(),
        )
    };
    rows.iter().filter(blank).map(one).collect()
}
