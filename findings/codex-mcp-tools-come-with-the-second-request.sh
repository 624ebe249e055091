#!/usr/bin/env bash
# Guess:    Codex starts its MCP servers before it asks the model, so that the list of tools is one list from the first
#           request of a session to the last: it is the beginning of what the provider caches.
# True:     The first request leaves while a server is still starting. Its tools are missing there and are in the next
#           request, in the middle of the list (behind those of sub-agents, before those of goals). So the second
#           request shares with the first only what stands before them: everything behind is written to the cache again,
#           the instructions and the conversation too, in each session whose servers need longer to start than the agent.
# Version:  @openai/codex 0.171.0 (npm); mcp 2.3.0 (PyPI). Node 20, Python 3.10.
# Source:   the requests that a made provider on loopback received here; the server waits four seconds before it serves.
# Date:     2026-11-28
# Seen:     request 1: ..., view_image, multi_agent_v1, get_goal, create_goal, update_goal, web_search
#           request 2: ..., view_image, multi_agent_v1, mcp__shop, get_goal, create_goal, update_goal, web_search
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet mcp==2.3.0
npm install --silent --no-audit --no-fund --prefix agents @openai/codex@0.171.0 >npm.log 2>&1
cat >shop.py <<'PY'
import time

from mcp.server.mcpserver import MCPServer

time.sleep(4)
server = MCPServer("shop")


@server.tool()
def rows(n: int) -> str:
    """Returns n rows."""
    return "row\n" * n


server.run()
PY
cat >provider.py <<'PY'
"""Answers the first request with a call that takes eight seconds, any other with a word."""
import http.server
import json
import sys

CALLS = [
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command", "arguments": '{"cmd":"sleep 8"}', "status": "completed"},
]
asked = 0


def responses(body):
    global asked
    text = {"type": "message", "id": "msg_9", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "ok", "annotations": []}]}
    item = CALLS[asked] if asked < len(CALLS) else text
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
[mcp_servers.shop]
command = "$dir/env/bin/python"
args = ["$dir/shop.py"]
TOML
(cd work && timeout 60 ../agents/node_modules/.bin/codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
    "list rows" </dev/null >../codex.out 2>&1) || { tail -5 codex.out; exit 1; }
env/bin/python - <<'PY'
import json

bodies = [json.loads(line)["body"] for line in open("requests.jsonl")]
tools = [[tool.get("name") or tool["type"] for tool in body["tools"]] for body in bodies]
for n, names in enumerate(tools, 1):
    print(f"request {n}:", ", ".join(names))
first, second = tools
late = [name for name in second if name not in first]
assert late == ["mcp__shop"] and second.index("mcp__shop") < len(second) - 1
assert [name for name in second if name not in late] == first
PY
