#!/usr/bin/env python3
"""Writes the bodies and logs of the tests into fuzz/corpus/commands, each with a configuration and selectors before it, and the words of JSON
that they hold into fuzz/corpus/words.dict.

    fuzz/seeds.py
"""
import collections, json, pathlib, re

ROOT = pathlib.Path(__file__).resolve().parent
TESTS = ROOT.parent / "tests"
CONFIGS = ["", "{contextPruning: {mode: 'break-even'}}", "{edits: [{type: 'clear_tool_results', keep: {tool_uses: 0}, clear_tool_inputs: true}]}",
           "{passes: {on: ['turn-drop', 'dedupe', 'ephemeral', 'stale-resource', 'rag-rerank']}, turnDrop: {minMessages: 0, keepTurns: 1}}"]
SELECTORS = ["", "2-3", "tool:*\n1/1", "resource:*", "text:x"]


def inputs():
    """The inputs that are small: what a coverage-guided search changes should be."""
    for name in ("accepted", "accepted_documented", "refusals", "hand_made"):
        for line in (TESTS / f"golden/{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            yield row["input"] if "input" in row else json.dumps(row["body"])
    for line in (TESTS / "foreign/shapes.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield json.dumps(row["doc"]) if "doc" in row else "".join(json.dumps(entry) + "\n" for entry in row["lines"])
    yield "".join((TESTS / "samples/demo-session.jsonl").read_text().splitlines(keepends=True)[:12])


def main():
    corpus = ROOT / "corpus/commands"
    corpus.mkdir(parents=True, exist_ok=True)
    words = collections.Counter()
    for i, text in enumerate(inputs()):
        seed = f"{CONFIGS[i % len(CONFIGS)]}\0{SELECTORS[i % len(SELECTORS)]}\0{text}"
        (corpus / f"seed{i}").write_text(seed)
        words.update(set(re.findall(r'"[A-Za-z_]{3,30}"', text)))
    known = (word for word, count in words.items() if count > 1)
    (ROOT / "corpus/words.dict").write_text("".join('"' + word.replace('"', '\\"') + '"\n' for word in sorted(known)))


main()
