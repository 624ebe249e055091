//! A cut that a policy made in a simulated request.

/// The outcome of a part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// It was trimmed.
    Trimmed,
    /// It was replaced by something shorter.
    Replaced,
    /// It was removed.
    Removed,
}

/// A part of a message that was cut.
#[derive(Clone, Copy, Debug)]
pub struct NewCut {
    /// The index of the call before which it was cut.
    pub call: u32,
    /// The index of its message in the session.
    pub message: u32,
    /// The index of its block in the session.
    pub block: u32,
    /// The pass that cut it.
    pub pass: &'static str,
    /// The form of the block after the cut.
    pub form: Form,
    /// Chars before and after, as the estimator counts them.
    pub chars: (u64, u64),
    /// Tokens that the cut saves in a prompt.
    pub tokens: f64,
    /// Whether no request had sent its message yet, so that the model never read all of it.
    pub is_unread: bool,
}
