#!/usr/bin/env python3
"""The careful Python script that deadhead is measured against: orjson.loads, prune, orjson.dumps, line by line.

    pip install orjson
    python3 prune.py [--bodies] [--context-window TOKENS] FILE > OUT        FILE may be - for stdin

Rules, order of work and memory are those of prune.mjs: one pass, one parse per line, lines wait until a compaction puts
them out of the context. All lengths are UTF-16 units. The length of a call's arguments is that of orjson's text of them,
which is JavaScript's but for the spelling of some numbers.
"""

import argparse
import sys

import orjson

KEEP_ASSISTANTS = 3
SOFT_RATIO = 0.3
HARD_RATIO = 0.5
MIN_PRUNABLE = 50_000
MAX_CHARS = 4000
HEAD = 1500
TAIL = 1500
IMAGE = 8000
OTHER = 256
PLACEHOLDER = "[Old tool result content cleared]"
CHUNK = 1 << 20


# --- Input and output ------------------------------------------------------------------------------------------------

def each_line(file):
    """Yields each line with its newline."""
    pending = []  # pieces of a line that is longer than what was read
    while chunk := file.read(CHUNK):
        lines = chunk.splitlines(keepends=True) if b"\r" not in chunk else split(chunk)
        if pending:
            pending.append(lines[0])
            if not lines[0].endswith(b"\n"):
                continue
            lines[0] = b"".join(pending)
            pending = []
        if not lines[-1].endswith(b"\n"):
            pending.append(lines.pop())
        yield from lines
    if pending:
        yield b"".join(pending)


def split(chunk):
    """Lines that end at newlines only; `splitlines` would also cut at carriage returns."""
    lines = [line + b"\n" for line in chunk.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


class Output:
    def __init__(self, file):
        self.file, self.pieces, self.n = file, [], 0

    def put(self, piece):
        self.pieces.append(piece)
        self.n += len(piece)
        if self.n >= CHUNK:
            self.flush()

    def flush(self):
        self.file.write(b"".join(self.pieces))
        self.file.flush()
        self.pieces, self.n = [], 0

    def line(self, line, value):
        """Writes a value in place of its line, or the line itself if it was not JSON."""
        if value is None:
            self.put(line)
        elif line.endswith(b"\n"):
            self.put(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))
        else:
            self.put(orjson.dumps(value))


def read(line):
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


# --- The rules -------------------------------------------------------------------------------------------------------

def units(text):
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


class Item:
    """A message as the rules see it; `holder["content"]` is what a cut replaces."""
    __slots__ = ("role", "size", "holder", "texts", "images")

    def __init__(self, role, size, holder=None, texts=(), images=0):
        self.role, self.size, self.holder, self.texts, self.images = role, size, holder, texts, images

    def replace(self, text):
        self.holder["content"] = text if isinstance(self.holder["content"], str) else [{"type": "text", "text": text}]
        self.size = units(text)


def content_of(content):
    """The texts of a content and how many images it has; a string is one text."""
    if isinstance(content, str):
        return [content], 0
    texts, images = [], 0
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif kind == "image":
            images += 1
    return texts, images


def plain_item(role, content):
    texts, images = content_of(content)
    return Item(role, sum(map(units, texts)) + IMAGE * images)


def result_item(holder):
    texts, images = content_of(holder.get("content"))
    return Item("toolResult", sum(map(units, texts)) + IMAGE * images, holder, texts, images)


def assistant_item(content):
    size = 0
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            size += units(block["text"])
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            size += units(block["thinking"])
        elif kind in ("toolCall", "tool_use"):
            arguments = block.get("arguments" if kind == "toolCall" else "input")
            size += units(orjson.dumps({} if arguments is None else arguments).decode())
    return Item("assistant", size)


def trimmed(texts):
    """The trimmed text of a result, or None if it is short enough."""
    if sum(map(len, texts)) + len(texts) - 1 <= MAX_CHARS // 2:  # even if every character were a pair
        return None
    text = texts[0] if len(texts) == 1 else "\n".join(texts)
    n = units(text)
    if n <= MAX_CHARS:
        return None
    if text.isascii():
        head, tail = text[:HEAD], text[-TAIL:]
    else:  # half a pair at a cut is left out
        wide = text.encode("utf-16-le")
        head, tail = wide[:2 * HEAD].decode("utf-16-le", "ignore"), wide[-2 * TAIL:]
        tail = (tail[2:] if 0xDC <= tail[1] <= 0xDF else tail).decode("utf-16-le")
    return f"{head}\n...\n{tail}\n\n[Tool result trimmed: kept first {HEAD} chars and last {TAIL} chars of {n} chars.]"


