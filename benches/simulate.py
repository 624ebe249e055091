#!/usr/bin/env python3
"""A second simulator of what a policy saves on recorded sessions. It shares no code with crates/replay.

    cargo build && benches/simulate.py [--preset POLICIES] LOG...    # Claude Code, Codex, OpenClaw and pi

It reads each log, finds what was sent with each request, and simulates the provider's cache one entry at a time. What a policy cuts is
taken from the program, as the plan is under test for its price only: `deadhead prune --state` gets the log as it was before each request,
with the time of the request (`--now`). Prices are data: crates/core/src/prices.tsv and tiers.tsv. $DEADHEAD names another program.

Printed are, for each log and for all: the recorded bill, the same simulated without cuts (it must be the recorded one), the bill with the
cuts of each policy, what is left if every result that is needed again is paid for once more, and the same figures by `deadhead replay`.
Then by how much single differences of this simulator from the program change the sum, each measured by switching it. A log gets no cache mark
of the program's, so that both run without (`breakEven.ownMarks=false`); what the marks are worth, by replay, is the last line.
"""
import argparse, collections, dataclasses, datetime, json, os, pathlib, re, statistics, subprocess, tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
BIN = os.environ.get("DEADHEAD") or str(HERE / "target/debug/deadhead")
BACK = 20  # blocks between a mark and the end of a cached prompt, at most (Anthropic)
CHARS_PER_TOKEN = 3.5  # where no recorded prompt says how many tokens a text has
RATES = (0.1, 4.0)  # tokens for a char of new text that are believed, at least and at most: short results have a frame
ASKS = 100  # output tokens of a call that asks for a text again
QUOTE = 30  # chars of a line that show that it was quoted
# Seconds for which a prompt is cached: the short and the long lifetime, as they were measured, by the beginning of the model's id.
LIFETIMES = (("claude", 300, 3600), ("gpt-5.5", 1200, 3600), ("gpt-5.6", 1800, 3600), ("gpt-6", 1800, 3600), ("", 600, 3600))


@dataclasses.dataclass
class Item:
    """A message, or a part of one, in the order in which it is sent. `said`: output tokens of the answer whose first piece it is; `call`:
    the call of a result; `asks`: the calls of an answer, each with its tool and arguments."""
    key: object
    role: str
    blocks: int = 1
    chars: int = 0
    said: int = 0
    call: str = ""
    text: str = ""
    attached: bool = False
    asks: tuple = ()


@dataclasses.dataclass
class Request:
    """A request: the number of lines before its answer, its time, what the provider counted, and the items that were sent."""
    line: int
    sent: float
    model: str
    fresh: int
    read: int
    short: int
    long: int
    output: int
    tiers: tuple
    items: list

    @property
    def prompt(self):
        return self.fresh + self.read + self.short + self.long


def seconds(time):
    if isinstance(time, (int, float)):
        return time / 1000
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() if time else 0.0


def records(path):
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True)):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield number, record


def chars(value):
    """Chars of the texts in a content, images as 4,800."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(map(chars, value))
    if isinstance(value, dict):
        if value.get("type") in ("image", "input_image"):
            return 4800
        return sum(chars(value[k]) for k in ("text", "content", "thinking", "arguments", "input", "output", "summary") if k in value and value[k]) \
            or (len(json.dumps(value)) if "type" not in value else 0)
    return 0


def plain(value):
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(plain, value))
    if isinstance(value, dict):
        return "\n".join(plain(v) for k, v in value.items() if k not in ("id", "type", "signature", "thinking", "data"))
    return ""


def blocks(content):
    return len(content) if isinstance(content, list) else 1


def asks(content):
    """The calls in an answer: id, tool, arguments."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") in ("tool_use", "toolCall", "function_call", "custom_tool_call"):
            arguments = part.get("input") or part.get("arguments") or {}
            try:
                arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            except ValueError:
                pass
            yield part.get("call_id") or part.get("id"), part.get("name"), arguments


