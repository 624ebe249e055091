//! Known cuts are made again only where they would be allowed anew: a conversation that begins as another one did, with the same ids or
//! without any, is its own.

use crate::notation::{Conversation, EVERY, Spoken};
use deadhead_core::{Config, Pruner, Session};

/// A loop of so many steps, the last of which the model has not seen.
fn steps(number: usize) -> Conversation {
    let mut lines = String::from("user run the nightly check\n");
    for i in 0..number {
        lines += &format!("call c{i:02} exec {{\"cmd\":\"run {i}\"}}\n");
        lines += &format!("result c{i:02} R{i} <a line of output. *600>\n");
    }
    Conversation::parse(&lines)
}

const POLICIES: [&str; 2] = [
    "{contextPruning: {mode: 'aggressive', keepLastAssistants: 1}}",
    "{preset: 'break-even'}",
];

struct Sent<'a> {
    spoken: &'a Spoken,
    pruner: Pruner,
    session: Session,
    now: i64,
}

impl<'a> Sent<'a> {
    fn new(spoken: &'a Spoken, policy: &str) -> Sent<'a> {
        let pruner = Pruner::new(Config::from_json5(policy).unwrap()).unwrap();
        Sent {
            spoken,
            pruner: pruner.format(spoken.format).unwrap(),
            session: Session::default(),
            now: 0,
        }
    }

    /// What is sent of a request, four seconds after the last one.
    fn request(&mut self, said: &Conversation) -> Vec<u8> {
        self.now += 4000;
        let input = self.spoken.render(said);
        let pruner = self.pruner.at(self.now);
        pruner
            .session(&mut self.session)
            .prune(&input)
            .unwrap()
            .bytes
            .into_owned()
    }
}

#[test]
fn a_second_run_of_a_task_begins_anew() {
    let mut cut = [0; POLICIES.len()];
    for spoken in EVERY.iter().filter(|spoken| spoken.is_body()) {
        for (at, policy) in POLICIES.iter().enumerate() {
            let about = format!("{} with {policy}", spoken.name);
            let mut sent = Sent::new(spoken, policy);
            let mut last = Vec::new();
            for number in 1..=20 {
                last = sent.request(&steps(number));
            }
            assert!(sent.request(&steps(20)) == last, "{about}: sent again");
            cut[at] += usize::from(last.len() < spoken.render(&steps(20)).len());
            let mut alone = Sent::new(spoken, policy);
            for number in 1..=3 {
                let said = steps(number);
                let output = sent.request(&said);
                assert!(
                    output == alone.request(&said),
                    "{about}: request {number} again"
                );
                assert!(number > 1 || output == spoken.render(&said), "{about}");
            }
        }
    }
    assert!(cut.iter().all(|formats| *formats > 8), "{cut:?}");
}

#[test]
fn a_known_cut_is_not_made_in_the_open_step() {
    for spoken in EVERY.iter().filter(|spoken| spoken.is_body()) {
        let mut sent = Sent::new(spoken, POLICIES[0]);
        let output = sent.request(&steps(2));
        assert!(
            output != spoken.render(&steps(2)),
            "{}: nothing is cut",
            spoken.name
        );
        // As many messages, and the same result is the newest.
        let mut other = Conversation::parse("user run the nightly check\nsay first\nuser go on");
        other.turns.extend(steps(1).turns.split_off(1));
        let input = spoken.render(&other);
        assert!(sent.request(&other) == input, "{}", spoken.name);
    }
}
