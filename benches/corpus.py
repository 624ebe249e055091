#!/usr/bin/env python3
"""Makes the benchmark corpus: session logs and request bodies, the same bytes for the same seed.

    python3 benches/corpus.py [--size 1GiB] [--bodies 10000] [--seed 7] [--out DIR] [--only sessions|bodies]

How: pools of text of several kinds (code, search hits, coloured logs, JSON in JSON, prose, CJK, emoji) are written
once and escaped once, as UTF-8 and as pure ASCII; every line is then put together from slices of them. A slice starts
and ends between two lines of a pool, so that no escape is ever cut. The sizes of the slices follow a log-normal
distribution like that of tool results in real logs: median 1.5 K characters, a tenth above 13 K, a hundredth above 77 K.
"""

import argparse
import base64
import bisect
import json
import math
import os
import random
import sys
import time
from array import array

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PROVIDER, MODEL = b"anthropic", b"claude-opus-4-5"

# --- Pools -----------------------------------------------------------------------------------------------------------

WORDS = """request session agent token window cache prune trim clear result message block thinking signature model
provider context history reader writer buffer stream chunk line offset span index table entry header parser scanner
string escape bracket value number object array member splice copy range cursor state config preset layer flag option
path file folder target build test check error warning failure retry timeout limit budget ratio total count median
queue worker thread lock channel socket server client handler route query filter select insert update delete commit
branch merge rebase patch diff review comment release version package module crate import export function method
field type enum struct trait class interface widget theme color border layout render input output event listener
callback promise future task schedule deploy cluster node metric trace log alert report summary note question answer
the a of and to in is that it for on with as this not be are from at or by an if we can has have was but all when""".split()

CJK = ("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
       "日本語文字列処理会話履歴結果検索設定更新確認変更保存実行時間問題方法利用情報開発環境한국어문자열처리기록검색결과설정변경확인")
EMOJI = ["✅", "❌", "⚠️", "🚀", "🔧", "📦", "🎉", "👩‍💻", "🇩🇪", "→", "…", "—", "“", "”", "é", "ü"]


class Pool:
    """Escaped lines of text, end to end, with the place where each starts."""

    def __init__(self, lines):
        utf8 = [json.encoder.encode_basestring(line)[1:-1].encode() for line in lines]
        ascii_ = [json.encoder.encode_basestring_ascii(line)[1:-1].encode() for line in lines]
        n_chars = sum(map(len, lines))
        self.forms = [self._form(utf8, n_chars), self._form(ascii_, n_chars)]

    @staticmethod
    def _form(pieces, n_chars):
        starts, at = array("Q"), 0
        for piece in pieces:
            starts.append(at)
            at += len(piece)
        starts.append(at)
        return b"".join(pieces), starts, at / n_chars

    def slice(self, rng, n_chars, ascii_only=False):
        """About `n_chars` characters, escaped; at least one line of the pool."""
        text, starts, bytes_per_char = self.forms[ascii_only]
        need, out = int(n_chars * bytes_per_char), []
        at = starts[int(rng.random() * (len(starts) - 1))]
        while True:
            end = starts[min(bisect.bisect_left(starts, at + max(need, 1)), len(starts) - 1)]
            out.append(text[at:end])
            need -= end - at
            if need <= 0:
                return out[0] if len(out) == 1 else b"".join(out)
            at = 0


def ident(rng):
    return "_".join(rng.choices(WORDS, k=rng.choice((1, 2, 2, 3))))


def words(rng, lo, hi):
    return " ".join(rng.choices(WORDS, k=rng.randint(lo, hi)))


def path(rng):
    return "/".join(["src", *rng.choices(WORDS, k=rng.randint(1, 3))]) + rng.choice((".ts", ".rs", ".py", ".go", ".md"))


