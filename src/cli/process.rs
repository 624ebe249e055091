//! Properties of the process that must be read at its start: its umask, and the signals that it
//! ignores.
//!
//! The kernel lists both in `/proc`. If it is missing, the careful answer is given.

use std::sync::LazyLock;

/// Permissions that new files do not get if the umask is unknown: all but the owner's.
const PRIVATE: u32 = 0o077;

/// Returns the permissions that new files do not get. The umask is only read: setting it, even for
/// a moment, would open the files that other threads make meanwhile.
pub fn umask() -> u32 {
    status("Umask:", 8).map_or(PRIVATE, |mask| mask as u32)
}

/// Whether the process was started to ignore a signal, as `nohup` does; true if the system does not
/// say.
pub fn ignores(signal: i32) -> bool {
    status("SigIgn:", 16).is_none_or(|ignored| ignored >> (signal - 1) & 1 == 1)
}

/// Returns a number in some base of what the kernel says of the process.
fn status(name: &str, base: u32) -> Option<u64> {
    static STATUS: LazyLock<String> =
        LazyLock::new(|| std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    number(&STATUS, name, base)
}

fn number(status: &str, name: &str, base: u32) -> Option<u64> {
    let digits = status.lines().find_map(|line| line.strip_prefix(name))?;
    u64::from_str_radix(digits.trim(), base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_is_read() {
        let text = "Name:\tdeadhead\nUmask:\t0027\nSigQ:\t0/1\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000440\n";
        assert_eq!(number(text, "Umask:", 8), Some(0o27));
        assert_eq!(number(text, "SigIgn:", 16), Some(0x1001));
        for text in ["Umask:\t\nSigIgn:\tz\n", ""] {
            assert_eq!(number(text, "Umask:", 8), None);
            assert_eq!(number(text, "SigIgn:", 16), None);
        }
    }
}