def item(key, role, content, **more):
    known = tuple(asks(content)) if role == "answer" else ()
    return Item(key, role, blocks(content), max(chars(content), 1), text=plain(content), asks=known, **more)


# ---- Logs ----

def claude(path):
    """Claude Code: a tree of lines; an answer is several lines of one id; results of parallel calls hang on different lines of it."""
    by_id, answers, results, found = {}, collections.defaultdict(list), collections.defaultdict(list), []
    rows = [(n, r) for n, r in records(path) if r.get("uuid") and isinstance(r.get("message", {}), dict)]
    def contents(r):
        content = (r.get("message") or {}).get("content") or ""
        return content if isinstance(content, list) else [content]
    for n, r in rows:
        by_id.setdefault(r["uuid"], (n, r))
        if r["type"] == "assistant":
            answers[r["message"].get("id") or r["uuid"]].append((n, r))
        for part in contents(r) if r["type"] == "user" else []:
            if isinstance(part, dict) and part.get("type") == "tool_result":
                results[part.get("tool_use_id")].append((n, r))
    def path_to(uuid):
        path = []
        while uuid in by_id and len(path) <= len(by_id):
            path.append(by_id[uuid])
            uuid = by_id[uuid][1].get("parentUuid")
        return path[::-1]
    def usage_of(pieces):
        return max((r["message"].get("usage") or {} for _, r in pieces), key=lambda u: u.get("output_tokens") or 0)
    def context(before, line):
        items, done = [], set()
        for n, r in before:
            kind, message = r["type"], r.get("message") or {}
            if kind == "attachment":
                items.append(item((n, 0), "user", r.get("attachment"), attached=True))
            elif kind == "assistant":
                id = message.get("id") or r["uuid"]
                pieces = [(k, p) for k, p in answers[id] if k < line]
                calls = []
                for at, (k, p) in enumerate(pieces if id not in done else []):
                    content = contents(p)
                    items.append(item((k, 0), "answer", content, said=usage_of(answers[id]).get("output_tokens") or 0 if at == 0 else 0))
                    calls += [part["id"] for part in content if isinstance(part, dict) and part.get("type") == "tool_use"]
                done.add(id)
                for k, p in (hit for call in calls for hit in results[call] if hit[0] < line):
                    add_results(items, k, p, done)
            elif kind == "user":
                add_results(items, n, r, done)
        return items
    def add_results(items, n, r, done):
        if n in done:
            return
        done.add(n)
        for at, part in enumerate(contents(r)):
            is_result = isinstance(part, dict) and part.get("type") == "tool_result"
            items.append(item((n, at), "result" if is_result else "user", [part], call=part.get("tool_use_id") if is_result else ""))
    seen = set()
    for n, r in rows:
        message = r.get("message") or {}
        id = message.get("id") or r["uuid"]
        usage = usage_of(answers[id]) if r["type"] == "assistant" else {}
        if id in seen or not usage or message.get("model") == "<synthetic>":
            continue
        seen.add(id)
        made = usage.get("cache_creation") or {}
        total, long = usage.get("cache_creation_input_tokens") or 0, made.get("ephemeral_1h_input_tokens") or 0
        before = path_to(r.get("parentUuid"))
        sent = seconds(before[-1][1].get("timestamp")) if before else seconds(r.get("timestamp"))
        request = Request(n, sent, message.get("model") or "", usage.get("input_tokens") or 0, usage.get("cache_read_input_tokens") or 0, total - long, long,
                          usage.get("output_tokens") or 0, (usage.get("speed"), usage.get("service_tier"), usage.get("inference_geo")), context(before, n))
        if request.prompt + request.output:
            found.append(request)
    return found