def code_line(rng):
    r = rng.random()
    indent = "\t" * rng.choice((0, 1, 1, 2, 2, 3)) if rng.random() < 0.6 else "    " * rng.choice((0, 1, 1, 2, 3))
    if r < 0.10:
        return "\n"
    if r < 0.22:
        return f"{indent}// {words(rng, 4, 12)}\n"
    if r < 0.40:
        return f'{indent}const {ident(rng)} = {ident(rng)}("{words(rng, 1, 4)}", {rng.randint(0, 4096)});\n'
    if r < 0.55:
        return f"{indent}if ({ident(rng)}.{ident(rng)} === {ident(rng)}) {{\n"
    if r < 0.65:
        return f"{indent}}}\n"
    if r < 0.75:
        return f'{indent}import {{ {ident(rng)}, {ident(rng)} }} from "./{rng.choice(WORDS)}.js";\n'
    if r < 0.88:
        return f"{indent}return {ident(rng)}.{ident(rng)}({ident(rng)}, {ident(rng)}[{rng.randint(0, 99)}]);\n"
    return f'{indent}throw new Error(`{words(rng, 2, 6)}: ${{{ident(rng)}}} at "{rng.choice(WORDS)}"\\n`);\n'


def grep_line(rng):
    return f"{path(rng)}:{rng.randint(1, 3000)}:{rng.randint(1, 80)}: {code_line(rng).strip()} {words(rng, 0, 3)}\n"


def log_line(rng):
    level, color = rng.choice((("INFO", 32), ("INFO", 32), ("DEBUG", 36), ("WARN", 33), ("ERROR", 31)))
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}.{rng.randint(0, 999):03}"
    if rng.random() < 0.25:
        return f"\x1b[1m\x1b[{color}m{rng.choice('✓✗•')}\x1b[0m {words(rng, 2, 6)} \x1b[2m({rng.randint(1, 900)}ms)\x1b[0m\r\n"
    return (f"2025-11-20T{clock}Z \x1b[{color}m{level:5}\x1b[0m {ident(rng)}: {words(rng, 4, 14)} "
            f'{rng.choice(WORDS)}={rng.randint(0, 99999)} {rng.choice(WORDS)}="{rng.choice(WORDS)}"\n')


def record(rng):
    return {"id": rng.randint(1, 10**9), "name": ident(rng), "path": path(rng), "ok": rng.random() < 0.8,
            "score": round(rng.random(), 6), "tags": rng.choices(WORDS, k=rng.randint(1, 4)), "note": words(rng, 3, 12),
            "at": None if rng.random() < 0.2 else "2025-11-20T10:00:00Z"}


def prose_line(rng):
    text = ". ".join(words(rng, 7, 18).capitalize() for _ in range(rng.randint(1, 3))) + "."
    r = rng.random()
    if r < 0.15:
        return f"## {words(rng, 2, 5).title()}\n\n"
    if r < 0.45:
        return f"- **{ident(rng)}**: {text}\n"
    if r < 0.6:
        return f"{text} It’s `{ident(rng)}` — see “{path(rng)}”…\n\n"
    return f"{text}\n\n"


def cjk_line(rng):
    text = "".join(rng.choices(CJK, k=rng.randint(12, 60)))
    return f"{text}，{rng.choice(WORDS)}：{''.join(rng.choices(CJK, k=rng.randint(5, 30)))}。\n"


def emoji_line(rng):
    return f"{rng.choice(EMOJI)} {words(rng, 2, 6)} {rng.choice(EMOJI)} {words(rng, 1, 5)} {rng.choice(EMOJI)}\n"


def lines_of(rng, make, size):
    out, n = [], 0
    while n < size:
        line = make(rng)
        out.append(line)
        n += len(line)
    return out


