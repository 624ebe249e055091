//! Many requests at once. `REQUESTS` sets how many; .ci/full runs 1,000.

use crate::bodies::claude;
use crate::client::post;
use crate::forwarding::{CUTS, both};
use crate::process::pruned;
use std::thread;

const HOWS: [&str; 9] = [
    "", "fail", "cut", "drop", "sse", "cut-sse", "odd", "early", "gzip",
];

/// Each is answered once, by what it would have got without the proxy: failing and cut off ones among them.
#[test]
fn many_at_once() {
    let count: usize = std::env::var("REQUESTS").map_or(100, |count| count.parse().unwrap());
    let (provider, proxy) = both();
    let bodies = [claude(1, 10_000, "a"), claude(24, 10_000, "b")];
    let wants = bodies.each_ref().map(|body| pruned(body, &CUTS));
    assert!(wants[0] == bodies[0] && wants[1].len() < bodies[1].len());
    let ask = |url: &str, sent: &[Vec<u8>; 2]| {
        thread::scope(|scope| {
            let asked: Vec<_> = (0..count)
                .map(|i| {
                    let ask = move || {
                        let headers = [("x-test", HOWS[i % HOWS.len()]), ("x-id", &i.to_string())];
                        let answer = post(
                            url,
                            "/v1/messages",
                            &headers,
                            &sent[usize::from(i % 7 == 0)],
                        );
                        // HTTP has no other word for a provider that does not answer.
                        if matches!(answer.status, 0 | 502) {
                            None
                        } else {
                            // Of what breaks off, the end may be lost on the way.
                            let body = if answer.is_whole {
                                answer.body
                            } else {
                                Vec::new()
                            };
                            Some((answer.status, body, answer.is_whole))
                        }
                    };
                    thread::Builder::new()
                        .stack_size(256 << 10)
                        .spawn_scoped(scope, ask)
                        .unwrap()
                })
                .collect();
            asked
                .into_iter()
                .map(|asked| asked.join().unwrap())
                .collect::<Vec<_>>()
        })
    };
    let through = ask(&proxy.url, &bodies);
    let seen = provider.seen(count);
    let mut ids: Vec<usize> = seen
        .iter()
        .map(|seen| seen.header("x-id").unwrap().parse().unwrap())
        .collect();
    for (seen, id) in seen.iter().zip(&ids) {
        let is_early = HOWS[id % HOWS.len()] == "early";
        assert!(
            is_early || seen.body == wants[usize::from(id % 7 == 0)],
            "{id}"
        );
    }
    ids.sort_unstable();
    assert_eq!(ids, (0..count).collect::<Vec<_>>(), "each was sent once");
    // Those who send the pruned bodies themselves, without the proxy.
    for (i, (found, want)) in through.iter().zip(ask(&provider.url, &wants)).enumerate() {
        assert_eq!(found, &want, "{i}");
    }
    let metrics = proxy.metrics();
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"pruned\"}"],
        count.div_ceil(7) as f64
    );
    assert_eq!(
        metrics["deadhead_requests_total{outcome=\"passed\",reason=\"failed\"}"],
        0.0
    );
}
