//! Writes arguments and contents in the JSON type that the provider accepts, and types of texts in
//! its words for the role.

use super::*;

impl RepairContext<'_> {
    /// Repairs these defects.
    pub fn retype(&mut self, found: &[&Defect]) {
        self.fix_members(found);
        for defect in found {
            let Some(block) = defect.block else {
                if defect.row.code == "E29" && self.rules.plain_results {
                    self.list_to_text(defect.message);
                }
                continue;
            };
            match (defect.row.code, self.transcript.block(block).kind) {
                ("E29", BlockKind::Call) => self.arguments_to_text(block),
                ("E29", BlockKind::Malformed) if self.rules.untyped_texts => {
                    let text = self.text_part(&quoted(&self.bytes[self.place_of(block)]), b"");
                    let object = self.object_of(block);
                    object
                        .into_iter()
                        .for_each(|object| self.put(object, text.clone()));
                }
                ("E30", BlockKind::Text) => self.retype_text(block),
                _ => {}
            }
        }
    }

    /// Writes arguments that are an object as a string.
    fn arguments_to_text(&mut self, block: u32) {
        let start = self.place_of(block).start;
        let function = self.value_of(start, "function");
        let start = function.map_or(start, |function| function.start);
        if let Some(value) = self
            .value_of(start, "arguments")
            .filter(|value| self.bytes[value.start] == b'{')
        {
            let text = quoted(&self.bytes[value.clone()]);
            self.put(value, text);
        }
    }

    /// Writes the content of message `i`, a list with one text, as that text, and one without any
    /// beside calls as null.
    fn list_to_text(&mut self, i: usize) {
        let transcript = self.transcript;
        let texts: Vec<u32> = transcript
            .numbered_blocks_of(i)
            .filter(|(_, block)| block.kind == BlockKind::Text)
            .map(|(at, _)| at)
            .collect();
        let Some(content) = self.content(i).filter(|content| content.elements.is_some()) else {
            return;
        };
        let text = match texts[..] {
            [text] => self.bytes[self.place_of(text)].to_vec(),
            [] if transcript.is_answer(i) => b"null".to_vec(),
            _ => return,
        };
        self.put(content.value.clone(), text);
    }

    /// Writes the type of a text in an item as its role requires.
    fn retype_text(&mut self, block: u32) {
        let place = self.place_of(block);
        let item = self.item(block);
        let content = item.and_then(|item| self.value_of(item.start, "content"));
        let parts = content.and_then(|content| elements(self.bytes, content.start));
        let holds = |part: &Range<usize>| part.contains(&place.start);
        let part = parts.and_then(|parts| parts.into_iter().find(holds));
        let Some(kind) = part.and_then(|part| self.value_of(part.start, "type")) else {
            return;
        };
        let word: &[u8] = match self.transcript.message_with(block).role {
            Role::Assistant => b"\"output_text\"",
            _ => b"\"input_text\"",
        };
        self.put(kind, word.to_vec());
    }

    /// Moves the result of a server's tool to its call.
    pub fn join_server_pair(&mut self, call: u32, result: u32) {
        let places = [call, result].map(|block| self.element_of(block));
        if let [Some(call), Some(place)] = places {
            let text = self.bytes[place].to_vec();
            self.insert(Gap::Behind(call.end as u64), text);
            self.moved.insert(result);
        }
    }
}

/// Returns JSON as a string, without white space between its values.
fn quoted(json: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let mut escaped = false;
    let mut text = json.to_vec();
    text.retain(|&byte| {
        let stays = inside || !byte.is_ascii_whitespace();
        inside ^= byte == b'"' && !escaped;
        escaped = inside && byte == b'\\' && !escaped;
        stays
    });
    serde_json::Value::from(String::from_utf8_lossy(&text))
        .to_string()
        .into_bytes()
}
