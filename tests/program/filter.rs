//! A filter beside a gateway: every line, whatever it is, is answered before the next one is sent.

use crate::support::{BODY, TINY, deadhead, history, program, pruned};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A filter that runs, and what it says so far.
struct Filter {
    child: Child,
    answers: std::sync::mpsc::Receiver<String>,
}

impl Filter {
    fn start(args: &[&str]) -> Filter {
        let mut command = program();
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout: BufReader<ChildStdout> = BufReader::new(child.stdout.take().unwrap());
        let (give, answers) = channel();
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if stdout.read_until(b'\n', &mut line).unwrap() == 0
                    || give
                        .send(String::from_utf8_lossy(&line).into_owned())
                        .is_err()
                {
                    return;
                }
            }
        });
        Filter { child, answers }
    }

    /// Sends a line, and nothing more until it is answered.
    fn ask(&mut self, line: &[u8]) -> Option<String> {
        self.child.stdin.as_mut().unwrap().write_all(line).unwrap();
        self.answers.recv_timeout(Duration::from_secs(30)).ok()
    }

    /// Ends the input; the exit code, what still comes, and what was reported.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.child.stdin.take());
        let mut reported = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut reported)
            .unwrap();
        let code = self.child.wait().unwrap().code();
        (code, self.answers.iter().collect(), reported)
    }
}

fn prune() -> Vec<&'static str> {
    [&["prune"], &TINY[..]].concat()
}

/// First lines, and whether something is reported of them.
const FIRST: [(&[u8], bool); 25] = [
    (BODY.as_bytes(), false),
    (b"\n", false),
    (b" \r\n", false),
    (b"{\"hello\":1}\n", true),
    (b"{\"model\": \n", true),
    (b"{\"model\":\"claude-a\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"cut o\n", true),
    (b"nope\n", true),
    (b"// a note\n", true),
    (b"7\n", true),
    (b"null\n", true),
    (b"[]\n", true),
    (b"{}\n", true),
    (b"\xff\xfe\n", true),
    (b"\0\0\n", true),
    (b"\xef\xbb\xbf{\"a\":1}\n", true),
    (b"{\"a\":1}{\"b\":2}\n", true),
    (b"{\"messages\":\"text\"}\n", true),
    (b"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"mystery\"}]}]}\n", true),
    (b"{\"id\":\"1\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"hi\"}]}]}\n", true),
    (b"{\"conversations\":[{\"from\":\"human\",\"value\":\"hi\"}]}\n", true),
    // These are known by what follows them, or by that nothing does.
    (b"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/\"}\n", true),
    (b"{\"role\":\"user\",\"content\":\"hi\"}\n", true),
    (b"[{\"role\":\"user\",\"content\":\"hi\"}]\n", true),
    (b"{\n", true),
    (b"{\"messages\":[\n", true),
];

#[test]
fn fault_05_every_line_is_answered_before_the_next() {
    let wanted = String::from_utf8(pruned()).unwrap();
    std::thread::scope(|scope| {
        for (first, is_reported) in FIRST {
            let wanted = &wanted;
            scope.spawn(move || {
                let shown = String::from_utf8_lossy(first).into_owned();
                let mut filter = Filter::start(&prune());
                for line in [first, BODY.as_bytes(), first, BODY.as_bytes()] {
                    let answer = filter.ask(line);
                    let want = if line == BODY.as_bytes() {
                        wanted.clone()
                    } else {
                        String::from_utf8_lossy(line).into_owned()
                    };
                    assert_eq!(answer.as_deref(), Some(&*want), "after {shown:?}");
                }
                let (code, rest, reported) = filter.end();
                assert!(code == Some(0) && rest.is_empty(), "{shown:?}: {reported}");
                assert_eq!(
                    reported.contains("warning: "),
                    is_reported,
                    "{shown:?}: {reported}"
                );
            });
        }
    });
}

/// Tests that a message among bodies is returned unchanged and at once, and that the bodies are pruned.
#[test]
fn a_message_in_front_of_bodies() {
    let message = "{\"role\":\"user\",\"content\":\"hi\"}\n";
    for blank in ["", "\n"] {
        let input = format!("{message}{blank}{BODY}{message}{BODY}");
        let output = deadhead()
            .args(prune())
            .write_stdin(input.as_str())
            .output()
            .unwrap();
        let wanted = [
            message.as_bytes(),
            blank.as_bytes(),
            &pruned(),
            message.as_bytes(),
            &pruned(),
        ]
        .concat();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&wanted)
        );
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && reported.contains("-:1: warning: passed through: "),
            "{reported}"
        );
        let place = crate::support::Place::new();
        let file = place.file("bodies.jsonl", &input);
        let read = deadhead().args(prune()).arg(&file).output().unwrap();
        assert!(
            read.status.success() && read.stdout == wanted,
            "a file and a pipe are one"
        );
    }
}

