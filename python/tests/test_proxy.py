"""The proxy between a client and a provider, both by sockets: bytes, streams, failures, a thousand requests at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from typing import Iterator

import httpx
import pytest
import uvicorn
from conftest import WORKLOADS, audit, long_body
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


def test_a_request_that_cannot_be_pruned_passes_and_is_counted(short: bytes) -> None:
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


def test_requests_are_listed_for_auditors(tmp_path, long: bytes, short: bytes) -> None:
    pruner = deadhead.Pruner(WORKLOADS, state=tmp_path / "state", workload="chat")
    with both(pruner, session_header="x-session", workload_header="x-workload") as (at, url):
        for i, (body, named) in enumerate([(long, {}), (short, {}), (long, {"x-workload": "batch"}), (short, {"x-workload": "chap"})]):
            httpx.post(f"{url}/v1/messages", content=body, headers={"x-session": str(i), **named})
        assert len(at.seen[0].body) < len(long) and at.seen[2].body == long
    chat, batch = (audit(tmp_path / "state", name) for name in ("chat", "batch"))
    assert [row["charsAfter"] < row["charsBefore"] for row in chat] == [True, False, False] and len(batch) == 1
    assert [mechanic["name"] for mechanic in chat[0]["mechanics"]] == ["soft-trim"]


def test_the_process_takes_its_flags(tmp_path, long: bytes) -> None:
    (tmp_path / "config").write_text(json.dumps(WORKLOADS))
    with upstream() as at, contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
        listener.close()
        command = [sys.executable, "-m", "deadhead.proxy", "--upstream", at.url, "--port", str(port), "--config", tmp_path / "config"]
        command += ["--state", tmp_path / "state", "--workload-header", "x-workload", "--session-header", "x-session"]
        process = subprocess.Popen(command, env={**os.environ, "DEADHEAD_WORKLOAD": "chat"})
        try:
            url = f"http://127.0.0.1:{port}/v1/messages"
            until(lambda: process.poll() is not None or is_up(url))
            httpx.post(url, content=long, headers={"x-session": "a"})
            httpx.post(url, content=long, headers={"x-session": "b", "x-workload": "batch"})
        finally:
            process.terminate()
            process.wait(30)
    assert [row["session"] for row in audit(tmp_path / "state", "chat")] == ["a"]
    assert [row["session"] for row in audit(tmp_path / "state", "batch")] == ["b"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--upstream", "api.anthropic.com"], "the upstream must be an address such as https://api.anthropic.com, not 'api.anthropic.com'"),
        (["--upstream", ""], "the upstream must be an address"),
        (["--upstream", "ftp://x"], "the upstream must be an address"),
        (["--upstream", "http://x:port"], "the upstream must be an address"),
        (["--upstream", "http://x", "--preset", "nope"], "unknown preset nope"),
        (["--upstream", "http://x", "--config", "absent"], "No such file or directory: 'absent'"),
        (["--upstream", "http://x", "--state", "absent/state"], "absent/state: cannot be opened"),
        (["--upstream", "http://x", "--workload", "chat"], "unknown workload chat"),
    ],
)
def test_flags_that_cannot_be_used_are_refused_in_a_line(tmp_path, flags: list[str], says: str) -> None:
    made = subprocess.run([sys.executable, "-m", "deadhead.proxy", *flags], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert made.returncode == 2 and made.stderr.startswith("python -m deadhead.proxy: ") and says in made.stderr
    assert made.stderr.count("\n") == 1, made.stderr


def is_up(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(url).status_code == 200
    return False


def test_headers_for_one_connection_stay_there(short: bytes) -> None:
    with both() as (at, url):
        sent = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Test: odd\r\nConnection: X-Own\r\nConnection: close, X-Two\r\nX-Own: 1\r\nX-Two: 2\r\n"
        sent += b"TE: trailers\r\nProxy-Authorization: Basic x\r\nProxy-Connection: close\r\nX-Kept: 1\r\nContent-Length: %d\r\n\r\n%s" % (len(short), short)
        head, _, body = raw(url, sent).lower().partition(b"\r\n\r\n")
        names = {line.split(b":")[0] for line in head.split(b"\r\n")[1:]}
        assert names == {b"content-type", b"content-length", b"request-id", b"connection"} and b"connection: close" in head
        assert json.loads(body)["length"] == len(short)
        seen = {name.lower() for name, _ in at.seen[-1].headers}
        assert seen == {"host", "x-test", "x-kept", "content-length"}


def test_a_target_is_passed_in_the_clients_spelling() -> None:
    with both() as (at, url):
        for target in ('/v1/a|b"c', "/v1/%7e%2e%2E/../x?q={a}^`", "/v1/x?", "//v1///y;p=1", "/v1/%zz"):
            assert b" 200 OK" in raw(url, f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            assert at.seen[-1].line == f"GET {target.removesuffix('?')} HTTP/1.1"


def test_a_strange_host_or_session_is_no_reason_to_refuse(long: bytes, tmp_path) -> None:
    pruner = deadhead.Pruner(state=tmp_path / "state")
    with both(pruner, session_header="x-session") as (at, url):
        for host, session in ((b"[", b"a"), (b"x/v1/messages?", b""), (b"x", b"  ")):
            head = b"POST /v1/messages HTTP/1.1\r\nHost: %s\r\nX-Session: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (host, session, len(long))
            assert b" 200 OK" in raw(url, head + long)[:20]
            assert len(at.seen[-1].body) < len(long)


def test_every_method_passes() -> None:
    with both() as (at, url):
        for method in ("TRACE", "PROPFIND", "PATCH", "LINK"):
            assert httpx.request(method, url + "/v1/x").status_code == 200
            assert at.seen[-1].line == f"{method} /v1/x HTTP/1.1"


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
def test_a_body_is_asked_for(path: str, long: bytes) -> None:
    """A client that waits for 100 Continue gets it, once, and the provider is not asked again."""
    with both() as (at, url):
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: {len(long)}\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue\r\n")
            connection.sendall(long)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert at.seen[-1].header("expect") is None
        assert at.seen[-1].body == (deadhead.Pruner().prune(long).body if path == "/v1/messages" else long)


def test_a_body_in_chunks_that_has_a_length_too_is_not_smuggled(short: bytes) -> None:
    with both() as (at, url):
        head = b"PUT /v1/files HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
        raw(url, head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(short), short))
        assert all(seen.body == short and seen.header("content-length") is None for seen in at.seen)


def test_an_answer_may_come_before_the_body_is_read(long: bytes) -> None:
    """A provider that refuses at once is heard, not reported as broken."""
    with both() as (at, url):
        for path in ("/v1/messages", "/v1/files"):
            answer = httpx.post(url + path, content=long[:200_000], headers={"x-test": "early"})
            assert (answer.status_code, answer.content) == (413, b"large")


def test_a_large_upload_passes_in_pieces() -> None:
    with both() as (at, url):
        pieces = [bytes([i % 256]) * 1_000_003 for i in range(60)]
        assert httpx.post(f"{url}/v1/files", content=iter(pieces), timeout=60).json()["length"] == 60 * 1_000_003
        assert at.seen[-1].body == b"".join(pieces)


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/files"])
def test_a_client_that_leaves_takes_its_request_back(path: str, short: bytes) -> None:
    """The provider need not work, and be paid, for nobody."""
    with both() as (at, url):
        for how in ("hang", "sse"):
            host, port = url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Test: {how}\r\nContent-Length: {len(short)}\r\n\r\n".encode() + short)
                until(lambda: bool(at.seen) and at.seen[-1].header("x-test") == how)
        until(lambda: at.left == 1)
        # In the middle of its own body: nothing of it was answered, and nothing is left over.
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Test: torn\r\nContent-Length: 99999\r\n\r\n{{".encode())
        assert httpx.post(url + path, content=short).status_code == 200
        assert "deadhead_upstream_errors_total 0\n" in httpx.get(f"{url}/metrics").text


def until(holds) -> None:
    """Waits until something holds."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_websocket_is_refused_plainly() -> None:
    with both() as (at, url):
        head = b"GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.settimeout(20)
            connection.sendall(head + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            answer = b""
            while not answer.endswith(b"}}"):
                answer += connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 426 ") and b"WebSockets are not passed on" in answer and at.seen == []


HOWS = ["", "slow", "fail", "cut", "drop", "sse", "cut-sse", "reset", "odd", "early"]


def test_a_thousand_at_once() -> None:
    """Each is answered once, by what it would have got without the proxy: slow, failing and cut off ones among them."""
    bodies = [json.dumps(long_body(turns, 40_000)).encode() for turns in (1, 24)]
    wants = [deadhead.Pruner().prune(body).body for body in bodies]
    assert wants[0] == bodies[0] and wants[1] != bodies[1]

    async def one(client: httpx.AsyncClient, url: str, i: int, sent: list[bytes]) -> tuple[int, bytes] | str:
        headers = {"x-test": HOWS[i % len(HOWS)], "x-id": str(i)}
        try:
            answer = await client.post(f"{url}/v1/messages", content=sent[i % 7 == 0], headers=headers)
        except httpx.TransportError as error:
            return "no answer" if HOWS[i % len(HOWS)] in ("drop", "reset") else f"cut off: {type(error).__name__}"
        if answer.status_code == 502 and HOWS[i % len(HOWS)] in ("drop", "reset"):
            # HTTP has no other word for a provider that does not answer.
            return "no answer"
        return answer.status_code, answer.content

    async def main(url: str, sent: list[bytes]) -> list[tuple[int, bytes] | str]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=120, limits=limits) as client:
            return await asyncio.gather(*(one(client, url, i, sent) for i in range(1000)))

    with both() as (at, url):
        answers = asyncio.run(main(url, bodies))
        counts = httpx.get(f"{url}/metrics").text
        through = list(at.seen)
        at.seen.clear()
        # Those who send the pruned bodies themselves, without the proxy.
        assert answers == asyncio.run(main(at.url, wants))
    ids = [int(seen.header("x-id") or -1) for seen in through]
    assert sorted(ids) == list(range(1000)), "each was sent once"
    for seen, i in zip(through, ids):
        assert seen.body == (b"" if HOWS[i % len(HOWS)] == "early" else wants[i % 7 == 0])
    assert 'outcome="failed"} 0\n' in counts and f'outcome="pruned"}} {len(range(0, 1000, 7))}\n' in counts
