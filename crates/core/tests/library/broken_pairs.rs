//! The net under the passes: a result that a pass separates from its call is never written.

use deadhead_core::Error;
use deadhead_core::internal::cache_policy::Clock;
use deadhead_core::internal::edit::{Action, Cut, Proposal, View};
use deadhead_core::internal::engine::{self, Setup};
use deadhead_core::internal::pass::{Pass, Rest};
use deadhead_core::internal::report::Detail;
use deadhead_core::internal::transcript::BlockKind;
use deadhead_core::settings::{Mode, Settings};

use crate::notation::{Conversation, EVERY};

/// A pass that drops the first result and leaves its call.
const SPOIL: &[Pass] = &[Pass {
    name: "spoil",
    on: |_| true,
    plan: spoil,
    ..Pass::REST
}];

fn spoil(view: &View<'_>, _: &Settings, _: Mode) -> Result<Proposal, Rest> {
    let transcript = view.transcript;
    let first = (0..transcript.messages.len()).find_map(|i| {
        let at = transcript
            .blocks_of(i)
            .iter()
            .position(|b| b.kind == BlockKind::Result)?;
        Some((i, transcript.messages[i].blocks + at as u32))
    });
    let cut = first.map(|(message, block)| Cut {
        pass: "spoil",
        message: message as u32,
        block,
        action: Action::Drop,
        chars_before: view.chars_of_result_before(block),
        chars_after: 0,
        linked: false,
        reason: "to prove the check".into(),
    });
    Ok(Proposal {
        cuts: cut.into_iter().collect(),
        ..Proposal::default()
    })
}

#[test]
fn a_pass_that_breaks_a_pair_is_refused_in_every_format() {
    let talk =
        Conversation::parse("user go\ncall a read {}\nresult a 0123456789\nsay ok\nuser end");
    let mut refused = 0;
    for spoken in EVERY.iter().filter(|spoken| spoken.can_say(&talk)) {
        let bytes = spoken.render(&talk);
        let clock = Clock {
            now: 0,
            last_call: None,
            assume_cold: false,
        };
        let setup = Setup {
            passes: SPOIL,
            ..Setup::new(Settings::default(), clock, Detail::Full)
        };
        match spoken.run(&bytes, &setup) {
            Err(Error::Broken(rows)) => {
                assert!(
                    rows.iter().any(|row| row.code == "E01"),
                    "{}: {rows:?}",
                    spoken.name
                );
                refused += 1;
            }
            // Where a call holds its result, a result is not a part that can be removed.
            Err(error) => assert!(error.is_refusal(), "{}: {error}", spoken.name),
            Ok((output, _)) => panic!("{}: {}", spoken.name, String::from_utf8_lossy(&output)),
        }
        if spoken.is_body() {
            let again = engine::body(
                &bytes,
                1,
                deadhead_core::internal::dialect::by_name(spoken.format)
                    .unwrap()
                    .into(),
                &setup,
            );
            assert!(
                again.is_err_and(|error| error.is_refusal()),
                "{}",
                spoken.name
            );
        }
    }
    assert!(refused > 10, "{refused} formats");
}
