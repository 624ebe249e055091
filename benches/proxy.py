#!/usr/bin/env python3
"""What the proxy adds to a request of 100 KB, over a proxy of the same stack that passes everything on: benches/proxy.py [SECONDS].

Run with a Python that has the package and its extra `proxy`. Two proxies, each a process of its own, take turns at 200 requests a second
before one provider, five seconds each. Every body is cut. A request begins at its time, whether or not those before it are answered, and
its time counts from then on. Where the machine has other work, the p99 of the best turn says more than that of all.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time

RATE = 200
TURN = 5

PROVIDER = """
import asyncio
async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\\r\\n")[0]))
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    await (await asyncio.start_server(serve, "127.0.0.1", PORT, limit=1 << 20)).serve_forever()
asyncio.run(main())
"""
PASSING = """
import httpx, uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None, max_keepalive_connections=100))
async def answer(request: Request):
    headers = [(name, value) for name, value in request.headers.raw if name not in (b"host", b"connection", b"content-length")]
    onward = httpx.Request(request.method, "http://127.0.0.1:UPSTREAM" + request.url.path, headers=headers, content=await request.body())
    response = await client.send(onward, stream=True)
    passed = StreamingResponse(response.aiter_raw(), response.status_code)
    passed.raw_headers = [(name.lower(), value) for name, value in response.headers.raw]
    return passed
app = Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])
uvicorn.run(app, port=PORT, log_level="warning", timeout_keep_alive=75, server_header=False, date_header=False)
"""


def body(i: int) -> bytes:
    """A conversation of 100 KB."""
    size, turns = 5_600, 20
    messages: list[dict] = [{"role": "user", "content": "go"}]
    for turn in range(turns):
        text = f"{i} {turn} line of output\n" * (size // 24)
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"c{turn}", "name": "run", "input": {}}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{turn}", "content": text}]})
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": messages}).encode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


async def turn(port: int, seconds: float, sent: list[bytes]) -> list[float]:
    """The times of the requests of one turn. The client is of sockets, as it must not take more than the proxies do."""
    taken: list[float] = []
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def one(at: float, body: bytes) -> None:
        await asyncio.sleep(max(0, at - time.perf_counter()))
        reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body))
        writer.write(body)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200") and await reader.readexactly(2) == b"{}"
        taken.append(time.perf_counter() - at)
        idle.append((reader, writer))

    begun = time.perf_counter() + 0.2
    await asyncio.gather(*(one(begun + i / RATE, sent[i % len(sent)]) for i in range(int(seconds * RATE))))
    for _, writer in idle:
        writer.close()
    return taken


def processor_ms(process: subprocess.Popen[bytes]) -> float:
    """Processor time of a process so far."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    sent = [body(i) for i in range(40)]
    provider, ours, passing = free_port(), free_port(), free_port()
    started = [subprocess.Popen([sys.executable, "-c", PROVIDER.replace("PORT", str(provider))])]
    started.append(subprocess.Popen([sys.executable, "-m", "deadhead.proxy", "--upstream", f"http://127.0.0.1:{provider}", "--port", str(ours), "--preset", "clawdbot-aggressive"]))
    started.append(subprocess.Popen([sys.executable, "-c", PASSING.replace("PORT", str(passing)).replace("UPSTREAM", str(provider))]))
    try:
        time.sleep(5)
        times: dict[str, list[float]] = {"passing": [], "deadhead.proxy": []}
        tails: dict[str, list[float]] = {name: [] for name in times}
        used = dict.fromkeys(times, 0.0)
        for i in range(int(seconds / TURN / 2) + 1):
            for name, port, process in (("passing", passing, started[2]), ("deadhead.proxy", ours, started[1])):
                before = processor_ms(process)
                found = asyncio.run(turn(port, 2 if i == 0 else TURN, sent))
                if i:
                    times[name] += found
                    tails[name].append(sorted(found)[int(0.99 * len(found))])
                    used[name] += processor_ms(process) - before
        print(f"{len(times['passing'])} requests each, {RATE} a second, load {os.getloadavg()[0]:.1f}")
        quantiles = (0.5, 0.9, 0.99, 0.999)
        for name, found in times.items():
            found.sort()
            print(f"{name:15}" + "".join(f"  p{q * 100:g} {found[int(q * len(found))] * 1000:.2f} ms" for q in quantiles), end="")
            print(f"  best turn's p99 {min(tails[name]) * 1000:.2f} ms  processor {used[name] / len(found):.2f} ms")
    finally:
        for process in started:
            process.terminate()


main()
