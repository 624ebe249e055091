//! Properties of the process that must be read at its start: its umask, and the signals that it ignores.
//!
//! The kernel lists both in `/proc`. Where that is not to be had, the careful answer is given.

use std::sync::OnceLock;

/// Permissions that new files go without, unless the system says otherwise: all but the owner's.
const PRIVATE: u32 = 0o077;

#[derive(Debug, Default, PartialEq, Eq)]
struct Status {
    umask: Option<u32>,
    /// A bit for each signal.
    ignored: Option<u64>,
}

/// The permissions that new files go without. It is only read: setting it, if for a moment, would open the files that other
/// threads make meanwhile.
pub fn umask() -> u32 {
    status().umask.unwrap_or(PRIVATE)
}

/// Whether the process was started to ignore a signal, as `nohup` has it; true where the system does not say.
pub fn ignores(signal: i32) -> bool {
    status()
        .ignored
        .is_none_or(|ignored| ignored >> (signal - 1) & 1 == 1)
}

fn status() -> &'static Status {
    static STATUS: OnceLock<Status> = OnceLock::new();
    STATUS.get_or_init(|| {
        Status::parse(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
    })
}

impl Status {
    fn parse(text: &str) -> Status {
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name))
                .map(str::trim)
        };
        Status {
            umask: field("Umask:").and_then(|mask| u32::from_str_radix(mask, 8).ok()),
            ignored: field("SigIgn:").and_then(|mask| u64::from_str_radix(mask, 16).ok()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_list_is_read() {
        let text = "Name:\tdeadhead\nUmask:\t0027\nSigQ:\t0/1\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000440\n";
        assert_eq!(
            Status::parse(text),
            Status {
                umask: Some(0o27),
                ignored: Some(0x1001)
            }
        );
        assert_eq!(Status::parse("Umask:\t\nSigIgn:\tz\n"), Status::default());
        assert_eq!(Status::parse(""), Status::default());
    }
}
