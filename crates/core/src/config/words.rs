//! The words of the settings that are a choice.
//!
//! One table per choice: parsing, printing, the schema and error texts all read it, so that a word is written once.

use super::settings::{Act, Auth, Compat, Estimator, Images, Markers, Mode, Order, Providers, Scope, Thinking, ToolTurns, TurnUnit};

/// A setting that is one of a few words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every word and what it means.
    const WORDS: &'static [(&'static str, Self)];

    /// The word for this value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }

    /// The value of a word, which is taken exactly as written.
    fn parse(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

impl Word for Mode {
    const WORDS: &'static [(&'static str, Mode)] = &[
        ("auto", Mode::Auto),
        ("off", Mode::Off),
        ("cache-ttl", Mode::CacheTtl),
        ("adaptive", Mode::Adaptive),
        ("aggressive", Mode::Aggressive),
    ];
}

impl Word for Images {
    const WORDS: &'static [(&'static str, Images)] = &[("skip", Images::Skip), ("prune", Images::Prune)];
}

impl Word for Estimator {
    const WORDS: &'static [(&'static str, Estimator)] =
        &[("utf16", Estimator::Utf16), ("cjk-v1", Estimator::CjkV1), ("cjk-v2", Estimator::CjkV2)];
}

impl Word for TurnUnit {
    const WORDS: &'static [(&'static str, TurnUnit)] = &[("message", TurnUnit::Message), ("exchange", TurnUnit::Exchange)];
}

impl Word for Thinking {
    const WORDS: &'static [(&'static str, Thinking)] =
        &[("strip", Thinking::Strip), ("drop-block", Thinking::DropBlock), ("keep", Thinking::Keep), ("refuse", Thinking::Refuse)];
}

impl Word for ToolTurns {
    const WORDS: &'static [(&'static str, ToolTurns)] = &[("keep", ToolTurns::Keep), ("drop", ToolTurns::Drop)];
}

impl Word for Order {
    const WORDS: &'static [(&'static str, Order)] = &[("rank", Order::Rank), ("keep", Order::Keep)];
}

impl Word for Providers {
    const WORDS: &'static [(&'static str, Providers)] = &[("anthropic", Providers::Anthropic), ("all", Providers::All)];
}

impl Word for Markers {
    const WORDS: &'static [(&'static str, Markers)] = &[("any", Markers::Any), ("own", Markers::Own)];
}

impl Word for Scope {
    const WORDS: &'static [(&'static str, Scope)] = &[("context", Scope::Context), ("file", Scope::File)];
}

impl Word for Auth {
    const WORDS: &'static [(&'static str, Auth)] = &[("oauth", Auth::Oauth), ("api-key", Auth::ApiKey)];
}

impl Word for Compat {
    const WORDS: &'static [(&'static str, Compat)] = &[("anahata", Compat::Anahata)];
}

impl Word for Act {
    const WORDS: &'static [(&'static str, Act)] = &[
        ("read", Act::Read),
        ("write", Act::Write),
        ("edit", Act::Edit),
        ("delete", Act::Delete),
        ("move", Act::Move),
        ("patch", Act::Patch),
        ("command", Act::Command),
    ];
}

/// The words alone, in the order of the table.
pub fn words<T: Word>() -> Vec<&'static str> {
    T::WORDS.iter().map(|(word, _)| *word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round<T: Word + std::fmt::Debug>(n_words: usize) {
        assert_eq!(words::<T>().len(), n_words);
        for (word, value) in T::WORDS {
            assert_eq!(T::parse(word), Some(*value));
            assert_eq!(value.word(), *word);
        }
        assert_eq!(T::parse("nope"), None);
    }

    #[test]
    fn words_round_trip() {
        round::<Mode>(5);
        round::<Images>(2);
        round::<Estimator>(3);
        round::<Providers>(2);
        round::<Markers>(2);
        round::<Scope>(2);
        round::<Auth>(2);
    }
}
