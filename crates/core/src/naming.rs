//! How texts name a setting: the library by its name, a program by its flag.

/// Gives the name that a setting has in a text.
pub type Naming = fn(&str) -> String;

/// The setting's own name.
pub fn plain(setting: &str) -> String {
    format!("`{setting}`")
}
