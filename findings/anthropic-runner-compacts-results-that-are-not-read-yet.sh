#!/usr/bin/env bash
# Guess:    runner.compact_before_next_turn() of Anthropic's tool runner, called while a message with tool calls is handled, makes a
#           summary of the conversation so far; the results of those calls follow it, as the model has not seen them.
# True:     The results are sent with the request for the summary and with no other one: what follows is a request of which the only
#           message is the answer with the block `compaction`. The user's question and the results are in it only as far as the summary
#           has them; the model that asked for the results never reads them. The body begins and ends with the assistant, which the
#           same models refuse elsewhere ("does not support assistant message prefill"). Both requests open a new thread.
# Version:  anthropic 2.14.0 (PyPI).
# Source:   the bodies that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     1: user/text; thread=create
#           2: user/text assistant/tool_use user/tool_result; thread=create; compaction=summarize
#           3: assistant/compaction; thread=create
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet anthropic==2.14.0
cat >runs.py <<'PY'
import http.server
import json
import threading

from anthropic import Anthropic, beta_tool

seen = []


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        seen.append(body)
        if body.get("compaction"):
            content, reason = [{"type": "compaction", "content": "a summary"}], "compaction"
        elif len(seen) == 1:
            content, reason = [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "it"}}], "tool_use"
        else:
            content, reason = [{"type": "text", "text": "done"}], "end_turn"
        answer = {"id": f"msg_{len(seen)}", "type": "message", "role": "assistant", "model": body["model"], "content": content,
                  "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
                  "thread": {"id": "thread_1"}}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    log_message = lambda *_: None


@beta_tool
def look(at: str) -> str:
    """Looks at something.

    Args:
        at: what
    """
    return "what is there"


server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = Anthropic(api_key="made-up", base_url=f"http://127.0.0.1:{server.server_port}", max_retries=0)
runner = client.beta.messages.tool_runner(
    model="claude-opus-5-5", max_tokens=9, tools=[look], messages=[{"role": "user", "content": "what is it?"}],
    betas=["compact-2026-09-04"],
)
for message in runner:
    if message.stop_reason == "tool_use":
        runner.compact_before_next_turn()
for number, body in enumerate(seen, 1):
    blocks = lambda content: [{"type": "text"}] if isinstance(content, str) else content
    said = " ".join(f"{message['role']}/{block['type']}" for message in body["messages"] for block in blocks(message["content"]))
    more = [f"{name}={body[name]['type']}" for name in ("thread", "compaction") if body.get(name)]
    print(f"{number}: {'; '.join([said, *more])}")
PY
got=$(env -u ANTHROPIC_API_KEY -u ANTHROPIC_AUTH_TOKEN -u ANTHROPIC_BASE_URL env/bin/python runs.py)
echo "$got"
[ "$got" = "1: user/text; thread=create
2: user/text assistant/tool_use user/tool_result; thread=create; compaction=summarize
3: assistant/compaction; thread=create" ]
