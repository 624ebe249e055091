//! The JUnit report of `deadhead test`. Its texts are in `tests/cases/test*.txt`.

use crate::support::{BODY, Place, deadhead};

#[test]
fn junit_is_xml() {
    let place = Place::new();
    let body = place.file("a&b.json", BODY);
    let tests =
        r#"{tests: [{name: "a <b> \u0001", kept: ["tool:\"&\""]}, {name: "ok", maxTokens: 99}]}"#;
    let output = deadhead()
        .current_dir(place.root())
        .args(["test", "--report-format=junit"])
        .arg(place.file("t.json5", tests))
        .arg(body.file_name().unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let seconds = text.split("time=\"").nth(1).unwrap();
    let seconds = &seconds[..seconds.find('"').unwrap()];
    assert!(seconds.parse::<f64>().unwrap() < 60.0);
    let want = r#"<testsuites tests="2" failures="1" time="T">
<testsuite name="deadhead" tests="2" failures="1" time="T">
<testcase name="a &lt;b&gt; \u{1}" classname="a&amp;b.json"><failure message="tool:&quot;&amp;&quot;: no such part"/></testcase>
<testcase name="ok" classname="a&amp;b.json"></testcase>
</testsuite>
</testsuites>
"#;
    assert_eq!(text.replace(&format!("\"{seconds}\""), "\"T\""), want);
}
