//! `$include` and `${VAR}` in a configuration.

use crate::support::{Place, deadhead};

const BASE: &str = "{ agents: { defaults: { contextTokens: 50000, contextPruning: { mode: 'adaptive', ttl: '7m' } } } }";

/// The `contextPruning.ttl` that `config show` prints, or the error.
fn ttl(config: &str) -> Result<String, String> {
    let place = Place::new();
    place.file("outside.json5", BASE);
    place.file("in/base.json5", BASE);
    place.file(
        "in/agents.json5",
        "{ defaults: { contextPruning: { mode: 'adaptive', ttl: '${DEADHEAD_TTL}' } } }",
    );
    let file = place.file("in/openclaw.json", config);
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.path("outside.json5"), place.path("in/link.json5")).unwrap();
    let mut command = deadhead();
    command
        .args(["config", "show", "--config"])
        .arg(file)
        .env("DEADHEAD_TTL", "8m");
    let output = command.output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    if output.status.code() == Some(2) {
        assert_eq!(text.lines().count(), 1, "{text}");
        return Err(text);
    }
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("contextPruning.ttl "))
        .unwrap();
    Ok(line.split_whitespace().nth(1).unwrap().to_owned())
}

#[test]
fn an_included_file_counts() {
    for (config, want) in [
        (BASE, "7m"),
        (
            "{ \"$include\": \"./base.json5\", gateway: { port: 1 } }",
            "7m",
        ),
        ("{ \"$include\": [\"./base.json5\"] }", "7m"),
        ("{ agents: { $include: \"./agents.json5\" } }", "8m"),
        (
            "{ $include: './base.json5', agents: { defaults: { contextPruning: { ttl: '9m' } } } }",
            "9m",
        ),
    ] {
        assert_eq!(ttl(config).as_deref(), Ok(want), "{config}");
    }
}

#[test]
fn an_invalid_reference_is_refused() {
    for (config, want) in [
        ("{ $include: './none.json5' }", "$include ./none.json5: "),
        (
            "{ $include: '../outside.json5' }",
            "it is not in the folder of the configuration",
        ),
        (
            "{ $include: './link.json5' }",
            "it is not in the folder of the configuration",
        ),
        (
            "{ agents: { defaults: { contextPruning: { ttl: '${DEADHEAD_UNSET}' } } } }",
            "${DEADHEAD_UNSET}",
        ),
    ] {
        let error = ttl(config).unwrap_err();
        assert!(error.contains(want), "{config}: {error}");
    }
}

#[test]
fn an_included_file_is_never_an_output() {
    let place = Place::new();
    let base = place.file("base.json5", BASE);
    let main = place.file("main.json5", "{ $include: './base.json5' }");
    let mut command = deadhead();
    command
        .args(["prune", "--config"])
        .arg(main)
        .arg("-o")
        .arg(&base)
        .write_stdin(crate::support::BODY);
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(base).unwrap(), BASE);
}

#[test]
fn an_included_pipe_is_refused() {
    let place = Place::new();
    let main = place.file("main.json5", "{ $include: './pipe.json5' }");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.path("pipe.json5"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    let output = deadhead()
        .args(["config", "show", "--config"])
        .arg(main)
        .timeout(std::time::Duration::from_secs(20))
        .output()
        .unwrap();
    crate::support::is_refused(&output, "$include ./pipe.json5: it is no regular file");
}

#[test]
fn a_variable_s_value_is_in_no_error() {
    for (key, want) in [
        ("ttl: '${SECRET}'", "contextPruning.ttl must be auto"),
        ("tools: { deny: ['[${SECRET}'] }", "${SECRET}"),
        ("softTrim: { maxChars: '${SECRET}' }", "${SECRET}"),
        ("'${SECRET}': 1, mode: '${SECRET}'", "contextPruning"),
        ("mode: 'off'", "unknown pass ${SECRET}"),
    ] {
        let place = Place::new();
        let config = format!(
            "{{ gateway: {{ port: 1 }}, passes: {{ on: ['${{SECRET}}'] }}, agents: {{ defaults: {{ contextPruning: {{ {key} }} }} }} }}"
        );
        let output = deadhead()
            .args(["config", "show", "--config"])
            .arg(place.file("openclaw.json", config))
            .env("SECRET", "sk-[abcd-1234")
            .output()
            .unwrap();
        crate::support::is_refused(&output, want);
        assert!(
            !String::from_utf8_lossy(&output.stderr).contains("abcd"),
            "{key}"
        );
    }
}