/// Tests that lines which are returned before a log is detected are not changed, and that the log is pruned.
#[test]
fn a_log_behind_strange_lines() {
    let log = history(3);
    for first in ["{\"hello\":1}\n", "\n", "{\"model\": \n", "nope\n\n{}\n"] {
        let place = crate::support::Place::new();
        let input = format!("{first}{log}");
        let file = place.file("log.jsonl", &input);
        let read = deadhead().args(prune()).arg(&file).output().unwrap();
        let mut filter = Filter::start(&prune());
        for line in first.split_inclusive('\n') {
            assert_eq!(
                filter.ask(line.as_bytes()).as_deref(),
                Some(line),
                "{first:?}"
            );
        }
        filter
            .child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(log.as_bytes())
            .unwrap();
        let (code, rest, reported) = filter.end();
        assert_eq!(code, Some(0), "{reported}");
        assert!(
            format!("{first}{rest}").as_bytes() == read.stdout && rest != log,
            "{first:?}"
        );
        assert!(reported.contains("trimmed"), "{reported}");
    }
}

/// A log that is refused behind lines that are out already comes out as it came.
#[test]
fn a_strange_log_behind_strange_lines() {
    let log = "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n\
               {\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"toolCalls\":[{\"id\":\"a\"}]}}\n";
    let input = format!("{{\"type\":\"session\",\"harness\":\"x\",\"id\":\"1\"}}\n{log}");
    let output = deadhead()
        .args(prune())
        .write_stdin(input.as_str())
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), input);
    assert!(
        output.status.success() && reported.contains("harness") && reported.contains("toolCalls"),
        "{reported}"
    );
    // Where no line has to be answered it is refused.
    for args in [
        &["prune", "-n"][..],
        &["check"],
        &["prune", "-o", "/nonexistent/out"],
    ] {
        let output = deadhead()
            .args(args)
            .write_stdin(input.as_str())
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2)
                && output.stdout.is_empty()
                && reported.contains("toolCalls"),
            "{args:?}: {reported}"
        );
    }
}

/// A text without a line break is no line of a filter's, and a document over several lines is one input.
#[test]
fn a_text_alone_is_refused() {
    for text in [
        "{\"hello\":1}",
        "{\"role\":1",
        "nope",
        "{\n \"hello\": 1\n}\n",
        "[\n 1,\n nope\n]\n",
    ] {
        let output = deadhead().args(prune()).write_stdin(text).output().unwrap();
        assert!(
            output.status.code() == Some(2) && output.stdout.is_empty(),
            "{text}"
        );
        let place = crate::support::Place::new();
        let file = place.file("in.json", format!("{}\n", text.trim_end()));
        let output = deadhead().args(prune()).arg(&file).output().unwrap();
        assert!(
            output.status.code() == Some(2) && output.stdout.is_empty(),
            "{text}"
        );
    }
}

/// A repair is a filter, too.
#[test]
fn a_repair_answers_line_by_line() {
    let mut filter = Filter::start(&["check", "--repair", "-q", "--format", "anthropic"]);
    let broken = BODY.replace(r#""tool_use_id":"a""#, r#""tool_use_id":"z""#);
    for (line, is_changed) in [
        ("{\"hello\":1}\n", false),
        (BODY, false),
        (&*broken, true),
        ("nope\n", false),
    ] {
        let answer = filter.ask(line.as_bytes()).unwrap();
        assert_eq!(answer != line, is_changed, "{line} {answer}");
    }
    filter.end();
}
