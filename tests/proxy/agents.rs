//! What each agent gets: its environment and its arguments, and nothing else.

use crate::process::program;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs a program of this name that prints its arguments, and the variables that are set for it; returns both, the port as `P`.
fn printed(agent: &str, args: &[&str], env: &[(&str, &str)], home: &Path) -> (Vec<String>, String) {
    printed_with(&[], agent, args, env, home)
}

/// The same, with flags of `deadhead run`.
fn printed_with(
    flags: &[&str],
    agent: &str,
    args: &[&str],
    env: &[(&str, &str)],
    home: &Path,
) -> (Vec<String>, String) {
    let bin = home.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let path = bin.join(agent);
    fs::write(&path, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let output = program(home)
        .arg("run")
        .args(flags)
        .args(["--", path.to_str().unwrap()])
        .args(args)
        .envs(env.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.lines().count() == 1 + usize::from(agent == "other"),
        "{said}"
    );
    let port = said
        .split("no request came to http://127.0.0.1:")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap();
    let text = String::from_utf8(output.stdout)
        .unwrap()
        .replace(&format!("127.0.0.1:{port}"), "P");
    (text.lines().map(str::to_owned).collect(), said)
}

/// Each place of an address, and each pair of them: the address that the agent would have asked is where the proxy sends its requests.
#[test]
fn the_address_is_the_one_that_the_agent_would_have_asked() {
    let text = include_str!("places.txt");
    let cases: Vec<&str> = text.split("\n== ").skip(1).collect();
    assert!(cases.len() > 60);
    for case in cases {
        let (title, lines) = case.split_once('\n').unwrap();
        let agent = title.split(',').next().unwrap();
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let bin = home.join(agent);
        fs::write(&bin, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv\n").unwrap();
        fs::set_permissions(&bin, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(home.join("work")).unwrap();
        let mut folder = "work".to_owned();
        let (mut env, mut args, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        let mut flags: Vec<String> = Vec::new();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let (what, rest) = line.split_once(' ').unwrap();
            let rest = rest.replace("GW", "https://gateway.example");
            match what {
                "env" => env.push(rest),
                "in" => folder = rest,
                "flags" => flags.extend(rest.split(' ').map(str::to_owned)),
                "args" => args.extend(rest.split(' ').map(str::to_owned)),
                "gets" | "refused" | "lacks" => wanted.push((what, rest)),
                file => {
                    fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
                    let text = rest.replace("\\n", "\n").replace("\\r", "\r");
                    fs::write(home.join(file), text.replace("\\t", "\t")).unwrap();
                }
            }
        }
        let output = program(&home)
            .current_dir(home.join(folder))
            .arg("run")
            .args(flags)
            .args(["--", bin.to_str().unwrap()])
            .args(args)
            .envs(env.iter().map(|pair| pair.split_once('=').unwrap()))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let port = said.split("no request came to http://127.0.0.1:").nth(1);
        let port = port.map(|rest| rest.split(',').next().unwrap());
        let printed = printed.replace(&format!("http://127.0.0.1:{}", port.unwrap_or("none")), "P");
        for (what, text) in wanted {
            if what == "refused" {
                assert_eq!(output.status.code(), Some(2), "{title}: {said}{printed}");
                assert!(
                    said.contains(&text) && !said.contains("secret"),
                    "{title}: {said}"
                );
                assert!(printed.is_empty(), "{title}: it was started");
                continue;
            }
            if what == "lacks" {
                assert!(!printed.contains(&text), "{title}: {printed}");
                continue;
            }
            // As an argument or a variable whole, in JSON a part.
            let has =
                |line: &str| line == text || text.starts_with("\"baseURL") && line.contains(&text);
            let last = printed
                .lines()
                .rfind(|line| line.starts_with(text.split('=').next().unwrap()));
            assert!(printed.lines().any(has), "{title}: {text}\n{printed}{said}");
            assert!(last.is_none_or(has), "{title}: {last:?} is stronger");
        }
    }
}

#[test]
fn each_agent_gets_what_makes_it_use_the_proxy() {
    let key = [("GEMINI_API_KEY", "k")];
    let express = [
        ("GOOGLE_GENAI_USE_VERTEXAI", "true"),
        ("GOOGLE_API_KEY", "k"),
    ];
    let own = [("ANTHROPIC_BASE_URL", "https://gateway/anthropic")];
    for (agent, env, wants) in [
        (
            "claude",
            &[][..],
            &[
                "ANTHROPIC_BASE_URL=http://P",
                "--settings",
                "{\"env\":{\"ANTHROPIC_BASE_URL\":\"http://P\"}}",
            ][..],
        ),
        (
            "claude",
            &own,
            &[
                "ANTHROPIC_BASE_URL=http://P/anthropic",
                "{\"env\":{\"ANTHROPIC_BASE_URL\":\"http://P/anthropic\"}}",
            ],
        ),
        ("codex", &[], &["-c", "openai_base_url=\"http://P/v1\""]),
        ("gemini", &key, &["GOOGLE_GEMINI_BASE_URL=http://P/gemini"]),
        (
            "gemini",
            &express,
            &["GOOGLE_VERTEX_BASE_URL=http://P/vertex"],
        ),
        ("gemini", &[], &["CODE_ASSIST_ENDPOINT=http://P"]),
        (
            "qwen",
            &[],
            &["OPENAI_BASE_URL=http://P/compatible-mode/v1"],
        ),
        ("copilot", &[], &["COPILOT_API_URL=http://P"]),
        (
            "copilot",
            &[("COPILOT_PROVIDER_BASE_URL", "http://me:9/v1")],
            &["COPILOT_PROVIDER_BASE_URL=http://P/own/v1"],
        ),
        (
            "other",
            &[],
            &[
                "ANTHROPIC_BASE_URL=http://P/anthropic",
                "OPENAI_BASE_URL=http://P/openai/v1",
                "GOOGLE_GEMINI_BASE_URL=http://P/gemini",
            ],
        ),
    ] {
        let home = tempfile::tempdir().unwrap();
        let (lines, _) = printed(agent, &["-p", "go on"], env, home.path());
        for want in wants
            .iter()
            .chain(&["NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "-p", "go on"])
        {
            assert!(
                lines.iter().any(|line| line == want),
                "{agent}: {want} in {lines:#?}"
            );
        }
        // Nothing is written.
        let left: Vec<_> = fs::read_dir(home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["bin"], "{agent}");
    }
}

#[test]
fn an_upstream_keeps_the_path_that_the_agent_asks() {
    let home = tempfile::tempdir().unwrap();
    for (agent, want) in [
        ("opencode", "\"baseURL\":\"http://P/anthropic/v1\""),
        ("codex", "openai_base_url=\"http://P/v1\""),
        ("other", "OPENAI_BASE_URL=http://P/openai/v1"),
    ] {
        let upstream = ["--upstream", "http://127.0.0.1:9/gateway"];
        let (lines, _) = printed_with(&upstream, agent, &[], &[], home.path());
        assert!(lines.join("\n").contains(want), "{lines:#?}");
    }
}

#[test]
fn opencode_gets_a_configuration_in_its_environment() {
    let home = tempfile::tempdir().unwrap();
    let (lines, _) = printed("opencode", &[], &[], home.path());
    let content = lines
        .iter()
        .find_map(|line| line.strip_prefix("OPENCODE_CONFIG_CONTENT="))
        .unwrap();
    let content: serde_json::Value = serde_json::from_str(content).unwrap();
    assert_eq!(
        content["provider"]["google"]["options"]["baseURL"],
        "http://P/google/v1beta"
    );
}

/// Codex sends to another host with a login of ChatGPT than with a key.
#[test]
fn codex_goes_where_its_login_is() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".codex")).unwrap();
    fs::write(
        home.path().join(".codex/auth.json"),
        "{\"OPENAI_API_KEY\":null,\"tokens\":{\"id_token\":\"x\"}}",
    )
    .unwrap();
    let login = "openai_base_url=\"http://P/backend-api/codex\"".to_owned();
    assert!(printed("codex", &[], &[], home.path()).0.contains(&login));
    assert!(
        !printed("codex", &[], &[("CODEX_API_KEY", "k")], home.path())
            .0
            .contains(&login)
    );
    assert!(
        !printed("codex", &[], &[("CODEX_HOME", "/nonexistent")], home.path())
            .0
            .contains(&login)
    );
}

/// A proxy in the environment would be asked for the loopback address: six of six agents sent nothing.
#[test]
fn the_loopback_address_is_asked_without_a_proxy() {
    let home = tempfile::tempdir().unwrap();
    let (lines, _) = printed(
        "claude",
        &[],
        &[
            ("no_proxy", "a.example,b.example"),
            ("HTTP_PROXY", "http://127.0.0.1:9"),
        ],
        home.path(),
    );
    for want in [
        "no_proxy=a.example,b.example,127.0.0.1",
        "NO_PROXY=127.0.0.1",
        "HTTP_PROXY=http://127.0.0.1:9",
    ] {
        assert!(lines.iter().any(|line| line == want), "{lines:#?}");
    }
}

/// What the user gives is stronger, and where nothing came, the place to look at is named.
#[test]
fn a_setting_of_the_users_is_named() {
    let home = tempfile::tempdir().unwrap();
    let (lines, said) = printed("claude", &["--settings", "{}"], &[], home.path());
    assert_eq!(lines.iter().filter(|line| *line == "--settings").count(), 1);
    assert!(said.contains("look at a --settings of yours, or a provider such as Bedrock or Vertex in the env of ~/.claude/settings.json"), "{said}");
    let (lines, _) = printed("claude", &["--settings={}"], &[], home.path());
    assert!(!lines.contains(&"--settings".to_owned()), "{lines:#?}");
    let refused = program(home.path())
        .args(["run", "--", "openclaw", "agent"])
        .output()
        .unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.status.code() == Some(2) && said.contains("use its plugin"),
        "{said}"
    );
}
