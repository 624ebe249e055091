//! Keeps the words of a user in results that are cut ([`crate::shorten::user_words`]).

use super::{Action, Cut, Segment, View};
use crate::{
    Result,
    json::{Decoded, text},
    shorten::user_words,
    transcript::{Block, Flags, Span},
};

/// Bytes in which the beginning of a refusal is looked for, six of them for a character that is
/// escaped.
const HEAD: u32 = 512;

impl View<'_> {
    /// Returns the range of the record that may be words of a user in the result at `at`, raw and
    /// to the end of the text that has them. Such a result may be shortened, but not removed, and
    /// its words stay. Where they are in a text before the last, all of it stays.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn user_words(&self, at: (u32, u32)) -> Result<Option<Span>> {
        let mut texts = self.texts_in(at.1);
        let Some(child) = texts.next_back() else {
            return Ok(None);
        };
        // Reminders may be texts of their own, that of a user before others.
        for before in texts {
            let all = before.span.inside();
            if self.words_in((at.0, before), all, "")?.is_some() {
                return Ok(Some(all));
            }
        }
        let (link, mut all) = (self.transcript.link_at(at.1), child.span.inside());
        // A text may have a head that does not belong to the result.
        if link.content.start > child.span.start {
            all = link.content;
        }
        self.words_in(
            (at.0, child),
            all,
            &self.transcript.tools[link.tool as usize],
        )
    }

    /// Returns what may be words of a user in `all` of a text of a tool: its end, if it may end
    /// with a reminder, or all of it.
    fn words_in(
        &self,
        (message, text): (u32, &Block),
        all: Span,
        tool: &str,
    ) -> Result<Option<Span>> {
        let is_reminded = text.flags.has(Flags::REMINDED) || all.start > text.span.start + 1;
        let most = if is_reminded { u32::MAX } else { HEAD };
        let decoded = Decoded::new(&self.bytes(message as usize, all.head(most))?);
        let from = user_words(tool, &decoded.text, is_reminded);
        let start = all.start + decoded.raw(from) as u32;
        Ok((from < decoded.text.len()).then_some(Span { start, ..all }))
    }

    /// Returns a cut so that it leaves the words of a user in its result; `None` if nothing else is
    /// left to cut.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn keeping_user_words(&self, mut cut: Cut) -> Result<Option<Cut>> {
        let mut segments = match &cut.action {
            Action::Trim(segments) => segments.clone(),
            Action::Clear(text) => vec![Segment::Literal(text::encoded(text))],
            _ => return Ok(Some(cut)),
        };
        let Some(words) = self.user_words((cut.message, cut.block))? else {
            return Ok(Some(cut));
        };
        let last = self.texts_in(cut.block).next_back();
        if last.is_some_and(|last| words.end <= last.span.start) {
            return Ok(None);
        }
        for segment in &mut segments {
            if let Segment::Source(kept) = segment {
                (kept.start, kept.end) = (kept.start.min(words.start), kept.end.min(words.start));
            }
        }
        segments.extend([
            Segment::Literal("\\n\\n".to_owned()),
            Segment::Source(words),
        ]);
        cut.chars_after = self.chars_of_segments(cut.message, &segments)?;
        cut.action = Action::Trim(segments);
        cut.reason = format!("{}; the words of a user in it stay", cut.reason).into();
        Ok((cut.chars_after < self.chars_of_result(cut.block)).then_some(cut))
    }

    /// Returns the text of a result, its texts each on a line of its own, without words of a user
    /// that a cut left.
    ///
    /// # Errors
    /// The input cannot be read any more.
    pub fn text_of_tool(&self, result: (u32, u32)) -> Result<String> {
        let text = self.result_text(result)?;
        Ok(text[..user_words("", &text, true)].trim_end().to_owned())
    }
}
