#!/usr/bin/env python3
"""Measures the time of a replay by the size of the log: sessions of 1, 2, 4 and 8 times 1,000 requests and 5 MB, and
27 policies (three values of three settings) over a folder of logs.

    cargo build --release && benches/replay.py [FOLDER]

A time is the best of five runs of the whole program, start included. $DEADHEAD names another program.
"""
import json, os, pathlib, subprocess, sys, tempfile, time

BIN = os.environ.get("DEADHEAD") or str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release/deadhead")
REQUESTS = 1000
START = 1767225600000


def session(path, requests):
    """A coding session: each request reads 4.5 kB; after every 25th there is a pause of ten minutes."""
    entries = [{"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/project"}]
    parent, at = None, START

    def add(message):
        nonlocal parent
        entry = {"type": "message", "id": f"{len(entries):08x}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": message}
        parent = entry["id"]
        entries.append(entry)

    tokens = 9000
    for i in range(requests):
        if i % 25 == 0:
            at += 600_000
            add({"role": "user", "content": f"please look at part {i} of it", "timestamp": at})
        at += 4_000
        usage = {"input": 3, "output": 150, "cacheRead": max(tokens - 1500, 0), "cacheWrite": 1500, "cost": {"total": 0.01}}
        add({"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5", "usage": usage, "timestamp": at, "stopReason": "toolUse",
             "content": [{"type": "text", "text": f"step {i} of the work, as it was asked for"},
                         {"type": "toolCall", "id": f"call_{i}", "name": "read" if i % 3 else "bash", "arguments": {"path": f"src/file_{i % 97}.rs"}}]})
        body = "".join(f"{i * 31 + n * 17:08x} let value_{n} = compute({i}, {n});\n" for n in range(105))
        add({"role": "toolResult", "toolCallId": f"call_{i}", "toolName": "read" if i % 3 else "bash", "isError": False, "timestamp": at + 500,
             "content": [{"type": "text", "text": body}]})
        tokens += 1500
        if i % 120 == 119:
            kept = entries[-6]["id"]
            entry = {"type": "compaction", "id": f"{len(entries):08x}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "summary": "what was done " * 40, "firstKeptEntryId": kept, "tokensBefore": tokens}
            parent, tokens = entry["id"], 20_000
            entries.append(entry)
    path.write_text("".join(json.dumps(e) + "\n" for e in entries))


def best(*args):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([BIN, "replay", "--report-format", "json", *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main():
    print("| requests | MB | one policy, sticky and transient | 27 policies, sticky |\n|---:|---:|---:|---:|")
    grid = [f"--sweep={key}" for key in ("contextPruning.ttl=5m,10m,1h", "contextPruning.softTrimRatio=0.1,0.2,0.3", "contextPruning.hardClearRatio=0.3,0.5,0.7")]
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 2, 4, 8):
            path = pathlib.Path(folder) / f"{times}.jsonl"
            session(path, REQUESTS * times)
            print(f"| {REQUESTS * times:,} | {path.stat().st_size / 1e6:.1f} | {best('-j1', path):.0f} ms | {best('-j1', *grid, path):.0f} ms |", flush=True)
    for folder in sys.argv[1:]:
        print(f"\n27 policies over {folder}: {best(*grid, folder):.0f} ms")


main()
