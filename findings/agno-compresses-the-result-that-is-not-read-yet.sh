#!/usr/bin/env bash
# Guess:    Agno's tool result compression (CompressionManager) shrinks old results; the newest ones, which the model
#           has not read, go to it as the tool returned them, as in other pruners.
# True:     There is no kept tail. As soon as three results are not compressed, all three are, the one included that
#           the model is about to read for the first time: it sees a summary alone. Each is written by a request of its
#           own that has the tool's name and text, and neither the task nor the call's arguments, so the summary is made
#           without knowing what was asked. Six results of a loop cost six further requests, and the prefix of the
#           conversation changes at the third and at the sixth result.
# Version:  agno 3.1.10, openai 3.57.0 (PyPI). Python 3.10 or later.
# Source:   the bodies that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     7 requests of the agent, 6 for summaries; request 4 has 3 summaries and no text of a result;
#           request 6 has 3 summaries and 2 texts; no summary request contains the question.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/env"
"$dir/env/bin/pip" install --quiet agno==3.1.10 openai==3.57.0
cat >"$dir/loop.py" <<'PY'
import http.server
import json
import threading

from agno.agent import Agent
from agno.compression.manager import CompressionManager
from agno.models.openai import OpenAIChat

QUESTION = "Which of the ledgers is short?"
agent_bodies, summary_bodies = [], []


class Provider(http.server.BaseHTTPRequestHandler):
    """Asks for six results, one a request; answers a request without tools with a summary."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": "SUMMARY"}
        if "tools" in body:
            agent_bodies.append(body)
            n = len(agent_bodies)
            if n <= 6:
                function = {"name": "ledger", "arguments": json.dumps({"folio": n})}
                message = {"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{n}", "type": "function", "function": function}]}
        else:
            summary_bodies.append(body)
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        answer = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "made", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def ledger(folio: int) -> str:
    """Returns a ledger."""
    return f"LEDGER {folio} " + "entry 12.50; " * 200


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = lambda: OpenAIChat(id="made", api_key="none", base_url=f"http://127.0.0.1:{server.server_port}/v1")
Agent(model=model(), tools=[ledger], compression_manager=CompressionManager(model=model()), telemetry=False).run(QUESTION)

results = lambda n: [str(m["content"]) for m in agent_bodies[n - 1]["messages"] if m["role"] == "tool"]
kinds = lambda n: (sum("SUMMARY" in r for r in results(n)), sum("LEDGER" in r for r in results(n)))
print(f"{len(agent_bodies)} requests of the agent, {len(summary_bodies)} for summaries")
for n in (3, 4, 6, 7):
    print(f"request {n}: {kinds(n)[0]} summaries, {kinds(n)[1]} texts")
named = sum("folio" in json.dumps(body) for body in summary_bodies)
asked = sum(QUESTION in json.dumps(body) for body in summary_bodies)
print(f"summary requests with the question: {asked}; with the arguments of the call: {named}")
assert (len(agent_bodies), len(summary_bodies), asked, named) == (7, 6, 0, 0)
assert [kinds(n) for n in (3, 4, 6, 7)] == [(0, 2), (3, 0), (3, 2), (6, 0)]
PY
timeout 120 "$dir/env/bin/python" "$dir/loop.py" 2>/dev/null
