#!/usr/bin/env bash
# Guess:    smolagents' ToolCallingAgent takes calls from the model as `tool_calls` and gives tools to it as `tools`, so its requests have
#           these calls in the assistant's messages, and the results in messages with the role `tool`.
# True:     No call and no result is sent as what it is. A call goes back as a text of the assistant ("Calling tools:" and a list as Python
#           prints it, in which the arguments are a dictionary), both results of a step as one text of the user ("Observation:"), without
#           ids. Tools are still offered with tool_choice "required", and the two words are stop sequences. What looks for results by role
#           or type finds none: nothing can be pruned, cached or checked by result.
# Version:  smolagents 1.26.0 with openai 3.57.0 (PyPI).
# Source:   the bodies that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     system/text user/text assistant/text user/text; tool_calls 0; tool_choice required; stop Observation:, Calling tools:
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet 'smolagents[openai]==1.26.0' openai==3.57.0
cat >runs.py <<'PY'
import http.server
import json
import threading

from smolagents import OpenAIServerModel, ToolCallingAgent, tool

seen = []


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        seen.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        asked = [("look", {"at": "one"}), ("look", {"at": "two"})] if len(seen) == 1 else [("final_answer", {"answer": "done"})]
        calls = [{"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                 for i, (name, given) in enumerate(asked)]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        data = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                           "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
                           "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    log_message = lambda *_: None


@tool
def look(at: str) -> str:
    """Looks at something.

    Args:
        at: what
    """
    return "what is there: " + at


server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = OpenAIServerModel("m", api_base=f"http://127.0.0.1:{server.server_port}/v1", api_key="made-up")
ToolCallingAgent(tools=[look], model=model, verbosity_level=0).run("look at both", max_steps=3)
body = seen[1]
said = " ".join(f"{message['role']}/{'+'.join(part['type'] for part in message['content'])}" for message in body["messages"])
calls = sum("tool_calls" in message for message in body["messages"])
assert all(f"what is there: {word}" in body["messages"][-1]["content"][0]["text"] for word in ("one", "two"))
print(f"{said}; tool_calls {calls}; tool_choice {body['tool_choice']}; stop {', '.join(body['stop'])}")
PY
got=$(env/bin/python runs.py)
echo "$got"
[ "$got" = "system/text user/text assistant/text user/text; tool_calls 0; tool_choice required; stop Observation:, Calling tools:" ]
