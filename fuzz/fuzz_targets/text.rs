//! Heads and tails of any string: as long as was asked for, but for a pair that an end would split.
#![no_main]

use deadhead_core::internal::json::text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, Vec<u8>)| {
    let (n, bytes) = input;
    let n = usize::from(n) % 600;
    // The inside of a string: what is up to the first quote that is not escaped.
    let end = deadhead_core::internal::json::measure(&[&bytes[..], b"\""].concat(), 0).map_or(0, |m| m.end);
    let raw = &bytes[..end];
    let all = text::units(raw, 0);
    assert_eq!(all, text::values(raw).map(|c| if c > 0xffff { 2 } else { 1 }).sum::<usize>());
    let (head, units) = text::head_end(raw, n);
    assert_eq!(units, text::units(&raw[..head], 0));
    assert!(units == n.min(all) || units + 1 == n);
    let (tail, units) = text::tail_start(raw, n, true).unwrap();
    assert_eq!(units, text::units(raw, tail));
    assert!(units == n.min(all) || units + 1 == n, "{units} of {n} in {all}");
    assert_eq!(text::lossy(raw), text::lossy(&raw[..head]) + &text::lossy(&raw[head..]));
    assert_eq!(text::lossy(raw), text::lossy(&raw[..tail]) + &text::lossy(&raw[tail..]));
    let mut again = Vec::new();
    text::encode(&text::lossy(raw), &mut again);
    assert_eq!(text::lossy(&again), text::lossy(raw));
});
