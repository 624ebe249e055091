//! E14, E31, E32 and E35: blocks and cache marks in places where the provider does not accept them.
//!
//! Calls belong in messages of the assistant, results in the turns between them. Nothing but calls
//! may follow a call. A block that cannot carry a cache mark must not have one.

use super::*;

/// Reports E14, E31, E32 and E35.
pub fn check(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let rules = finder.rules;
    if rules.roles_checked {
        roles(finder);
    }
    if rules.results_alone {
        (0..transcript.messages.len()).for_each(|i| alone(finder, i));
    }
    if rules.calls_alone {
        beside_calls(finder);
    }
    if rules.unmarked_tools && !transcript.request.tool_marks.is_empty() {
        finder.report("E35 tools", Place::Request);
    }
    if rules.calls_last {
        behind_calls(finder);
    }
    for note in finder
        .facts
        .iter()
        .filter(|note| matches!(note.kind, NoteKind::Mark { .. }))
    {
        let thinks = |block: &Block| block.kind == BlockKind::Thinking;
        let block = transcript.block(note.block);
        // A part may hold a text and its mark.
        if rules.marks_are_parts && block.kind == BlockKind::Other && block.chars == 0 {
            match transcript
                .parts(transcript.message_of(note.block))
                .take_while(|(at, _)| *at < note.block)
                .last()
            {
                None => {
                    finder.report("E35 nothing before", note.block);
                }
                Some((_, before)) if thinks(before) => {
                    finder.report("E35 after reasoning", note.block);
                }
                Some(_) => {}
            }
        }
        if rules.unmarked_thinking && thinks(transcript.block(note.block)) {
            finder.report("E35", note.block);
        }
    }
    if let Some(most) = rules.marks.filter(|_| !transcript.messages.is_empty()) {
        count_marks(finder, most);
    }
}

/// E14: a request has at most four cache marks, and none for an hour after one for five minutes.
/// They count in the order in which the provider reads them: tools, system, messages; a mark that
/// the provider sets automatically after the last block counts as the last one.
fn count_marks(finder: &mut Finder<'_>, most: usize) {
    let marks = finder.transcript.cache_marks();
    // A mark outside the messages is reported at the first message.
    let place = |block: Option<u32>| block.map_or(Place::Message(0), Place::Block);
    if let Some((_, block)) = marks.get(most) {
        finder
            .report("E14", place(*block))
            .with(&[&marks.len(), &most]);
    }
    let mut behind = marks.iter().skip_while(|(long, _)| *long);
    if let Some((_, block)) = behind.find(|(long, _)| *long) {
        finder.report("E14 order of marks", place(*block)).about = Id::of(b"order");
    }
}

/// E31: a call in a user message, a result in an assistant message.
fn roles(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    for (i, index, block) in transcript.all_blocks() {
        let fault = match (transcript.messages[i].role, block.kind) {
            (Role::User, BlockKind::Call) => "E31 call of the user",
            (Role::User, BlockKind::Thinking) => "E31 thinking",
            (Role::User, BlockKind::Other) if finder.is_server(index) => "E31 server",
            (Role::Assistant, BlockKind::Result) => "E31 result of the assistant",
            _ => continue,
        };
        let defect = finder.report(fault, index);
        if block.is_linked() {
            defect.about = transcript.link(block).call;
        }
    }
}

/// E31: other content beside results.
fn alone(finder: &mut Finder<'_>, i: usize) {
    let transcript = finder.transcript;
    let own = |(_, block): &(u32, &Block)| block.kind != BlockKind::Result && block.chars > 0;
    if transcript.has(i, BlockKind::Result)
        && let Some((index, _)) = transcript.parts(i).find(own)
    {
        finder.report("E31 results alone", index);
    }
}

/// E31: a text beside calls in an answer.
fn beside_calls(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    for i in (0..transcript.messages.len()).filter(|i| transcript.is_answer(*i)) {
        let mut blocks = transcript.numbered_blocks_of(i);
        if transcript.has(i, BlockKind::Call)
            && let Some((text, _)) = blocks.find(|(_, block)| block.kind == BlockKind::Text)
        {
            finder.report("E31 beside calls", text);
        }
    }
}

/// E32: content after a call in one turn of the assistant. Consecutive messages of one role are one
/// turn.
fn behind_calls(finder: &mut Finder<'_>) {
    let transcript = finder.transcript;
    let mut called = None;
    for (i, message) in transcript.messages.iter().enumerate() {
        called = called.filter(|_| message.role == Role::Assistant);
        for (index, block) in transcript
            .parts(i)
            .filter(|_| message.role == Role::Assistant)
        {
            let fault = match block.kind {
                BlockKind::Call => {
                    called = Some(transcript.link(block).call);
                    continue;
                }
                BlockKind::Text | BlockKind::Image => "E32",
                BlockKind::Other if finder.is_server(index) => "E32 server",
                _ => continue,
            };
            if let Some(call) = called {
                finder.report(fault, index).about = call;
            }
        }
    }
}
