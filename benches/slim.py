#!/usr/bin/env python3
"""Measures `deadhead slim` on a made Codex rollout of 1 GiB with 200 compactions beside `wc -l`, and the answer of `deadhead hook`.

    cargo build --release && benches/slim.py [FOLDER]

The rollout is written to FOLDER, or to a temporary one. $DEADHEAD names another program.
"""
import json, os, pathlib, resource, subprocess, sys, tempfile, time

BIN = os.environ.get("DEADHEAD") or str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "release/deadhead")
COMPACTIONS, SIZE = 200, 1 << 30
OUTPUT = "".join(f"line {n} of the output of a command that was run\n" for n in range(300))


def rollout(path):
    """Before each compaction 5 MB of calls and results; the compaction repeats 15 % of them."""
    with path.open("w") as out:

        def add(kind, payload):
            return out.write(json.dumps({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}) + "\n")

        def turn(call):
            ran = {"type": "function_call", "name": "shell", "arguments": '{"command": ["make"]}', "call_id": call}
            output = {"type": "function_call_output", "call_id": call, "output": OUTPUT}
            return [ran, output], add("response_item", ran) + add("response_item", output)

        add("session_meta", {"id": "019b0000-0000-7000-8000-000000000001", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/p"})
        for compaction in range(COMPACTIONS):
            items, size = [], 0
            while size < 0.85 * SIZE / COMPACTIONS:
                pair, length = turn(f"call_{compaction}_{len(items)}")
                items, size = items + pair, size + length
            user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]}
            add("compacted", {"message": "what was done", "replacement_history": [user, *items[: int(len(items) * 0.15) // 2 * 2]]})
        for last in range(5):
            turn(f"last_{last}")


def timed(*command, stdin=None):
    """The milliseconds that a command takes."""
    start = time.perf_counter()
    subprocess.run([*map(str, command)], input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        log, out = pathlib.Path(folder) / "rollout.jsonl", pathlib.Path(folder) / "out.jsonl"
        rollout(log)
        timed("wc", "-l", log)
        runs = []
        for _ in range(9):
            runs.append((timed("wc", "-l", log), timed(BIN, "slim", log, "-o", out)))
            left = out.stat().st_size
            out.unlink()
        counted, slim = (sorted(times)[4] for times in zip(*runs))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"slim: {log.stat().st_size:,} to {left:,} bytes in {slim:.0f} ms, {slim / counted:.1f} times wc -l; at most {peak} MiB")
        for lines in (1_000, 10_000):
            result = {"stdout": OUTPUT.split("\n")[0] * lines, "stderr": "", "interrupted": False, "isImage": False}
            event = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": result}
            event = json.dumps(event).encode()
            for flags in ([], ["--sidecar", str(log.with_name("sidecar"))]):
                times = sorted(timed(BIN, "hook", "claude-code", *flags, stdin=event) for _ in range(200))
                print(f"hook {' '.join(flags[:1]):9}: event of {len(event):,} bytes: p50 {times[100]:.1f} ms, p99 {times[197]:.1f} ms")


main()
