#!/usr/bin/env bash
# Guess:    base_instructions in the session_meta line of a Codex rollout are the instructions of its requests: whoever
#           builds the next request from the log sends them as `instructions`.
# True:     The log has the template. What is sent lacks its sections on planning where the tool update_plan is not
#           offered, here 3,772 of 20,751 characters, and it is no `instructions` at all: this member is empty, and the
#           text is the first message of the input, with the role developer. A request that is made of the log alone has
#           another prefix from the first byte on, so nothing of the provider's cache is read.
# Version:  @openai/codex 0.171.0 (npm). Node 20, Python 3.10.
# Source:   the rollout that it wrote and the request that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     logged: 20751 chars | instructions: 0 | developer messages: [16979, 2496]
#           in the log and not sent: ['## Planning', '### Examples', '## `update_plan`']
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
npm install --silent --no-audit --no-fund --prefix agents @openai/codex@0.171.0 >npm.log 2>&1
cat >provider.py <<'PY'
"""Answers every request with a word."""
import http.server
import json
import sys

asked = 0


def responses(body):
    global asked
    text = {"type": "message", "id": "msg_9", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "ok", "annotations": []}]}
    item = text
    asked += 1
    usage = {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    answer = {"id": f"resp_{asked}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    yield "response.created", {"response": {**answer, "status": "in_progress", "output": []}}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": answer}


class Provider(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, kind, data):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send("application/json", b'{"models":[],"data":[]}')

    do_HEAD = do_GET

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        answer = {"/v1/responses": responses}.get(path)
        if answer is None:
            return self.send("application/json", b"{}")
        with open("requests.jsonl", "a") as log:
            log.write(json.dumps({"path": path, "body": body}) + "\n")
        events = (f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in answer(body))
        self.send("text/event-stream", "".join(events).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
print(server.server_port, file=open(sys.argv[1], "w"), flush=True)
server.serve_forever()
PY
env/bin/python provider.py port &
until [ -s port ]; do sleep 0.1; done
port=$(cat port)
# Nothing but loopback is reached.
export HOME=$dir/home HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
mkdir -p home/.codex work
export OPENAI_API_KEY=none
cat >home/.codex/config.toml <<TOML
model = "gpt-5.6"
model_provider = "made"
[model_providers.made]
name = "made"
base_url = "http://127.0.0.1:$port/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
TOML
(cd work && timeout 60 ../agents/node_modules/.bin/codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
    "Say ok" </dev/null >../codex.out 2>&1) || { tail -5 codex.out; exit 1; }
env/bin/python - <<'PY'
import glob
import json

body = json.loads(open("requests.jsonl").readline())["body"]
log = [json.loads(line) for path in glob.glob("home/.codex/sessions/**/*.jsonl", recursive=True) for line in open(path)]
logged = next(line["payload"]["base_instructions"]["text"] for line in log if line["type"] == "session_meta")
sent = body.get("instructions") or ""
texts = ["".join(part.get("text", "") for part in item["content"]) for item in body["input"] if item.get("role") == "developer"]
print("model:", body["model"], "| logged:", len(logged), "chars | instructions:", len(sent), "| developer messages:", [len(t) for t in texts])
headings = lambda text: [line for line in text.splitlines() if line.startswith("#")]
missing = [line for line in headings(logged) if line not in headings(texts[0])]
print("in the log and not sent:", missing)
assert sent == "" and len(texts[0]) < len(logged)
assert missing == ["## Planning", "### Examples", "## `update_plan`"]
assert not [line for line in texts[0].splitlines() if line not in logged.splitlines()]
assert "update_plan" not in [tool.get("name") for tool in body["tools"]]
PY