def codex(path):
    """Codex: items in order; a count belongs to the model's items since the one before it."""
    items, found, model, opened, last = [], [], "", None, 0.0
    for n, r in records(path):
        payload = r.get("payload") or {}
        kind, at = (r.get("type"), payload.get("type")), seconds(r.get("timestamp"))
        if kind[0] == "turn_context":
            model = payload.get("model") or model
        elif kind[0] == "compacted":
            items = [item((n, k), "user", p.get("content")) for k, p in enumerate(payload.get("replacement_history") or [{"content": payload.get("message")}])]
        elif kind[0] == "response_item":
            mine = kind[1] in ("reasoning", "function_call", "custom_tool_call", "web_search_call", "local_shell_call") or payload.get("role") == "assistant"
            if mine and opened is None:
                opened = (n, last, list(items), model)
            if payload.get("role") == "user":
                opened = None
            output = str(kind[1]).endswith("_output")
            items.append(item((n, 0), "answer" if mine else "result" if output else "user", payload, call=payload.get("call_id") if output else ""))
            last = at
        elif kind == ("event_msg", "token_count"):
            usage = (payload.get("info") or {}).get("last_token_usage")
            if opened and usage:
                read, made = usage.get("cached_input_tokens") or 0, usage.get("cache_write_input_tokens") or 0
                fresh = (usage.get("input_tokens") or 0) - read - made
                found.append(Request(*opened[:2], opened[3], fresh, read, made, 0, usage.get("output_tokens") or 0, (), opened[2]))
                first = next((i for i in items[len(opened[2]):] if i.role == "answer"), None)
                if first:
                    first.said = usage.get("output_tokens") or 0
            opened = None
    return found


def pi(path):
    """OpenClaw and pi: entries with parents, or in order in the oldest logs; a compaction keeps the end of what was there."""
    rows = list(records(path))
    by_id = {r["id"]: at for at, (_, r) in enumerate(rows) if r.get("id") and r.get("type") != "session"}
    found, made = [], {}
    def path_to(at):
        r = rows[at][1]
        if not r.get("id"):
            return list(range(at))
        path, parent = [], by_id.get(r.get("parentId"))
        while parent is not None and len(path) <= len(rows):
            path.append(parent)
            parent = by_id.get(rows[parent][1].get("parentId"))
        return path[::-1]
    def entry(at):
        if at not in made:
            n, r = rows[at]
            m = r.get("message") or {}
            role = {"assistant": "answer", "toolResult": "result"}.get(m.get("role"), "user")
            if r.get("type") in ("compaction", "branch_summary"):
                made[at] = item((n, 0), "user", r.get("summary"))
            elif r.get("type") not in ("message", "custom_message"):
                made[at] = None
            else:
                content = m.get("content", r.get("content")) or m.get("output") or ""
                made[at] = item((n, 0), role, content, call=m.get("toolCallId") or "", said=(m.get("usage") or {}).get("output") or 0)
                if role == "result":
                    made[at].blocks = 1
        return made[at]
    for at, (n, r) in enumerate(rows):
        m = r.get("message") or {}
        usage = m.get("usage") or {}
        if m.get("role") != "assistant" or not (usage.get("input") or usage.get("cacheRead") or usage.get("cacheWrite")):
            continue
        before = path_to(at)
        newest = max((k for k in before if rows[k][1].get("type") == "compaction"), default=None, key=before.index)
        if newest is not None:
            r2 = rows[newest][1]
            first = by_id.get(r2.get("firstKeptEntryId"), r2.get("firstKeptEntryIndex"))
            keep = before.index(first) if first in before else before.index(newest)
            before = [newest] + [k for k in before[keep:] if rows[k][1].get("type") != "compaction"]
        items = [entry(k) for k in before if entry(k)]
        model = m.get("model") or ""
        long = usage.get("cacheWrite1h") or (usage.get("cttl") or {}).get("ephemeral1h") or (usage.get("cacheCreation") or {}).get("ephemeral_1h_input_tokens") or 0
        found.append(Request(n, seconds(m.get("timestamp") or r.get("timestamp")), model, usage.get("input") or 0, usage.get("cacheRead") or 0,
                             (usage.get("cacheWrite") or 0) - long, long, usage.get("output") or 0, (), items))
    return found


