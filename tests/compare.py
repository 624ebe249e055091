#!/usr/bin/env python3
"""Compares two builds of deadhead: what they write, report, check, repair and replay must be the same bytes.

    tests/compare.py OTHER THIS [FOLDER|FILE ...]

Without folders the inputs are those of this repository: the samples, the documents of the golden lists and the inputs of the case
folders. Each log and body is also damaged in eight ways (a record or a message is removed, doubled, moved or torn), for `check
--repair`. Prints each call whose stdout, stderr or exit code differs and exits with 1 if there is one.
"""
import concurrent.futures, difflib, json, os, pathlib, random, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
NOW = ["--now", "2026-07-01T00:00:00Z"]
PASSES = "ephemeral,stale-resource,dedupe,soft-trim,hard-clear,turn-drop,rag-rerank"
PRUNE = [
    ["--mode", "off"],
    ["--mode", "adaptive", "--context-window", "20000"],
    ["--mode", "cache-ttl", "--ttl", "5m", "--context-window", "20000"],
    ["--mode", "aggressive", "--thinking", "strip", "--context-window", "20000"],
    ["--mode", "aggressive", "--pass", PASSES, "--context-window", "3000", "--mirrors"],
    ["--mode", "aggressive", "--pass", "turn-drop", "--scope", "file", "--context-window", "3000"],
    ["--list"],
]
FORMS = ["text", "json", "markdown", "html"]


def calls(path):
    for i, flags in enumerate(PRUNE):
        yield ["prune", "--report-format", "json", *NOW, *flags, path], "whole"
        if i == 4:
            for form in FORMS:
                yield ["prune", "-n", "-v", "--report-format", form, *NOW, *flags, path], "whole"
    yield ["check", "--report-format", "json", path], "whole"
    for form in ["text", "json", "html"]:
        yield ["replay", "--report-format", form, "--context-window", "20000", path], "whole"
    yield from repairs(path)


def repairs(path):
    yield ["check", path], "damaged"
    yield ["check", "--repair", path], "damaged"
    yield ["check", "--repair", "--scope", "file", path], "damaged"


def damage(text, way, seed):
    """One record of a log, or one message of a body, removed, doubled, moved or torn."""
    pick = random.Random(seed)
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if isinstance(body, dict):
        lists = [body[k] for k in ("messages", "input", "contents", "chat_history") if isinstance(body.get(k), list) and body[k]]
        lists += [m[k] for l in lists for m in l if isinstance(m, dict) for k in ("content", "parts", "tool_calls") if isinstance(m.get(k), list) and m[k]]
        if not lists:
            return None
        change(pick.choice(lists), way, pick)
        return json.dumps(body, ensure_ascii=False)
    lines = text.splitlines(keepends=True)
    if len(lines) < 3:
        return None
    if way == 6:
        cut = pick.randrange(1, len(lines))
        return "".join(lines[:cut]) + lines[cut][: len(lines[cut]) // 2]
    change(lines, way, pick)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def change(items, way, pick):
    at = pick.randrange(len(items))
    if way in (0, 1):
        del items[at]
    elif way == 2:
        items.insert(at, items[at])
    elif way == 3:
        items.append(items[at])
    elif way == 4:
        items.insert(0, items.pop(at))
    elif way == 5:
        items.append(items.pop(at))
    elif way == 6:
        del items[at:]
    else:
        for _ in range(3):
            items and items.pop(pick.randrange(len(items)))


def documents(folder):
    """Each body of the golden lists, in a file of its own."""
    for path in sorted((HERE / "golden").glob("*.jsonl")):
        for i, line in enumerate(path.read_text().split("\n")[:-1]):
            row = json.loads(line)
            body = row.get("body") or row.get("request")
            if body:
                out = folder / f"{path.stem}-{i}.json"
                out.write_text(body if isinstance(body, str) else json.dumps(body, ensure_ascii=False))
                yield out


def inputs(args, folder):
    if not args:
        subprocess.run(["tar", "--zstd", "-xf", HERE / "samples/archive.tar.zst", "-C", folder], check=True)
        args = [HERE / "samples", HERE / "cases", folder]
        list(documents(folder))
    for arg in map(pathlib.Path, args):
        found = [arg] if arg.is_file() else sorted(p for p in arg.rglob("*") if p.suffix in (".json", ".jsonl") and p.is_file())
        yield from found


def run(program, args):
    # Reports name the program's own version and no path of its own.
    done = subprocess.run([program, *map(str, args)], stdin=subprocess.DEVNULL, capture_output=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    return done.returncode, done.stdout, done.stderr


def compare(other, this, args):
    a, b = run(other, args), run(this, args)
    # A crash of the other build is no measure.
    if a == b or a[0] == 101 != b[0]:
        return None
    parts = [f"exit code {a[0]}, now {b[0]}"] if a[0] != b[0] else []
    for name, x, y in (("stdout", a[1], b[1]), ("stderr", a[2], b[2])):
        if x != y:
            lines = difflib.unified_diff(x.decode(errors="replace").splitlines(), y.decode(errors="replace").splitlines(), lineterm="", n=0)
            parts += [name, *(line[:300] for line, _ in zip(lines, range(8)))]
    return "\n    ".join([" ".join(map(str, args)), *parts])


def main():
    other, this, *args = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        folder = pathlib.Path(scratch)
        work = []
        for n, path in enumerate(list(inputs(args, folder))):
            work += [call for call, _ in calls(path)]
            if path.stat().st_size > 4 << 20:
                continue
            text = path.read_text(errors="replace")
            for way in range(8):
                damaged = damage(text, way, n * 8 + way)
                if damaged is not None:
                    out = folder / f"damaged-{n}-{way}-{path.name}"
                    out.write_text(damaged)
                    work += [call for call, _ in repairs(out)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            differ = [d for d in pool.map(lambda call: compare(other, this, call), work) if d]
    for text in differ[:40]:
        print(text)
    print(f"{len(work)} calls compared, {len(differ)} differ")
    sys.exit(bool(differ))


if __name__ == "__main__":
    main()
