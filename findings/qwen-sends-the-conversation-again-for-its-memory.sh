#!/usr/bin/env bash
# Guess:    A prompt of Qwen Code that the model answers at once is one request; its memory is written when the model
#           calls a tool for that, or by a command.
# True:     Each answer is followed by one more request, which nobody asked for: all of the conversation so far, under
#           another system prompt ("managed memory extraction subagent") and another list of tools. It begins with other
#           words than the request before it, so that nothing of that is read from the provider's cache: the conversation
#           is paid for twice with each prompt, the second time at the price of what is not cached.
# Version:  @qwen-code/qwen-code 0.24.4 (npm), Node 24, an OpenAI-compatible provider, statistics off.
# Source:   the requests that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     request 1: 10 tools, 2 messages    the first prompt
#           request 2: 6 tools, 4 messages     "You are now acting as the managed memory extraction subagent ..."
#           request 3: 10 tools, 4 messages    the second prompt
#           request 4: 6 tools, 6 messages     "You are now acting as the managed memory extraction subagent ..."
set -euo pipefail
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --prefix agents node@24 @qwen-code/qwen-code@0.24.4 >npm.log 2>&1
cat >provider.py <<'PY'
"""Answers each request with a word, and keeps its body."""
import http.server
import json
import sys


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open("bodies.jsonl", "a") as kept:
            kept.write(json.dumps(body) + "\n")
        chunk = {"id": "c", "object": "chat.completion.chunk", "model": body["model"]}
        said = {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": None}]}
        end = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}}
        answer = "".join(f"data: {json.dumps(one)}\n\n" for one in (said, end)) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(answer.encode())

    log_message = lambda *_: None


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
with open(sys.argv[1], "w") as port:
    port.write(str(server.server_port))
server.serve_forever()
PY
python3 provider.py port &
until [ -s port ]; do sleep 0.1; done
mkdir -p home/.qwen work
echo '{"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": false}}' >home/.qwen/settings.json
say() {
    (cd work && env -i PATH="$dir/agents/node_modules/.bin:$PATH" HOME="$dir/home" OPENAI_API_KEY=none \
        OPENAI_BASE_URL="http://127.0.0.1:$(cat ../port)/v1" timeout 60 qwen -m qwen3-coder-plus "$@" </dev/null >/dev/null 2>&1)
}
say -p "The colour of the house is ultramarine."
session=$(basename "$(find home/.qwen/projects -name '*.jsonl' | head -1)" .jsonl)
say --resume "$session" -p "Thank you."
python3 - <<'PY'
import json
import sys

bodies = [json.loads(line) for line in open("bodies.jsonl")]
text = lambda message: json.dumps(message["content"])
for number, body in enumerate(bodies, 1):
    print(f"request {number}: {len(body.get('tools') or [])} tools, {len(body['messages'])} messages, system {text(body['messages'][0])[:70]}")
is_again = lambda asked, after: len(after["messages"]) == len(asked["messages"]) + 2 and text(asked["messages"][0]) != text(after["messages"][0])
told = all(any("ultramarine" in text(message) for message in body["messages"]) for body in bodies)
again = len(bodies) == 4 and told and is_again(*bodies[:2]) and is_again(*bodies[2:])
sys.exit(None if again else "the conversation was not sent again under another system prompt")
PY
