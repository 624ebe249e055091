//! Names a setting in messages: by its key for the library, by its flag for the program.

/// Gives the name that a setting has in a text.
pub type Naming = fn(&str) -> String;

/// The setting's own name.
pub fn plain(setting: &str) -> String {
    format!("`{setting}`")
}
