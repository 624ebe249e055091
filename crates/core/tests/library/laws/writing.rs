//! JSON in unusual spellings of the same value: odd white space, needless escapes, members in any order.

use super::conversation::Dice;
use serde_json::Value;

/// Writes a value; `newlines` lets white space have them.
pub fn write(value: &Value, dice: &mut Dice, newlines: bool, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            if dice.once_in(2) {
                for i in (1..members.len()).rev() {
                    members.swap(i, dice.below(i + 1));
                }
            }
            out.push('{');
            for (i, (key, value)) in members.into_iter().enumerate() {
                comma(i, dice, newlines, out);
                string(key, dice, 40, out);
                space(dice, newlines, out);
                out.push(':');
                space(dice, newlines, out);
                write(value, dice, newlines, out);
            }
            space(dice, newlines, out);
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (i, value) in elements.iter().enumerate() {
                comma(i, dice, newlines, out);
                write(value, dice, newlines, out);
            }
            space(dice, newlines, out);
            out.push(']');
        }
        Value::String(text) => string(text, dice, 9, out),
        other => out.push_str(&other.to_string()),
    }
}

fn comma(i: usize, dice: &mut Dice, newlines: bool, out: &mut String) {
    if i > 0 {
        out.push(',');
    }
    space(dice, newlines, out);
}

fn space(dice: &mut Dice, newlines: bool, out: &mut String) {
    if dice.once_in(9) {
        out.push_str(dice.pick(if newlines {
            &["\n", "  ", "\r\n\t"]
        } else {
            &[" ", "  ", "\t \r"]
        }));
    }
}

/// Writes a string with needless escapes, one char in `rare`.
fn string(text: &str, dice: &mut Dice, rare: usize, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        let escape = dice.once_in(rare);
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '/' if escape => out.push_str("\\/"),
            '\n' if !escape => out.push_str("\\n"),
            '\t' if !escape => out.push_str("\\t"),
            c if escape || (c as u32) < 0x20 => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&if dice.once_in(2) {
                        format!("\\u{unit:04x}")
                    } else {
                        format!("\\u{unit:04X}")
                    });
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
