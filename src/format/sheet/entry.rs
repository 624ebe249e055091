//! What a format writes of a history's records: nodes of its tree, and what earlier prunes left there.

/// No index: a link or an entry that points at nothing.
pub const NONE: u32 = u32::MAX;

/// A node of a history's tree, or the boundary of a context.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Hash of its id; 0 for none.
    pub id: u64,
    /// Hash of its parent's id; 0 for none.
    pub parent: u64,
    /// What it is to the context.
    pub kind: EntryKind,
    /// Index of its message, or [`NONE`].
    pub message: u32,
    /// Hash of the first entry kept (a boundary), of the target (a leaf control), of the call that was answered or of the
    /// provider's id of the message of which this node is a piece; for [`Keep::Index`], that index. Of a message of Gemini CLI's
    /// how many of its blocks, the last, stand outside of its content.
    pub aim: u64,
}

/// What an entry is to the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// The head of the file: no node.
    Header,
    /// A node; its parent is given, or it is a root.
    Node,
    /// A node without a parent field: it follows the leaf before it.
    Following,
    /// A node that does not move the leaf.
    Side,
    /// A compaction: a summary stands for all before the first entry kept.
    Compaction(Keep),
    /// A reset: nothing stands for what came before.
    Reset,
    /// Moves the leaf to another entry.
    Leaf,
    /// Gives the node of its id another message, if it has one.
    Patch,
    /// Gives the call that is its aim, of its parent, another result, or none.
    Run,
    /// Takes the node of its id out.
    Removed,
    /// The node of its id comes last.
    Last,
}

/// How a compaction names the first entry it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// By id.
    Id,
    /// By its index among the records, the header being 0 (session version 1).
    Index,
    /// Not at all.
    Nothing,
}

/// An entry in which an agent wrote down what it cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Index of the entry; none once it was let go.
    pub entry: Option<usize>,
    /// First byte of its data in the input.
    pub start: u64,
    /// Past the last byte.
    pub end: u64,
}