def prune(items, window_tokens):
    """Prunes the items of one context in place."""
    window = window_tokens * 4
    assistants = [i for i, item in enumerate(items) if item.role == "assistant"]
    start = next((i for i, item in enumerate(items) if item.role == "user"), None)
    if len(assistants) < KEEP_ASSISTANTS or start is None:
        return
    cutoff = assistants[-KEEP_ASSISTANTS]
    total = sum(item.size for item in items)
    if total / window < SOFT_RATIO:
        return

    eligible = [item for item in items[start:cutoff] if item.role == "toolResult" and not item.images]
    for item in eligible:
        if (text := trimmed(item.texts)) is not None:
            total -= item.size
            item.replace(text)
            total += item.size
    if total / window < HARD_RATIO or sum(item.size for item in eligible) < MIN_PRUNABLE:
        return
    for item in eligible:
        if total / window < HARD_RATIO:
            break
        if item.size <= len(PLACEHOLDER):
            continue
        total -= item.size
        item.replace(PLACEHOLDER)
        total += item.size


# --- Sessions --------------------------------------------------------------------------------------------------------

def session_item(entry):
    kind = entry.get("type") if isinstance(entry, dict) else None
    if kind == "custom_message" or (kind == "branch_summary" and entry.get("summary")):
        return Item("other", OTHER)
    message = entry.get("message") if kind == "message" else None
    if not isinstance(message, dict):
        return None
    role = message.get("role")
    if role == "user":
        return plain_item(role, message.get("content"))
    if role == "assistant":
        return assistant_item(message.get("content"))
    if role == "toolResult":
        return result_item(message)
    return Item("other", OTHER)


def prune_session(file, out, window_tokens):
    pending = []  # (line, value): entries that may still be part of the context
    places = {}  # id → number of the entry
    n_flushed = 0
    summary = False  # whether a compaction came before
    for line in each_line(file):
        value = read(line)
        place = n_flushed + len(pending)
        pending.append((line if value is None else line[-1:], value))
        if not isinstance(value, dict):
            continue
        kind = value.get("type")
        if "id" in value and kind != "session":
            places[value["id"]] = place
        if kind == "compaction":
            # Version 1 names the entry by its number, the header being 0.
            first = places.get(value["firstKeptEntryId"]) if "firstKeptEntryId" in value else value.get("firstKeptEntryIndex")
            n = max(0, (place if first is None else first) - n_flushed)
            for gone_line, gone in pending[:n]:
                out.line(gone_line, gone)
                if isinstance(gone, dict):
                    places.pop(gone.get("id"), None)
            del pending[:n]
            n_flushed += n
            summary = True
    items = [Item("other", OTHER)] if summary else []
    items += [item for _, value in pending if (item := session_item(value)) is not None]
    prune(items, window_tokens)
    for line, value in pending:
        out.line(line, value)
    out.flush()


# --- Bodies ----------------------------------------------------------------------------------------------------------

def body_items(body):
    items = []
    messages = body.get("messages") if isinstance(body, dict) else None
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content")
        if message.get("role") == "assistant":
            items.append(plain_item("assistant", content) if isinstance(content, str) else assistant_item(content))
        elif not isinstance(content, list):
            items.append(plain_item("user", content))
        else:
            # Each result counts as a message; text between results is what the user said.
            said = []
            for block in content:
                if isinstance(block, dict) and block.get("type") == "tool_result":
                    if said:
                        items.append(plain_item("user", said))
                        said = []
                    items.append(result_item(block))
                else:
                    said.append(block)
            if said:
                items.append(plain_item("user", said))
    return items


def prune_bodies(file, out, window_tokens):
    for line in each_line(file):
        value = read(line)
        if value is not None:
            prune(body_items(value), window_tokens)
        out.line(line, value)
    out.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bodies", action="store_true")
    parser.add_argument("--context-window", type=int, default=200_000)
    parser.add_argument("file", nargs="?", default="-")
    args = parser.parse_args()
    file = sys.stdin.buffer if args.file == "-" else open(args.file, "rb", buffering=0)
    (prune_bodies if args.bodies else prune_session)(file, Output(sys.stdout.buffer), args.context_window)


if __name__ == "__main__":
    main()
