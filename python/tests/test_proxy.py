"""The proxy between a client and a provider, both by sockets: bytes, streams, failures, a thousand requests at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from typing import Iterator

import httpx
import pytest
import uvicorn
from conftest import long_body
from test_httpx import Broken
from upstream import SSE, Upstream, upstream

import deadhead
from deadhead.proxy import application


@contextlib.contextmanager
def served(at: str, *args: object, **options: object) -> Iterator[str]:
    """The proxy in front of ``at``, as a server of its own."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    config = uvicorn.Config(application(at, *args, **options), log_level="critical", server_header=False, date_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def both(*args: object, **options: object) -> Iterator[tuple[Upstream, str]]:
    with upstream() as at, served(at.url, *args, **options) as url:
        yield at, url


def raw(url: str, request: bytes) -> bytes:
    """What comes back over the wire until the connection ends."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(request)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                answer += piece
        return answer


def test_a_request_passes_as_it_is(long: bytes, short: bytes) -> None:
    with both() as (at, url):
        want = deadhead.Pruner().prune(long).body
        headers = {"x-api-key": "k", "anthropic-beta": "a,b", "Accept-Encoding": "identity", "User-Agent": "test"}
        direct = httpx.post(f"{at.url}/v1/messages?beta=true&x=%2F", content=short, headers=headers)
        through = httpx.post(f"{url}/v1/messages?beta=true&x=%2F", content=short, headers=headers)
        assert (through.status_code, through.content) == (direct.status_code, direct.content)
        assert through.headers == direct.headers
        first, second = at.seen
        assert first.line == second.line and first.body == second.body == short
        known = {name.lower(): value for name, value in first.headers if name.lower() not in ("host", "connection")}
        assert {name.lower(): value for name, value in second.headers if name.lower() not in ("host", "connection")} == known
        httpx.post(f"{url}/v1/messages", content=long)
        assert at.seen[-1].body == want and at.seen[-1].header("content-length") == str(len(want))


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS", "PUT"])
def test_other_requests_pass(method: str) -> None:
    with both() as (at, url):
        for path in ("/v1/models", "/v1/files/a%2Fb//c/?q=1", "/"):
            assert httpx.request(method, url + path).status_code == 200
            assert at.seen[-1].line == f"{method} {path} HTTP/1.1"
        if method == "PUT":
            httpx.put(url + "/v1/files", content=iter([b"x" * 70_000, b"y"]))
            assert at.seen[-1].body == b"x" * 70_000 + b"y"


def test_the_upstream_may_have_a_path(short: bytes) -> None:
    with upstream() as at, served(f"{at.url}/api/anthropic/") as url:
        httpx.post(f"{url}/v1/messages", content=short)
        assert at.seen[-1].line == "POST /api/anthropic/v1/messages HTTP/1.1"


def test_a_stream_comes_piece_by_piece(long: bytes) -> None:
    with both() as (at, url):
        with httpx.stream("POST", f"{url}/v1/messages", content=long, headers={"x-test": "sse"}) as answer:
            pieces = list(answer.iter_raw())
            assert answer.headers.get_list("x-odd") == ["a", "b"]
        assert b"".join(pieces) == b"".join(SSE) and len(pieces) > 1


def test_what_cannot_be_pruned_passes_and_is_counted(short: bytes) -> None:
    with both() as (at, url):
        for body in (b"{no json", b"", b"\xff\xfe", b'{"messages":7}'):
            assert httpx.post(f"{url}/v1/messages", content=body).status_code == 200
            assert at.seen[-1].body == body
    with both(Broken()) as (at, url):
        assert httpx.post(f"{url}/v1/chat/completions", content=short).status_code == 200
        assert at.seen[-1].body == short
        httpx.post(f"{url}/v1/messages", content=short, headers={"content-encoding": "zstd"})
        counts = httpx.get(f"{url}/metrics").text
        assert 'deadhead_requests_total{outcome="failed"} 1\n' in counts and 'outcome="skipped"} 1\n' in counts
        assert len(at.seen) == 2
    with both(Broken(), strict=True) as (at, url):
        answer = httpx.post(f"{url}/v1/messages", content=short)
        assert answer.status_code == 422 and "1:1: broken" in answer.json()["error"]["message"] and at.seen == []


def test_an_upstream_that_fails_is_not_hidden(short: bytes) -> None:
    head = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\nX-Test: " % len(short)
    with both() as (at, url):
        assert raw(url, head + b"fail\r\n\r\n" + short).startswith(b"HTTP/1.1 529 ")
        # What broke off at the provider breaks off here: it is never completed.
        cut = raw(url, head + b"cut\r\n\r\n" + short)
        promised = int(cut.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        assert len(cut.split(b"\r\n\r\n", 1)[1]) == promised - 50
        assert raw(url, head + b"drop\r\n\r\n" + short).startswith(b"HTTP/1.1 502 ")
        assert "deadhead_upstream_errors_total 2\n" in httpx.get(f"{url}/metrics").text
        assert len(at.seen) == 3, "nothing is sent twice"
    with served("http://127.0.0.1:9") as url:
        assert httpx.post(f"{url}/v1/messages", content=short).status_code == 502


def test_a_session_is_named_by_a_header(tmp_path, long: bytes) -> None:
    pruner = deadhead.Pruner(state=tmp_path / "state")
    with both(pruner, session_header="x-session") as (at, url):
        httpx.post(f"{url}/v1/messages", content=long, headers={"x-session": "a"})
    assert pruner.prune(long, session="a").report["session"]["kept"] > 0


def test_a_thousand_at_once() -> None:
    """Each is answered once, by what it would have got without the proxy: slow, failing and cut off ones among them."""
    bodies = [json.dumps(long_body(turns, 40_000)).encode() for turns in (1, 24)]
    wants = [deadhead.Pruner().prune(body).body for body in bodies]
    assert wants[0] == bodies[0] and wants[1] != bodies[1]
    hows = ["", "slow", "fail", "cut", "drop", "sse"]

    async def one(client: httpx.AsyncClient, url: str, i: int) -> tuple[int, bytes] | str:
        headers = {"x-test": hows[i % len(hows)], "x-id": str(i)}
        try:
            answer = await client.post(f"{url}/v1/messages", content=bodies[i % 7 == 0], headers=headers)
        except httpx.RemoteProtocolError:
            return "cut off"
        return answer.status_code, answer.content

    async def main(url: str) -> list[tuple[int, bytes] | str]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=120, limits=limits) as client:
            return await asyncio.gather(*(one(client, url, i) for i in range(1000)))

    with both() as (at, url):
        answers = asyncio.run(main(url))
        counts = httpx.get(f"{url}/metrics").text
    assert sorted(int(seen.header("x-id") or -1) for seen in at.seen) == list(range(1000)), "each was sent once"
    for seen in at.seen:
        assert seen.body == wants[int(seen.header("x-id") or -1) % 7 == 0]
    for i, answer in enumerate(answers):
        how, length = hows[i % len(hows)], len(wants[i % 7 == 0])
        own = json.dumps({"length": length, "id": str(i)}).encode()
        assert answer == {"": (200, own), "slow": (200, own), "fail": (529, own), "cut": "cut off", "sse": (200, b"".join(SSE))}.get(how, answer)
        assert how != "drop" or (isinstance(answer, tuple) and answer[0] == 502)
    assert 'outcome="failed"} 0\n' in counts
