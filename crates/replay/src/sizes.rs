//! How large messages and results are, and what a cut would leave of each: what a policy needs to know, and no text.
//!
//! Whether a result may be cut, and what a trim leaves of it, hangs on the result alone. So each is asked once, of the
//! passes themselves, and a simulation needs nothing else of them.

use super::session::Session;
use super::steps::Step;
use deadhead_core::Error;
use deadhead_core::config::settings::{Estimator, Settings};
use deadhead_core::edit::View;
use deadhead_core::pass::{hard_clear, reach, soft_trim};
use deadhead_core::transcript::{BlockKind, Role, Transcript};
use deadhead_core::{estimate, pass};

/// Sizes of all messages of a session under some settings.
#[derive(Debug)]
pub struct Sizes {
    /// Of each message, the chars that the estimator counts.
    pub chars: Vec<u64>,
    /// Its results that may be cut.
    pub results: Vec<Vec<Cuttable>>,
}

/// A result that may be cut.
#[derive(Clone, Copy, Debug)]
pub struct Cuttable {
    /// Index of the transcript's blocks.
    pub block: u32,
    /// As it came.
    pub whole: Size,
    /// Trimmed; as it came, where it is not to be trimmed.
    pub trimmed: Size,
    /// Cleared.
    pub cleared: Size,
    /// Whether a trim changes it.
    pub trims: bool,
    /// Whether clearing changes it: it is not the placeholder already, and not too short for it.
    pub clears: bool,
}

/// A size, as the estimator counts it and as the model is sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Chars as the estimator counts them.
    pub chars: u64,
    /// What is sent.
    pub weight: Weight,
}

/// What is sent: text, images, and what the model said itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// UTF-16 units of text.
    pub units: u64,
    /// Images.
    pub images: u32,
    /// Tokens that the provider counted when the model said it. Its text is not in `units` then: logs leave out reasoning.
    pub said: u64,
}

/// What each message sends.
pub fn weights(session: &Session) -> Vec<Weight> {
    let transcript = &session.transcript;
    let weight = |i: usize| {
        let mut weight = Weight { units: u64::from(session.hidden[i]), ..Weight::default() };
        for block in transcript.blocks_of(i) {
            match block.kind {
                BlockKind::Image => weight.images += 1,
                BlockKind::Result => {}
                _ => weight.units += u64::from(block.chars),
            }
        }
        weight
    };
    let mut weights: Vec<Weight> = (0..transcript.messages.len()).map(weight).collect();
    for steps in &session.lanes {
        let mut answered = None;
        for step in steps {
            match *step {
                Step::Call(number) => answered = Some(&session.calls[number as usize]).filter(|call| call.output > 0),
                // What the model said since, in one message or in several pieces, is the answer.
                Step::Push { message, .. } if transcript.messages[message as usize].role == Role::Assistant => {
                    if let Some(call) = answered.filter(|call| message >= call.message) {
                        let said = if message == call.message { call.output } else { 0 };
                        weights[message as usize] = Weight { said, ..Weight::default() };
                    }
                }
                _ => {}
            }
        }
    }
    weights
}

impl std::ops::Add for Weight {
    type Output = Weight;

    fn add(self, other: Weight) -> Weight {
        Weight { units: self.units + other.units, images: self.images + other.images, said: self.said + other.said }
    }
}

impl Sizes {
    /// Measures a session.
    ///
    /// # Errors
    /// The text of a result cannot be read.
    pub fn of(session: &Session, settings: &Settings) -> Result<Sizes, Error> {
        let estimator = settings.context_pruning.estimator;
        let other = if estimator == Estimator::Utf16 { None } else { Some(session.counted_by(estimator)?) };
        let bytes: &[u8] = &session.bytes;
        let mut plain = View::new(&session.transcript, &bytes, settings, 1);
        plain.estimator = Estimator::Utf16;
        let counted: &Transcript = other.as_ref().unwrap_or(&session.transcript);
        let view = View::new(counted, &bytes, settings, 1);
        let count = counted.messages.len();
        let mut sizes = Sizes { chars: Vec::with_capacity(count), results: Vec::with_capacity(count) };
        for i in 0..count {
            sizes.chars.push(estimate::message(counted, i, estimator));
            sizes.results.push(results(&view, &plain, settings, i)?);
        }
        Ok(sizes)
    }
}

/// The results of message `i` that may be cut.
fn results(view: &View<'_>, plain: &View<'_>, settings: &Settings, i: usize) -> Result<Vec<Cuttable>, Error> {
    let message = &view.transcript.messages[i];
    let pruning = &settings.context_pruning;
    let mut found = Vec::new();
    if !matches!(message.role, Role::User | Role::Tool) {
        return Ok(found);
    }
    for (block, kind) in (message.blocks..).zip(view.transcript.blocks_of(i).iter().map(|b| b.kind)) {
        if kind != BlockKind::Result || reach::barred(view, block, &pruning.tools, pruning.images).is_some() {
            continue;
        }
        let at = reach::Reached { message: i as u32, block };
        let whole = Size { chars: view.chars_of_result_before(block), weight: sent(plain, block) };
        let placeholder = &pruning.hard_clear.placeholder;
        let cleared_weight = Weight { units: placeholder.encode_utf16().count() as u64, ..Weight::default() };
        let cleared = Size { chars: view.chars_of_text(placeholder), weight: cleared_weight };
        let is_cleared = hard_clear::is_placeholder(view, at, placeholder)?;
        let trim = |view: &View<'_>| -> Result<Option<u64>, Error> {
            Ok(match pass::soft_trim::trim(view, at, &pruning.soft_trim)? {
                soft_trim::Outcome::Trimmed(_, chars, _) if !is_cleared => Some(chars),
                _ => None,
            })
        };
        let outcome = trim(view)?;
        let trimmed = match outcome {
            None => whole,
            Some(chars) if view.estimator == Estimator::Utf16 => Size { chars, weight: Weight { units: chars, ..Weight::default() } },
            Some(chars) => Size { chars, weight: Weight { units: trim(plain)?.unwrap_or(chars), ..Weight::default() } },
        };
        // What a trim leaves is longer than any placeholder that is in use.
        let stays = pruning.hard_clear.skip_shorter && outcome.is_none() && whole.chars <= cleared.chars;
        let cleared = if stays { whole } else { cleared };
        found.push(Cuttable { block, whole, trimmed, cleared, trims: outcome.is_some(), clears: !is_cleared && !stays });
    }
    Ok(found)
}

/// What a result sends.
fn sent(plain: &View<'_>, block: u32) -> Weight {
    plain.children(block).iter().fold(Weight::default(), |weight, child| match child.kind {
        BlockKind::Image => Weight { images: weight.images + 1, ..weight },
        _ => Weight { units: weight.units + u64::from(child.chars), ..weight },
    })
}
