"""The transport, against a provider on this machine: what is on the wire."""

from __future__ import annotations

import asyncio
import gzip

import httpx
import pytest
from conftest import WORKLOADS, audit
from upstream import SSE, Upstream, upstream

import deadhead
import deadhead.httpx


class Broken:
    """A pruner that fails at everything."""

    has_state = False

    def prune(self, body: object, **_: object) -> object:
        raise deadhead.InputError("1:1: broken (byte 0)", 1, 1, 0)


def sent(at: Upstream, path: str, transport: deadhead.httpx.Transport | None = None, **request: object) -> bytes:
    with httpx.Client(transport=transport or deadhead.httpx.Transport()) as client:
        assert client.post(at.url + path, **request).status_code == 200
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
        transport = deadhead.httpx.Transport()
        assert sent(at, "/v1/files", transport, content=long) == long
        packed = gzip.compress(long)
        for headers in ({"content-encoding": "gzip"}, {"authorization": "AWS4-HMAC-SHA256 Credential=x"}, {"content-md5": "x"}):
            transport = deadhead.httpx.Transport()
            assert sent(at, "/v1/messages", transport, content=packed, headers=headers) == packed
            assert transport.guard.requests == {"pruned": 0, "unchanged": 0, "skipped": 1, "failed": 0}


def test_it_fails_open_unless_it_is_strict(short: bytes) -> None:
    with upstream() as at:
        transport = deadhead.httpx.Transport(Broken())
        assert sent(at, "/v1/messages", transport, content=short) == short
        assert transport.guard.requests["failed"] == 1
        assert sent(at, "/v1/messages", content=b"{no json") == b"{no json"
        before = len(at.seen)
        with pytest.raises(deadhead.InputError):
            sent(at, "/v1/messages", deadhead.httpx.Transport(Broken(), strict=True), content=short)
        assert len(at.seen) == before


def test_streams_are_untouched(long: bytes) -> None:
    async def main(url: str) -> bytes:
        async with httpx.AsyncClient(transport=deadhead.httpx.AsyncTransport()) as client:
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
        sent(at, "/v1/messages", deadhead.httpx.Transport(pruner, session=session), content=long, headers={"x-id": "a"})
    assert named == ["a"] and pruner.prune(long, session="a").report["session"]["kept"] > 0


def test_a_request_names_its_workload(tmp_path, long: bytes, caplog) -> None:
    pruner = deadhead.Pruner(WORKLOADS, state=tmp_path / "state")
    with upstream() as at:
        # Each a session of its own: in one, what was cut stays cut.
        names = {"session": lambda _: str(len(at.seen)), "workload": lambda request: request.headers.get("x-workload")}
        transport = deadhead.httpx.Transport(pruner, **names)
        lengths = [len(sent(at, "/v1/messages", transport, content=long, headers=name and {"x-workload": name})) for name in ("chat", "batch", None)]
        assert lengths[0] < len(long) and lengths[1:] == [len(long)] * 2
        # Who asks cannot stop the pruning, or the request, by a name that nobody knows.
        sent(at, "/v1/messages", transport, content=long, headers={"x-workload": "chap"})
        assert transport.guard.requests["failed"] == 0 and "unknown workload 'chap" in caplog.text
        before = len(at.seen)
        with pytest.raises(deadhead.ConfigError):
            strict = deadhead.httpx.Transport(pruner, strict=True, workload=lambda request: "chap")
            sent(at, "/v1/messages", strict, content=long)
        assert len(at.seen) == before
    assert [len(audit(tmp_path / "state", name)) for name in ("chat", "batch")] == [1, 1]
