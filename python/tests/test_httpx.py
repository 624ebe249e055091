"""A client that is wrapped, against a provider on this machine: what is on the wire."""

from __future__ import annotations

import asyncio
import gzip
import json

import httpx
import pytest
from conftest import WORKLOADS, audit
from upstream import SSE, Upstream, upstream

import deadhead


class Broken:
    """A pruner that fails at everything."""

    has_state = False

    def prune(self, body: object, **_: object) -> object:
        raise deadhead.InputError("1:1: broken (byte 0)", 1, 1, 0)


def pruning(*given: object, **named: object) -> httpx.Client:
    return deadhead.wrap(httpx.Client(), *given, **named)


def guard(client: httpx.Client) -> dict[str, int]:
    return client._transport.guard.requests


def sent(at: Upstream, path: str, client: httpx.Client | None = None, **request: object) -> bytes:
    assert (client or pruning()).post(at.url + path, **request).status_code == 200
    return at.seen[-1].body


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1/messages/count_tokens?beta=true"])
def test_a_body_is_pruned_on_the_wire(path: str, long: bytes, short: bytes) -> None:
    want = deadhead.Pruner().prune(long).body
    with upstream() as at:
        assert sent(at, path, content=long) == want != long
        assert at.seen[-1].header("content-length") == str(len(want))
        assert sent(at, path, content=short) == short
        # A body that comes in pieces has no length before it was read.
        assert sent(at, path, content=iter([long[:1000], long[1000:]])) == want


def test_other_bodies_are_passed_on(long: bytes) -> None:
    with upstream() as at:
        client = pruning()
        assert sent(at, "/v1/files", client, content=long) == long
        packed = gzip.compress(long)
        for headers in ({"content-encoding": "gzip"}, {"authorization": "AWS4-HMAC-SHA256 Credential=x"}, {"content-md5": "x"}):
            client = pruning()
            assert sent(at, "/v1/messages", client, content=packed, headers=headers) == packed
            assert guard(client) == {"pruned": 0, "unchanged": 0, "skipped": 1, "failed": 0}


def test_it_fails_open_unless_it_is_strict(short: bytes) -> None:
    with upstream() as at:
        client = pruning(Broken())
        assert sent(at, "/v1/messages", client, content=short) == short
        assert guard(client)["failed"] == 1
        assert sent(at, "/v1/messages", content=b"{no json") == b"{no json"
        before = len(at.seen)
        with pytest.raises(deadhead.InputError):
            sent(at, "/v1/messages", pruning(Broken(), strict=True), content=short)
        assert len(at.seen) == before


def test_streams_are_untouched(long: bytes) -> None:
    async def main(url: str) -> bytes:
        async with deadhead.wrap(httpx.AsyncClient()) as client:
            async with client.stream("POST", url + "/v1/messages", content=long, headers={"x-test": "sse"}) as answer:
                return b"".join([piece async for piece in answer.aiter_raw()])

    with upstream() as at:
        assert asyncio.run(main(at.url)) == b"".join(SSE)
        assert at.seen[-1].body == deadhead.Pruner().prune(long).body


def test_a_session_has_a_name(tmp_path, long: bytes) -> None:
    pruner = deadhead.Pruner(state=tmp_path / "state")
    named = []

    def session(request: httpx.Request) -> str:
        named.append(request.headers["x-id"])
        return named[-1]

    with upstream() as at:
        sent(at, "/v1/messages", pruning(pruner, session=session), content=long, headers={"x-id": "a"})
    assert named == ["a"] and pruner.prune(long, session="a").report["session"]["kept"] > 0


def test_a_request_names_its_workload(tmp_path, long: bytes, caplog) -> None:
    pruner = deadhead.Pruner(WORKLOADS, state=tmp_path / "state")
    with upstream() as at:
        # Each a session of its own: in one, what was cut stays cut.
        names = {"session": lambda _: str(len(at.seen)), "workload": lambda request: request.headers.get("x-workload")}
        client = pruning(pruner, **names)
        lengths = [len(sent(at, "/v1/messages", client, content=long, headers=name and {"x-workload": name})) for name in ("chat", "batch", None)]
        assert lengths[0] < len(long) and lengths[1:] == [len(long)] * 2
        # Who asks cannot stop the pruning, or the request, by a name that nobody knows.
        sent(at, "/v1/messages", client, content=long, headers={"x-workload": "chap"})
        assert guard(client)["failed"] == 0 and "unknown workload 'chap" in caplog.text
        before = len(at.seen)
        with pytest.raises(deadhead.ConfigError):
            strict = pruning(pruner, strict=True, workload=lambda request: "chap")
            sent(at, "/v1/messages", strict, content=long)
        assert len(at.seen) == before
    assert [len(audit(tmp_path / "state", name)) for name in ("chat", "batch")] == [1, 1]


def test_a_client_keeps_its_settings(monkeypatch: pytest.MonkeyPatch, long: bytes) -> None:
    with upstream() as at:
        monkeypatch.setenv("HTTP_PROXY", at.url)
        limits = httpx.Limits(max_connections=7, keepalive_expiry=3)
        client = httpx.Client(timeout=9, limits=limits, follow_redirects=True, headers={"x-a": "b"}, auth=("u", "p"))
        before, inner, mounts = dict(vars(client)), client._transport, dict(client._mounts)
        assert deadhead.wrap(client) is client and deadhead.wrap(client) is client
        after = dict(vars(client))
        for changed in ("_transport", "_mounts"):
            before.pop(changed), after.pop(changed)
        assert after == before
        # Wrapped twice is wrapped once.
        assert client._transport.inner is inner and client._transport._pool is inner._pool
        assert {pattern: one and one.inner for pattern, one in client._mounts.items()} == mounts != {}
        # The proxy of the environment is asked, with what is pruned.
        assert client.post("http://provider.test/v1/messages", content=long).status_code == 200
        assert at.seen[-1].line.startswith("POST http://provider.test/v1/messages ")
        assert at.seen[-1].body == deadhead.Pruner().prune(long).body != long


def test_what_has_no_client_is_an_error() -> None:
    with pytest.raises(TypeError, match="has no client of"):
        deadhead.wrap("client")


def test_a_path_names_the_model(long: bytes) -> None:
    contents: list[dict] = [{"role": "user", "parts": [{"text": "go"}]}]
    for turn in range(12):
        contents += [
            {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"n": turn}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": "x y " * 20_000}}}]},
            {"role": "model", "parts": [{"text": "so"}]},
            {"role": "user", "parts": [{"text": "on"}]},
        ]
    body = json.dumps({"contents": contents}).encode()
    with upstream() as at:
        client = pruning(deadhead.Pruner(preset="break-even"))
        got = sent(at, "/v1beta/models/gemini-2.5-pro:generateContent", client, content=body)
        want = deadhead.Pruner(preset="break-even").prune(body, model="gemini-2.5-pro")
        assert want.report["model"] == "gemini-2.5-pro" and got == want.body != body
