#!/usr/bin/env python3
"""Reads recorded HTTP traffic and holds `deadhead check` against it: cassettes.py FOLDER… [--check DEADHEAD].

A cassette is a file of vcrpy, pytest-recording or betamax (YAML or JSON, plain, .gz or .zst) or a HAR file. Without --check it prints a JSON
line for each request to a model: {"body", "status", "words", "model", "host", "source"}; `words` is the service's message where it refused the request.
With --check it prints the bodies that were accepted (status 200) and have a defect, the refused ones in which none is found, and the counts.
Needs Python 3.11 and, for YAML, PyYAML.
"""
import argparse, gzip, json, pathlib, re, subprocess, sys, urllib.parse

ENDS = (".yaml", ".yml", ".json", ".har", ".yaml.gz", ".yml.gz", ".json.gz", ".zst")
# What a request to a model has as a list of objects; other requests (embeddings, files, models) have none.
LISTS = ("messages", "contents", "input", "chat_history")
# Services that name the model in the address.
MODEL = re.compile(r"/models?/([^/:]+)")


def text_of(file):
    raw = file.read_bytes()
    if file.suffix == ".gz":
        raw = gzip.decompress(raw)
    elif file.suffix == ".zst":
        raw = subprocess.run(["zstd", "-dc", str(file)], capture_output=True, check=True).stdout
    return raw.decode("utf-8", "replace")


def parsed(file):
    text = text_of(file)
    try:
        return json.loads(text)
    except ValueError:
        import yaml

        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def plain(body):
    """The text of a body as a cassette has it: a string, bytes, or an object with one of them."""
    if isinstance(body, dict):
        for key in ("string", "text", "base64_string"):
            if key in body:
                return plain(body[key])
        return json.dumps(body)
    if isinstance(body, bytes):
        if body[:2] == b"\x1f\x8b":
            body = gzip.decompress(body)
        return body.decode("utf-8", "replace")
    return body


def exchanges(cassette):
    """Pairs of (address, body, status, answer)."""
    if isinstance(cassette, dict) and isinstance(cassette.get("log"), dict):
        for entry in cassette["log"].get("entries", []):
            asked, answer = entry["request"], entry.get("response", {})
            yield asked["url"], (asked.get("postData") or {}).get("text"), answer.get("status"), (answer.get("content") or {}).get("text")
        return
    found = cassette if isinstance(cassette, list) else None
    if isinstance(cassette, dict):
        found = cassette.get("interactions") or cassette.get("http_interactions")
        if isinstance(cassette.get("requests"), list):
            pairs = zip(cassette["requests"], cassette.get("responses") or [])
            found = [{"request": asked, "response": answer} for asked, answer in pairs]
    for one in found or []:
        if not isinstance(one, dict) or not isinstance(one.get("request"), dict):
            continue
        asked, answer = one["request"], one.get("response") or {}
        status = answer.get("status", answer.get("status_code"))
        status = status.get("code") if isinstance(status, dict) else status
        body = asked.get("parsed_body", asked.get("body"))
        yield asked.get("uri") or asked.get("url") or "", body, status, answer.get("parsed_body", answer.get("body"))


def words_of(answer):
    """The message of an error."""
    text = plain(answer) or ""
    try:
        value = json.loads(text)
    except ValueError:
        return text[:400]
    while isinstance(value, (list, dict)):
        if isinstance(value, list):
            value = value[0] if value else ""
            continue
        value = next((value[key] for key in ("error", "message", "Message", "detail") if value.get(key)), json.dumps(value))
    return str(value)[:400]


def requests(folder):
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(ENDS)):
        try:
            cassette = parsed(file)
        except Exception as error:  # a file may be anything
            print(f"{file}: {error}"[:200], file=sys.stderr)
            continue
        for address, body, status, answer in exchanges(cassette):
            try:
                body = body if isinstance(body, dict) and "string" not in body else json.loads(plain(body) or "")
            except (TypeError, ValueError):
                continue
            lists = [body.get(key) for key in LISTS] if isinstance(body, dict) else []
            if any(isinstance(found, list) and any(isinstance(item, dict) for item in found) for found in lists):
                refused = isinstance(status, int) and status >= 400
                named = MODEL.search(address)
                yield {"body": body, "status": status, "words": words_of(answer) if refused else None,
                       "model": urllib.parse.unquote(named[1]) if named else None,
                       "host": urllib.parse.urlsplit(address).hostname, "source": str(file.relative_to(folder))}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folders", nargs="+", type=pathlib.Path)
    args.add_argument("--check", metavar="DEADHEAD")
    args = args.parse_args()
    seen, accepted, accused, refused, missed = set(), 0, 0, 0, 0
    for request in (request for folder in args.folders for request in requests(folder)):
        body = json.dumps(request["body"])
        if body in seen:
            continue
        seen.add(body)
        if not args.check:
            print(json.dumps(request))
            continue
        model = ["--model", request["model"]] if request["model"] else []
        run = subprocess.run([args.check, "check", *model, "-"], input=body.encode(), capture_output=True)
        first = (run.stdout + run.stderr).decode().splitlines()[0]
        if request["status"] == 200:
            accepted, accused = accepted + 1, accused + (run.returncode != 0)
        elif request["status"] in (400, 422):
            refused, missed = refused + 1, missed + (run.returncode != 1)
        if request["status"] == 200 and run.returncode != 0:
            print(f"accused: {request['source']} ({request['host']}): {first}")
        elif request["status"] in (400, 422) and run.returncode != 1:
            print(f"not found: {request['source']} ({request['host']}): {request['words']}")
    if args.check:
        print(f"{accused} of {accepted} accepted bodies accused; nothing found in {missed} of {refused} refused")


main()
