#!/usr/bin/env python3
"""Hurts the program while it writes files, and counts what was left: the long form of what `cargo test` does a few times.

    tests/faults/run.py [--rounds N] [--page docs/reliability.md]

DEADHEAD is the program, target/debug/deadhead if it is not set. Needs Python 3.11; without strace or the right to mount, what needs
them is named in the page as not run. Fails at the first thing that is not as it should be.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import gzip
import json
import os
import pathlib
import platform
import random
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.path.abspath(os.environ.get("DEADHEAD", ROOT / "target/debug/deadhead"))
CUT = ["--mode=aggressive", "--set=contextPruning.minPrunableToolChars=0", "--now=2026-01-31T12:00:00Z", "-q"]


def history(steps: int) -> bytes:
    """A log of `steps` calls, some 1.1 KB each."""
    lines = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/"}]

    def entry(message: dict) -> None:
        parent = lines[-1]["id"] if len(lines) > 1 else None
        lines.append({"type": "message", "id": f"e{len(lines)}", "parentId": parent, "timestamp": "t", "message": message})

    entry({"role": "user", "content": "go"})
    for i in range(steps):
        entry({"role": "assistant", "content": [{"type": "toolCall", "id": f"t{i}", "name": "exec", "arguments": {}}]})
        entry({"role": "toolResult", "toolCallId": f"t{i}", "toolName": "exec", "content": [{"type": "text", "text": "0123456789" * 80}]})
    entry({"role": "assistant", "content": [{"type": "text", "text": "ok"}]})
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def body(steps: int) -> bytes:
    """A request body of `steps` calls."""
    messages = [{"role": "user", "content": "go"}]
    for i in range(steps):
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{i}", "name": "run", "input": {}}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{i}", "content": f"{i} " + "x" * 900}]})
    return json.dumps({"model": "m", "max_tokens": 1, "messages": messages}).encode() + b"\n"


# What is written, by a name, and the arguments. Each runs in a folder with `in.jsonl` and `logs/`; what it makes is named `out…`.
COMMANDS = {
    "prune -o": ["prune", *CUT, "-o", "out.jsonl", "in.jsonl"],
    "prune -o .gz": ["prune", *CUT, "-o", "out.jsonl.gz", "in.jsonl"],
    "prune -o .zst": ["prune", *CUT, "-o", "out.jsonl.zst", "in.jsonl"],
    "prune --out-dir": ["prune", *CUT, "-r", "--out-dir", "out", "logs"],
    "prune --report": ["prune", *CUT, "-o", "out.jsonl", "--report", "out.report", "--report-format=json", "in.jsonl"],
    "prune --sidecar": ["prune", *CUT, "-o", "out.jsonl", "--sidecar", "out.sidecar", "in.jsonl"],
    "check --repair": ["check", "-q", "--repair", "-o", "out.jsonl", "in.jsonl"],
    "slim": ["slim", "-q", "-o", "out.jsonl", "in.jsonl"],
    "replay --report": ["replay", "--progress=never", "--report-format=json", "--report", "out.report", "usage.jsonl"],
}


def start(folder: pathlib.Path, args: list[str], **more) -> subprocess.Popen:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_STATE_HOME": str(folder / ".state")}
    return subprocess.Popen([PROGRAM, *args], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def files(folder: pathlib.Path) -> dict[str, bytes]:
    """What lies in a folder but for caches of ours, which are below `.state`."""
    found = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".state")}


def prepared(folder: pathlib.Path) -> dict[str, bytes]:
    (folder / "logs/a").mkdir(parents=True)
    (folder / "in.jsonl").write_bytes(LOG)
    shutil.copy(ROOT / "tests/samples/demo-session.jsonl", folder / "usage.jsonl")
    for i in range(4):
        (folder / f"logs/a/{i}.jsonl").write_bytes(SMALL)
    return files(folder)


def made_whole(command: str) -> tuple[dict[str, bytes], float]:
    """All that a command makes if nothing happens to it, and the time that it takes."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        given = prepared(folder)
        begun = time.monotonic()
        run = start(folder, COMMANDS[command])
        errors = run.communicate()[1].decode()
        assert run.returncode in (0, 1), (command, run.returncode, errors)
        made = {name: text for name, text in files(folder).items() if name not in given}
        assert made, f"{command} makes nothing: {errors}"
        return made, time.monotonic() - begun