class Pools:
    def __init__(self, seed):
        rng = random.Random(f"pools {seed}")
        self.code = Pool(lines_of(rng, code_line, 2 * MIB))
        self.grep = Pool(lines_of(rng, grep_line, MIB))
        self.log = Pool(lines_of(rng, log_line, MIB))
        self.pretty = Pool([line + "\n" for _ in range(1800) for line in json.dumps(record(rng), indent=2).split("\n")])
        self.minified = Pool([json.dumps(record(rng), separators=(",", ":")) + "," for _ in range(4000)])
        self.prose = Pool(lines_of(rng, prose_line, 2 * MIB))
        self.cjk = Pool(lines_of(rng, cjk_line, MIB // 2))
        self.emoji = Pool(lines_of(rng, emoji_line, MIB // 4))
        self.base64 = base64.b64encode(rng.randbytes(MIB))
        self.paths = [path(rng).encode() for _ in range(2000)]
        self.commands = [json.encoder.encode_basestring(
            f'cd {rng.choice(WORDS)} && rg -n "{words(rng, 1, 3)}" {path(rng)} | head -{rng.randint(5, 90)}')[1:-1].encode()
            for _ in range(2000)]
        # How often each kind is what a tool returned.
        self.results = [(self.code, 45), (self.grep, 14), (self.log, 11), (self.prose, 10), (self.pretty, 8),
                        (self.minified, 5), (self.cjk, 4), (self.emoji, 3)]
        self.kinds = [pool for pool, weight in self.results for _ in range(weight)]

    def result(self, rng, n_chars, ascii_only=False):
        return rng.choice(self.kinds).slice(rng, n_chars, ascii_only)

    def blob(self, rng, n):
        """`n` characters of base64, n a multiple of 4."""
        out = b""
        while len(out) < n:
            at = 4 * int(rng.random() * (len(self.base64) // 4 - 1))
            out += self.base64[at:at + n - len(out)]
        return out


def result_chars(rng, top):
    """Characters of one tool result: median 1.5 K, p90 13 K, p99 77 K."""
    return min(int(rng.lognormvariate(math.log(1500), 1.685)), top)


def decimal(x):
    """A number as JavaScript spells it."""
    return (b"%.6f" % x).rstrip(b"0").rstrip(b".")


# --- Session log -----------------------------------------------------------------------------------------------------

class Stats:
    def __init__(self):
        self.lines, self.texts = array("Q"), array("Q")
        self.total = self.results = self.backslashes = self.n_compactions = 0

    def line(self, line, is_result):
        n = len(line)
        self.lines.append(n)
        self.total += n
        self.backslashes += line.count(b"\\")
        if is_result:
            self.results += n

    def summary(self):
        def quantiles(sizes):
            s = sorted(sizes)
            return {name: s[min(int(len(s) * q), len(s) - 1)] for name, q in
                    (("median", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))} if s else {}
        return {"bytes": self.total, "lines": len(self.lines), "line": quantiles(self.lines),
                "resultText": quantiles(self.texts), "resultShare": round(self.results / self.total, 3),
                "backslashesPerKB": round(1000 * self.backslashes / self.total, 1), "compactions": self.n_compactions}


class Session:
    """Writes one stream of entries into two files: one with compactions, one without."""

    def __init__(self, pools, seed, size, compacted, open_):
        self.pools, self.rng, self.size = pools, random.Random(f"session {seed}"), size
        self.files = (compacted, open_)
        self.stats, self.stats_open = Stats(), Stats()
        self.n_ids = self.rng.getrandbits(32)
        self.n_calls = 0
        self.clock = 1_763_681_544_000  # milliseconds
        self.parents = [None, None]
        self.kept = []  # (offset, id) of user messages: where a compaction may cut
        self.context_from = 0  # where the context that counts begins
        self.context_limit = self.next_limit()
        self.long_line_at = int(size * 0.18)
        self.ascii_only = False

    def next_limit(self):
        return self.rng.randint(1_000_000, 2_000_000)

    def next_id(self):
        self.n_ids += 1  # an odd multiplier modulo 2^32 never repeats itself
        return b"%08x" % (self.n_ids * 2_654_435_761 & 0xFFFFFFFF)

    def stamp(self):
        self.clock += self.rng.randint(3, 9000)
        seconds, ms = divmod(self.clock, 1000)
        return b"%s.%03dZ" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)).encode(), ms)

    def entry(self, kind, rest, is_result=False, both=True):
        id_, stamp = self.next_id(), self.stamp()
        for i in (0, 1) if both else (0,):
            parent = b"null" if self.parents[i] is None else b'"%s"' % self.parents[i]
            line = b'{"type":"%s","id":"%s","parentId":%s,"timestamp":"%s",%s}\n' % (kind, id_, parent, stamp, rest)
            self.files[i].write(line)
            (self.stats, self.stats_open)[i].line(line, is_result)
            self.parents[i] = id_
        self.ascii_only = self.rng.random() < 0.05
        return id_

    def message(self, rest, is_result=False):
        return self.entry(b"message", b'"message":{%s,"timestamp":%d}' % (rest, self.clock), is_result)

    def prose(self, lo, hi):
        pools, rng = self.pools, self.rng
        pool = pools.cjk if rng.random() < 0.05 else pools.prose
        return pool.slice(rng, rng.randint(lo, hi), self.ascii_only)

    def user(self):
        rng = self.rng
        content = b'{"type":"text","text":"%s"}' % self.prose(20, 700)
        if rng.random() < 0.02:
            content += b',{"type":"image","data":"%s","mimeType":"image/png"}' % self.pools.blob(rng, 4 * rng.randint(4000, 20000))
        at = self.stats.total
        id_ = self.message(b'"role":"user","content":[%s]' % content)
        self.kept.append((at, id_))

    def arguments(self, tool):
        pools, rng = self.pools, self.rng
        path = rng.choice(pools.paths)
        if tool == b"bash":
            return b'{"command":"%s","timeout":%d}' % (rng.choice(pools.commands), rng.choice((30, 60, 120)))
        if tool == b"write":
            return b'{"path":"%s","content":"%s"}' % (path, pools.code.slice(rng, rng.randint(200, 6000), self.ascii_only))
        if tool == b"edit":
            return b'{"path":"%s","oldText":"%s","newText":"%s"}' % (
                path, pools.code.slice(rng, rng.randint(40, 600), self.ascii_only),
                pools.code.slice(rng, rng.randint(40, 900), self.ascii_only))
        if tool == b"grep":
            return b'{"pattern":"%s","path":"%s","context":%d}' % (rng.choice(WORDS).encode(), path, rng.randint(0, 4))
        return b'{"path":"%s","offset":%d,"limit":%d}' % (path, rng.randint(0, 2000), rng.randint(50, 2000))

    def assistant(self, tools):
        """A step of the agent: thinking, text, calls. Returns the ids of the calls."""
        pools, rng, blocks, ids = self.pools, self.rng, [], []
        if rng.random() < 0.7:
            blocks.append(b'{"type":"thinking","thinking":"%s","thinkingSignature":"%s"}' % (
                self.prose(60, 800), pools.blob(rng, 4 * rng.randint(60, 200))))
        if rng.random() < 0.6 or not tools:
            blocks.append(b'{"type":"text","text":"%s"}' % (self.prose(20, 300) if tools else self.prose(200, 2400)))
        for tool in tools:
            self.n_calls += 1
            ids.append(b"toolu_01%08x%s" % (self.n_calls, pools.blob(rng, 12).translate(bytes.maketrans(b"+/", b"xy"))))
            blocks.append(b'{"type":"toolCall","id":"%s","name":"%s","arguments":%s}' % (ids[-1], tool, self.arguments(tool)))
        read, write, out = rng.randint(9000, 160000), rng.randint(100, 9000), rng.randint(40, 2500)
        costs = 15e-6, out * 25e-6, read * 5e-7, write * 6.25e-6
        self.message(
            b'"role":"assistant","content":[%s],"api":"anthropic-messages","provider":"%s","model":"%s","usage":{"input":%d,'
            b'"output":%d,"cacheRead":%d,"cacheWrite":%d,"totalTokens":%d,"cost":{"input":%s,"output":%s,"cacheRead":%s,'
            b'"cacheWrite":%s,"total":%s}},"stopReason":"%s"' % (
                b",".join(blocks), PROVIDER, MODEL, 3, out, read, write, 3 + out + read + write,
                *map(decimal, (*costs, sum(costs))), b"toolUse" if tools else b"stop"))
        return ids

    def result(self, id_, tool):
        pools, rng = self.pools, self.rng
        details = b""
        if tool in (b"edit", b"write"):
            text = b"Successfully replaced text in %s." % rng.choice(pools.paths)
            if tool == b"edit":
                details = b',"details":{"diff":"%s","firstChangedLine":%d}' % (
                    pools.code.slice(rng, rng.randint(200, 2500), self.ascii_only), rng.randint(1, 900))
        else:
            text = pools.result(rng, result_chars(rng, 400_000), self.ascii_only)
            if tool == b"bash" and rng.random() < 0.3:
                details = b',"details":{"truncation":{"truncated":false,"totalLines":%d,"outputBytes":%d},"exitCode":%d}' % (
                    rng.randint(1, 4000), len(text), rng.choice((0, 0, 0, 1)))
        self.stats.texts.append(len(text))
        content = b'{"type":"text","text":"%s"}' % text
        if tool == b"read" and rng.random() < 0.02:
            content = b'{"type":"text","text":"Read image file [image/png]"},{"type":"image","data":"%s","mimeType":"image/png"}' % (
                pools.blob(rng, 4 * rng.randint(2000, 30000)))
        if self.stats.total >= self.long_line_at:  # once: a line as long as a whole build log kept beside a result
            n = min(10_000_000, self.size // 6)
            details, log = b"", pools.log.slice(rng, n // 1.1)
            details = b',"details":{"exitCode":1,"fullOutput":"%s"}' % log[:n - 1000].rsplit(b"\\n", 1)[0]
            self.long_line_at = math.inf
        self.message(b'"role":"toolResult","toolCallId":"%s","toolName":"%s","content":[%s]%s,"isError":%s' % (
            id_, tool, content, details, b"true" if rng.random() < 0.04 else b"false"), True)

    def turn(self):
        rng = self.rng
        self.user()
        for _ in range(rng.randint(2, 24)):
            tools = rng.choices((b"read", b"bash", b"grep", b"ls", b"edit", b"write"), (32, 40, 14, 4, 4, 2),
                                k=rng.choices((1, 2, 3), (75, 18, 7))[0])
            for id_, tool in zip(self.assistant(tools), tools):
                self.result(id_, tool)
        self.assistant(())

    def compact(self):
        """Drops the older part of the context, as an agent does whose window is full."""
        now = self.stats.total
        keep = max((k for k in self.kept if k[0] < now - 80_000 and k[0] > self.context_from), default=self.kept[-1])
        self.entry(b"compaction", b'"summary":"%s","firstKeptEntryId":"%s","tokensBefore":%d' % (
            self.pools.prose.slice(self.rng, 6000), keep[1], self.rng.randint(150_000, 190_000)), both=False)
        self.stats.n_compactions += 1
        self.context_from, self.context_limit = keep[0], self.next_limit()
        self.kept = [k for k in self.kept if k[0] >= keep[0]]

    def write(self):
        rng = self.rng
        header = b'{"type":"session","version":3,"id":"%08x-1b7b-4fb1-b512-%012x","timestamp":"%s","cwd":"/home/user/project"}\n' % (
            rng.getrandbits(32), rng.getrandbits(48), self.stamp())
        for file, stats in zip(self.files, (self.stats, self.stats_open)):
            file.write(header)
            stats.line(header, False)
        model = b'"provider":"%s","modelId":"%s"' % (PROVIDER, MODEL)
        self.entry(b"model_change", model)
        while self.stats.total < self.size:
            self.turn()
            if rng.random() < 0.02:
                self.entry(b"model_change", model)
            # The end of the file stays open, so that there is something to prune in the context that counts.
            if self.stats.total - self.context_from > self.context_limit and self.size - self.stats.total > 800_000:
                self.compact()


# --- Request bodies --------------------------------------------------------------------------------------------------

def tool_definitions(pools, rng):
    names = (b"bash", b"read", b"edit", b"write", b"grep", b"find", b"ls", b"web_fetch")
    return b",".join(
        b'{"name":"%s","description":"%s","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"%s"},'
        b'"limit":{"type":"integer"}},"required":["path"]}}' % (name, pools.prose.slice(rng, 500), pools.prose.slice(rng, 60))
        for name in names)


def body(pools, rng, frame, size):
    """An Anthropic request of about `size` bytes: user turns, each a loop of calls, the last one still open."""
    system, tools = frame
    top = max(2000, min(400_000, size // 6))
    messages, total, n_calls = [], len(system) + len(tools), 0

    def add(message):
        nonlocal total
        messages.append(message)
        total += len(message) + 1

    while True:
        add(b'{"role":"user","content":"%s"}' % pools.prose.slice(rng, rng.randint(30, 400)))
        for _ in range(rng.randint(2, 9)):
            n_calls += 1
            id_ = b"toolu_01%08x%08x" % (rng.getrandbits(32), n_calls)
            thinking = b""
            if rng.random() < 0.4:
                thinking = b'{"type":"thinking","thinking":"%s","signature":"%s"},' % (
                    pools.prose.slice(rng, rng.randint(60, 500)), pools.blob(rng, 4 * rng.randint(60, 180)))
            add(b'{"role":"assistant","content":[%s{"type":"text","text":"%s"},{"type":"tool_use","id":"%s","name":"bash",'
                b'"input":{"command":"%s"}}]}' % (thinking, pools.prose.slice(rng, rng.randint(20, 200)), id_, rng.choice(pools.commands)))
            text = pools.result(rng, result_chars(rng, top), rng.random() < 0.05)
            content = b'"%s"' % text if rng.random() < 0.3 else b'[{"type":"text","text":"%s"}]' % text
            add(b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":%s}]}' % (id_, content))
            if total >= size:
                return (b'{"model":"%s","max_tokens":8192,"stream":true,"system":[{"type":"text","text":"%s","cache_control":'
                        b'{"type":"ephemeral"}}],"tools":[%s],"messages":[%s]}' % (MODEL, system, tools, b",".join(messages)))
        add(b'{"role":"assistant","content":[{"type":"text","text":"%s"}]}' % pools.prose.slice(rng, rng.randint(200, 1500)))


def write_bodies(pools, seed, out, n_bodies, size_big):
    rng = random.Random(f"bodies {seed}")
    frame = pools.prose.slice(rng, 6000), tool_definitions(pools, rng)
    files = {}
    for name, size in (("body-100k.json", 100_000), ("body-20m.json", size_big)):
        data = body(pools, rng, frame, size)
        with open(os.path.join(out, name), "wb") as file:
            file.write(data + b"\n")
        files[name] = {"bytes": len(data) + 1, "messages": data.count(b'{"role":"')}
    sizes = array("Q")
    with open(os.path.join(out, "bodies.jsonl"), "wb", buffering=4 * MIB) as file:
        for _ in range(n_bodies):
            data = body(pools, rng, frame, rng.randint(90_000, 102_000))
            file.write(data + b"\n")
            sizes.append(len(data) + 1)
    s = sorted(sizes)
    files["bodies.jsonl"] = {"bytes": sum(s), "lines": len(s), "line": {"min": s[0], "median": s[len(s) // 2], "max": s[-1]}}
    return files


# --- Command line ----------------------------------------------------------------------------------------------------

def size_of(text):
    units = {"kib": KIB, "mib": MIB, "gib": GIB, "kb": 10**3, "mb": 10**6, "gb": 10**9, "k": KIB, "m": MIB, "g": GIB}
    text = text.strip().lower()
    for unit, factor in units.items():
        if text.endswith(unit):
            return int(float(text[:-len(unit)]) * factor)
    return int(text)


def main():
    parser = argparse.ArgumentParser(description="Make the benchmark corpus.")
    parser.add_argument("--size", type=size_of, default=GIB, help="of session.jsonl (default 1GiB)")
    parser.add_argument("--bodies", type=int, default=10_000, help="lines of bodies.jsonl (default 10000)")
    parser.add_argument("--seed", default="7")
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    parser.add_argument("--only", choices=("sessions", "bodies"))
    args = parser.parse_args()

    os.makedirs(args.out, exist_ok=True)
    for name in os.listdir(args.out):  # the statistics say that a file is whole: they go first and come last
        if name.endswith(".stats") and name.startswith("bod" if args.only == "bodies" else "session" if args.only else ("bod", "session")):
            os.remove(os.path.join(args.out, name))
    started = time.monotonic()
    pools = Pools(args.seed)
    stats = {}
    if args.only != "bodies":
        names = [os.path.join(args.out, name) for name in ("session.jsonl", "session-open.jsonl")]
        with open(names[0], "wb", buffering=4 * MIB) as compacted, open(names[1], "wb", buffering=4 * MIB) as open_:
            session = Session(pools, args.seed, args.size, compacted, open_)
            session.write()
        session.stats_open.texts = session.stats.texts
        stats |= {"session.jsonl": session.stats.summary(), "session-open.jsonl": session.stats_open.summary()}
    if args.only != "sessions":
        stats |= write_bodies(pools, args.seed, args.out, args.bodies, 20_000_000)
    for name, numbers in stats.items():
        print(f"{name}: {json.dumps(numbers)}")
        with open(os.path.join(args.out, f"{name}.stats"), "w") as file:
            json.dump(numbers | {"seed": args.seed, "asked": args.size if name.startswith("session") else args.bodies}, file)
    print(f"made in {time.monotonic() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
