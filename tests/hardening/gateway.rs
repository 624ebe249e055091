//! What a gateway relies on: its headers and its log.

use super::support::{BODY, Place, TINY, deadhead, is_refused};

#[test]
fn fault_12_a_header_has_a_name_that_is_one() {
    let place = Place::new();
    let body = place.file("body.json", BODY);
    let run = |name: &str| {
        let mut command = deadhead();
        command.current_dir(place.root()).args(["prune", "-q", "-o", "out.json", "--emit-header", "header", "--header-name", name]);
        command.args(TINY).arg(&body).output().unwrap()
    };
    for name in ["a\r\nset-cookie: x", "a b", "a:", "", "é", "a\n", "(a)", "a\u{7f}"] {
        is_refused(&run(name), "--header-name");
        assert_eq!(place.names(), ["body.json"], "{name:?}");
    }
    for name in ["X-Pruned", "x_1.~'!"] {
        assert!(run(name).status.success(), "{name}");
        assert!(std::fs::read_to_string(place.path("header")).unwrap().starts_with(&format!("{name}: ")));
    }
}
