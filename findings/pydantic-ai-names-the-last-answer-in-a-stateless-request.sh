#!/usr/bin/env bash
# Guess:    pydantic-ai sends OpenAI's Responses the whole conversation, and nothing in a request says which answer it follows, unless
#           openai_previous_response_id is set. So two requests with the same history are the same bytes, whoever makes them.
# True:     From the second request on, each names the last answer, without any setting: prompt_cache_options.comparison_response_id, by
#           which OpenAI is asked why its cache was missed (the answer has prompt_cache_diagnostics). It is another one in each request, so
#           a request that is retried from a stored history of another run differs in it. For GPT-5.6 and later alone, at any base URL.
# Version:  pydantic-ai-slim 2.68.0 with openai 3.57.0 (PyPI).
# Source:   the bodies that a made provider on loopback received here; the setting openai_prompt_cache_diagnostics of that package.
# Date:     2026-11-28
# Seen:     gpt-6.1-sol: none, resp_1, resp_2
#           gpt-5.5: none, none, none
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet 'pydantic-ai-slim[openai]==2.68.0' openai==3.57.0
cat >runs.py <<'PY'
import http.server
import json
import threading

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

seen = []


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        seen.append(body)
        number = len(seen)
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": "look", "arguments": '{"at": "it"}',
                "status": "completed"}
        text = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "done", "annotations": []}]}
        data = json.dumps({"id": f"resp_{number}", "object": "response", "created_at": 1, "model": body["model"], "status": "completed",
                           "output": [call if number < 3 else text], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
                           "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                                     "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                                     "output_tokens_details": {"reasoning_tokens": 0}}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    log_message = lambda *_: None


def look(at: str) -> str:
    """Looks at something."""
    return "what is there"


server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
provider = OpenAIProvider(api_key="made-up", base_url=f"http://127.0.0.1:{server.server_port}/v1")
for name in ("gpt-6.1-sol", "gpt-5.5"):
    seen.clear()
    Agent(OpenAIResponsesModel(name, provider=provider), tools=[look]).run_sync("look")
    assert not any("previous_response_id" in body for body in seen)
    print(f"{name}: " + ", ".join((body.get("prompt_cache_options") or {}).get("comparison_response_id", "none") for body in seen))
PY
got=$(env -u OPENAI_API_KEY -u OPENAI_BASE_URL env/bin/python runs.py)
echo "$got"
[ "$got" = "gpt-6.1-sol: none, resp_1, resp_2
gpt-5.5: none, none, none" ]
