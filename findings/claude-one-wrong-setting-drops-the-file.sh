#!/usr/bin/env bash
# Guess:    A setting of the wrong type in Claude Code's settings.json is ignored or refused; the rest of the file holds. And
#           what the user exports in a shell is stronger than what a file says.
# True:     One setting of the wrong type drops the whole file, its `env` too. `claude -p` says so, and goes on: its request
#           goes where the environment says, or to the public API, in the same run. A right file is stronger than the environment, and so is the member
#           `env` of ~/.claude.json, the file in which Claude Code keeps its state.
# Version:  @anthropic-ai/claude-code 2.1.332 (npm).
# Source:   the requests that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     settings.json: file
#           settings.json with "model": 4: environment
#           ~/.claude.json: state
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix agents @anthropic-ai/claude-code@2.1.332 >npm.log 2>&1
cat >provider.py <<'PY'
"""Refuses everything, and writes the first segment of each path."""
import http.server
import pathlib


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        with open("asked", "a") as file:
            file.write(self.path.split("/")[1] + "\n")
        self.send_response(400)
        self.end_headers()
        self.wfile.write(b'{"type":"error","error":{"type":"invalid_request_error","message":"no"}}')

    log_message = lambda *_: None


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 provider.py &
until [ -s port ]; do sleep 0.1; done
at="http://127.0.0.1:$(cat port)"
# asks HOME: runs the agent, whose environment names an address, and prints who was asked.
asks() {
    : >asked
    mkdir -p "$1/work"
    (cd "$1/work" && env -i HOME="$dir/$1" PATH="$dir/agents/node_modules/.bin:$PATH" ANTHROPIC_API_KEY=made-up \
        ANTHROPIC_BASE_URL="$at/environment" CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        timeout 60 claude -p hi --model claude-opus-4-8 >/dev/null 2>&1 </dev/null) || true
    sort -u asked
}
mkdir -p a/.claude b/.claude c
echo '{"env": {"ANTHROPIC_BASE_URL": "'"$at"'/file"}}' >a/.claude/settings.json
echo '{"env": {"ANTHROPIC_BASE_URL": "'"$at"'/file"}, "model": 4}' >b/.claude/settings.json
echo '{"env": {"ANTHROPIC_BASE_URL": "'"$at"'/state"}}' >c/.claude.json
got="settings.json: $(asks a)
settings.json with \"model\": 4: $(asks b)
~/.claude.json: $(asks c)"
echo "$got"
[ "$got" = 'settings.json: file
settings.json with "model": 4: environment
~/.claude.json: state' ]