def reader(path):
    for _, r in records(path):
        if r.get("type") in ("session_meta", "response_item", "turn_context", "event_msg"):
            return codex
        if r.get("type") == "session" or (r.get("type") == "message" and isinstance(r.get("message"), dict)):
            return pi
        if r.get("type") in ("user", "assistant") and "message" in r:
            return claude
    return lambda path: []


# ---- Prices ----

def table(name):
    lines = (HERE / "crates/core/src" / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


PRICES, TIERS = table("prices.tsv"), table("tiers.tsv")


@dataclasses.dataclass
class Price:
    input: float
    output: float
    read: float
    write: float
    long: float
    tier: tuple
    least: int
    step: int
    marks: bool
    counted: bool
    lifetimes: tuple
    times: float

    def usd(self, prompt, fresh, read, short, long, output):
        above, more, more_output = self.tier if self.tier and prompt > self.tier[0] else (0, 1, 1)
        spent = fresh * self.input + read * self.read + short * self.write + long * self.long
        return (spent * more + output * self.output * more_output) * self.times / 1e6


def price(request):
    id = request.model.lower().split("/")[-1]
    id = id[id.index("claude"):] if "claude" in id else id
    rows = [r for r in PRICES if re.fullmatch(re.escape(r[0]) + r"([-@:]?(\d{8}|\d{4}-\d\d-\d\d|latest|v\d.*))?(\[.*\])?", id)]
    longest = max((len(r[0]) for r in rows), default=0)
    rows = [r for r in rows if len(r[0]) == longest and (not r[17] or request.sent < seconds(r[17]))]
    if not rows:
        return None
    row = next((r for r in rows if not r[16] or seconds(r[16]) <= request.sent), rows[0])
    number = [float(cell) if cell.replace(".", "", 1).isdigit() else None for cell in row]
    times = 1.0
    for tier in filter(None, request.tiers):
        known = [r for r in TIERS if r[1] == tier and id.startswith(r[0])]
        times *= float(max(known, key=lambda r: len(r[0]))[2]) if known else 1
    lifetimes = next(rest for begin, *rest in LIFETIMES if id.startswith(begin))
    return Price(*number[2:7], tuple(number[7:10]) if number[7] else (), int(number[12]), int(number[13]), number[14] is not None, row[15] == "yes", tuple(lifetimes), times)


# ---- Tokens ----

def measure(requests, frame=0):
    """Tokens of each item, from what each prompt has more than the one before, and of what precedes the items of each request. `frame`:
    tokens that the provider puts around each result, which no cut removes."""
    tokens, fronts, before = {}, [], []
    front = None
    for r in requests:
        keys = [i.key for i in r.items]
        new = [i for i in r.items if i.key not in tokens]
        known = sum(tokens[k] for k in keys if k in tokens)
        guess = {i.key: i.said or (i.chars / CHARS_PER_TOKEN if not i.role == "answer" else 0) for i in new}
        if front is not None and keys[:len(before)] == before:
            texts = [i for i in new if i.role != "answer"]
            rest = r.prompt - front - known - sum(i.said for i in new) - frame * len(texts)
            size = sum(i.chars for i in texts)
            if size and RATES[0] <= rest / size <= RATES[1]:
                guess.update({i.key: i.chars * rest / size for i in texts})
        tokens.update(guess)
        total = sum(tokens[k] for k in keys)
        front = max(r.prompt - total, 0)
        fronts.append((front, min(1.0, r.prompt / total) if total else 1.0))
        before = keys
    return tokens, fronts


def framing(requests):
    """Tokens around a result: the median of what prompts grew by beyond the answer and short results."""
    found = []
    for before, r in zip(requests, requests[1:]):
        new = r.items[len(before.items):]
        texts = [i for i in new if i.role != "answer"]
        size = sum(i.chars for i in texts)
        if texts and size < 200 and [i.key for i in r.items[:len(before.items)]] == [i.key for i in before.items]:
            found.append((r.prompt - before.prompt - sum(i.said for i in new) - size / CHARS_PER_TOKEN) / len(texts))
    return max(0, statistics.median(found)) if found else 0


# ---- The cache ----

@dataclasses.dataclass
class Options:
    """What this simulator does unlike the program, or the other way round."""
    attachments: bool = True  # attachments are sent as blocks; without, they are part of what precedes the messages
    expire: bool = True  # an entry that is older than its lifetime is gone
    step: bool = True  # a hit is a multiple of the provider's step
    back: int = BACK
    frame: bool = False  # each result has tokens around it that no cut removes


def simulate(requests, cuts, options=Options()):
    """Returns dollars of each request. `cuts`: for each request, by the id of a call what share of its result is gone."""
    if not options.attachments:
        requests = [dataclasses.replace(r, items=[i for i in r.items if not i.attached]) for r in requests]
    tokens, fronts = measure(requests, framing(requests) if options.frame else 0)
    entries, whole, bill = {}, {}, []
    for at, r in enumerate(requests):
        rate, (front, scale) = price(r), fronts[at]
        gone = cuts[at] if cuts else {}
        sizes = [tokens[i.key] * scale for i in r.items]
        lost = [min(size * gone.get(i.call, 0), size) if i.call else 0 for i, size in zip(r.items, sizes)]
        count = [i.blocks for i in r.items]
        # The prompt up to each item, as it was recorded and as it is pruned.
        plain_ends, ends, ends_tokens, h, g, sum_ = [0], [0], [front], 0, 0, front
        for i, size in zip(r.items, sizes):
            h, g, sum_ = hash((h, i.key)), hash((g, i.key, round(gone.get(i.call, 0), 6) if i.call else 0)), sum_ + size
            plain_ends.append(h), ends.append(g), ends_tokens.append(sum_)
        limit = float("inf")
        lifetime = rate.lifetimes[r.long > 0 or (r.short == 0 and any(q.long for q in requests))]
        same = max((k for k in range(len(ends)) if (r.model, plain_ends[k]) in whole), default=0)
        if (r.model, ends[same]) not in entries:
            found, blocks_back = 0, 0
            for k in range(len(ends) - 1, 0, -1):
                if rate.marks and blocks_back > options.back:
                    break
                known = entries.get((r.model, ends[k]))
                if known is not None and (known[1] or not rate.marks) and not (options.expire and r.sent - known[0] >= known[2] and rate.marks):
                    found = k
                    break
                blocks_back += count[k - 1]
            limit = ends_tokens[found]
            limit = 0 if limit < rate.least else limit
        read = min(r.read, limit)
        is_limited = read < r.read
        # What was cut of the part that is read.
        cut_of_read = sum(l * min(max((read - start) / size, 0), 1) if size else 0 for l, size, start in zip(lost, sizes, ends_tokens))
        prompt = r.prompt - sum(lost)
        read = max(read - cut_of_read, 0) if prompt >= rate.least or r.prompt < rate.least else 0
        read -= read % rate.step if options.step and is_limited else 0
        fresh = prompt - read
        cached = r.read or r.short or r.long
        uncached = min(r.fresh, fresh) if cached and rate.counted else fresh
        write = fresh - uncached
        share = r.long / (r.short + r.long) if r.short + r.long else float(any(q.long for q in requests))
        bill.append(rate.usd(prompt, uncached, read, write * (1 - share), write * share, r.output))
        for k in range(1, len(ends)):
            is_end = k == len(ends) - 1
            known = entries.get((r.model, ends[k]), (0, False, lifetime))
            if not rate.marks or is_end or known[1]:
                # An entry that was read lives on, for as long as it was written for.
                entries[r.model, ends[k]] = (r.sent, is_end or known[1], known[2])
        whole[r.model, plain_ends[-1]] = True
    return bill


def again(requests, cuts, compacted=False):
    """Returns how many cut results are needed again (asked for again, or lines quoted that stood nowhere else), and what they cost once more.
    `compacted`: also those that a compaction had removed from the recorded context until then."""
    tokens, _ = measure(requests)
    items = sorted({i.key: i for r in requests for i in r.items}.values(), key=lambda i: i.key)
    answers = [i for i in items if i.role == "answer"]
    results = {i.call: i for i in items if i.call}
    asked = {id: (tool, arguments) for i in answers for id, tool, arguments in i.asks}
    first = {}
    for at, gone in enumerate(cuts):
        for call in gone:
            first.setdefault(call, at)
    texts = {i.key: lines(i) for i in items}
    said, held = {}, collections.Counter()
    for i in answers:
        for line in texts[i.key]:
            said.setdefault(line, i.key)
    for i in items:
        if i.role != "answer":
            held.update(line for line in texts[i.key] if line in said and i.key < said[line])
    # The line of the answer to the last request that held the result.
    until = {i.call: r.line for r in requests for i in r.items if i.call}
    needed = cost = 0
    for call, at in first.items():
        result = results.get(call)
        if not result:
            continue
        own = {line for line in texts[result.key] if held[line] == 1 and said[line][0] >= requests[at].line}
        hit = next((i for i in answers if i.key[0] >= requests[at].line and (compacted or i.key[0] <= until[call])
                    and (any(same(asked.get(call), ask[1:]) for ask in i.asks) or len(own & texts[i.key]) >= 2)), None)
        if not hit:
            continue
        needed += 1
        then = max([at] + [k for k, q in enumerate(requests) if q.line <= hit.key[0]])
        q, rate = requests[then], price(requests[then])
        size = tokens[result.key] * cuts[then].get(call, cuts[at][call])
        later = sum(price(x).read for x in requests[then + 1:] if any(i.key == result.key for i in x.items))
        prompt = q.prompt - sum(tokens[i.key] * cuts[then].get(i.call, 0) for i in q.items if i.call)
        write = rate.long if any(x.long for x in requests) else rate.write
        cost += (prompt * rate.read + size * write + ASKS * rate.output + size * later) * rate.times / 1e6
    return needed, cost


def lines(item):
    return {line.strip() for line in item.text.splitlines() if len(line.strip()) >= QUOTE}


def same(one, two):
    """Whether the second call asks for what the first gave: the same arguments, or the whole of the same file."""
    if not one or one[0] != two[0]:
        return False
    if one[1] == two[1]:
        return True
    if not isinstance(one[1], dict) or not isinstance(two[1], dict):
        return False
    path = [a.get("file_path") or a.get("path") for a in (one[1], two[1])]
    return bool(path[0]) and path[0] == path[1] and set(two[1]) <= {"file_path", "path"}


# ---- The program ----

def program(*args):
    done = subprocess.run([BIN, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


MARKLESS = ("--set", "breakEven.ownMarks=false")


def replay(paths, policies, *more):
    code, out, err = program("replay", "-j1", "--report-format", "json", "--preset", ",".join(policies), *more, *paths)
    if code:
        raise SystemExit(err.decode(errors="replace"))
    documents = json.loads(out)
    documents = documents if isinstance(documents, list) else [documents]
    return {d["input"]["path"]: d for d in documents if d.get("kind") == "replay" and "input" in d}


def cuts_of(path, requests, policy):
    """Gives `prune --state` the log as it was before each request; returns the cuts of each request."""
    lines, cuts = path.read_bytes().splitlines(keepends=True), []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        log, report, have = folder / path.name, folder / "report.json", 0
        for r in requests:
            with log.open("ab") as out:
                out.writelines(lines[have:r.line])
            have = max(have, r.line)
            code, _, err = program("prune", "--preset", policy, *MARKLESS, "--state", folder / "state.db", "--now", str(int(r.sent * 1000)), "--report", report,
                                   "--report-format", "json", "-o", folder / "out", log)
            if code:
                raise SystemExit(f"{path}: prune failed before line {r.line + 1}: {err.decode(errors='replace')}")
            made = json.loads(report.read_text())["cuts"]
            cuts.append({c["callId"]: 1 - c["charsAfter"] / c["charsBefore"] for c in made if c.get("callId") and c["charsBefore"]})
    return cuts


# ---- The report ----

def distinct(requests, seen):
    """Which of the requests no earlier log has."""
    new = [(r.sent, r.model, r.prompt, r.output) not in seen for r in requests]
    seen.update((r.sent, r.model, r.prompt, r.output) for r in requests)
    return new


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="+", type=pathlib.Path)
    parser.add_argument("--preset", default="break-even,break-even-more,break-even-safe", help="policies, separated by commas")
    arguments = parser.parse_args()
    paths, policies = arguments.logs, arguments.preset.split(",")
    documents, marked = replay(paths, policies, *MARKLESS), replay(paths, policies)
    seen, sums, switched = set(), collections.Counter(), collections.defaultdict(collections.Counter)
    switches = {
        "attachments are not read, as by the program": Options(attachments=False),
        "an entry never expires": Options(expire=False),
        "a hit need not be a multiple of the provider's step": Options(step=False),
        "cached prompts are found at any distance from a mark": Options(back=10**9),
        "tokens around each result are not cut": Options(frame=True),
    }
    print("| log | policy | recorded | simulated | pruned | saved | by replay | difference | left | by replay | cuts, needed | by replay |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")

    def row(name, policy, f):
        share = lambda part: f"{100 * part / f['recorded']:.2f} %" if f["recorded"] else "-"
        saved, theirs = f["recorded"] - f["pruned"], f["their recorded"] - f["their pruned"]
        print(f"| {name} | {policy} | ${f['recorded']:.2f} | ${f['simulated']:.2f} | ${f['pruned']:.2f} | {share(saved)} | {share(theirs)} | {share(saved - theirs)} "
              f"| {share(saved - f['again'])} | {share(theirs - f['their again'])} | {f['cuts']}, {f['needed']} | {f['their cuts']}, {f['their needed']} |", flush=True)

    for path in paths:
        document, requests = documents.get(str(path)), [r for r in reader(path)(path) if price(r)]
        new = distinct(requests, seen)
        if not document or not any(new):
            continue
        count = lambda bill: sum(usd for usd, is_new in zip(bill, new) if is_new)
        recorded = count([price(r).usd(r.prompt, r.fresh, r.read, r.short, r.long, r.output) for r in requests])
        for policy in policies:
            theirs, with_marks = (next(p for p in found["policies"] if p["name"] == policy) for found in (document, marked[str(path)]))
            cuts = cuts_of(path, requests, policy)
            needed, cost = again(requests, cuts)
            pruned, whole = count(simulate(requests, cuts)), count(simulate(requests, None))
            if abs(whole - recorded) > 1e-6:
                raise SystemExit(f"{path}: without cuts the simulation has ${whole:.6f}, and the recording ${recorded:.6f}")
            f = {"recorded": recorded, "simulated": whole, "pruned": pruned, "their recorded": document["baseline"]["usd"],
                 "their pruned": theirs["usd"], "again": cost, "their again": theirs["regret"]["usd"], "cuts": len({c for gone in cuts for c in gone}),
                 "needed": needed, "their cuts": theirs["cuts"], "their needed": theirs["regret"]["cuts"]}
            row(path.name, policy, f)
            for name, value in f.items():
                sums[policy, name] += value
            for name, options in switches.items():
                switched[name][policy] += count(simulate(requests, cuts, options)) - pruned
            switched["replay with the program's own marks"][policy] += with_marks["usd"] - theirs["usd"]
            switched["left: results that a compaction had removed are paid again too"][policy] += again(requests, cuts, True)[1] - cost
    for policy in policies:
        row("all", policy, {name: value for (of, name), value in sums.items() if of == policy})
    print("\n| changed in this simulator | " + " | ".join(policies) + " |\n|---" + "|--:" * len(policies) + "|")
    for name, by in switched.items():
        print(f"| {name} | " + " | ".join(f"{-100 * by[p] / sums[p, 'recorded']:+.2f} points" for p in policies) + " |")


if __name__ == "__main__":
    main()
