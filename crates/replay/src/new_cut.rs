//! A cut that a policy made in a simulated request.

/// The outcome of a part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Its head and tail are left.
    Trimmed,
    /// Something shorter is in its place.
    Replaced,
    /// It is removed.
    Removed,
}

/// A part of a message that was cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewCut {
    /// The call before which it was cut.
    pub call: u32,
    /// Its message, as an index of the session's.
    pub message: u32,
    /// Its block, likewise.
    pub block: u32,
    /// The pass that cut it.
    pub pass: &'static str,
    /// The form of the block after the cut.
    pub form: Form,
    /// Chars before and after, as the estimator counts them.
    pub chars: (u64, u64),
    /// Tokens that the cut saves in a prompt.
    pub tokens: f64,
    /// Whether no request had sent its message yet, so that the model never read the whole of it.
    pub is_unread: bool,
}
