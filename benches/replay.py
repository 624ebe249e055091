#!/usr/bin/env python3
"""Measures the time of a replay by the size of the log: sessions of 1, 2, 4 and 8 times 1,000 requests and 5 MB, and
27 policies (three values of three settings) over a folder of logs. Then one preset over a session of 8,000 requests that was never
compacted, advise over 1,000 requests, and the processor time of one preset over a made folder of 170 MB.

    cargo build --release && benches/replay.py [FOLDER]

A time is the best of five runs of the whole program, start included, on one thread. $DEADHEAD names another program.
"""
import json, os, pathlib, resource, subprocess, sys, tempfile, time

BIN = os.environ.get("DEADHEAD") or str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release/deadhead")
REQUESTS = 1000
START = 1767225600000


def session(path, requests, compacted=True, lines=105):
    """A coding session: each request reads 4.5 kB; after every 25th there is a pause of ten minutes, after every 120th a compaction."""
    more = lines * 1500 // 105
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
        usage = {"input": 3, "output": 150, "cacheRead": max(tokens - more, 0), "cacheWrite": more, "cost": {"total": 0.01}}
        add({"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5", "usage": usage, "timestamp": at, "stopReason": "toolUse",
             "content": [{"type": "text", "text": f"step {i} of the work, as it was asked for"},
                         {"type": "toolCall", "id": f"call_{i}", "name": "read" if i % 3 else "bash", "arguments": {"path": f"src/file_{i % 97}.rs"}}]})
        body = "".join(f"{i * 31 + n * 17:08x} let value_{n} = compute({i}, {n});\n" for n in range(lines))
        add({"role": "toolResult", "toolCallId": f"call_{i}", "toolName": "read" if i % 3 else "bash", "isError": False, "timestamp": at + 500,
             "content": [{"type": "text", "text": body}]})
        tokens += more
        if compacted and i % 120 == 119:
            kept = entries[-6]["id"]
            entry = {"type": "compaction", "id": f"{len(entries):08x}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "summary": "what was done " * 40, "firstKeptEntryId": kept, "tokensBefore": tokens}
            parent, tokens = entry["id"], 20_000
            entries.append(entry)
    path.write_text("".join(json.dumps(e) + "\n" for e in entries))


def best(*args, command="replay", clock=time.perf_counter):
    times = []
    for _ in range(5):
        start = clock()
        subprocess.run([BIN, command, "--report-format", "json", *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(clock() - start)
    return min(times) * 1000


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def goals(folder):
    """The three times that have a goal."""
    plain, thousand, many = folder / "plain.jsonl", folder / "thousand.jsonl", folder / "many"
    for lines in (5, 105):
        session(plain, 8 * REQUESTS, compacted=False, lines=lines)
        print(f"\none preset, {8 * REQUESTS:,} requests without compactions, {lines} lines each, {plain.stat().st_size / 1e6:.0f} MB (goal: 300 ms):", flush=True)
        for preset in ("break-even", "break-even-safe", "openclaw-2026.1"):
            print(f"- {preset}: {best('-j1', '--preset', preset, plain, clock=processor):.0f} ms", flush=True)
    session(thousand, REQUESTS)
    print(f"advise, {REQUESTS:,} requests: {best('-j1', thousand, command='advise'):.0f} ms (goal: 1,000)", flush=True)
    many.mkdir()
    for i in range(32):
        session(many / f"{i}.jsonl", REQUESTS, compacted=i % 2 == 0)
        # A log that is another's copy is counted once.
        text = (many / f"{i}.jsonl").read_text()
        (many / f"{i}.jsonl").write_text(text.replace("2026-01-01", f"2026-01-{i % 28 + 1:02}").replace("as it was asked for", f"as it was asked for in {i}").replace(str(START)[:4], str(1767 + i)))
    size = sum(log.stat().st_size for log in many.iterdir()) / 1e6
    print(f"one preset, {size:.0f} MB in 32 logs, processor time: {best('--preset', 'break-even', many, clock=processor):.0f} ms (goal: 5,000)")


def main():
    print("| requests | MB | one policy | 27 policies |\n|---:|---:|---:|---:|")
    grid = [f"--sweep={key}" for key in ("contextPruning.ttl=5m,10m,1h", "contextPruning.softTrimRatio=0.1,0.2,0.3", "contextPruning.hardClearRatio=0.3,0.5,0.7")]
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 2, 4, 8):
            path = pathlib.Path(folder) / f"{times}.jsonl"
            session(path, REQUESTS * times)
            print(f"| {REQUESTS * times:,} | {path.stat().st_size / 1e6:.1f} | {best('-j1', path):.0f} ms | {best('-j1', *grid, path):.0f} ms |", flush=True)
        goals(pathlib.Path(folder))
    for folder in sys.argv[1:]:
        print(f"\n27 policies over {folder}: {best(*grid, folder):.0f} ms")


main()
