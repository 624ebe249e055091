#!/usr/bin/env python3
"""Reads recorded HTTP cassettes into rows for tests/golden: a request body, the status, and the words of the answer.

    tests/cassettes.py FOLDER... > rows.jsonl

Reads VCR's files (YAML or JSON, `interactions`) and HAR (`log.entries`). Only requests with messages are written, each body once; `status`
and `words` are the provider's. YAML needs PyYAML.
"""
import json, pathlib, sys

MESSAGES = ("messages", "input", "contents", "chat_history")


def load(path):
    text = path.read_text(errors="replace")
    if path.suffix == ".json":
        return json.loads(text)
    import yaml

    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def text_of(body):
    """A body as VCR and HAR keep it: a text, bytes, or an object with one of them."""
    if isinstance(body, dict):
        body = next((body[key] for key in ("string", "text", "data", "json_body") if key in body), "")
    if isinstance(body, bytes):
        body = body.decode(errors="replace")
    return body if isinstance(body, str) else json.dumps(body)


def exchanges(recorded):
    """Yields address, request body, status and answer."""
    for one in recorded.get("interactions") or recorded.get("recorded_interactions") or ():
        status = one["response"].get("status") or one["response"].get("code") or 0
        request = one["request"]
        body = request.get("body") or request.get("parsed_body") or ""
        yield request.get("uri") or request.get("url"), text_of(body), status.get("code", 0) if isinstance(status, dict) else status, text_of(
            one["response"].get("body") or one["response"].get("parsed_body") or ""
        )
    for one in recorded.get("log", {}).get("entries", ()):
        yield one["request"]["url"], text_of(one["request"].get("postData") or ""), one["response"]["status"], text_of(one["response"].get("content") or "")


def main():
    seen = set()
    files = (path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*")))
    for path in files:
        if path.suffix not in (".yaml", ".yml", ".json") or not path.is_file():
            continue
        try:
            recorded = load(path)
            found = list(exchanges(recorded)) if isinstance(recorded, dict) else []
        except Exception as error:  # A folder has other files as well.
            print(f"{path}: {error}", file=sys.stderr)
            continue
        for address, body, status, answer in found:
            try:
                request = json.loads(body)
            except ValueError:
                continue
            if not isinstance(request, dict) or not any(isinstance(request.get(key), list) for key in MESSAGES) or body in seen:
                continue
            seen.add(body)
            words = answer[:500] if int(status) >= 400 else None
            print(json.dumps({"source": str(path), "address": address, "status": int(status), "words": words, "body": request}, ensure_ascii=False))


main()
