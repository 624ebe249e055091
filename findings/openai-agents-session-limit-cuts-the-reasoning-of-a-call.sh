#!/usr/bin/env bash
# Guess:    SessionSettings(limit=N) of the OpenAI Agents SDK sends the last N items of a session, and since the
#           repair of openai-agents-python#4322 leaves out what lost its other half.
# True:     It leaves out an output whose call was cut away. It does not leave out a call whose reasoning was cut
#           away: a limit that falls between the two sends `function_call` with its item id and without the
#           reasoning item in front of it. The API answers such a pair with 400 ("... of type 'function_call' was
#           provided without its required 'reasoning' item", agency-swarm#367). The user's question goes in
#           both cases, so the input begins with an item of the assistant.
# Version:  openai-agents 0.24.0, openai 3.57.0 (PyPI). Python 3.10 or later.
# Source:   the bodies that a made provider on loopback received here; the two issues named above.
# Date:     2026-11-28
# Seen:     limit 4: function_call fc_1, function_call_output call_1, reasoning rs_2, message msg_2, user
#           limit 3: reasoning rs_2, message msg_2, user
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/env"
"$dir/env/bin/pip" install --quiet openai-agents==0.24.0 openai==3.57.0
cat >"$dir/loop.py" <<'PY'
import asyncio
import http.server
import json
import threading

from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from agents.memory import SessionSettings
from openai import AsyncOpenAI

bodies = []


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers with a call, a call and a text, in turn; each has reasoning in front of it."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        n = len(bodies) - 1
        call = {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": "look", "arguments": "{}", "status": "completed"}
        text = {"type": "output_text", "text": "done", "annotations": []}
        message = {"type": "message", "id": f"msg_{n}", "role": "assistant", "status": "completed", "content": [text]}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        answer = json.dumps({
            "id": f"resp_{n}", "object": "response", "created_at": 1, "status": "completed", "model": "made",
            "output": [{"type": "reasoning", "id": f"rs_{n}", "summary": []}, call if n % 3 < 2 else message],
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details},
        }).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@function_tool
def look() -> str:
    return "a result"


def second_turn(port, limit):
    """The items of the first request of a session's second turn."""
    bodies.clear()
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none")
    agent = Agent(name="made", model=OpenAIResponsesModel(model="made", openai_client=client), tools=[look])
    session = SQLiteSession("s", session_settings=SessionSettings(limit=limit))

    async def turns():
        await Runner.run(agent, "first", session=session)
        await Runner.run(agent, "second", session=session)

    asyncio.run(turns())
    return [(i.get("type") or i["role"], i.get("id") or i.get("call_id") or "") for i in bodies[3]["input"]]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
four, three = (second_turn(server.server_port, n) for n in (4, 3))
for limit, items in ((4, four), (3, three)):
    print(f"limit {limit}:", ", ".join(" ".join(item).strip() for item in items))
assert four[0] == ("function_call", "fc_1") and ("reasoning", "rs_1") not in four, "a call lost its reasoning"
assert not any(kind.startswith("function_call") for kind, _ in three), "an output without its call is left out"
PY
timeout 120 "$dir/env/bin/python" "$dir/loop.py"
