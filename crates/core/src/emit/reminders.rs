//! Puts the reminders of an agent where it sends them: before the words of the user, or at the end
//! of the last result.

use super::pieces::{Piece, Turn};
use crate::{
    dialect::beside::Reminder,
    json::{
        Kind,
        locate::{member, text_member},
    },
    transcript::Role,
};

/// Puts the reminders of each message into its turn, or behind an answer into one of their own.
pub fn place(turns: &mut Vec<Turn>, reminders: &[Reminder]) {
    // From the last ones, so that those of several messages in a row stand in their order.
    for reminders in reminders.chunk_by(|a, b| a.of == b.of).rev() {
        let Some(own) = turns
            .iter()
            .position(|turn| turn.message == reminders[0].of)
        else {
            continue;
        };
        let results = |turn: &Turn| {
            turn.pieces
                .iter()
                .take_while(|(piece, _)| is_result(piece))
                .count()
        };
        let last = results(&turns[own]).checked_sub(1);
        let mut words = Vec::new();
        for reminder in reminders {
            match last.filter(|_| !reminder.is_apart) {
                Some(last) => append(&mut turns[own].pieces[last].0, &reminder.text),
                None => words.push((Piece::Text(reminder.text.clone()), reminder.at)),
            }
        }
        let is_user = |turn: &Turn| turn.role != Role::Assistant;
        if !is_user(&turns[own]) {
            turns.insert(
                own + 1,
                Turn {
                    pieces: words,
                    ..Turn::of_user("")
                },
            );
            continue;
        }
        // The words of all messages of the user's in a row stand behind them.
        let row = turns[..=own]
            .iter()
            .rev()
            .take_while(|turn| is_user(turn))
            .count();
        let speaks = |&i: &usize| results(&turns[i]) < turns[i].pieces.len();
        let at = (own + 1 - row..own).find(speaks).unwrap_or(own);
        let place = results(&turns[at]);
        turns[at].pieces.splice(place..place, words);
    }
}

fn is_result(piece: &Piece) -> bool {
    match piece {
        Piece::Own(value, None) => {
            text_member(value.as_bytes(), "type").is_some_and(|kind| kind == "tool_result")
        }
        piece => matches!(piece, Piece::Result(..)),
    }
}

/// Appends a text, a JSON string, to what a result says.
fn append(result: &mut Piece, text: &str) {
    if let Piece::Own(value, _) = result
        && let Some(content) = member(value.as_bytes(), 0, "content")
    {
        let more = match content.kind {
            Kind::String => format!("\\n\\n{}", &text[1..text.len() - 1]),
            _ => format!(r#",{{"type":"text","text":{text}}}"#),
        };
        let end = content.value.end - 1;
        value.insert_str(end, &more);
    }
}
