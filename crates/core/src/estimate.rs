//! Estimates sizes: the chars of a text, a message and a context, and the tokens that they make.
//!
//! The rules are those of OpenClaw (`contextPruning.estimator`): UTF-16 units, to which the later
//! releases add for scripts whose characters cost more tokens. Four chars make a token. An image
//! counts 8,000 chars; a message of a role that is neither user, assistant nor tool counts 256,
//! whatever it holds; system prompts are outside the count.

use crate::{
    json::{Text, text},
    settings::Estimator,
    transcript::{Block, BlockKind, Role, Transcript},
};

/// Chars of a token.
pub const CHARS_PER_TOKEN: u64 = 4;
/// Chars of an image.
pub const IMAGE: u64 = 8000;
/// Chars of a message that is not user, assistant or tool.
pub const OTHER_ROLE: u64 = 256;

/// Returns the number of chars that `estimator` adds to the UTF-16 length of a text.
pub fn extra(found: &Text<'_>, estimator: Estimator) -> usize {
    if found.plain || estimator == Estimator::Utf16 {
        0
    } else {
        extra_of(found.raw, estimator)
    }
}

/// Returns the number of chars that `estimator` adds to the UTF-16 length of the raw string `raw`.
pub fn extra_of(raw: &[u8], estimator: Estimator) -> usize {
    let mut extra = Extra::default();
    extra.add(raw, estimator);
    extra.sum()
}

/// The number of chars that an estimator adds to the UTF-16 length of a text made of pieces. With
/// `cjk-v1` and `cjk-v1b` the number for a piece depends on the pieces beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra {
    wide: usize,
    pairs: usize,
    more: usize,
}

impl Extra {
    /// Takes the raw string `raw` in.
    pub fn add(&mut self, raw: &[u8], estimator: Estimator) {
        match estimator {
            Estimator::Utf16 => {}
            Estimator::CjkV1 | Estimator::CjkV1b => text::values(raw).for_each(|c| {
                let is_wide = is_cjk_v1(c) || estimator == Estimator::CjkV1b && is_full_width(c);
                self.wide += usize::from(is_wide);
                self.pairs += usize::from(has_cjk_pair(c));
            }),
            Estimator::CjkV2 => self.more += text::values(raw).map(extra_v2).sum::<usize>(),
        }
    }

    /// Chars beyond the UTF-16 units of all that was taken in.
    pub fn sum(&self) -> usize {
        self.more + (3 * self.wide).saturating_sub(self.pairs)
    }
}

fn is_cjk_v1(c: u32) -> bool {
    matches!(c, 0x2e80..=0x9fff | 0xa000..=0xa4ff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x2_0000..=0x2_fa1f)
}

fn is_full_width(c: u32) -> bool {
    matches!(c, 0xff01..=0xff60 | 0xffe0..=0xffe6)
}

/// Code points whose high surrogate is D840 to D87E: their second unit is taken off again.
fn has_cjk_pair(c: u32) -> bool {
    matches!(c, 0x2_0000..=0x2_fbff)
}

/// The five classes of OpenClaw 2026.7.2, as what a code point counts beyond its UTF-16 units.
fn extra_v2(c: u32) -> usize {
    match c {
        0xb7 | 0x3000..=0x319f | 0x4e00..=0x9fa5 | 0xac00..=0xd7af | 0xff01..=0xff60 => 3,
        0x1100..=0x11ff
        | 0x2e80..=0x2fff
        | 0x31a0..=0x4dff
        | 0x9fa6..=0xa4ff
        | 0xa700..=0xa707
        | 0xa960..=0xa97f
        | 0xd7b0..=0xd7ff
        | 0xf900..=0xfaff => 11,
        0x2c7
        | 0x2c9..=0x2cb
        | 0x2d9
        | 0x2ea..=0x2eb
        | 0x305
        | 0x323
        | 0xfe10..=0xfe4f
        | 0xff61..=0xffdc
        | 0xffe0..=0xffe6 => 7,
        0x1_d360..=0x1_d371 => 10,
        0x1_6fe0..=0x1_6fff
        | 0x1_aff0..=0x1_b16f
        | 0x1_f200..=0x1_f2ff
        | 0x2_0000..=0x2_fa1f
        | 0x3_0000..=0x3_347f => 14,
        _ => 0,
    }
}

/// Chars that `block` counts in a message of `role`. A result counts by its children, itself
/// nothing.
pub fn block(block: &Block, role: Role, estimator: Estimator) -> u64 {
    let chars = u64::from(block.chars);
    match (block.kind, role) {
        (_, Role::System | Role::Other) | (BlockKind::Result, _) => 0,
        // OpenClaw counts neither a malformed text nor, until 2026.8, an image of the model's own.
        (BlockKind::Malformed, Role::Assistant) => 0,
        (BlockKind::Image, Role::Assistant) if estimator != Estimator::CjkV2 => 0,
        (BlockKind::Image, _) => IMAGE,
        (BlockKind::Text, _) => chars + u64::from(block.extra),
        (BlockKind::Malformed | BlockKind::Thinking | BlockKind::Call | BlockKind::Other, _) => {
            chars
        }
    }
}

/// Chars of message `i` as the input has it.
pub fn message(transcript: &Transcript, i: usize, estimator: Estimator) -> u64 {
    let role = transcript.messages[i].role;
    if role == Role::Other {
        return OTHER_ROLE;
    }
    transcript
        .blocks_of(i)
        .iter()
        .map(|b| block(b, role, estimator))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights() {
        let raw = "a漢字😀".as_bytes();
        assert_eq!(extra_of(raw, Estimator::Utf16), 0);
        assert_eq!(extra_of(raw, Estimator::CjkV1), 6);
        assert_eq!(extra_of(raw, Estimator::CjkV2), 6);
        // U+20000 is two units and weighs 4 in v1, 16 in v2; written as an escape it weighs the
        // same.
        for raw in ["\u{20000}".as_bytes(), b"\\ud840\\udc00"] {
            assert_eq!(extra_of(raw, Estimator::CjkV1), 2);
            assert_eq!(extra_of(raw, Estimator::CjkV2), 14);
        }
        // Full-width letters and signs weigh 4 since 2026.7.1, half-width ones since 2026.7.2.
        let of = |estimator| extra_of("Ａ￥ｱ".as_bytes(), estimator);
        assert_eq!(
            [Estimator::CjkV1, Estimator::CjkV1b, Estimator::CjkV2].map(of),
            [0, 6, 3 + 7 + 7]
        );
        assert_eq!(
            extra_of("⺀·ｱ𝍠".as_bytes(), Estimator::CjkV2),
            11 + 3 + 7 + 10
        );
    }

    #[test]
    fn pieces_weigh_as_the_whole() {
        // U+2FB00 weighs less than its units, but only where something in the text is wide.
        let whole = "漢 \u{2fb00}";
        for estimator in [Estimator::CjkV1, Estimator::CjkV1b, Estimator::CjkV2] {
            let mut extra = Extra::default();
            whole
                .split(' ')
                .for_each(|piece| extra.add(piece.as_bytes(), estimator));
            assert_eq!(extra.sum(), extra_of(whole.as_bytes(), estimator));
        }
        assert_eq!(extra_of(whole.as_bytes(), Estimator::CjkV1), 2);
        assert_eq!(extra_of("\u{2fb00}".as_bytes(), Estimator::CjkV1), 0);
    }
}
