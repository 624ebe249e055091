//! The context of a replay over the requests, drawn as SVG, and as a line of text.
//!
//! A chart has no colours of its own. It names classes, and page.css gives them colours for light and dark.

use super::*;
use deadhead_replay::{recorded::Cause, summary::TimelinePoint};
use std::fmt::Write;

/// Width of a picture, in units; a page scales it.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
/// The size of what is drawn.
const WIDE: f64 = WIDTH - LEFT - RIGHT;
const HIGH: f64 = HEIGHT - TOP - BOTTOM;
/// Columns of a line of text.
const SPARK: usize = 62;
/// Stretches of calls that are drawn at most.
const BUCKETS: usize = 480;

/// A stretch of neighbouring calls.
struct Bucket {
    /// The number of the first call.
    first: usize,
    /// Its place on the picture.
    x: f64,
    prompt: f64,
    pruned: f64,
    cuts: u64,
    miss: Option<Cause>,
}

fn buckets(timeline: &[TimelinePoint], most: usize) -> Vec<Bucket> {
    let count = timeline.len().min(most);
    let of = |i: usize| {
        let first = i * timeline.len() / count;
        let calls = &timeline[first..((i + 1) * timeline.len() / count).max(first + 1)];
        let most = |of: fn(&TimelinePoint) -> f64| calls.iter().map(of).fold(0.0, f64::max);
        Bucket {
            first: first + 1,
            x: LEFT + WIDE * (i as f64 + 0.5) / count as f64,
            prompt: most(|m| m.prompt),
            pruned: most(|m| m.pruned),
            cuts: calls.iter().map(|m| m.cuts).sum(),
            miss: calls
                .iter()
                .filter_map(|m| m.miss)
                .max_by_key(|cause| (*cause != Cause::First, *cause)),
        }
    };
    (0..count).map(of).collect()
}

/// The size of the context at each call, without and with pruning, with prunes and misses marked.
pub fn context(timeline: &[TimelinePoint], title: &str) -> String {
    let drawn = buckets(timeline, BUCKETS);
    let most = drawn
        .iter()
        .map(|s| s.prompt.max(s.pruned))
        .fold(1.0, f64::max);
    let step = nice(most / 4.0);
    let top = (most / step).ceil() * step;
    let y = |tokens: f64| TOP + HIGH * (1.0 - tokens / top);
    let title = escape(title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    );
    let right = WIDTH - RIGHT;
    let mut line = 0.0;
    while line <= top + 0.5 {
        let at = y(line);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"soft\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            thousands(line).replace(".0", "")
        );
        line += step;
    }
    let path = |of: fn(&Bucket) -> f64| {
        let points = drawn
            .iter()
            .map(|bucket| format!("{:.1},{:.1}", bucket.x, y(of(bucket))));
        joined(points, " L")
    };
    if let [first, .., last] | [first @ last] = &drawn[..] {
        let _ = write!(
            svg,
            "<path class=\"was\" d=\"M{:.1},{floor:.1} L{} L{:.1},{floor:.1} Z\"/><path class=\"now\" d=\"M{}\"/>",
            first.x,
            path(|s| s.prompt),
            last.x,
            path(|s| s.pruned),
            floor = y(0.0)
        );
    }
    for bucket in &drawn {
        mark(bucket, &mut svg);
    }
    // Its places are those of the picture above.
    svg += &include_str!("legend.svg").replace('\n', "");
    let calls = commas(timeline.len() as u64);
    let below = HEIGHT - 8.0;
    svg + &format!(
        "<text class=\"soft\" x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{calls} requests</text></svg>"
    )
}

/// The size of the context in a line of text; a column shows the largest of its requests.
pub fn sparkline(timeline: &[TimelinePoint]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let drawn = buckets(timeline, SPARK);
    let most = drawn.iter().map(|bucket| bucket.prompt).fold(0.0, f64::max);
    if most <= 0.0 {
        return "nothing was sent".to_owned();
    }
    let bar = |bucket: &Bucket| BARS[((bucket.prompt / most * 8.0) as usize).min(7)];
    drawn.iter().map(bar).collect()
}

/// Marks what was not in the cache, and what was cut.
fn mark(bucket: &Bucket, svg: &mut String) {
    let (at, call) = (bucket.x, bucket.first);
    if let Some(cause) = bucket.miss {
        let class = match cause {
            Cause::Expired => "expired",
            _ => "miss",
        };
        let _ = write!(
            svg,
            "<g><title>request {call}: not in the cache ({})</title><line class=\"{class}\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{}\"/>\
             <circle class=\"{class}dot\" cx=\"{at:.1}\" cy=\"{}\" r=\"3\"/></g>",
            cause.name(),
            TOP - 2.0,
            TOP + 8.0,
            TOP - 4.0
        );
    }
    if bucket.cuts > 0 {
        let (cuts, tip) = (bucket.cuts, HEIGHT - BOTTOM + 4.0);
        let _ = write!(
            svg,
            "<path class=\"cut\" d=\"M{at:.1},{tip} l-6,10 l12,0 Z\"><title>request {call}: {cuts} results cut</title></path>"
        );
    }
}

/// The next 1, 2 or 5 times a power of ten.
fn nice(step: f64) -> f64 {
    let power = 10f64.powf(step.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|n| n * power)
        .find(|n| *n >= step)
        .unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (step, want) in [
            (1.0, 1.0),
            (12.0, 20.0),
            (45_900.0, 50_000.0),
            (50_001.0, 100_000.0),
        ] {
            assert_eq!(nice(step), want);
        }
    }

    #[test]
    fn a_long_timeline_keeps_its_marks() {
        let moment = |i: u64| TimelinePoint {
            at: None,
            prompt: i as f64,
            pruned: i as f64 / 2.0,
            cuts: u64::from(i == 777),
            miss: (i == 1500).then_some(Cause::Expired),
            lost: 0.0,
            lost_usd: 0.0,
            line: 1,
        };
        let timeline: Vec<TimelinePoint> = (0..5000).map(moment).collect();
        let svg = context(&timeline, "a <b> & \"c\"");
        assert_eq!(
            svg.matches("class=\"cut\"").count(),
            2,
            "one mark and the legend"
        );
        assert_eq!(svg.matches("class=\"expireddot\"").count(), 2);
        assert!(svg.contains("a &lt;b&gt; &amp; &quot;c&quot;") && svg.contains("5,000 requests"));
        assert!(context(&[], "").ends_with("</svg>"));
    }
}
