//! The members by which the records of a history name each other.

/// The members by which the records of a log name each other. Names with a dot are members of members.
#[derive(Debug)]
pub struct RecordReferences {
    /// The member that holds a record's id.
    pub id: &'static str,
    /// The member that names the record before it.
    pub parent: &'static str,
    /// Members that name a record otherwise: the nearest ancestor that stays will do.
    pub others: &'static [&'static str],
    /// Members that name the first record that is kept: the next one that stays will do.
    pub kept_from: &'static [&'static str],
    /// The member that gives the first record that is kept by its place among the records of the file.
    pub kept_index: Option<&'static str>,
    /// Whether other records of an id are copies of it, or earlier ones of which it took the place: they go with it.
    pub rewrites: bool,
    /// Whether messages that hang beside the way to the leaf are sent, too: what comes after one that is removed follows what was sent
    /// before it, so that the way leads past them.
    pub has_off_path_entries: bool,
}

impl RecordReferences {
    /// The members that name a record, and last the one that holds its id: what its parent is called, others, those that name the
    /// first record that is kept, and the one that gives its place.
    pub fn members(&self) -> Vec<&'static str> {
        let named = [&[self.parent], self.others, self.kept_from, self.kept_index.as_slice()].concat();
        named.into_iter().chain([self.id]).collect()
    }
}
