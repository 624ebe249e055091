//! The members by which the records of a history name each other.

/// The members by which the records of a log name each other. Names with a dot are nested members.
#[derive(Debug)]
pub struct RecordReferences {
    /// The member with a record's id.
    pub id: &'static str,
    /// The member that names the parent; empty where records do not name any, and of several with
    /// one id the last counts.
    pub parent: &'static str,
    /// Members that name another record, which may be replaced by its nearest kept ancestor.
    pub others: &'static [&'static str],
    /// Members with a list of records, from which a removed one is taken out.
    pub lists: &'static [&'static str],
    /// Members that name the first kept record, which may be replaced by the next kept one.
    pub kept_from: &'static [&'static str],
    /// The member with the index of the first kept record among the records of the file.
    pub kept_index: Option<&'static str>,
    /// Whether messages on side branches are sent, too. Then a record after a removed one is linked
    /// to the record sent before it.
    pub has_off_path_entries: bool,
}

impl RecordReferences {
    /// Those of records that have an id and name no others.
    pub const BY_ID: RecordReferences = RecordReferences {
        id: "id",
        parent: "",
        others: &[],
        lists: &[],
        kept_from: &[],
        kept_index: None,
        has_off_path_entries: false,
    };

    /// Returns the members that name a record, the one with its own id last: the parent, others,
    /// lists, those that name the first kept record, and the one with its index.
    pub fn members(&self) -> Vec<&'static str> {
        [
            &[self.parent],
            self.others,
            self.lists,
            self.kept_from,
            self.kept_index.as_slice(),
            &[self.id],
        ]
        .concat()
    }
}
