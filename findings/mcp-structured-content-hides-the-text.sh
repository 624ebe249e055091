#!/usr/bin/env bash
# Guess:    An MCP tool that answers with a short text for the model (`content`) and the whole data for programs
#           (`structuredContent`) costs the model the short text.
# True:     Claude Code and Codex send the model the structured content, as JSON, and none of the text. A server whose
#           text is "three rows, the cheapest is item 0" puts its whole table into every later request, and the
#           sentence that its author wrote for the model never arrives. In the log of each agent the result is the JSON,
#           so that a pruner that reads logs cannot know there was a text.
# Version:  @anthropic-ai/claude-code 2.1.332, @openai/codex 0.171.0 (npm); mcp 2.3.0 (PyPI). Node 20, Python 3.10.
# Source:   the requests that made providers on loopback received here.
# Date:     2026-11-28
# Seen:     claude: {"DATA":[{"id":0,"price":0},{"id":1,"price":1.5},{"id":2,"price":3}]}
#           codex:  Wall time: 0.0046 seconds, Output:, and the JSON with 0.0, 1.5, 3.0
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet mcp==2.3.0
npm install --silent --no-audit --no-fund --prefix agents @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 >npm.log 2>&1
cat >shop.py <<'PY'
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent

server = MCPServer("shop")


@server.tool()
def rows(n: int) -> CallToolResult:
    """Returns n rows."""
    words = TextContent(type="text", text="WORDS three rows, the cheapest is item 0")
    return CallToolResult(content=[words], structured_content={"DATA": [{"id": i, "price": i * 1.5} for i in range(n)]})


server.run()
PY
cat >provider.py <<'PY'
"""Both interfaces: answers the first request that has a question with calls of the tool, any other with a word."""
import http.server
import json
import sys

CALLS = [  # Codex starts a server while it asks the model: the first call gives it time.
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command", "arguments": '{"cmd":"sleep 8"}', "status": "completed"},
    {"type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "rows", "namespace": "mcp__shop", "arguments": '{"n":3}', "status": "completed"},
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


def messages(body):
    call = "tool_result" not in json.dumps(body["messages"]) and len(body.get("tools", [])) > 3
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [], "stop_reason": None, "stop_sequence": None}
    yield "message_start", {"message": {**message, "usage": {"input_tokens": 9, "output_tokens": 1}}}
    block = {"type": "tool_use", "id": "toolu_1", "name": "mcp__shop__rows", "input": {}} if call else {"type": "text", "text": ""}
    delta = {"type": "input_json_delta", "partial_json": '{"n":3}'} if call else {"type": "text_delta", "text": "ok"}
    yield "content_block_start", {"index": 0, "content_block": block}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 1}}
    yield "message_stop", {}


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
        answer = {"/v1/messages": messages, "/v1/responses": responses}.get(path)
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
export ANTHROPIC_BASE_URL=http://127.0.0.1:$port ANTHROPIC_API_KEY=none OPENAI_API_KEY=none
export DISABLE_TELEMETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
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
config=$(printf '{"mcpServers":{"shop":{"command":"%s","args":["%s"]}}}' "$dir/env/bin/python" "$dir/shop.py")
(cd work && timeout 60 ../agents/node_modules/.bin/claude -p "list rows" --mcp-config "$config" --strict-mcp-config \
    --allowedTools mcp__shop__rows --model claude-sonnet-5 </dev/null >../claude.out 2>&1) || { cat claude.out; exit 1; }
(cd work && timeout 60 ../agents/node_modules/.bin/codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
    "list rows" </dev/null >../codex.out 2>&1) || { tail -5 codex.out; exit 1; }
env/bin/python - <<'PY'
import json

last = {}
for line in open("requests.jsonl"):
    request = json.loads(line)
    last[request["path"]] = request["body"]
results = [b for m in last["/v1/messages"]["messages"] for b in m["content"] if isinstance(b, dict) and b.get("type") == "tool_result"]
claude = json.dumps(results[0]["content"])
codex = [json.dumps(i["output"]) for i in last["/v1/responses"]["input"] if i.get("call_id") == "call_2" and "output" in i][0]
print("claude:", claude)
print("codex: ", codex)
for sent in (claude, codex):
    assert "DATA" in sent and "WORDS" not in sent
PY
