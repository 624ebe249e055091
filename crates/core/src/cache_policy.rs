//! The cache policy: decides whether a pass that waits for the cache to expire may cut, from the
//! mode, the time of the last call and the TTL.
//!
//! Pruning changes a prefix that the provider may still have cached, so it pays when the cache has
//! expired: the last call is at least `ttl` ago (equality counts as expired, a ttl of 0 never
//! prunes). The caller gives the time; this module reads no clock.

use crate::{
    diagnostics::Decision,
    dialect::{is_cached_by_ttl, is_eligible},
    naming::Naming,
    settings::{Markers, Mode, OnlyIf, Providers, Settings, spoken_duration, word},
    transcript::{Marker, Transcript},
};

/// The time, as the caller gives it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Milliseconds since 1970 that count as now.
    pub now: i64,
    /// Time of the last call, if the caller names it.
    pub last_call: Option<LastCall>,
    /// Take the cache as expired, whatever the time.
    pub assume_cold: bool,
}

/// The last call as the caller names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastCall {
    /// Milliseconds since 1970.
    At(i64),
    /// This many milliseconds before now.
    Ago(u64),
    /// Milliseconds since 1970, as the state file remembers it.
    Stored(i64),
}

/// The outcome: the mode the passes run in, whether they run, and the account for the report.
#[derive(Clone, Debug)]
pub struct CachePolicy {
    /// Never [`Mode::Auto`].
    pub mode: Mode,
    /// Whether passes that wait for the clock may run. Where no clock is asked they may; what
    /// depends on the mode asks for that too.
    pub open: bool,
    /// For the report.
    pub decision: Decision,
}

/// Decides for one transcript. `lifetime` is that of its cache in milliseconds, where it is known.
pub fn decide(
    transcript: &Transcript,
    settings: &Settings,
    clock: &Clock,
    lifetime: Option<u64>,
    naming: Naming,
) -> CachePolicy {
    let pruning = &settings.context_pruning;
    let last_call = match clock.last_call {
        Some(LastCall::At(time)) => Some((time, "flag")),
        Some(LastCall::Ago(age)) => Some((clock.now.saturating_sub_unsigned(age), "flag")),
        Some(LastCall::Stored(time)) => Some((time, "state")),
        None => marked(transcript, settings)
            .map(|time| (time, "marker"))
            .or(transcript.last_call.map(|time| (time, "assistant"))),
    };
    let (mode, chosen) = match pruning.mode {
        Mode::Auto if clock.assume_cold => (Mode::Adaptive, "auto: the cache is taken as cold; "),
        Mode::Auto if last_call.is_some() => (Mode::CacheTtl, "auto: the last call is known; "),
        Mode::Auto => (Mode::Adaptive, "auto: no last call is known; "),
        mode => (mode, ""),
    };
    let ttl = ttl(settings, lifetime);
    let idle = last_call.map(|(time, _)| clock.now.saturating_sub(time));
    let (open, why) = match mode {
        Mode::Off => (true, "mode is off".to_owned()),
        Mode::Adaptive => (true, "by size alone".to_owned()),
        Mode::Aggressive => (true, "all old results".to_owned()),
        Mode::BreakEven => (true, "where it pays".to_owned()),
        Mode::CacheTtl | Mode::Auto => by_clock(transcript, settings, clock, (ttl, idle), naming),
    };
    let assumes_warm = idle.is_none()
        && !clock.assume_cold
        && (mode == Mode::BreakEven || settings.only_if == OnlyIf::ItPays);
    let assumed = if assumes_warm {
        "; no last call is known, so that the cache is taken as warm"
    } else {
        ""
    };
    let decision = Decision {
        mode: word(mode),
        ran: open && mode != Mode::Off,
        why: format!("{chosen}{why}{assumed}"),
        last_call: last_call.map(|(time, _)| timestamp(time)),
        last_call_source: last_call.map(|(_, source)| source.to_owned()),
        ttl_ms: ttl,
        now: timestamp(clock.now),
        idle_ms: idle,
        is_timed: false,
        notes: Vec::new(),
    };
    CachePolicy {
        mode,
        open,
        decision,
    }
}

/// The ttl where nobody states one and nothing shows the lifetime.
const UNKNOWN: u64 = 300_000;

/// The age from which the cache counts as expired: as stated, else the lifetime of the cache, where
/// it is known.
fn ttl(settings: &Settings, lifetime: Option<u64>) -> u64 {
    let promised = settings
        .cache_control_ttl_ms
        .filter(|ms| *ms > 0 && lifetime.is_none());
    settings
        .context_pruning
        .ttl_ms
        .or(promised)
        .or(lifetime)
        .unwrap_or(UNKNOWN)
}

