//! Answers that stand in the record of the call itself, as Gemini CLI and OpenCode keep them.
//!
//! Each is written as its agent writes that a call was broken off: the state says so, and an error stands where the tool's
//! output would. Where a record says that the tool was done, only what is missing of it comes. All else in the record stays.

use super::Bench;
use super::answer::{NO_RESULT, function_response};
use super::place::{elements, member, members};
use crate::json::{Cursor, Id, IdMap, text};
use crate::transcript::Block;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// States of Gemini CLI's calls that have not ended.
const OPEN: [&[u8]; 4] = [b"\"validating\"", b"\"scheduled\"", b"\"executing\"", b"\"awaiting_approval\""];

/// The record of a message, as far as the answers to its calls want it.
#[derive(Default)]
pub(super) struct Record {
    /// When it was written, or done.
    time: Option<Range<usize>>,
    /// Where the runs of Gemini CLI's tools begin, by their ids.
    runs: IdMap<usize>,
    /// Where they begin.
    starts: HashSet<usize>,
}

impl Bench<'_> {
    /// Whether calls hold their results in this transcript's format.
    pub(super) fn is_held(&self) -> bool {
        ["gemini-cli", "opencode"].contains(&self.transcript.format)
    }

    /// Answers the call at index `block` of message `i` in its record.
    pub(super) fn hold(&mut self, i: usize, block: u32) {
        let call = self.transcript.blocks[block as usize];
        if self.transcript.format == "opencode" {
            self.break_off(i, self.place(i, call.span));
        } else {
            self.give_result(i, &call);
        }
    }

    /// Ends the state of the tool part at `part`, of message `i`.
    fn break_off(&mut self, i: usize, part: Range<usize>) {
        let said = [b"\"", NO_RESULT.as_bytes(), b"\""].concat();
        let ended = |time: &[u8]| [b"{\"start\":", time, b",\"end\":", time, b"}"].concat();
        let state = self.value(part.start, "state").filter(|v| self.bytes[v.start] == b'{');
        let Some(state) = state else {
            let time = self.time_of(i).map_or_else(Vec::new, |time| [b",\"time\":", &ended(time)[..]].concat());
            let state = [b"{\"status\":\"error\",\"input\":{},\"error\":", &said[..], &time, b"}"].concat();
            return self.set(part.start, vec![("state", state)]);
        };
        if self.value(state.start, "status").is_some_and(|v| &self.bytes[v] == b"\"completed\"") {
            return self.set(state.start, vec![("output", said)]);
        }
        let mut wanted = vec![("status", b"\"error\"".to_vec()), ("error", said)];
        match self.value(state.start, "time").filter(|v| self.bytes[v.start] == b'{') {
            Some(time) => {
                if let (Some(start), None) = (self.value(time.start, "start"), self.value(time.start, "end")) {
                    self.set(time.start, vec![("end", self.bytes[start].to_vec())]);
                }
            }
            None => wanted.extend(self.time_of(i).map(|time| ("time", ended(time)))),
        }
        self.set(state.start, wanted);
    }

    /// When the OpenCode message `i` was done, or else begun.
    fn time_of(&mut self, i: usize) -> Option<&[u8]> {
        let time = self.record_of(i).time.clone()?;
        self.bytes[time.start].is_ascii_digit().then(|| &self.bytes[time])
    }

    /// What is wanted of the record of message `i` for each of its calls.
    fn record_of(&mut self, i: usize) -> Rc<Record> {
        let start = self.start(i);
        if let Some((_, known)) = self.record.as_ref().filter(|(at, _)| *at == start) {
            return known.clone();
        }
        let mut found = Record::default();
        for member in members(self.bytes, start).unwrap_or_default() {
            match &*member.name {
                b"timestamp" => found.time = Some(member.value),
                b"info" => {
                    let time = self.value(member.value.start, "time");
                    found.time = time.and_then(|t| ["completed", "created"].iter().find_map(|name| self.value(t.start, name)));
                }
                b"toolCalls" => {
                    for run in elements(self.bytes, member.value.start).unwrap_or_default() {
                        let id = self.value(run.start, "id").and_then(|id| text_at(self.bytes, id.start));
                        found.runs.extend(id.map(|id| (Id::of(&id), run.start)));
                        found.starts.insert(run.start);
                    }
                }
                _ => {}
            }
        }
        let found = Rc::new(found);
        self.record = Some((start, found.clone()));
        found
    }

    /// Gives a call of Gemini CLI's its result: in the record of the tool's run, or in one that comes where the call stands in
    /// the model's content alone.
    fn give_result(&mut self, i: usize, call: &Block) {
        let (id, tool) = (&self.bytes[self.place(i, self.transcript.link(call).id)], self.transcript.tool_of(call));
        let Some(run) = self.run_of(i, call) else {
            let record = self.broken_run(i, call, id, tool);
            return self.runs.entry(i).or_default().push(record);
        };
        let status = self.value(run, "status");
        let done = status.as_ref().is_some_and(|v| &self.bytes[v.clone()] == b"\"success\"");
        let part = function_response(["functionResponse", if done { "output" } else { "error" }], id, tool);
        let result = self.value(run, "result");
        match result.as_ref().map(|v| (self.bytes[v.start], elements(self.bytes, v.start).unwrap_or_default(), v)) {
            Some((b'[', parts, _)) if !parts.is_empty() => self.put(parts[0].start..parts[0].start, [&part[..], b","].concat()),
            Some((b'{', _, value)) => {
                self.put(value.start..value.start, [b"[", &part[..], b","].concat());
                self.put(value.end..value.end, b"]".to_vec());
            }
            _ => self.set(run, vec![("result", [b"[", &part[..], b"]"].concat())]),
        }
        if let Some(status) = status.filter(|v| OPEN.contains(&&self.bytes[v.clone()])) {
            self.put(status, b"\"cancelled\"".to_vec());
        }
    }

    /// Where the record of a call's run begins among the `toolCalls` of message `i`.
    fn run_of(&mut self, i: usize, call: &Block) -> Option<usize> {
        let (place, record) = (self.place(i, call.span).start, self.record_of(i));
        if record.starts.contains(&place) { Some(place) } else { record.runs.get(&self.transcript.link(call).call).copied() }
    }

    /// The record of a run that was broken off, of a call that stands as a part of message `i`.
    fn broken_run(&mut self, i: usize, call: &Block, id: &[u8], tool: &str) -> Vec<u8> {
        let part = self.place(i, call.span).start;
        let asked = ["functionCall", "function_call"].iter().find_map(|key| self.value(part, key));
        let args = asked.and_then(|asked| self.value(asked.start, "args")).map_or(&b"{}"[..], |v| &self.bytes[v]);
        let time = self.record_of(i).time.clone().map_or(&b"null"[..], |v| &self.bytes[v]);
        let mut name = Vec::new();
        text::encode(tool, &mut name);
        let result = function_response(["functionResponse", "error"], id, tool);
        let members: [(&str, &[u8]); 6] = [
            ("{\"id\":\"", id),
            ("\",\"name\":\"", &name),
            ("\",\"args\":", args),
            (",\"result\":[", &result),
            ("],\"status\":\"cancelled\",\"timestamp\":", time),
            ("}", b""),
        ];
        members.iter().flat_map(|(open, value)| [open.as_bytes(), value].concat()).collect()
    }

    /// Records of runs come into message `i`.
    pub(super) fn add_runs(&mut self, i: usize, runs: &[Vec<u8>]) {
        let (start, runs) = (self.start(i), runs.join(&b","[..]));
        let list = self.value(start, "toolCalls");
        match list.and_then(|list| elements(self.bytes, list.start)?.pop()) {
            Some(last) => self.put(last.end..last.end, [b",", &runs[..]].concat()),
            None => self.set(start, vec![("toolCalls", [b"[", &runs[..], b"]"].concat())]),
        }
    }

    /// Takes results out of the run of a tool that is message `i`, of Gemini CLI's.
    pub(super) fn take_out(&mut self, i: usize, gone: &[u32]) {
        let Some(result) = self.value(self.start(i), "result") else { return };
        let Some(parts) = elements(self.bytes, result.start) else { return self.put(result, b"[]".to_vec()) };
        let gone: BTreeSet<u16> = gone.iter().map(|&b| self.transcript.blocks[b as usize].part).collect();
        gone.into_iter().filter_map(|part| parts.get(usize::from(part)).cloned()).for_each(|part| self.cut(part));
    }

    /// Sets members of the object at `start`: those that are there get these values, others come behind its last.
    fn set(&mut self, start: usize, wanted: Vec<(&str, Vec<u8>)>) {
        let Some(there) = members(self.bytes, start) else { return };
        let end = there.last().map_or(start + 1, |last| last.whole.end);
        let mut more = Vec::new();
        for (name, value) in wanted {
            match there.iter().rfind(|m| *m.name == *name.as_bytes()).map(|m| m.value.clone()) {
                Some(old) if self.bytes[old.clone()] == value => {}
                Some(old) => self.put(old, value),
                None => more.push([format!("\"{name}\":").as_bytes(), &value].concat()),
            }
        }
        if !more.is_empty() {
            let comma: &[u8] = if there.is_empty() { b"" } else { b"," };
            self.put(end..end, [comma, &more.join(&b","[..])].concat());
        }
    }

    /// Where the value of the member `name` stands, of the object at `start`.
    fn value(&self, start: usize, name: &str) -> Option<Range<usize>> {
        member(self.bytes, start, name).map(|m| m.value)
    }
}

/// The text of the string at `at`, if it is one.
fn text_at(bytes: &[u8], at: usize) -> Option<Vec<u8>> {
    let mut cursor = Cursor::new(bytes);
    cursor.go_to(at);
    cursor.bytes_or_skip().ok().flatten().map(|text| text.to_vec())
}
