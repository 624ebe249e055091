#!/usr/bin/env python3
"""Measures deadhead against cat, cp, serde_json, node, orjson, jq and jaq, and prints one Markdown table.

Run it by benches/compare.sh, which builds what it needs. Rows of one group run interleaved (A B C A B C …) after one
uncounted warm-up each; times are wall clock of the whole process, medians of the runs; ratios are taken within a group,
never between groups. Files are hot. Peak memory is that of the warm-up, by /usr/bin/time where there is one.
"""

import argparse
import datetime
import fcntl
import json
import mmap
import os
import platform
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import corpus
import histories

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "out")
PIPE_SIZE = 1 << 20
GNU_TIME = "/usr/bin/time" if os.path.exists("/usr/bin/time") else None


class Failed(Exception):
    pass


# --- Running processes -----------------------------------------------------------------------------------------------

class Row:
    """A command and what was measured of it."""

    def __init__(self, name, argv, stdin="/dev/null", env=None, remove=None):
        self.name, self.argv, self.stdin, self.remove = name, argv, stdin, remove
        self.env = os.environ | (env or {})
        self.seconds, self.peak, self.error = [], None, None

    def spawn(self, argv, stderr="/dev/null"):
        """Seconds, exit code and the kernel's account of one run."""
        if self.remove and os.path.exists(self.remove):
            os.remove(self.remove)
        actions = [(os.POSIX_SPAWN_OPEN, 0, self.stdin, os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 2, stderr, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
        started = time.perf_counter()
        pid = os.posix_spawnp(argv[0], argv, self.env, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        return time.perf_counter() - started, os.waitstatus_to_exitcode(status), usage

    def warm_up(self):
        with tempfile.TemporaryDirectory() as scratch:
            peak, stderr = os.path.join(scratch, "peak"), os.path.join(scratch, "stderr")
            argv = [GNU_TIME, "-f", "%M", "-o", peak, *self.argv] if GNU_TIME else self.argv
            try:
                _, code, usage = self.spawn(argv, stderr)
            except OSError as error:
                self.error = str(error)
                return
            if code != 0:
                lines = open(stderr, errors="replace").read().strip().splitlines() or ["nothing on stderr"]
                self.error = f"exit {code}: {lines[-1]}"
                return
            # Without GNU time the figure has a floor: what this script itself takes.
            self.peak = 1024 * (int(open(peak).read().split()[-1]) if GNU_TIME else usage.ru_maxrss)

    def run(self):
        seconds, code, _ = self.spawn(self.argv)
        if code != 0:
            self.error = f"exit {code} in a later run"
        self.seconds.append(seconds)

    @property
    def median(self):
        return statistics.median(self.seconds)


def measure(rows, runs):
    """Runs the rows interleaved; a row that fails is left out of the rest and says why."""
    for row in rows:
        note(f"  {row.name}")
        row.warm_up()
        if row.error:
            note(f"    failed: {row.error}")
    if rows[0].error:
        raise Failed(f"{rows[0].name}, which the others are measured against: {rows[0].error}")
    for _ in range(runs):
        for row in rows:
            if not row.error:
                row.run()
    for row in rows:
        if row.remove and os.path.exists(row.remove):
            os.remove(row.remove)
    return rows


def note(text):
    print(text, file=sys.stderr, flush=True)


# --- The table -------------------------------------------------------------------------------------------------------

class Table:
    def __init__(self):
        self.rows, self.n_missed = [], 0

    def add(self, what, spread="", rate="", ratio="", peak="", measured="", target="", ok=None):
        self.n_missed += ok is False
        self.rows.append((what, spread, rate, ratio, peak, measured, target, {True: "✓", False: "✗", None: ""}[ok]))

    def heading(self, text):
        self.add(f"**{text}**")

    def row(self, row, n_bytes, reference, measured="", target="", ok=None):
        """A row as measured; `reference` is the row of cat (or cp) in the same group."""
        if row.error:
            self.add(row.name, "failed", measured=row.error, target=target, ok=False if target else None)
            return
        unit, name = (1000, "ms") if row.median < 0.2 else (1, "s")
        digits = 2 if unit == 1000 else 3
        spread = (f"{unit * row.median:.{digits}f} {name} ({unit * min(row.seconds):.{digits}f}.."
                  f"{unit * max(row.seconds):.{digits}f})")
        peak = f"{row.peak / 2**20:.1f}" if row.peak else ""
        self.add(row.name, spread, f"{n_bytes / row.median / 1e9:.3f}", f"{row.median / reference.median:.2f}", peak, measured,
                 target, ok)

    def against(self, row, n_bytes, reference, better, at_least):
        """A row that deadhead (`better`) shall be so many times as fast as."""
        if row.error or better.error:
            self.row(row, n_bytes, reference)
            return
        times = row.median / better.median
        target = f"deadhead ≥ {at_least:g}× as fast" if at_least else ""
        self.row(row, n_bytes, reference, f"deadhead {times:.1f}× as fast", target, times >= at_least if at_least else None)

    def share(self, row, n_bytes, reference, at_least=None):
        """A row that shall reach this share of cat's throughput."""
        target = f"≥ {at_least:.2f} of cat's GB/s" if at_least else ""
        if row.error:
            self.row(row, n_bytes, reference, target=target)
            return
        share = reference.median / row.median
        self.row(row, n_bytes, reference, f"{share:.2f} of cat's GB/s", target, share >= at_least if at_least else None)

    def markdown(self):
        head = ("what", "median (min..max)", "GB/s", "× first row", "peak MiB", "measured", "target", "")
        lines = ["| " + " | ".join(head) + " |", "|---|--:|--:|--:|--:|---|---|---|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in self.rows]
        return "\n".join(lines)


# --- Files -----------------------------------------------------------------------------------------------------------

def stats_of(name):
    try:
        with open(os.path.join(OUT, f"{name}.stats")) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def make_corpus(size, n_bodies):
    for name, asked, option in (("session.jsonl", size, "sessions"), ("bodies.jsonl", n_bodies, "bodies")):
        if stats_of(name).get("asked") != asked:
            note(f"making {name}")
            subprocess.run([sys.executable, os.path.join(HERE, "corpus.py"), "--size", str(size), "--bodies", str(n_bodies),
                            "--only", option], check=True, stdout=sys.stderr)


def head_of(name, new_name, size):
    """The first whole lines of a file, about `size` bytes of them."""
    source, target = os.path.join(OUT, name), os.path.join(OUT, new_name)
    with open(source, "rb") as file, open(target, "wb") as out:
        while size > 0 and (piece := file.read(min(size, 1 << 24))):
            out.write(piece)
            size -= len(piece)
        out.write(file.readline())
    return target


def verify(deadhead, script, name, flags, script_flags, size):
    """Whether deadhead and the script print the same JSON, line by line, for the head of a file."""
    path = head_of(name, "verify.in", size)
    outputs = [os.path.join(OUT, f"verify.{i}") for i in (0, 1)]
    for argv, output in (([deadhead, "prune", "-q", *flags, path], outputs[0]), ([*script, *script_flags, path], outputs[1])):
        with open(output, "wb") as file:
            done = subprocess.run(argv, stdout=file, stderr=subprocess.PIPE)
        if done.returncode != 0:
            return f"{name}: {os.path.basename(argv[0])} failed with exit {done.returncode}"
    with open(outputs[0], "rb") as ours, open(outputs[1], "rb") as theirs, open(path, "rb") as source:
        n_lines = n_differ = n_cut = 0
        while True:
            a, b, c = ours.readline(), theirs.readline(), source.readline()
            if not a and not b:
                break
            n_lines += 1
            n_cut += a != c
            try:
                n_differ += a != b and json.loads(a) != json.loads(b)
            except ValueError:
                n_differ += 1
    for file in (path, *outputs):
        os.remove(file)
    return f"{name}: {n_lines:,} line{'s' * (n_lines != 1)}, {n_cut:,} cut, {n_differ:,} different"


# --- Groups of rows --------------------------------------------------------------------------------------------------

class Bench:
    def __init__(self, args):
        self.args, self.table = args, Table()
        self.deadhead = args.deadhead
        self.prune = [self.deadhead, "prune", "-q", "--assume-cold", "--context-window", "200000"]
        self.adaptive = [self.deadhead, "prune", "-q", "--mode", "adaptive", "--context-window", "20000"]
        self.session, self.open = (os.path.join(OUT, name) for name in ("session.jsonl", "session-open.jsonl"))
        self.node = shutil.which("node")
        self.python = [sys.executable, os.path.join(HERE, "prune.py")] if has_orjson() else None
        self.mjs = [self.node, os.path.join(HERE, "prune.mjs")] if self.node else None

    def sessions(self):
        n = os.path.getsize(self.session)
        rows = {
            "cat": Row("cat", ["cat", self.session]),
            "one": Row("deadhead -j 1", [*self.prune, "-j", "1", self.session]),
            "two": Row("deadhead -j 2", [*self.prune, "-j", "2", self.session]),
        }
        if self.args.yardstick:
            rows["typed"] = Row("serde_json, typed and borrowed", [self.args.yardstick, "typed", self.session])
            rows["value"] = Row("serde_json, `Value` and back", [self.args.yardstick, "value", self.session])
        cat, one, two = rows["cat"], rows["one"], rows["two"]
        measure(list(rows.values()), self.args.runs)
        table = self.table
        table.heading(f"session log, {n / 2**20:,.0f} MiB, to /dev/null")
        table.row(cat, n, cat)
        table.share(one, n, cat, 0.28)
        if one.error or two.error:
            table.row(two, n, cat, target="≥ 1.7× one thread")
        else:
            times = one.median / two.median
            table.row(two, n, cat, f"{times:.2f}× one thread", "≥ 1.7× one thread", times >= 1.7)
        for name, at_least in (("typed", 2.5), ("value", 6)):
            if name in rows:
                table.against(rows[name], n, cat, one, at_least)
        longest = stats_of("session.jsonl")["line"]["max"]
        limit = 16 * 2**20 + 2 * longest
        for row in (one, two):
            if not row.error:
                table.add(f"peak memory, {row.name}", peak=f"{row.peak / 2**20:.1f}", measured=f"longest line {longest / 2**20:.1f} MiB",
                          target=f"< 16 MiB + 2 × longest line = {limit / 2**20:.1f}", ok=row.peak < limit)

    def slow_tools(self):
        size = max(self.args.size // 4, 1)
        path = head_of("session.jsonl", "session-head.jsonl", size)
        n = os.path.getsize(path)
        cat, ours = Row("cat", ["cat", path]), Row("deadhead -j 1", [*self.prune, "-j", "1", path])
        others = []
        if self.mjs:
            others.append((Row("node, prune.mjs", [*self.mjs, path]), 15))
        if self.python:
            others.append((Row("python + orjson, prune.py", [*self.python, path]), None))
        if shutil.which("jq"):
            others.append((Row("`jq -c .`", ["jq", "-c", ".", path]), 50))
        if shutil.which("jaq"):
            others.append((Row("`jaq -c .`", ["jaq", "-c", ".", path]), None))
        measure([cat, ours, *(row for row, _ in others)], self.args.runs)
        self.table.heading(f"first {n / 2**20:,.0f} MiB of the session log, with slower tools")
        self.table.row(cat, n, cat)
        self.table.row(ours, n, cat)
        for row, at_least in others:
            self.table.against(row, n, cat, ours, at_least)

    def open_session(self):
        n = os.path.getsize(self.open)
        cat, ours = Row("cat", ["cat", self.open]), Row("deadhead -j 1, cuts everywhere", [*self.prune, "-j", "1", self.open])
        measure([cat, ours], self.args.runs)
        self.table.heading(f"session log without compactions, {n / 2**20:,.0f} MiB, to /dev/null")
        self.table.row(cat, n, cat)
        self.table.row(ours, n, cat, "" if ours.error else f"{cat.median / ours.median:.2f} of cat's GB/s")

    def formats(self):
        """Every history format against openclaw: the scan alone, and cutting all that may be cut."""
        size = min(self.args.size // 8, 128 << 20)
        paths = {name: os.path.join(OUT, f"history-{name}.jsonl") for name in histories.FORMATS}
        missing = [name for name, path in paths.items() if not os.path.exists(path) or os.path.getsize(path) < size]
        if missing:
            note(f"making {', '.join(missing)}")
            subprocess.run([sys.executable, os.path.join(HERE, "histories.py"), "--size", str(size), "--only", ",".join(missing)], check=True)
        everywhere = ["--mode", "aggressive", "--set", "contextPruning.providers=all"]
        for title, flags in (("only read", ["--mode", "off"]), ("cut everywhere", everywhere)):
            rows = {name: Row(name, [self.deadhead, "prune", "-q", "-j", "1", *flags, path]) for name, path in paths.items()}
            measure(list(rows.values()), self.args.runs)
            self.table.heading(f"one conversation in each log format, {title}, -j 1")
            rate = {name: os.path.getsize(paths[name]) / row.median for name, row in rows.items() if not row.error}
            for name, row in rows.items():
                n = os.path.getsize(paths[name])
                share = rate[name] / rate["openclaw"] if name in rate else 0
                target = "" if name == "openclaw" else "≥ 0.70 of openclaw's GB/s"
                self.table.row(row, n, rows["openclaw"], f"{share:.2f} of openclaw's GB/s", target, share >= 0.7 if target else None)

    def tmpfs(self):
        n = os.path.getsize(self.session)
        memory = "/dev/shm"
        if not os.path.isdir(memory) or shutil.disk_usage(memory).free < 2.2 * n:
            note("skipped: into a file on tmpfs (no space)")
            return
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            copy, pruned = os.path.join(folder, "copy.jsonl"), os.path.join(folder, "pruned.jsonl")
            cp = Row("cp", ["cp", self.session, copy], remove=copy)
            ours = Row("deadhead -o", [*self.prune, "-o", pruned, self.session], remove=pruned)
            measure([cp, ours], self.args.runs)
        self.table.heading("session log into a file on tmpfs")
        self.table.row(cp, n, cp)
        self.at_most(ours, n, cp, 1.6, "cp")

    def pipes(self):
        n = os.path.getsize(self.session)
        quoted = " ".join(map(shell_quote, self.prune))
        file = shell_quote(self.session)
        cat = Row("`cat FILE | cat | cat`", ["bash", "-o", "pipefail", "-c", f"cat {file} | cat | cat >/dev/null"])
        ours = Row("`cat FILE | deadhead | cat`", ["bash", "-o", "pipefail", "-c", f"cat {file} | {quoted} | cat >/dev/null"])
        hold = " ".join(map(shell_quote, [sys.executable, os.path.join(HERE, "hold.py")]))
        holding = Row("`cat FILE | hold.py | cat`", ["bash", "-o", "pipefail", "-c", f"cat {file} | {hold} | cat >/dev/null"])
        measure([cat, holding, ours], self.args.runs)
        self.table.heading("session log through pipes")
        self.table.row(cat, n, cat)
        self.table.row(holding, n, cat)
        self.at_most(ours, n, cat, 1.0, "cat")

    def at_most(self, row, n, reference, most, name):
        target = f"≤ {most:g}× {name}'s time"
        if row.error:
            self.table.row(row, n, reference, target=target)
            return
        times = row.median / reference.median
        self.table.row(row, n, reference, f"{times:.2f}× {name}'s time", target, times <= most)

    def small_body(self):
        path = os.path.join(OUT, "body-100k.json")
        n = os.path.getsize(path)
        cat, ours = Row("cat", ["cat"], stdin=path), Row("deadhead", self.adaptive, stdin=path)
        others = []
        if shutil.which("jq"):
            others.append(Row("`jq -c .`", ["jq", "-c", "."], stdin=path))
        if self.mjs:
            others.append(Row("node, prune.mjs", [*self.mjs, "--bodies", "--context-window", "20000", "-"], stdin=path))
        measure([cat, ours, *others], max(200, self.args.runs) if not self.args.quick else 20)
        self.table.heading(f"one body of {n / 1000:.0f} KB on stdin, {len(cat.seconds)} runs each")
        self.table.row(cat, n, cat)
        target = "≤ cat's time + 0.6 ms"
        if ours.error:
            self.table.row(ours, n, cat, target=target)
        else:
            more = 1000 * (ours.median - cat.median)
            self.table.row(ours, n, cat, f"cat's time {more:+.2f} ms", target, more <= 0.6)
        for row in others:
            self.table.row(row, n, cat)

    def big_body(self):
        path = os.path.join(OUT, "body-20m.json")
        n = os.path.getsize(path)
        cat, ours = Row("cat", ["cat", path]), Row("deadhead", [*self.prune, path])
        others = [Row("node, prune.mjs", [*self.mjs, "--bodies", path])] if self.mjs else []
        measure([cat, ours, *others], max(11, self.args.runs) if not self.args.quick else 3)
        self.table.heading(f"one body of {n / 1e6:.0f} MB from a file, {len(cat.seconds)} runs each")
        self.table.row(cat, n, cat)
        if ours.error:
            self.table.row(ours, n, cat, target="≥ 1 GB/s")
        else:
            rate = n / ours.median / 1e9
            self.table.row(ours, n, cat, f"{rate:.2f} GB/s", "≥ 1 GB/s", rate >= 1)
            self.table.add("peak memory, deadhead", peak=f"{ours.peak / 2**20:.1f}", measured=f"{ours.peak / n:.2f} × the body",
                           target="< 3 × the body", ok=ours.peak < 3 * n)
        for row in others:
            self.table.against(row, n, cat, ours, None)

    def filter(self):
        """One process that answers each body line with a line."""
        path = os.path.join(OUT, "bodies.jsonl")
        filters = {"cat": ["cat"], "deadhead": self.adaptive}
        streamed = {name: [] for name in filters}
        answers = {name: [] for name in filters}
        errors = {}
        n = os.path.getsize(path)
        note("  filter, streamed")
        for i in range(self.args.runs + 1):
            for name, argv in filters.items():
                if name not in errors:
                    try:
                        seconds = stream(argv, path)
                        if i > 0:
                            streamed[name].append(seconds)
                    except (Failed, OSError) as error:
                        errors[name] = str(error)
        note("  filter, line by line")
        for _ in range(2):
            for name, argv in filters.items():
                if name not in errors:
                    try:
                        answers[name] += ping_pong(argv, path, 2000 if not self.args.quick else 200)
                    except (Failed, OSError) as error:
                        errors[name] = str(error)
        self.table.heading(f"filter process: {stats_of('bodies.jsonl')['lines']:,} bodies of about 100 KB, one per line")
        if "cat" in errors:
            raise Failed(f"cat as a filter: {errors['cat']}")
        cat = statistics.median(streamed["cat"])
        for name in filters:
            ours = name == "deadhead"
            if name in errors:
                self.table.add(f"{name}, streamed and line by line", "failed", measured=errors[name], target="≥ 1 GB/s, p99 ≤ 0.5 ms", ok=False)
                continue
            times = streamed[name]
            median = statistics.median(times)
            rate = n / median / 1e9
            self.table.add(f"{name}, streamed", f"{median:.3f} s ({min(times):.3f}..{max(times):.3f})", f"{rate:.3f}", f"{median / cat:.2f}",
                           measured=f"{rate:.2f} GB/s", target="≥ 1 GB/s" if ours else "", ok=rate >= 1 if ours else None)
        for name in filters:
            if name in errors:
                continue
            ours, times = name == "deadhead", sorted(answers[name])
            p50, p99 = (1000 * times[int(q * (len(times) - 1))] for q in (0.5, 0.99))
            self.table.add(f"{name}, one line at a time", f"{p50:.3f} ms ({1000 * times[0]:.3f}..{1000 * times[-1]:.3f})",
                           measured=f"p50 {p50:.3f} ms, p99 {p99:.3f} ms", target="p99 ≤ 0.5 ms" if ours else "", ok=p99 <= 0.5 if ours else None)

    def verified(self):
        """Lines that say how deadhead's output compares with that of a script."""
        script = self.mjs or self.python
        if not script:
            return ["Output not compared with that of a script: neither node nor orjson is installed"]
        size = min(self.args.size, 32 << 20)
        window = ["--context-window", "200000"]
        head = f"Output compared as JSON with that of {os.path.basename(script[-1])}, for the first {size / 2**20:,.0f} MiB of each file"
        return [head] + [verify(self.deadhead, script, name, ["--assume-cold", *window], window, size)
                for name in ("session.jsonl", "session-open.jsonl")] + [
            verify(self.deadhead, script, name, ["--mode", "adaptive", "--context-window", tokens],
                   ["--bodies", "--context-window", tokens], size)
            for name, tokens in (("bodies.jsonl", "20000"), ("body-20m.json", "200000"))]


# --- The filter ------------------------------------------------------------------------------------------------------

def open_filter(argv):
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for pipe in (process.stdin, process.stdout):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    return process


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def stream(argv, path):
    """Seconds to send all lines through one process while the answers are read."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        failures = []
        n_in = sum(1 for _ in iter(data.readline, b""))  # also brings the pages in

        def feed():
            try:
                with memoryview(data) as view:
                    for at in range(0, len(data), PIPE_SIZE):
                        write_all(process.stdin.fileno(), view[at:at + PIPE_SIZE])
            except OSError as error:
                failures.append(str(error))  # the error itself would hold on to the view
            process.stdin.close()

        started = time.perf_counter()
        process = open_filter(argv)
        feeder = threading.Thread(target=feed)
        feeder.start()
        n_lines, fd = 0, process.stdout.fileno()
        while chunk := os.read(fd, PIPE_SIZE):
            n_lines += chunk.count(b"\n")
        code = process.wait()
        seconds = time.perf_counter() - started
        feeder.join()
        process.stdout.close()
    if code != 0 or failures or n_lines != n_in:
        raise Failed(f"exit {code}, {n_in} lines in, {n_lines} out")
    return seconds


def ping_pong(argv, path, n):
    """Seconds per line, each sent when the answer to the last has come."""
    with open(path, "rb") as file:
        lines = [line for _, line in zip(range(n), file)]
    process = open_filter(argv)
    fd_in, fd_out, times = process.stdin.fileno(), process.stdout.fileno(), []
    ready = select.poll()
    ready.register(fd_out, select.POLLIN)
    try:
        for i, line in enumerate(lines):
            started = time.perf_counter()
            write_all(fd_in, line)
            while True:
                if i < 3 and not ready.poll(5000):
                    raise Failed("no answer to a line within 5 s")
                chunk = os.read(fd_out, PIPE_SIZE)
                if not chunk:
                    raise Failed("the filter ended before its input did")
                if chunk.endswith(b"\n"):
                    break
            if i >= n // 20:
                times.append(time.perf_counter() - started)
        process.stdin.close()
        if process.wait(10) != 0:
            raise Failed(f"exit {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            pipe.close()
    return times


# --- Machine and versions --------------------------------------------------------------------------------------------

def shell_quote(text):
    return text if re.fullmatch(r"[\w@%+=:,./-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def has_orjson():
    try:
        import orjson  # noqa: F401
    except ImportError:
        return False
    return True


def first_line(*argv):
    try:
        done = subprocess.run(argv, capture_output=True, text=True, cwd=HERE, timeout=20)
        return (done.stdout or done.stderr).strip().splitlines()[0] if done.returncode == 0 else None
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return None


def machine():
    try:
        cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read()).group(1)
        memory = f", {int(re.search(r'MemTotal: +([0-9]+)', open('/proc/meminfo').read()).group(1)) / 2**20:.0f} GiB"
    except (OSError, AttributeError):
        cpu, memory = platform.processor(), ""
    return f"{os.cpu_count()} × {cpu}{memory}, {platform.system()} {platform.release()}"


def versions(deadhead):
    found = [first_line(deadhead, "--version"), first_line("rustc", "--version"), first_line("cat", "--version"),
             first_line("jq", "--version"), first_line("jaq", "--version"), f"Python {platform.python_version()}"]
    if node := first_line("node", "--version"):
        found.append(f"node {node}")
    if has_orjson():
        import orjson
        found.append(f"orjson {orjson.__version__}")
    if revision := first_line("git", "describe", "--always", "--dirty"):
        found.append(f"revision {revision}")
    return ", ".join(filter(None, found))


GROUPS = ("sessions", "slow_tools", "open_session", "formats", "tmpfs", "pipes", "small_body", "big_body", "filter")


def main():
    parser = argparse.ArgumentParser(description="Measure deadhead and print a Markdown table.")
    parser.add_argument("--deadhead", required=True)
    parser.add_argument("--yardstick")
    parser.add_argument("--size", type=corpus.size_of, default=1 << 30)
    parser.add_argument("--bodies", type=int, default=None, help="lines of bodies.jsonl (default: as many as the size allows, at most 10000)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help=f"groups, by comma: {','.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="few runs of the small ones: to try the harness, not to measure")
    args = parser.parse_args()
    if args.bodies is None:
        args.bodies = min(10_000, max(100, args.size // 107_000))
    groups = args.only.split(",") if args.only else GROUPS
    for group in groups:
        if group not in GROUPS:
            parser.error(f"no such group: {group} (there are {', '.join(GROUPS)})")

    if not shutil.which(args.deadhead):
        parser.error(f"{args.deadhead}: not a program")

    make_corpus(args.size, args.bodies)
    skipped = [name for name in ("node", "jq", "jaq") if not shutil.which(name)]
    skipped += [] if has_orjson() else ["python + orjson (pip install orjson)"]
    skipped += [] if args.yardstick else ["yardstick"]
    for name in skipped:
        note(f"skipped: {name} is not installed")
    load = os.getloadavg()[0]
    if load > 0.5:
        note(f"warning: load average is {load:.1f}; other work on the machine makes these figures worthless")

    bench = Bench(args)
    checked = bench.verified()
    for line in checked:
        note(line)
    for group in groups:
        note(group.replace("_", " "))
        getattr(bench, group)()

    session = stats_of("session.jsonl")
    report = "\n".join([
        f"{datetime.date.today()} · {machine()} · load {load:.1f} at the start  ",
        f"{versions(args.deadhead)}  ",
        f"Corpus: seed {session['seed']}, {session['lines']:,} lines, line median {session['line']['median']:,}, p90 {session['line']['p90']:,}, "
        f"p99 {session['line']['p99']:,}, longest {session['line']['max']:,} bytes; {100 * session['resultShare']:.0f} % of the bytes in tool results; "
        f"{session['backslashesPerKB']} backslashes per KB.  ",
        f"Medians of {args.runs} runs, unless a heading names another number.  ",
        checked[0] + (f": {'; '.join(checked[1:])}." if checked[1:] else ".") + (f" Not installed: {', '.join(skipped)}." if skipped else ""),
        "", bench.table.markdown(), ""])
    print(report)
    with open(os.path.join(OUT, "results.md"), "w") as file:
        file.write(report)
    note(f"{bench.table.n_missed} targets missed" if bench.table.n_missed else "every target met")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"measure.py: {failure}")