/// Returns a warning for a ttl that differs from the lifetime of the cache, where the clock
/// decided.
pub fn ttl_disagrees(
    settings: &Settings,
    decision: &Decision,
    lifetime: Option<u64>,
) -> Option<String> {
    let stated = settings
        .context_pruning
        .ttl_ms
        .filter(|ms| *ms > 0 && decision.mode == word(Mode::CacheTtl))?;
    let (known, source) = match (lifetime, settings.cache_control_ttl_ms) {
        (Some(lifetime), _) => (lifetime, "this conversation's prompts are cached for"),
        (None, Some(promised)) => (promised, "cacheControlTtl is"),
        (None, None) => return None,
    };
    let means = if stated < known {
        "it prunes a cache that is warm"
    } else {
        "it leaves an expired cache unpruned"
    };
    let stated_text = spoken_duration(stated);
    let known_text = spoken_duration(known);
    (stated != known).then(|| format!("contextPruning.ttl is {stated_text}, and {source} {known_text}: {means}; `auto` takes the lifetime"))
}

/// The time of the last marker that counts: any marker, or one that names the provider and the
/// model of this run, as far as these are known.
fn marked(transcript: &Transcript, settings: &Settings) -> Option<i64> {
    let (provider, model) = provider_and_model(transcript, settings);
    let same = |have: Option<&str>, part: &Option<String>| {
        have.is_none_or(|have| {
            part.as_deref()
                .is_some_and(|part| part.trim().to_lowercase() == have.trim().to_lowercase())
        })
    };
    let counts = |marker: &&Marker| match settings.context_pruning.markers {
        Markers::Any => true,
        Markers::Own => same(provider, &marker.provider) && same(model, &marker.model),
    };
    transcript
        .markers
        .iter()
        .rev()
        .find(counts)
        .map(|marker| marker.time)
}

/// The provider and the model of the run, as the caller names them or as the input does.
pub fn provider_and_model<'a>(
    transcript: &'a Transcript,
    settings: &'a Settings,
) -> (Option<&'a str>, Option<&'a str>) {
    let named =
        |flag: &'a Option<String>, input: &'a Option<String>| flag.as_deref().or(input.as_deref());
    (
        named(&settings.provider, &transcript.provider_name),
        named(&settings.model, &transcript.model),
    )
}

fn by_clock(
    transcript: &Transcript,
    settings: &Settings,
    clock: &Clock,
    (ttl, idle): (u64, Option<i64>),
    naming: Naming,
) -> (bool, String) {
    let (provider, model) = provider_and_model(transcript, settings);
    // A provider that the caller names may be asked in another way than the one in the input.
    let is_of_input = settings.provider.is_none()
        || transcript.provider_name.is_none()
        || settings.provider == transcript.provider_name;
    let api = transcript.api.as_deref().filter(|_| is_of_input);
    let is_listed = match settings.context_pruning.providers {
        Providers::Anthropic => is_cached_by_ttl(provider, model),
        Providers::Openclaw2026_4 => is_eligible(provider, model, api, false),
        Providers::Openclaw2026_9 => is_eligible(provider, model, api, true),
        Providers::All => true,
    };
    if !is_listed {
        return (
            false,
            format!(
                "cache-ttl is for Anthropic calls, and this is {}; see contextPruning.providers",
                provider.unwrap_or("another provider's")
            ),
        );
    }
    if ttl == 0 {
        return (false, "a ttl of 0 never prunes".to_owned());
    }
    let ttl_text = spoken_duration(ttl);
    match idle {
        _ if clock.assume_cold => (true, "the cache is taken as cold".to_owned()),
        None => (
            false,
            format!(
                "no last call is known, so no cache is known to have expired; see {}, {} and {} adaptive",
                naming("lastCall"),
                naming("assumeCold"),
                naming("mode")
            ),
        ),
        Some(idle) if idle < 0 => (
            false,
            format!("the last call lies in the future, so the ttl of {ttl_text} is not over"),
        ),
        Some(idle) if idle.unsigned_abs() < ttl => (
            false,
            format!(
                "the last call was {} ago, less than the ttl of {ttl_text}",
                spoken_duration(idle.unsigned_abs())
            ),
        ),
        Some(idle) => (
            true,
            format!(
                "the last call was {} ago, at least the ttl of {ttl_text}",
                spoken_duration(idle.unsigned_abs())
            ),
        ),
    }
}

/// RFC 3339, in UTC.
pub fn timestamp(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| format!("{ms} ms"), |t| t.to_string())
}
