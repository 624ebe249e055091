//! Processes several inputs in parallel and reports them in their order.

use super::*;
use rayon::ThreadPoolBuilder;
use std::{collections::VecDeque, iter::from_fn, sync::mpsc::sync_channel};

/// Items for each thread that may be begun before their turn.
const AHEAD: usize = 4;

/// Does `work` on every item, on `threads` threads, and gives the results to `take`, in the order of
/// the items. No thread waits for another before it begins with the next item, unless many results
/// wait for an earlier one.
///
/// # Errors
/// Those of `take`; after one, only work that has begun is finished.
pub fn in_order<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() else {
        // The system has no more threads.
        return items.iter().try_for_each(|item| take(item, work(item)));
    };
    let (work, mut items) = (&work, items.iter());
    pool.in_place_scope(|scope| {
        let mut begin = || {
            let item = items.next()?;
            let (give, result) = sync_channel(1);
            scope.spawn(move |_| drop(give.send(work(item))));
            Some((item, result))
        };
        let mut begun: VecDeque<_> = from_fn(&mut begin).take(threads * AHEAD).collect();
        while let Some((item, result)) = begun.pop_front() {
            // Without a result its thread panicked, and so does the scope.
            let Ok(result) = result.recv() else { break };
            begun.extend(begin());
            take(item, result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

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
