//! Revisions, disk errors, and the size of the write-ahead log.

use super::*;
use deadhead_core::internal::session::prefix::Prefix;
use deadhead_core::internal::session::recipe::Recipe;
use deadhead_core::internal::session::{Decision, Ledger, NewState, SentPrompt, SessionName};

const PATIENCE: Duration = Duration::from_secs(5);

fn name() -> SessionName {
    SessionName::new("s", "flag")
}

fn learned(call: u64, text: &str) -> NewState {
    let decision = Decision {
        call,
        source: 1,
        recipe: Recipe::Clear {
            text: text.to_owned(),
        },
        pass: "hard-clear".to_owned(),
        at: 7,
    };
    NewState {
        made: vec![decision],
        ..NewState::default()
    }
}

/// Stores what a run learned.
fn commit(
    store: &Store,
    loaded: &Loaded,
    learned: &NewState,
    now: i64,
) -> Result<bool, StateError> {
    let transaction = store.begin()?;
    let is_stored = store.write(&name(), loaded, learned, now)?;
    if is_stored {
        store.commit(transaction)?;
    }
    Ok(is_stored)
}

#[test]
fn of_two_runs_that_read_the_same_the_second_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let one = Store::open(&path, Access::Write, PATIENCE).unwrap();
    let two = Store::open(&path, Access::Write, PATIENCE).unwrap();
    let (first, second) = (one.load("s").unwrap(), two.load("s").unwrap());
    assert!(first.remembered.prefix.is_none());
    assert!(commit(&one, &first, &learned(1, "one"), 10).unwrap());
    assert!(
        !commit(&two, &second, &learned(1, "two"), 11).unwrap(),
        "the session is new no more"
    );
    let (first, second) = (one.load("s").unwrap(), two.load("s").unwrap());
    assert_eq!(first.remembered.last_call, Some(10));
    assert!(commit(&two, &second, &learned(2, "two"), 12).unwrap());
    assert!(!commit(&one, &first, &learned(1, "late"), 13).unwrap());
    let now = one.load("s").unwrap().remembered;
    assert_eq!((now.last_call, now.decisions.len()), (Some(12), 2));
    assert_eq!(
        now.decisions[&1].recipe,
        Recipe::Clear {
            text: "one".to_owned()
        }
    );
    let gone = NewState {
        gone: vec![1],
        ..NewState::default()
    };
    assert!(commit(&one, &one.load("s").unwrap(), &gone, 14).unwrap());
    assert_eq!(
        one.load("s")
            .unwrap()
            .remembered
            .decisions
            .keys()
            .collect::<Vec<_>>(),
        [&2]
    );
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("s.db"), Access::Write, PATIENCE).unwrap();
    let pages: i64 = store
        .connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    store
        .connection
        .pragma_update(None, "max_page_count", pages)
        .unwrap();
    let loaded = store.load("s").unwrap();
    let error = commit(&store, &loaded, &learned(1, &"x".repeat(9000)), 10).unwrap_err();
    assert!(matches!(error.kind, StateErrorKind::Full), "{error}");
    store
        .connection
        .pragma_update(None, "max_page_count", pages + 99)
        .unwrap();
    assert!(commit(&store, &store.load("s").unwrap(), &learned(1, "x"), 10).unwrap());
}

#[test]
fn a_damaged_decision_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("s.db"), Access::Write, PATIENCE).unwrap();
    let loaded = store.load("s").unwrap();
    commit(&store, &loaded, &learned(1, "x"), 10).unwrap();
    store
        .connection
        .execute("UPDATE decision SET kind = 'fold'", [])
        .unwrap();
    let error = store.load("s").unwrap_err();
    assert!(matches!(error.kind, StateErrorKind::Damaged(_)), "{error}");
}

#[test]
fn the_log_does_not_grow() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let prefix = Prefix::from_bytes(&[7; 16 + 8 * 4000]).unwrap();
    let mut longest = 0;
    for now in 0..600 {
        // A process a request, as far as the file can tell.
        let store = Store::open(&path, Access::Write, PATIENCE).unwrap();
        let learned = NewState {
            prefix: prefix.clone(),
            ..NewState::default()
        };
        let loaded = store.load("s").unwrap();
        assert!(commit(&store, &loaded, &learned, now).unwrap());
        longest = longest.max(store.bytes());
    }
    assert!((LOG..LOG * 2).contains(&longest), "{longest} bytes");
}

/// Whether every sync of the system came in time, no test can see; that it leaves the file usable
/// and locked, one can.
#[test]
fn fault_15_a_sync_takes_no_lock_away() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s.db");
    let open = || Store::open(&path, Access::Write, Duration::from_millis(20)).unwrap();
    let (mut store, other) = (open(), open());
    let transaction = store.begin().unwrap();
    store.sync().unwrap();
    assert!(matches!(
        other.begin().unwrap_err().kind,
        StateErrorKind::Locked { .. }
    ));
    drop(transaction);
    assert!(commit(&store, &Loaded::default(), &NewState::default(), 1).unwrap());
    store.sync().unwrap();
    drop(other);
    // With all of it taken into the file there is no log.
    store.vacuum().unwrap();
    drop(store);
    let _ = std::fs::remove_file(place.path().join("s.db-wal"));
    let store = open();
    store.sync().unwrap();
    assert_eq!(store.load("s").unwrap().remembered.last_call, Some(1));
}

