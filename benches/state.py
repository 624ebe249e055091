#!/usr/bin/env python3
"""Measures the cost of the state file per request, and tests the file with many requests at once.

    cargo build --release && benches/state.py [--requests 10000] [--sessions 200] [--processes 4]

Cost: the same bodies through one filter process, a line at a time, with and without --state; and a process for each body.
Endurance test: processes that share one state file answer requests of growing conversations, in random order; then SQLite checks the file.
"""

import argparse
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

BIN = os.environ.get("DEADHEAD", "target/release/deadhead")
FLAGS = ["-q", "--mode", "cache-ttl", "--context-window", "20000", "--set", "contextPruning.minPrunableToolChars=0"]


def body(session, steps, size=2000):
    """A conversation of `steps` tool calls, the longer the later."""
    messages = [{"role": "user", "content": f"session {session}"}]
    for i in range(steps):
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"toolu_{session}_{i}", "name": "bash", "input": {"k": i}}]})
        text = f"{session} {i} " + "lorem ipsum dolor sit amet\n" * (size // 27)
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{session}_{i}", "content": text}]})
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 64, "metadata": {"user_id": f"user-{session}"}, "messages": messages}).encode() + b"\n"


class Filter:
    """A filter process, asked one line at a time."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([BIN, "prune", *FLAGS, *map(str, flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def row(name, times):
    times = sorted(t * 1000 for t in times)
    print(f"{name:<46} p50 {statistics.median(times):7.3f} ms   p99 {times[int(len(times) * 0.99)]:7.3f} ms   {len(times)} requests")
    return statistics.median(times)


def alone(line, flags, place):
    """A process for one body: its time, and that of the processor, which other work on the machine does not change."""
    place.write_bytes(line)
    with open(place, "rb") as body, open(os.devnull, "wb") as nowhere:
        begin = time.perf_counter()
        process = subprocess.Popen([BIN, "prune", *FLAGS, *map(str, flags)], stdin=body, stdout=nowhere)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return wall, used.ru_utime + used.ru_stime


def cost(folder):
    bodies = [body(s, n) for n in (10, 48) for s in range(10)] * 20
    print(f"bodies of {len(bodies[0]) >> 10} and {len(bodies[-1]) >> 10} KiB, half of each")
    medians = []
    for name, flags in (("filter", []), ("filter, --state", ["--state", folder / "cost.db"]), ("filter, --state, --ttl 500ms", ["--state", folder / "cost.db", "--ttl", "500ms"])):
        process, times = Filter(*flags), []
        for line in bodies:
            begin = time.perf_counter()
            assert process.ask(line)
            times.append(time.perf_counter() - begin)
        process.close()
        medians.append(row(name, times))
    print(f"{'added by --state':<46} {medians[1] - medians[0]:.3f} ms, with --ttl 500ms {medians[2] - medians[0]:.3f} ms")
    # In turns, so that both meet the same machine.
    kinds, times = {"a process each": [], "a process each, --state": ["--state", folder / "cost.db"]}, {}
    for line in bodies:
        for name, flags in kinds.items():
            wall, cpu = alone(line, flags, folder / "one.json")
            times.setdefault(name, []).append(wall)
            times.setdefault(f"{name}, processor time", []).append(cpu)
    medians = {name: row(name, found) for name, found in times.items()}
    first, second, third, fourth = medians.values()
    print(f"{'added by --state':<46} {third - first:.3f} ms, processor time {fourth - second:.3f} ms")


def soak(folder, requests, sessions, processes):
    path, lock, steps, done = folder / "soak.db", threading.Lock(), [0] * sessions, [0]
    times = []

    def work(seed):
        choose, process, mine = random.Random(seed), Filter("--state", path, "--ttl", "300ms"), []
        while True:
            with lock:
                if done[0] == requests:
                    break
                done[0] += 1
                session = choose.randrange(sessions)
                steps[session] += 1
                line = body(session, steps[session])
            begin = time.perf_counter()
            assert process.ask(line).endswith(b"\n")
            mine.append(time.perf_counter() - begin)
        process.close()
        with lock:
            times.extend(mine)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(processes)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - begin
    row(f"endurance test: {processes} processes, {sessions} sessions", times)
    database = sqlite3.connect(path)
    one = lambda sql: database.execute(sql).fetchone()[0]
    check, runs, cuts = one("PRAGMA integrity_check"), one("SELECT sum(runs) FROM session"), one("SELECT count(*) FROM decision")
    size = sum(pathlib.Path(str(path) + end).stat().st_size for end in ("", "-wal") if os.path.exists(str(path) + end))
    database.close()
    subprocess.run([BIN, "state", "vacuum", "--state", path], check=True, stdout=subprocess.DEVNULL)
    packed = path.stat().st_size
    print(f"{requests} requests in {took:.0f} s; integrity_check {check}; {runs} runs, {cuts} cuts stored; {size >> 10} KiB, vacuumed {packed >> 10} KiB")
    print(f"{packed / max(cuts, 1):.0f} bytes per cut, including all other data")
    assert check == "ok" and runs == requests


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("requests", 10_000), ("sessions", 200), ("processes", 4)):
        arguments.add_argument(f"--{name}", type=int, default=default)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("STATE_DIR")) as folder:
        cost(pathlib.Path(folder))
        soak(pathlib.Path(folder), given.requests, given.sessions, given.processes)


main()
