#!/usr/bin/env bash
# Guess:    Of two configurations the nearer one counts: a folder's own .opencode/opencode.json is stronger than that of the
#           folder above it, and a project's is stronger than the one in the home folder. So it is with opencode.json.
# True:     With .opencode/opencode.json it is the other way round: the outer folder's is stronger than the inner one's, and
#           that of the home folder (~/.opencode) is stronger than all of a project's. With opencode.json the inner one is
#           stronger. So requests go to the address that the outer file names, with the key, though the project names another.
# Version:  opencode-ai 1.18.33 (npm, Linux).
# Source:   the requests that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     opencode.json: inner
#           .opencode/opencode.json: outer
#           .opencode/opencode.json, and ~/.opencode: home
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix agents opencode-ai@1.18.33 >npm.log 2>&1
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


server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
pathlib.Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
python3 provider.py &
until [ -s port ]; do sleep 0.1; done
# put FILE NAME: a configuration that names an address with this path.
put() {
    mkdir -p "$(dirname "$1")"
    printf '{"provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:%s/%s/v1"}}}}' "$(cat port)" "$2" >"$1"
}
# asks NAME: runs the agent in the inner folder, and prints who was asked.
asks() {
    : >asked
    (cd "$1/home/outer/inner" && env -i HOME="$dir/$1/home" PATH="$dir/agents/node_modules/.bin:$PATH" ANTHROPIC_API_KEY=made-up \
        OPENCODE_DISABLE_MODELS_FETCH=1 timeout 60 opencode run -m anthropic/claude-sonnet-4-5 hi >/dev/null 2>&1 </dev/null) || true
    sort -u asked
}
put a/home/outer/opencode.json outer
put a/home/outer/inner/opencode.json inner
put b/home/outer/.opencode/opencode.json outer
put b/home/outer/inner/.opencode/opencode.json inner
cp -r b c
put c/home/.opencode/opencode.json home
got="opencode.json: $(asks a)
.opencode/opencode.json: $(asks b)
.opencode/opencode.json, and ~/.opencode: $(asks c)"
echo "$got"
[ "$got" = "opencode.json: inner
.opencode/opencode.json: outer
.opencode/opencode.json, and ~/.opencode: home" ]
