//! Processes several inputs in parallel and reports them in their order.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Results for each thread that may wait for their turn.
const AHEAD: usize = 4;

/// Does `work` on every item, on so many threads, and gives what comes of each to `take`, in the order of the items. No thread waits for
/// another before it begins with the next item, unless many results wait for an earlier one.
///
/// # Errors
/// Those of `take`; what is not begun then is left.
pub fn in_order<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let (allow, allowed) = channel();
    let (give, given) = sync_channel(threads * AHEAD);
    let allowed = Mutex::new(allowed);
    let next = || {
        allowed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv()
            .ok()
    };
    let run = || {
        let give = give.clone();
        while let Some(i) = next() {
            // A panic is one of the run, and no reason to wait for a result that does not come.
            let result = catch_unwind(AssertUnwindSafe(|| work(&items[i])));
            if give.send((i, result)).is_err() {
                return;
            }
        }
    };
    scope(|scope| {
        // Where this ends, so do the threads.
        let (allow, given) = (allow, given);
        let begin = |i: usize| {
            if i < items.len() {
                let _ = allow.send(i);
            }
        };
        (0..threads * AHEAD).for_each(begin);
        let started = (0..threads)
            .filter(|_| Builder::new().spawn_scoped(scope, run).is_ok())
            .count();
        if started == 0 {
            // No thread is to be had.
            return items.iter().try_for_each(|item| take(item, work(item)));
        }
        let (mut early, mut wanted) = (BTreeMap::new(), 0);
        while wanted < items.len() {
            let Ok((i, result)) = given.recv() else { break };
            early.insert(i, result);
            while let Some(result) = early.remove(&wanted) {
                begin(wanted + threads * AHEAD);
                take(
                    &items[wanted],
                    result.unwrap_or_else(|panic| resume_unwind(panic)),
                )?;
                wanted += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_and_few_wait() {
        let (items, begun): (Vec<usize>, _) = ((0..100).collect(), AtomicUsize::new(0));
        let mut taken = Vec::new();
        let work = |i: &usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(if i.is_multiple_of(10) {
                5
            } else {
                0
            }));
            i * 2
        };
        in_order(3, &items, work, |i, result| {
            assert!(
                begun.load(Ordering::Relaxed) <= taken.len() + 3 * AHEAD + 1,
                "too many wait"
            );
            taken.push((*i, result));
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, items.iter().map(|i| (*i, i * 2)).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_it_and_so_does_a_panic() {
        let items: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let work = |i: &usize| begun.fetch_add(i / i.max(&1), Ordering::Relaxed);
        assert!(
            in_order(2, &items, work, |i, _| if *i == 3 {
                anyhow::bail!("no")
            } else {
                Ok(())
            })
            .is_err()
        );
        assert!(begun.load(Ordering::Relaxed) < 20);
        let panics = || in_order(2, &items, |i| assert!(*i < 50), |_, ()| Ok(()));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert!(in_order(2, &[0; 0], |_| (), |_, ()| Ok(())).is_ok());
    }
}
