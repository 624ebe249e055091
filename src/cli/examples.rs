//! The examples that the help and the man page of each command end with. A test runs them (`tests/program/help.rs`).

pub const DEADHEAD: &str = "\
Examples:
  # See what a policy would have saved over recorded sessions
  deadhead replay --preset break-even sessions
  # See what it would cut from one session
  deadhead prune -n --preset break-even session.jsonl
  # Read all flags and examples of a command
  deadhead help prune";

pub const PRUNE: &str = "\
Examples:
  # Show what would be cut, and why
  deadhead prune -n -v --preset break-even session.jsonl
  # Write a pruned copy
  deadhead prune --preset break-even -o pruned.jsonl session.jsonl
  # Prune the requests of a session on their way, with stable cuts
  deadhead prune -q --state state.db < body.json > slim.json";

pub const CHECK: &str = "\
Examples:
  # Find what the provider's error speaks of
  deadhead check --error 'messages.1: `tool_use` ids were found' broken.json
  # List what the provider would refuse
  deadhead check body.json
  # Write a repaired copy
  deadhead check --repair -o repaired.json broken.json";

pub const REPLAY: &str = "\
Examples:
  # What would these policies have cost?
  deadhead replay --preset break-even,openclaw-2026.1 sessions
  # The same as a page with charts
  deadhead replay --preset break-even --report-format html -o report.html sessions
  # What would shortening results before they enter the context have saved?
  deadhead replay --at-entry 8000 sessions
  # Try a grid of settings
  deadhead replay --sweep contextPruning.ttl=5m,1h session.jsonl";

pub const ADVISE: &str = "\
Examples:
  # Which policy would have saved most? Keep the answer as a configuration, and use it
  deadhead advise --write policy.json5 sessions
  deadhead prune --config policy.json5 session.jsonl -o smaller.jsonl
  # The same as a page with charts
  deadhead advise --report-format html -o advice.html sessions";

pub const EMIT: &str = "\
Examples:
  # Write the next request of a session, and have it checked
  deadhead emit session.jsonl > body.json
  deadhead check body.json
  # The same as a policy leaves it
  deadhead emit --preset break-even session.jsonl > pruned.json";

pub const JUDGE: &str = "\
Examples:
  # Ask; here a model that always gives the same answer
  echo '{\"content\": [{\"type\": \"text\"}]}' > answer.json
  deadhead judge --yes --command 'cat answer.json' --preset break-even session.jsonl";

pub const HOOK: &str = "\
Examples:
  # What an agent would read of a result
  echo '{\"hook_event_name\": \"PostToolUse\", \"tool_response\": \"line 1 line 2\"}' > event.json
  deadhead hook claude-code --max-chars 4 < event.json
  # The same, and what is cut is kept
  deadhead hook codex --sidecar cuts < event.json";

pub const TEST: &str = "\
Examples:
  # Does the policy save enough, and keep what it should?
  echo '{tests: [{name: \"enough\", minSaved: 10, kept: [\"tool:edit@name\"]}]}' > tests.json5
  deadhead test --preset break-even tests.json5 session.jsonl
  # The same for CI
  deadhead test --report-format junit tests.json5 session.jsonl > junit.xml";

pub const SLIM: &str = "\
Examples:
  # What would go?
  deadhead slim -n session.jsonl
  # Write smaller copies of all logs of a folder
  deadhead slim --out-dir slim ~/.claude/projects";

pub const FORK: &str = "\
Examples:
  # A pruned copy of a session, under a new id
  deadhead fork --preset break-even --out-dir forked session.jsonl
  # Would its agent load this log?
  deadhead fork --verify session.jsonl";

pub const UNDO: &str = "\
Examples:
  # Keep what is cut, and put it back
  deadhead prune --preset break-even --sidecar cuts -o pruned.jsonl session.jsonl
  deadhead undo pruned.jsonl --sidecar cuts -o whole.jsonl";

