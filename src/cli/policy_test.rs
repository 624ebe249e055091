//! `deadhead test`: compares what a policy makes of logs with assertions in a file.

use super::{why::parts, *};
use crate::report::escape;
use deadhead_core::{
    internal::wildcard,
    settings::{nearest, parse},
};
use serde::Deserializer;
use std::time::Instant;

/// What a file of tests holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tests {
    tests: Vec<Test>,
}

/// A test: what must be true of each input when it is pruned.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Test {
    name: String,
    /// A pattern of the paths of the inputs that it is about.
    #[serde(default = "all")]
    file: String,
    /// The most tokens that are left.
    max_tokens: Option<u64>,
    /// The least part of the tokens that is cut, in percent.
    min_saved: Option<f64>,
    /// Selectors of parts that are not cut.
    #[serde(default, deserialize_with = "texts")]
    kept: Vec<String>,
    /// Selectors of parts that are cut; of calls with a result, that is the result.
    #[serde(default, deserialize_with = "texts")]
    cut: Vec<String>,
    /// Patterns of tools of which no call is left.
    #[serde(default, deserialize_with = "texts")]
    no_tool: Vec<String>,
}

/// One text, or a list of them.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text, or a list of texts")]
    enum Texts {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Texts::deserialize(from)? {
        Texts::One(text) => vec![text],
        Texts::Several(texts) => texts,
    })
}

/// A test and how it ended for an input.
#[derive(Serialize)]
struct Case<'a> {
    name: &'a str,
    input: String,
    /// Why it failed, if it did.
    failures: Vec<String>,
}

