#!/usr/bin/env python3
"""Measures the goals of speed as multiples of `wc -l` and of `yardstick text`, the least that a reader of JSON lines does.

    cargo build --release && benches/limits.py [--megabytes N] [--runs N]

Rows run interleaved; a figure is the median, as wall-clock time of the whole process. Files are made below benches/out and stay in the page
cache. $DEADHEAD names another program.
"""
import argparse, os, pathlib, shutil, statistics, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT, OUT = HERE.parent, HERE / "out"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BIN = pathlib.Path(os.environ.get("DEADHEAD") or TARGET / "release/deadhead").resolve()


def timed(command, stdin=None):
    """The milliseconds that a command takes; 1 is the exit code of a check that found something."""
    start = time.perf_counter()
    with open(stdin or os.devnull) as given:
        code = subprocess.run([*map(str, command)], stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    assert code == 0, (command, code)
    return (time.perf_counter() - start) * 1000


def medians(rows, runs, stdin=None):
    """For each name the median time of its command, all interleaved after one round that does not count."""
    times = {name: [] for name in rows}
    for count in range(runs + 1):
        for name, command in rows.items():
            spent = timed(command, stdin)
            if count:
                times[name].append(spent)
    return {name: statistics.median(spent) for name, spent in times.items()}


def show(what, spent, unit, measured, goal):
    print(f"| {what} | {spent:,.1f} ms | {measured:.2f} {unit} | {goal} | {'reached' if measured <= goal else 'missed'} |", flush=True)


def corpus(size):
    """The session with few cuts and the one that is cut everywhere."""
    folder = OUT / f"limits-{size}"
    if not (folder / "session-open.jsonl").exists():
        subprocess.run([sys.executable, HERE / "corpus.py", "--size", f"{size}MiB", "--bodies", "10", "--out", folder], check=True)
    return folder


def many(folder, session, logs=3_700, size=2_000_000_000):
    """So many logs of equal size: lines of a session."""
    if folder.exists():
        return folder
    folder.mkdir(parents=True)
    with session.open("rb") as lines:
        header = lines.readline()
        for log in range(logs):
            with (folder / f"{log}.jsonl").open("wb") as out:
                out.write(header)
                while out.tell() < size / logs:
                    line = lines.readline()
                    if not line:
                        lines.seek(len(header))
                        continue
                    out.write(line)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--runs", type=int, default=9)
    args = parser.parse_args()
    subprocess.run(["cargo", "build", "--release", "--quiet", "--locked", "--manifest-path", HERE / "yardstick/Cargo.toml"],
                   check=True, env=dict(os.environ, CARGO_TARGET_DIR=str(OUT / "yardstick")))
    folder = corpus(args.megabytes)
    few, everywhere = folder / "session.jsonl", folder / "session-open.jsonl"
    prune = [BIN, "prune", "--quiet", "--now=2026-01-31T12:00:00Z", "--report=/dev/null", "-j1"]
    rows = {
        "wc -l": ["wc", "-l", few],
        "yardstick text": [OUT / "yardstick/release/yardstick", "text", few],
        "`--mode off`": [*prune, "--mode=off", few],
        "few cuts": [*prune, few],
        "cuts everywhere": [*prune, everywhere],
        "few cuts, two threads": [*prune[:-1], "-j2", few],
        "`break-even`": [*prune, "--preset=break-even", few],
        "replay of `break-even`": [BIN, "replay", "--progress=never", "--preset=break-even", everywhere],
        "prune with `break-even`, cuts everywhere": [*prune, "--preset=break-even", everywhere],
    }
    found = medians(rows, args.runs)
    lines = found["wc -l"]
    print("| what | median | measured | goal |  |\n|---|--:|--:|--:|---|")
    print(f"| `wc -l`, {few.stat().st_size / 1e6:.0f} MB | {lines:,.1f} ms |  |  |  |")
    print(f"| `yardstick text` | {found['yardstick text']:,.1f} ms | {found['yardstick text'] / lines:.2f} × `wc -l` |  |  |")
    for name, goal in {"`--mode off`": 3, "few cuts": 3.5, "cuts everywhere": 4, "few cuts, two threads": 2.2}.items():
        show(name, found[name], "× `wc -l`", found[name] / lines, goal)
    show("`break-even`", found["`break-even`"], "× few cuts", found["`break-even`"] / found["few cuts"], 1.4)
    own = found["prune with `break-even`, cuts everywhere"]
    show("replay of `break-even`", found["replay of `break-even`"], "× its prune", found["replay of `break-even`"] / own, 2)
    body = folder / "body-100k.json"
    found = medians({"cat": ["cat"], "prune": [BIN, "prune", "--quiet"]}, 200, stdin=body)
    show("body of 100 KB over `cat`", found["prune"], "ms more", found["prune"] - found["cat"], 0.4)
    logs = many(OUT / "limits-logs", few)
    place = OUT / "limits-pruned"

    def run(threads):
        shutil.rmtree(place, ignore_errors=True)
        return [BIN, "prune", "--quiet", "--force", f"-j{threads}", "-r", "--out-dir", place, logs]

    spent = {1: [], 2: []}
    for _ in range(3):
        for threads, times in spent.items():
            times.append(timed(run(threads)))
    shutil.rmtree(place)
    one, two = (statistics.median(times) for times in spent.values())
    print(f"| 2 GB in 3,700 logs, two threads | {two:,.0f} ms | {one / two:.2f} × one thread | 1.7 | {'reached' if one / two >= 1.7 else 'missed'} |")
    size = BIN.stat().st_size / 1e6
    print(f"| the program, stripped |  | {size:.1f} MB | 14 | {'reached' if size <= 14 else 'missed'} |")


if __name__ == "__main__":
    main()