def compare(command: str, folder: pathlib.Path, given: dict[str, bytes], whole: dict[str, bytes], how: str) -> None:
    """Nothing but inputs and whole outputs lies there."""
    for name, text in files(folder).items():
        if name in given:
            assert text == given[name], f"{command}, {how}: the input {name} was changed"
        else:
            assert name in whole, f"{command}, {how}: {name} was left behind"
            if "sidecar" in name:
                continue
            assert same(name, text, whole[name]), f"{command}, {how}: {name} is not whole: {len(text)} of {len(whole[name])} bytes"


    if "sidecar" in " ".join(COMMANDS[command]):
        # It grows from run to run: what a run left there must not be in the way of the next.
        again = start(folder, COMMANDS[command])
        errors = again.communicate()[1].decode()
        back = subprocess.run([PROGRAM, "undo", "out.jsonl", "--sidecar", "out.sidecar"], cwd=folder, capture_output=True)
        assert again.returncode == 0 and back.stdout == LOG, f"{command}, {how}: {errors}{back.stderr.decode()}"


def same(name: str, text: bytes, whole: bytes) -> bool:
    if "report" not in name:
        return text == whole
    # Reports have the time that a run took.
    return text[-1:] == whole[-1:] and json.loads(text).keys() == json.loads(whole).keys()


def kills(rounds: int) -> str:
    killed = runs = 0
    for command, args in COMMANDS.items():
        whole, takes = made_whole(command)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                given = prepared(folder)
                run = start(folder, args)
                time.sleep(DICE.random() * takes * 1.1)
                run.kill()
                run.communicate()
                runs += 1
                killed += run.returncode == -signal.SIGKILL
                compare(command, folder, given, whole, "killed")
    return f"kill -9 at a random moment, {len(COMMANDS)} commands that write files | {runs} ({killed} killed while they ran) | 0 partial outputs, 0 files left behind, inputs unchanged; a sidecar, which grows from run to run, serves the next run and `undo`"