pub const SHOW: &str = "\
Examples:
  # Let placeholders name what they replace, and print it
  echo '{edits: [{type: \"clear_tool_results\", placeholder: \"cut {ref}\"}]}' > refs.json5
  deadhead prune --mode aggressive -c refs.json5 --sidecar cuts -o pruned.jsonl session.jsonl
  deadhead show $(grep -o 'cut [0-9a-f]*' pruned.jsonl | head -1 | cut -c 5-) --sidecar cuts";

#[cfg(feature = "proxy")]
pub const RUN: &str = "\
Examples:
  # Run Claude Code, and see at its end what was saved
  deadhead run -- claude
  # With another policy
  deadhead run --preset break-even -- claude -p 'Fix the tests'";

#[cfg(feature = "proxy")]
pub const PROXY: &str = "\
Examples:
  # For clients of all providers: ANTHROPIC_BASE_URL=http://127.0.0.1:8484, OPENAI_BASE_URL=http://127.0.0.1:8484/v1
  deadhead proxy --state state.db
  # In front of a gateway
  deadhead proxy --upstream http://127.0.0.1:4000";

pub const CONFIG: &str = "\
Examples:
  # Write a configuration file with every key at its default
  deadhead config init > config.json5
  # Show every value and the layer that it comes from
  deadhead config show -c config.json5";

pub const CONFIG_SHOW: &str = "\
Examples:
  # Show what a flag changes
  deadhead config show --ttl 1h
  # Read one value in a script
  deadhead config show --json | jq '.[] | select(.key == \"breakEven.minTokens\").value'";

pub const CONFIG_INIT: &str = "\
Examples:
  # Start a configuration file
  deadhead config init > config.json5";

pub const CONFIG_SCHEMA: &str = "\
Examples:
  # Write the schema of the configuration, for an editor
  deadhead config schema | jq .configuration > deadhead.schema.json";

pub const CONFIG_PRESETS: &str = "\
Examples:
  # List all presets with their sources
  deadhead config presets";

pub const STATE: &str = "\
Examples:
  # List the sessions
  deadhead state show --state state.db
  # Forget old sessions and return the space to the disk
  deadhead state forget --state state.db --older-than 30d
  deadhead state vacuum --state state.db";

pub const STATE_SHOW: &str = "\
Examples:
  # List the sessions
  deadhead state show --state state.db
  # List the cuts of the session s
  deadhead state show --state state.db s";

pub const STATE_AUDIT: &str = "\
Examples:
  # What was done to the requests of the last week?
  deadhead state audit --state state.db --workload chat --since 7d
  # All of them, for a spreadsheet
  deadhead state audit --state state.db --workload chat --format csv > audit.csv";

pub const STATE_FORGET: &str = "\
Examples:
  # Forget the session s
  deadhead state forget --state state.db s
  # Forget sessions without a call in the last 30 days
  deadhead state forget --state state.db --older-than 30d";

pub const STATE_VACUUM: &str = "\
Examples:
  # Return the space of forgotten sessions to the disk
  deadhead state vacuum --state state.db";

pub const CANARY: &str = "\
Examples:
  # Store the score of one answer
  deadhead canary record --state state.db -c chat.json5 --workload chat --score 0.95
  # Show the state of a workload
  deadhead canary status --state state.db -c chat.json5 --workload chat";

pub const CANARY_RECORD: &str = "\
Examples:
  # Store one score
  deadhead canary record --state state.db -c chat.json5 --workload chat --score 0.95
  # Store scores from stdin
  echo '{\"score\":0.9}' | deadhead canary record --state state.db -c chat.json5 --workload chat";

pub const CANARY_STATUS: &str = "\
Examples:
  # Exit code 1 if the workload is breached
  deadhead canary status --state state.db -c chat.json5 --workload chat";

pub const CANARY_RESET: &str = "\
Examples:
  # Prune the workload again
  deadhead canary reset --state state.db -c chat.json5 --workload chat --reason 'new prompt'";

pub const COMPLETIONS: &str = "\
Examples:
  # Complete in this shell
  source <(deadhead completions bash)";

pub const MAN: &str = "\
Examples:
  # Write a page for each command
  mkdir -p man1 && deadhead man man1";
