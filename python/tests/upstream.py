"""A provider on this machine: it keeps what came in over the wire, and answers as it is asked to."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import Iterator

SSE = [b'event: message_start\r\ndata: {"a":  1}\r\n\r\n', b": ping\n\n", b"data: {\"delta\":\"\xc3\xa9\"}\n\n", b"data: [DONE]\n\n"]


@dataclass
class Seen:
    """A request as it came."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass
class Upstream:
    """A server that speaks HTTP by sockets, so that nothing is between the test and the wire.

    The header x-test asks for an answer: ``sse``, ``slow``, ``fail``, ``cut`` (within the answer), ``cut-sse`` (within a stream), ``drop``
    (without one), ``reset`` (the same, rudely), ``odd`` (with headers for this connection alone), ``early`` (before the body was read),
    ``hang`` (never; ``left`` counts the clients that gave up).
    """

    seen: list[Seen] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=dict)
    """JSON by the end of a path, for libraries that want an answer of their provider's form."""
    port: int = 0
    left: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as reader:
            while line := reader.readline():
                headers = []
                while (header := reader.readline().strip()) != b"":
                    name, _, value = header.decode("latin-1").partition(":")
                    headers.append((name, value.strip()))
                found = {name.lower(): value for name, value in headers}
                if found.get("x-test") == "early":
                    self.seen.append(Seen(line.decode().strip(), headers, b""))
                    connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge")
                    connection.shutdown(socket.SHUT_WR)
                    # What comes yet is read away, else the system takes the answer back.
                    while reader.read(65536):
                        pass
                    return
                seen = Seen(line.decode().strip(), headers, self.body(reader, found))
                self.seen.append(seen)
                try:
                    if not self.answer(connection, seen, found.get("x-test", "")):
                        return
                except OSError:
                    return

    @staticmethod
    def body(reader, headers: dict[str, str]) -> bytes:
        if "chunked" in headers.get("transfer-encoding", ""):
            body = b""
            while size := int(reader.readline(), 16):
                body += reader.read(size)
                reader.readline()
            reader.readline()
            return body
        return reader.read(int(headers.get("content-length", 0)))

    def answer(self, connection: socket.socket, seen: Seen, how: str) -> bool:
        """Answers; false where the connection ends with it."""
        if how == "drop":
            return False
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if how == "hang":
            # Until the other side closes.
            with contextlib.suppress(OSError):
                connection.recv(1)
            self.left += 1
            return False
        if how == "slow":
            time.sleep(0.3)
        path = seen.line.split(" ")[1].partition("?")[0]
        own = next((answer for end, answer in self.answers.items() if path.endswith(end)), None)
        wants_stream = how in ("sse", "cut-sse") or (own is not None and own.startswith(b"data:"))
        if wants_stream:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nX-Odd: a\r\nX-Odd: b\r\n\r\n")
            for piece in [own] if own else SSE:
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                time.sleep(0.02)
            if how == "cut-sse":
                return False
            connection.sendall(b"0\r\n\r\n")
            return True
        body = own or json.dumps({"length": len(seen.body), "id": seen.header("x-id")}).encode()
        status = b"529 Overloaded" if how == "fail" else b"200 OK"
        promised = len(body) + (50 if how == "cut" else 0)
        head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRequest-Id: r1\r\n" % (status, promised)
        head += b"Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n\r\n" if how == "odd" else b"\r\n"
        connection.sendall(head if seen.line.startswith("HEAD ") else head + body)
        return how != "cut"


@contextlib.contextmanager
def upstream() -> Iterator[Upstream]:
    """A provider that runs for a test."""
    server = socket.create_server(("127.0.0.1", 0), backlog=2048)
    made = Upstream(port=server.getsockname()[1])

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=made.serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