#[test]
fn the_ledger_is_kept_and_a_file_of_the_schema_before_is_read_and_brought_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.db");
    let (ledger, ends) = (
        Ledger {
            spent: 1.5,
            unpruned: 2.25,
        },
        vec![
            SentPrompt {
                length: 3,
                sent: None,
            },
            SentPrompt {
                length: 7,
                sent: Some(-1),
            },
        ],
    );
    let store = Store::open(&path, Access::Write, PATIENCE).unwrap();
    for call in 1..3 {
        let loaded = store.load("s").unwrap();
        assert!(
            commit(
                &store,
                &loaded,
                &NewState {
                    ledger,
                    ends: ends.clone(),
                    ..learned(call, "x")
                },
                10
            )
            .unwrap()
        );
        let found = store.load("s").unwrap().remembered;
        assert_eq!((found.ledger, &found.ends), (ledger, &ends));
    }
    // As the version before left it.
    let added = ["session", "decision"]
        .map(|table| format!("ALTER TABLE {table} ADD COLUMN digests INTEGER NOT NULL DEFAULT 1;"));
    let former = added.concat() + "PRAGMA user_version = 5;";
    store.connection.execute_batch(&former).unwrap();
    drop(store);
    // To be read, it stays as it is.
    let read = Store::open(&path, Access::Read, PATIENCE).unwrap();
    assert_eq!(
        (
            read.load("s").unwrap().remembered.decisions.len(),
            read.requests("w", 0).unwrap()
        ),
        (2, vec![])
    );
    let version = |store: &Connection| {
        store
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(version(&Connection::open(&path).unwrap()), 5);
    drop(read);
    let store = Store::open(&path, Access::Write, PATIENCE).unwrap();
    let found = store.load("s").unwrap().remembered;
    assert_eq!(
        (found.ledger, found.ends, found.decisions.len()),
        (ledger, ends, 2)
    );
    let loaded = store.load("s").unwrap();
    assert!(commit(&store, &loaded, &learned(3, "x"), 11).unwrap());
    assert_eq!(version(&store.connection), 6);
    store
        .connection
        .pragma_update(None, "user_version", 4)
        .unwrap();
    drop(store);
    let error = Store::open(&path, Access::Read, PATIENCE).unwrap_err();
    assert!(
        matches!(
            error.kind,
            StateErrorKind::OtherSchema { found: 4, known: 6 }
        ),
        "{error}"
    );
}

#[test]
fn a_session_that_was_forgotten_meanwhile_is_not_stored_without_its_earlier_cuts() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(&dir.path().join("s.db"), Access::Write, PATIENCE).unwrap();
    let new = store.load("s").unwrap();
    assert!(commit(&store, &new, &learned(1, "x"), 10).unwrap());
    let loaded = store.load("s").unwrap();
    store.forget(crate::maintenance::Forget::All).unwrap();
    assert!(!commit(&store, &loaded, &learned(2, "x"), 11).unwrap());
    assert!(store.load("s").unwrap().row.is_none());
}

#[test]
fn a_state_in_memory_forgets_the_session_that_was_used_longest_ago() {
    let store = Store::in_memory(3).unwrap();
    let mut kept: Vec<String> = Vec::new();
    for (now, name) in ["a", "b", "c", "a", "d", "d", "b", "e", "f", "d"]
        .into_iter()
        .enumerate()
    {
        let loaded = store.load(name).unwrap();
        assert_eq!(loaded.row.is_some(), kept.iter().any(|known| known == name));
        let session = SessionName::new(name, "flag");
        let learned = learned(now as u64, "x");
        assert!(
            store
                .write(&session, &loaded, &learned, now as i64)
                .unwrap()
        );
        kept.retain(|known| known != name);
        kept.insert(0, name.to_owned());
        kept.truncate(3);
        let found: Vec<String> = store
            .sessions()
            .unwrap()
            .into_iter()
            .map(|row| row.name)
            .collect();
        assert_eq!(found, kept);
        assert_eq!(
            store.load(name).unwrap().remembered.last_call,
            Some(now as i64)
        );
    }
    let count = "SELECT count(*) FROM decision";
    let decisions: i64 = store
        .connection
        .query_row(count, [], |row| row.get(0))
        .unwrap();
    assert_eq!(
        decisions, 3,
        "one each of d, which was forgotten in between, e and f"
    );
}

#[test]
fn commits_that_a_log_has_lost_are_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let stored = |at: &Path| {
        let store = Store::open(at, Access::Write, PATIENCE).unwrap();
        let cuts = store.load("s").unwrap().remembered;
        (format!("{cuts:?}"), store.warnings)
    };
    let path = dir.path().join("s.db");
    for call in 0..4 {
        let store = Store::open(&path, Access::Write, PATIENCE).unwrap();
        let loaded = store.load("s").unwrap();
        assert!(commit(&store, &loaded, &learned(call, "text"), 10).unwrap());
        assert_eq!(store.warnings, [""; 0]);
    }
    let (whole, log) = (
        stored(&path).0,
        std::fs::read(named(&path, "-wal")).unwrap(),
    );
    let copy = dir.path().join("copy.db");
    let mut lost = 0;
    for at in (0..log.len()).step_by(997) {
        let mut damaged = log.clone();
        damaged[at] ^= 1;
        std::fs::copy(&path, &copy).unwrap();
        let _ = std::fs::remove_file(named(&copy, "-shm"));
        std::fs::write(named(&copy, "-wal"), damaged).unwrap();
        // Of the last frame nothing is known if its header is damaged: so a killed process leaves
        // it.
        if log.len() - at > 4096 + 24 {
            let (found, warnings) = stored(&copy);
            assert_eq!(
                found != whole,
                !warnings.is_empty(),
                "byte {at}: {warnings:?}"
            );
            lost += usize::from(found != whole);
        }
    }
    assert!(lost > 5, "{lost}");
    std::fs::remove_file(named(&path, "-wal")).unwrap();
    assert_eq!(stored(&path).1.len(), 1);
    assert_eq!(stored(&path).1, [""; 0]);
}
