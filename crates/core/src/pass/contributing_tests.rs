//! The pass that CONTRIBUTING adds by example, compiled.

use super::shells_tests::PASS;

#[test]
fn the_example_is_a_pass() {
    assert!(include_str!("../../../../CONTRIBUTING.md").contains(include_str!("shells_tests.rs")));
    assert_eq!((PASS.name, PASS.clocked), ("shells", true));
}