impl Case<'_> {
    fn is_ok(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Runs the command.
pub fn run(args: &TestArgs) -> Result<Verdict> {
    let begun = Instant::now();
    let tests = tests(&args.tests)?;
    let (pruner, _) = emit::policy(&args.policy)?;
    let pruner = prune::of_format(pruner, &args.format)?
        .at(times::now(&args.now)?)
        .with(|setup| setup.clock.assume_cold = args.assume_cold);
    let inputs = inputs(&args.logs, None)?.all()?;
    let mut cases = Vec::new();
    for path in &inputs {
        let input = path.display().to_string();
        let bytes = in_memory(path, MaxInput::default()).with_context(|| input.clone())?;
        let reports = |detail| {
            pruner
                .clone()
                .with(|setup| setup.detail = detail)
                .prune_log(&mut Source::Memory(bytes.clone()), &mut io::sink())
                .with_context(|| input.clone())
        };
        for (done, listed) in reports(Detail::Full)?.iter().zip(&reports(Detail::Parts)?) {
            let about = tests
                .iter()
                .filter(|test| wildcard::matches(&test.file, &input));
            cases.extend(about.map(|test| Case {
                name: &test.name,
                input: input.clone(),
                failures: failures(test, done, listed),
            }));
        }
    }
    for test in &tests {
        if cases.iter().all(|case| case.name != test.name) {
            cases.push(Case {
                name: &test.name,
                input: test.file.clone(),
                failures: vec!["no input of this name holds anything".to_owned()],
            });
        }
    }
    let failed = cases.iter().filter(|case| !case.is_ok()).count();
    let text = match args.shown.report_format {
        TestFormat::Text => {
            let mut document = Document::new(
                "",
                format!("{}, {failed} failed", counted(cases.len() as u64, "test")),
            );
            document.table(Table::new(
                &cases,
                &[
                    ("", Left, |case| {
                        if case.is_ok() { "ok" } else { "FAIL" }.to_owned()
                    }),
                    ("test", Name, |case| case.name.to_owned()),
                    ("input", Name, |case| case.input.clone()),
                    ("why", Text, |case| case.failures.join("; ")),
                ],
            ));
            printed(document)
        }
        TestFormat::Json => {
            let all = json!({"schema": 1, "kind": "tests", "failures": failed, "tests": cases});
            format!("{all}\n")
        }
        TestFormat::Junit => {
            let (all, seconds) = (cases.len(), begun.elapsed().as_secs_f64());
            let counts = format!(r#"tests="{all}" failures="{failed}" time="{seconds:.3}""#);
            let rows: String = cases.iter().map(xml).collect();
            format!(
                "<testsuites {counts}>\n<testsuite name=\"deadhead\" {counts}>\n{rows}</testsuite>\n</testsuites>\n"
            )
        }
    };
    streams::print(text)?;
    Ok(if failed > 0 {
        Verdict::Cut
    } else {
        Verdict::Done
    })
}

/// Reads the file of tests.
fn tests(path: &Path) -> Result<Vec<Test>> {
    let source = path.display().to_string();
    let tests: Result<Tests, _> = parse(&source, &text_of(path)?);
    let Err(error) = tests.as_ref() else {
        let tests = tests?.tests;
        let is_empty = |test: &Test| {
            let mut lists = [&test.kept, &test.cut, &test.no_tool].into_iter();
            test.max_tokens.is_none() && test.min_saved.is_none() && lists.all(Vec::is_empty)
        };
        if tests.is_empty() || tests.iter().any(is_empty) {
            bail!(
                "{source}: a test without an assertion; add maxTokens, minSaved, kept, cut or noTool"
            );
        }
        return Ok(tests);
    };
    // The error has an unknown name in backticks, and then those that are known.
    let shown = error.to_string();
    let mut names = shown.split('`').skip(1).step_by(2);
    match names.next().and_then(|name| nearest(name, names)) {
        Some(known) => bail!("{shown}; did you mean {known}?"),
        None => bail!(shown),
    }
}

/// Returns what is not true of an input.
fn failures(test: &Test, done: &Report, listed: &Report) -> Vec<String> {
    let (before, after) = (done.before.tokens, done.after.tokens);
    let mut all = Vec::new();
    if let Some(most) = test.max_tokens.filter(|most| after > *most) {
        all.push(format!("{after} tokens are left, more than {most}"));
    }
    let saved = 100.0 * (1.0 - after as f64 / before.max(1) as f64);
    if let Some(least) = test.min_saved.filter(|least| saved < *least) {
        all.push(format!(
            "{saved:.1} % of {before} tokens are saved, less than {least} %"
        ));
    }
    for (selectors, is_cut) in [(&test.kept, false), (&test.cut, true)] {
        for selector in selectors {
            let mut parts = parts(selector, done, listed);
            if parts.is_empty() {
                all.push(format!("{selector}: no such part"));
            }
            if is_cut && parts.iter().any(|part| part.row.kind == "result") {
                parts.retain(|part| part.row.kind == "result");
            }
            let wrong = parts.iter().find(|part| part.cut.is_some() != is_cut);
            all.extend(wrong.map(|part| match (part.cut, part.kept.first()) {
                (Some(cut), _) => {
                    format!("{} is cut by {}: {}", part.row.select, cut.pass, cut.reason)
                }
                (None, Some((pass, why))) => {
                    format!("{} is kept by {pass}: {why}", part.row.select)
                }
                (None, None) => format!("{} is kept: no pass proposed to cut it", part.row.select),
            }));
        }
    }
    for tool in &test.no_tool {
        let parts = parts(&format!("tool:{tool}@name"), done, listed);
        let left = parts
            .iter()
            .find(|part| part.cut.is_none_or(|cut| cut.action != "drop"));
        all.extend(left.map(|part| format!("{} of {} is left", part.row.select, part.row.tool)));
    }
    all
}

fn xml(case: &Case<'_>) -> String {
    let [name, input, why] = [case.name, &case.input, &case.failures.join("; ")].map(escape);
    let failure = if why.is_empty() {
        String::new()
    } else {
        format!("<failure message=\"{why}\"/>")
    };
    format!("<testcase name=\"{name}\" classname=\"{input}\">{failure}</testcase>\n")
}

fn all() -> String {
    "*".to_owned()
}
