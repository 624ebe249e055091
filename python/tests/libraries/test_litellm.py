"""The proxy of LiteLLM with the hook, as a process, between a client and a provider on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time
from typing import Iterator

import httpx
from conftest import audit, long_body
from litellm.proxy._types import UserAPIKeyAuth
from test_sdks import CHAT, CHUNK, MESSAGE, chat_messages, contents
from upstream import Upstream, upstream

import deadhead
import deadhead.litellm

KEY = f"sk-{secrets.token_hex(32)}"

HOOK = """
import deadhead, deadhead.litellm
plain = deadhead.litellm.Pruning()
pruning = deadhead.litellm.Pruning(deadhead.Pruner("{{workloads: {{chat: {{}}, batch: {{}}}}}}", state={state!r}, workload="batch"))
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def gateway(at: Upstream, folder: pathlib.Path, hook: str | None) -> Iterator[str]:
    """LiteLLM's own proxy in front of the provider."""
    models = [
        {"model_name": "chat", "litellm_params": {"model": "openai/m", "api_base": at.url + "/v1", "api_key": "k"}},
        {"model_name": "claude", "litellm_params": {"model": "anthropic/claude-sonnet-4-5", "api_base": at.url, "api_key": "k"}},
    ]
    config = {"model_list": models, "litellm_settings": {"callbacks": hook} if hook else {}}
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(json.dumps(config))
    (folder / "hook.py").write_text(HOOK.format(state=str(folder / "state")))
    port = free_port()
    # Newer versions do not start without a key of their own.
    environment = {**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    command = [pathlib.Path(sys.executable).with_name("litellm"), "--config", folder / "config.yaml", "--port", str(port), "--host", "127.0.0.1"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(600):
            assert process.poll() is None, (folder / "log").read_text()
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(url + "/health/liveliness").status_code == 200:
                    break
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def asked(at: Upstream, url: str) -> list[bytes]:
    """What a chat, a chat that is streamed, and a message of Anthropic's come to on the wire."""
    found = []
    for path, answer, body in (
        ("/v1/chat/completions", CHAT, {"model": "chat", "messages": chat_messages(), "metadata": {"session_id": "s", "deadhead_workload": "chat"}}),
        ("/v1/chat/completions", CHUNK, {"model": "chat", "messages": chat_messages(), "stream": True, "metadata": {"session_id": "t"}}),
        ("/v1/messages", MESSAGE, {**long_body(), "model": "claude"}),
    ):
        at.answers = {"/chat/completions": answer, "/messages": answer}
        got = httpx.post(url + path, json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=60)
        assert got.status_code == 200 and "done" in got.text, got.text
        found.append(at.seen[-1].body)
    return found


def test_the_gateway_sends_what_it_would_pruned(tmp_path: pathlib.Path) -> None:
    with upstream() as at:
        with gateway(at, tmp_path / "plain", None) as url:
            plain = asked(at, url)
        with gateway(at, tmp_path / "built-in", "hook.plain") as url:
            pruned = asked(at, url)
        for before, after in zip(plain, pruned):
            old, new = json.loads(before), json.loads(after)
            assert len(after) < len(before)
            assert new == {**old, "messages": deadhead.Pruner().prune(old).body["messages"]}
        with gateway(at, tmp_path / "own", "hook.pruning") as url:
            asked(at, url)
        shown = json.loads(subprocess.run([os.environ.get("DEADHEAD_PROGRAM", "deadhead"), "state", "show", "--json", "--state", tmp_path / "own" / "state"], capture_output=True, check=True).stdout)
        assert {"s", "t"} <= {session["name"] for session in shown["sessions"]}
        assert [row["session"] for row in audit(tmp_path / "own" / "state", "chat")] == ["s"]
        assert len(audit(tmp_path / "own" / "state", "batch")) == 2


def test_the_native_routes_are_pruned_whole() -> None:
    """LiteLLM has routes in the form of Google's, and the hook is given more than the body."""
    hook = deadhead.litellm.Pruning(deadhead.Pruner('{contextPruning: {mode: "aggressive"}}'))
    for call, body in (
        ("agenerate_content", {"model": "gemini-2.5-pro", "contents": contents()}),
        ("agenerate_content_stream", {"model": "gemini-2.5-pro", "contents": contents(), "_litellm_raw_sse_stream": True}),
        ("anthropic_messages", {**long_body(), "prompt_cache_key": "k", "metadata": {"session_id": "s"}}),
    ):
        pruned = asyncio.run(hook.async_pre_call_hook(UserAPIKeyAuth(), None, body, call))
        assert len(json.dumps(pruned)) < len(json.dumps(body)) / 2, call
        assert {key: value for key, value in pruned.items() if key not in ("contents", "messages")} == {
            key: value for key, value in body.items() if key not in ("contents", "messages")
        }


def test_the_workload_is_that_of_the_key_the_team_or_the_request() -> None:
    asked = {"metadata": {"requester_metadata": {"deadhead_workload": "request"}}}
    for metadata, team, data, want in (
        ({"deadhead_workload": "key"}, {"deadhead_workload": "team"}, asked, "key"),
        ({}, {"deadhead_workload": "team"}, asked, "team"),
        ({}, None, asked, "request"),
        ({"deadhead_workload": " "}, None, {"litellm_metadata": {"deadhead_workload": "own"}, "metadata": "odd"}, "own"),
        ({"deadhead_workload": 7}, None, {}, None),
    ):
        assert deadhead.litellm.workload(UserAPIKeyAuth(metadata=metadata, team_metadata=team), data) == want
