#!/usr/bin/env bash
# Guess:    Anthropic's SDK sends an API key in the header x-api-key, and only a token (auth_token) in Authorization; the
#           version of the API is 2023-06-01. So proxies and logs tell a key from a token by the header.
# True:     An API key goes out as `Authorization: Bearer`, whatever it looks like; there is no x-api-key. anthropic-version is
#           2026-10-21. A proxy that reads, replaces or hides x-api-key alone sees no key, and one that takes a Bearer token on
#           /v1/models for OpenAI's has Anthropic's key in its hands.
# Version:  anthropic 2.14.0 (PyPI).
# Source:   the headers that a made provider on loopback received here.
# Date:     2026-11-28
# Seen:     api_key: authorization=Bearer sk-ant-api03-made-up; x-api-key=None; anthropic-version=2026-10-21
#           auth_token: authorization=Bearer made-up; x-api-key=None; anthropic-version=2026-10-21
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv env
env/bin/pip install --quiet anthropic==2.14.0
cat >asks.py <<'PY'
import http.server
import threading

import anthropic

seen = []


class Provider(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        seen.append("; ".join(f"{name}={self.headers.get(name)}" for name in ("authorization", "x-api-key", "anthropic-version")))
        self.send_response(404)
        self.end_headers()

    log_message = lambda *_: None


server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
for name, value in (("api_key", "sk-ant-api03-made-up"), ("auth_token", "made-up")):
    client = anthropic.Anthropic(**{name: value}, base_url=f"http://127.0.0.1:{server.server_port}", max_retries=0)
    try:
        client.messages.create(model="claude-sonnet-4-5", max_tokens=1, messages=[{"role": "user", "content": "hi"}])
    except anthropic.NotFoundError:
        pass
    print(f"{name}: {seen[-1]}")
PY
got=$(env -u ANTHROPIC_API_KEY -u ANTHROPIC_AUTH_TOKEN env/bin/python asks.py)
echo "$got"
[ "$got" = "api_key: authorization=Bearer sk-ant-api03-made-up; x-api-key=None; anthropic-version=2026-10-21
auth_token: authorization=Bearer made-up; x-api-key=None; anthropic-version=2026-10-21" ]