def small_files(rounds: int) -> str:
    """A limit on the size of files that a write meets at a random place; the signal is ignored, so that the write fails."""
    failed = runs = 0

    def limit(size: int):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    for command, args in COMMANDS.items():
        whole, _ = made_whole(command)
        largest = max(map(len, whole.values()))
        for _ in range(max(1, rounds // 4)):
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                given = prepared(folder)
                size = DICE.randrange(largest)
                run = start(folder, args, preexec_fn=lambda: limit(size))
                errors = run.communicate()[1].decode()
                runs += 1
                failed += run.returncode == 2
                assert "panicked" not in errors and run.returncode in (0, 1, 2), (command, size, run.returncode, errors)
                compare(command, folder, given, whole, f"with files up to {size} bytes")
                if run.returncode != 2:
                    assert set(files(folder)) == set(given) | set(whole), f"{command}: exit {run.returncode} without an output"
    return f"writes that fail at a random size (`RLIMIT_FSIZE`), the same commands | {runs} ({failed} failed) | exit 2, 0 partial outputs, 0 files left behind"


def full_device(_: int) -> str:
    runs = 0
    for command in ("prune -o", "check --repair", "slim"):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            prepared(folder)
            args = [arg for arg in COMMANDS[command] if arg not in ("-o", "out.jsonl")]
            with open("/dev/full", "wb") as full:
                run = subprocess.run([PROGRAM, *args], cwd=folder, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
            assert run.returncode == 2 and b"panicked" not in run.stderr, (command, run)
            runs += 1
    return f"`/dev/full` as stdout | {runs} | exit 2"


def faults_of_calls(rounds: int) -> str:
    """Each of the calls of the system that write fails once, by strace."""
    if not shutil.which("strace"):
        return "calls of the system that fail | not run: no strace | "
    runs = wrong = 0
    cases = [("write", "ENOSPC"), ("write", "EIO"), ("write", "EINTR"), ("pwrite64", "EIO"), ("copy_file_range", "EIO"), ("copy_file_range", "EINTR"),
             ("fsync", "EIO"), ("renameat", "EIO"), ("linkat", "EPERM"), ("fchmod", "EPERM"),
             ("read", "EINTR"), ("pread64", "EINTR"), ("read", "EIO"), ("openat", "EMFILE"), ("mmap", "ENOMEM"), ("clone3", "EAGAIN")]
    for command in ("prune -o", "prune -o .gz", "prune -o .zst", "check --repair", "slim"):
        whole, _ = made_whole(command)
        for call, error in cases:
            for _ in range(max(1, rounds // 20)):
                with tempfile.TemporaryDirectory() as place:
                    folder = pathlib.Path(place)
                    given = prepared(folder)
                    # The first calls are the loader's.
                    at = DICE.randrange(1, 60) if call in ("openat", "mmap", "read") else DICE.randrange(1, 5)
                    strace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={at}"]
                    run = subprocess.run([*strace, PROGRAM, *COMMANDS[command]], cwd=folder, stdin=subprocess.DEVNULL,
                                         env={"PATH": os.environ["PATH"], "HOME": place, "XDG_STATE_HOME": place + "/.state"},
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    errors = run.stderr.decode()
                    if run.returncode == 127:
                        continue  # It met the loader.
                    runs += 1
                    compare(command, folder, given, whole, f"{error} of {call} {at}")
                    assert "panicked" not in errors, (command, call, error, at, errors)
                    assert run.returncode not in (0, 1) or set(files(folder)) >= set(given) | set(whole), (command, call, error, at)
                    if error == "EINTR":
                        assert run.returncode in (0, 1), (command, call, error, at, errors)
                    wrong += run.returncode not in (0, 1)
    return f"a call of the system that fails (EIO, ENOSPC, EINTR, EMFILE, ENOMEM, EPERM, EAGAIN; strace), 5 commands | {runs} ({wrong} ended with an error) | 0 partial outputs, 0 files left behind, no exit 0 without its output, EINTR fails nothing, 0 panics"


def state(rounds: int) -> str:
    """A conversation grows by a step a request; runs are killed. What was answered with cuts stays cut the same way; only after
    the cache has expired, or a killed run that nobody saw the answer of, may a trimmed result be cleared."""
    killed = runs = cuts = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        flags = ["prune", "-q", "--state", "s.db", "--session", "a", "--mode=cache-ttl", "--context-window=2000", "--set=contextPruning.minPrunableToolChars=0",
                 "--set=contextPruning.softTrim.maxChars=500", "--set=contextPruning.softTrim.headChars=50", "--set=contextPruning.softTrim.tailChars=50"]
        known: dict[str, str] = {}
        minute, steps, takes, gone = 0, 2, 0.1, False
        for turn in range(rounds * 2):
            minute += 7 if turn % 4 else 1
            steps = min(steps + turn % 3 // 2, 60)
            (folder / "body.json").write_bytes(body(steps))
            now = (datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
            begun = time.monotonic()
            run = start(folder, [*flags, "--now", now, "body.json"])
            if turn % 2:
                time.sleep(DICE.random() * takes)
                run.kill()
            out, errors = run.communicate()
            runs += 1
            if run.returncode == -signal.SIGKILL:
                killed += 1
            else:
                assert run.returncode == 0, errors.decode()
                takes = time.monotonic() - begun if not turn % 2 else takes
            if not out.endswith(b"}\n"):
                gone = True
                continue
            for message in json.loads(out)["messages"]:
                for block in message["content"] if isinstance(message["content"], list) else []:
                    if block["type"] == "tool_result" and len(block["content"]) < 900:
                        before = known.get(block["tool_use_id"], block["content"])
                        deeper = turn % 4 and len(block["content"]) < len(before) or gone
                        assert before == block["content"] or deeper and "cleared" in block["content"], (turn, before, block)
                        known[block["tool_use_id"]] = block["content"]
                        cuts += 1
            seen = {b["tool_use_id"] for m in json.loads(out)["messages"] if isinstance(m["content"], list) for b in m["content"] if b["type"] == "tool_result" and len(b["content"]) < 900}
            assert seen >= set(known), (turn, set(known) - seen)
            gone = False
        ok = sqlite3.connect(folder / "s.db").execute("PRAGMA integrity_check").fetchone()[0]
        assert ok == "ok" and known, (ok, len(known))
    return f"a session in a state file, every other run killed -9 | {runs} ({killed} killed) | {cuts} repeated cuts: 0 lost, 0 changed but trimmed ones that were cleared when the cache had expired or after a killed run; the file is sound"


def memory(rounds: int) -> str:
    """The most memory of a filter over lines that are no bodies, for two sizes."""
    most = []
    for size in (4, 16):
        line = b'{"hello":1}\n'
        text = line * (size * (1 << 20) // len(line))
        with tempfile.TemporaryFile() as out:
            run = subprocess.Popen([PROGRAM, "prune", "-q"], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL)
            run.stdin.write(text)
            run.stdin.close()
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            assert out.read() == text
        most.append(used.ru_maxrss >> 10)
    assert most[1] < most[0] + 24 and most[1] < 128, most
    return f"memory of a filter over lines without a body, 4 and 16 MB of them | 2 | {most[0]} and {most[1]} MB"


def names(_: int) -> str:
    """Control characters in ids, tools and paths: none comes out of a text for people."""
    evil = "x\x1b]0;t\x07\nforged\r\u202e\x9b31m"
    text = json.loads(body(3))
    text["model"] = evil
    for message in text["messages"][1:]:
        for block in message["content"]:
            block.update({key: evil + block[key] for key in ("id", "tool_use_id", "name") if key in block})
    runs = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        name = "n\x1b[2J\nforged.json"
        (folder / name).write_bytes(json.dumps(text).encode())
        cut = ["--mode=adaptive", "--context-window=10", "--now=2026-01-31T12:00:00Z", "-v", *(f"--set=contextPruning.{key}" for key in (
            "keepLastAssistants=1", "minPrunableToolChars=0", "softTrim.maxChars=20", "softTrim.headChars=4", "softTrim.tailChars=4"))]
        for command in (["prune", "-n", *cut], ["prune", "--list"], ["check"]):
            formats = ("text", "json", "jsonl", "markdown", "html") if command[:2] == ["prune", "-n"] else ("text", "json")
            for kind in formats:
                run = subprocess.run([PROGRAM, *command, f"--report-format={kind}", name], cwd=folder, capture_output=True)
                both = (run.stdout + run.stderr).decode()
                assert run.returncode in (0, 1), (command, kind, both)
                assert command[0] == "check" or both.count("forged") > 1, (command, kind, both)
                raw = [c for c in both if c in "\x1b\x07\r\x9b\u202e"]
                assert kind in ("json", "jsonl") and not set(raw) & set("\x1b\x07\r") or not raw, (command, kind, raw)
                assert kind == "html" or not any(line.startswith("forged") for line in both.splitlines()), (command, kind, both)
                runs += 1
    return f"control characters in ids, tools, models and paths, through the lists, checks and reports | {runs} | none printed"


class Network:
    """A provider that treats each connection by `serve(number, connection)`, and a proxy in front of it."""

    def __init__(self, serve):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        threading.Thread(target=self.take, args=(serve,), daemon=True).start()
        upstream = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.proxy = subprocess.Popen([PROGRAM, "proxy", "--listen", "127.0.0.1:0", "--upstream", upstream], stdin=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
        self.port = int(self.proxy.stderr.readline().rsplit(b":", 1)[1])

    def take(self, serve) -> None:
        number = 0
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=serve, args=(number, connection), daemon=True).start()
            number += 1

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.listener.close()
        self.proxy.kill()
        self.proxy.communicate()

    def send(self) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(TINY) + TINY)
        return client

    def ask(self) -> bool:
        """Whether a request is answered within 30 seconds."""
        with self.send() as client:
            return client.recv(1 << 16).startswith(b"HTTP/1.1 200")


def asked(connection: socket.socket) -> bool:
    """Reads a request; false where the connection has ended."""
    came = b""
    while not came.endswith(TINY):
        try:
            piece = connection.recv(1 << 16)
        except OSError:
            return False
        if not piece:
            return False
        came += piece
    return True


def networks(rounds: int) -> str:
    """Bad networks between the proxy and a provider: streams that are all under way at once, a connection that is dead without a word,
    clients that do not read, and connections that end after some answers."""
    counted = []
    streams = max(101, rounds * 2)
    all_there = threading.Barrier(streams)

    def together(_, connection) -> None:
        if asked(connection):
            all_there.wait(30)
            connection.sendall(OK)

    def deaf(number, connection) -> None:
        # The first connection answers once, and then never.
        answers = 0
        while asked(connection):
            answers += 1
            if number or answers == 1:
                connection.sendall(OK)

    def long(number, connection) -> None:
        while asked(connection):
            if number >= 8:
                connection.sendall(OK)
                continue
            with contextlib.suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
                while True:
                    connection.sendall(b" " * (1 << 16))
            return

    def ending(_, connection) -> None:
        for answer in [OK] * 4 + [OK.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n")]:
            if not asked(connection):
                return
            connection.sendall(answer)
        connection.close()

    def count(network: Network, requests: int, at_once: int) -> str:
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            answered = sum(pool.map(lambda _: network.ask(), range(requests)))
        assert answered == requests, f"{answered} of {requests} were answered"
        return f"{answered} of {requests} answered"

    with Network(together) as network:
        counted.append(f"{count(network, streams, streams)} while all were under way")
    with Network(deaf) as network:
        assert network.ask()
        dead = network.send()
        dead.settimeout(0.3)
        with contextlib.suppress(TimeoutError):
            assert not dead.recv(1), "the dead connection answered"
        dead.close()
        counted.append(f"{count(network, rounds, 1)} after one on a connection that is dead without a word")
    with Network(long) as network:
        stalled = [network.send() for _ in range(8)]
        assert all(client.recv(1000) for client in stalled)
        counted.append(f"{count(network, rounds, 8)} beside 8 clients that do not read")
    with Network(ending) as network:
        counted.append(f"{count(network, rounds * 10, 4)} over connections that end after 5")
    return f"4 bad networks between the proxy and a provider | {streams + rounds * 12} requests | {'; '.join(counted)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--page", type=pathlib.Path)
    asked = parser.parse_args()
    rows = []
    for part in (kills, small_files, full_device, faults_of_calls, state, memory, names, networks):
        begun = time.monotonic()
        rows.append(part(asked.rounds))
        print(f"{rows[-1]} ({time.monotonic() - begun:.0f} s)", flush=True)
    if asked.page:
        today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.strip()
        table = "\n".join(f"| {row} |" for row in rows)
        asked.page.write_text(f"""# Reliability

What `tests/faults/run.py --rounds {asked.rounds}` did and found on {today}: {version}, the build that tests use, {machine}. `.ci/full` runs it
with 100 rounds and writes this page. A run that finds something else than the last column stops there and writes nothing. The fault
of a call that a command makes less often than that meets nothing.

`cargo test` does a few rounds of each but the fourth, which takes strace: kills and failing writes in
`tests/program/hardening/kills.rs` (five seconds), full disks in `tests/program/files.rs` and `streams.rs`, a state under kill in
`state.rs`, memory and hostile names in `hardening/sizes.rs` and `text.rs`, bad networks in `tests/proxy/networks.rs`, where what the proxy
holds and waits for is in `limits.rs`. Tiny random graphs are in `crates/replay/tests/replay/graphs.rs`.

| what happens | runs | outcome |
|---|---|---|
{table}
""")


DICE = random.Random(33)
LOG, SMALL = history(400), history(40)
TINY, OK = body(1).strip(), b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

if __name__ == "__main__":
    main()
