//! Presets: named policies as data, each reproducing what a release did.
//!
//! The policies of other programs are here as far as our passes can say them: each tells whether it is exact, and if not,
//! what differs. A preset lies under the configuration file and the flags; what it does not name keeps its default. The three
//! `openclaw` presets are one algorithm with three switches (images, estimator, markers) and, from 2026.8, fixed sizes.

use super::error::{ConfigError, nearest};

/// A named policy.
pub struct Preset {
    /// What `--preset` takes.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The releases it stands for.
    pub source: &'static str,
    /// Date of the first of them, or, for other programs, of the reading.
    pub date: &'static str,
    /// What it does otherwise than its source; empty where it does the same.
    pub differs: &'static str,
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
        differs: "",
        keys: &[
            ("contextPruning.images", r#""skip""#),
            ("contextPruning.estimator", r#""utf16""#),
            ("contextPruning.markers", r#""any""#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "openclaw-2026.4",
        about: "images give way to a marker, Chinese, Japanese and Korean weigh four times",
        source: "OpenClaw 2026.3.31 (markers: 2026.4.7) to 2026.7.1",
        date: "2026-03-31",
        differs: "",
        keys: &[
            ("contextPruning.images", r#""prune""#),
            ("contextPruning.estimator", r#""cjk-v1""#),
            ("contextPruning.markers", r#""own""#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "openclaw-2026.8",
        about: "as 2026.4 with finer weights, and the sizes that OpenClaw has since fixed",
        source: "OpenClaw from 2026.8.1",
        date: "2026-08-31",
        differs: "",
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
            ("contextPruning.markers", r#""own""#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "clawdbot-adaptive",
        about: "by size alone, before every request, without the clock",
        source: "Clawdbot 2026.1.8 to 2026.1.21, mode adaptive",
        date: "2026-01-07",
        differs: "",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.images", r#""skip""#),
            ("contextPruning.estimator", r#""utf16""#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "clawdbot-aggressive",
        about: "clears every old result that may be cleared, whatever the size",
        source: "Clawdbot 2026.1.8 to 2026.1.21, mode aggressive",
        date: "2026-01-07",
        differs: "",
        keys: &[
            ("contextPruning.mode", r#""aggressive""#),
            ("contextPruning.images", r#""skip""#),
            ("contextPruning.estimator", r#""utf16""#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "anthropic-clear-tool-uses",
        about: "clears results from 100,000 tokens on, the last three kept",
        source: "Anthropic context editing, clear_tool_uses_20250919",
        date: "2025-09-19",
        differs: "in a window of 200,000 tokens; clears until that fits; our text",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"3"#),
            ("contextPruning.softTrimRatio", r#"0.5"#),
            ("contextPruning.hardClearRatio", r#"0.5"#),
            ("contextPruning.minPrunableToolChars", r#"0"#),
            ("passes.off", r#"["soft-trim"]"#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "langchain-clear-tool-uses",
        about: "clears results from 100,000 tokens on, the last three kept",
        source: "LangChain ContextEditingMiddleware, ClearToolUsesEdit",
        date: "2026-11",
        differs: "in a window of 200,000 tokens; clears until that fits, not all",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"3"#),
            ("contextPruning.softTrimRatio", r#"0.5"#),
            ("contextPruning.hardClearRatio", r#"0.5"#),
            ("contextPruning.hardClear.placeholder", r#""[cleared]""#),
            ("contextPruning.minPrunableToolChars", r#"0"#),
            ("passes.off", r#"["soft-trim"]"#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "claude-microcompact",
        about: "after an hour, clears results of eight tools, the last five kept",
        source: "Claude Code microcompact, as reported by others",
        date: "2026-11",
        differs: "from second hand; five messages are kept, not five results",
        keys: &[
            ("contextPruning.mode", r#""cache-ttl""#),
            ("contextPruning.ttl", r#""1h""#),
            ("contextPruning.keepLastAssistants", r#"5"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.hardClearRatio", r#"0.0"#),
            ("contextPruning.tools.allow", r#"["read","bash","grep","glob","web*","edit","write"]"#),
            ("contextPruning.minPrunableToolChars", r#"0"#),
            ("passes.off", r#"["soft-trim"]"#),
            ("contextPruning.hardClear.skipShorter", "false"),
        ],
    },
    Preset {
        name: "ca-prune",
        about: "clamps large results, ten messages kept",
        source: "codeArbiter ca-prune, gentle: oversize-clamp",
        date: "2026-08-22",
        differs: "chars, not bytes and lines; without its other passes and its gate",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"10"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.softTrim.maxChars", r#"8192"#),
            ("contextPruning.softTrim.headChars", r#"4096"#),
            ("contextPruning.softTrim.tailChars", r#"4096"#),
            ("contextPruning.hardClear.enabled", r#"false"#),
        ],
    },
    Preset {
        name: "cozempic-clamp",
        about: "clamps large results, half head and half tail",
        source: "cozempic 0.7.2, the tool-output trim of its prescriptions",
        date: "2026-11",
        differs: "chars, not bytes and lines; without its other strategies",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"0"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.softTrim.maxChars", r#"8192"#),
            ("contextPruning.softTrim.headChars", r#"4096"#),
            ("contextPruning.softTrim.tailChars", r#"4096"#),
            ("contextPruning.hardClear.enabled", r#"false"#),
        ],
    },
    Preset {
        name: "cissor-trim",
        about: "trims every output to 400 chars",
        source: "codex-cissor 0.4.1, trim-outputs",
        date: "2026-11",
        differs: "half head and half tail",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"0"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.softTrim.maxChars", r#"400"#),
            ("contextPruning.softTrim.headChars", r#"200"#),
            ("contextPruning.softTrim.tailChars", r#"200"#),
            ("contextPruning.hardClear.enabled", r#"false"#),
        ],
    },
    Preset {
        name: "cloudflare",
        about: "tool output to 500 chars, four messages kept",
        source: "cloudflare/agents truncateOlderMessages",
        date: "2026-11",
        differs: "two assistant messages are kept; long texts of others are left",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"2"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.softTrim.maxChars", r#"500"#),
            ("contextPruning.softTrim.headChars", r#"500"#),
            ("contextPruning.softTrim.tailChars", r#"0"#),
            ("contextPruning.hardClear.enabled", r#"false"#),
        ],
    },
    Preset {
        name: "heartbit-core",
        about: "results to 200 chars, two steps kept",
        source: "heartbit-core, prune of each call",
        date: "2026-11",
        differs: "chars, not bytes, and our note",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"2"#),
            ("contextPruning.softTrimRatio", r#"0.0"#),
            ("contextPruning.softTrim.maxChars", r#"200"#),
            ("contextPruning.softTrim.headChars", r#"200"#),
            ("contextPruning.softTrim.tailChars", r#"0"#),
            ("contextPruning.hardClear.enabled", r#"false"#),
        ],
    },
    Preset {
        name: "dcp-dedupe",
        about: "replaces results that come again later",
        source: "Opencode-DCP 3 and pi-dcp, deduplication and overlap",
        date: "2026-03-16",
        differs: "by content and lines read, not by arguments; without its other strategies",
        keys: &[
            ("contextPruning.mode", r#""adaptive""#),
            ("contextPruning.keepLastAssistants", r#"0"#),
            ("passes.on", r#"["dedupe"]"#),
            ("passes.off", r#"["hard-clear","soft-trim"]"#),
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
        match preset.differs {
            "" => text.push_str("    exact\n"),
            differs => text.push_str(&format!("    approximate: {differs}\n")),
        }
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
