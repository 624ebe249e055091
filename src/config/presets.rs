//! Presets: named policies as data, each reproducing what a release did.
//!
//! A preset lies under the configuration file and the flags; what it does not name keeps its default. The three
//! `openclaw` presets are one algorithm with two switches (images, estimator) and, from 2026.8, fixed sizes.

use super::error::{ConfigError, nearest};

/// A named policy.
pub struct Preset {
    /// What `--preset` takes.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The releases it stands for.
    pub source: &'static str,
    /// Date of the first of them.
    pub date: &'static str,
    /// Keys and their values as JSON.
    pub keys: &'static [(&'static str, &'static str)],
}

/// All presets, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "openclaw-2026.1",
        about: "the default: results with images are left alone, chars are UTF-16 units",
        source: "Clawdbot, Moltbot and OpenClaw with mode cache-ttl, until 2026.3.10",
        date: "2026-01-21",
        keys: &[("contextPruning.images", r#""skip""#), ("contextPruning.estimator", r#""utf16""#)],
    },
    Preset {
        name: "openclaw-2026.4",
        about: "images give way to a marker, Chinese, Japanese and Korean weigh four times",
        source: "OpenClaw 2026.3.31 to 2026.7.1",
        date: "2026-03-31",
        keys: &[("contextPruning.images", r#""prune""#), ("contextPruning.estimator", r#""cjk-v1""#)],
    },
    Preset {
        name: "openclaw-2026.8",
        about: "as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed",
        source: "OpenClaw from 2026.8.1",
        date: "2026-08-31",
        keys: &[
            ("contextPruning.keepLastAssistants", "3"),
            ("contextPruning.softTrimRatio", "0.3"),
            ("contextPruning.hardClearRatio", "0.5"),
            ("contextPruning.minPrunableToolChars", "50000"),
            ("contextPruning.softTrim.maxChars", "4000"),
            ("contextPruning.softTrim.headChars", "1500"),
            ("contextPruning.softTrim.tailChars", "1500"),
            ("contextPruning.images", r#""prune""#),
            ("contextPruning.estimator", r#""cjk-v2""#),
        ],
    },
    Preset {
        name: "clawdbot-adaptive",
        about: "by size alone, before every request, without the clock",
        source: "Clawdbot 2026.1.8 to 2026.1.21, mode adaptive",
        date: "2026-01-07",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.images", r#""skip""#),
            ("contextPruning.estimator", r#""utf16""#),
        ],
    },
    Preset {
        name: "clawdbot-aggressive",
        about: "clears every old result that may be cleared, whatever the size",
        source: "Clawdbot 2026.1.8 to 2026.1.21, mode aggressive",
        date: "2026-01-07",
        keys: &[
            ("contextPruning.mode", r#""aggressive""#),
            ("contextPruning.images", r#""skip""#),
            ("contextPruning.estimator", r#""utf16""#),
        ],
    },
];

/// The preset of a name.
pub fn preset(name: &str) -> Result<&'static Preset, ConfigError> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names = PRESETS.iter().map(|preset| preset.name);
        ConfigError::UnknownPreset {
            name: name.to_string(),
            nearest: nearest(name, names.clone()),
            known: names.map(str::to_string).collect(),
        }
    })
}

/// All presets with their sources and keys, for people.
pub fn listing() -> String {
    let mut text = String::new();
    for preset in PRESETS {
        text.push_str(&format!("{}\n    {}\n    from: {}, {}\n", preset.name, preset.about, preset.source, preset.date));
        for (key, value) in preset.keys {
            text.push_str(&format!("      {key} = {value}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::keys::key;
    use super::super::settings::Settings;
    use super::*;

    #[test]
    fn every_key_of_every_preset_is_valid() {
        for preset in PRESETS {
            for (path, json) in preset.keys {
                let value = serde_json::from_str(json).expect(json);
                let key = key(path).expect(path);
                let mut settings = Settings::default();
                key.set(&mut settings, &value).expect(path);
                assert_eq!(key.get(&settings), value, "{path} is written as it reads");
            }
        }
    }

    #[test]
    fn the_listing_names_all_and_fits_a_terminal() {
        let text = listing();
        for preset in PRESETS {
            assert!(text.contains(preset.name) && text.contains(preset.date));
        }
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    }

    #[test]
    fn an_unknown_preset_is_told_with_the_nearest() {
        let Err(error) = preset("openclaw-2026.5") else { panic!("there is none") };
        let text = error.to_string();
        assert!(text.starts_with("unknown preset openclaw-2026.5, did you mean openclaw-2026."), "{text}");
        assert!(text.contains("clawdbot-aggressive"), "{text}");
        let Err(error) = preset("x") else { panic!("there is none") };
        assert!(!error.to_string().contains("did you mean"), "{error}");
    }
}
