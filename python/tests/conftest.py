"""The command and the samples. The tests run the installed package: packaging/test installs it."""

from __future__ import annotations

import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
NOW = 1_790_000_000
"""A time that the tests run at, in seconds since 1970."""


def command() -> str:
    """The command that the package has installed."""
    found = os.environ.get("DEADHEAD_PROGRAM") or shutil.which("deadhead")
    assert found, "the command is not installed"
    return found


def run(*args: str | pathlib.Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs the command, without a configuration of this machine's."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    return subprocess.run([command(), *map(str, args)], input=stdin, capture_output=True, env=environment)


WORKLOADS = {"contextPruning": {"mode": "off"}, "workloads": {"chat": {"contextPruning": {"mode": "adaptive"}}, "batch": {}}}
"""A configuration in which only the requests of one workload are cut."""


def audit(state: pathlib.Path, workload: str) -> list[dict]:
    """What the command lists of a workload, without times."""
    listed = run("state", "audit", "--state", state, "--workload", workload, "--format", "jsonl")
    assert listed.returncode == 0, listed.stderr
    return [json.loads(line) for line in listed.stdout.splitlines()]


def samples() -> list[tuple[str, bytes]]:
    """All samples of the repository."""
    packed = subprocess.run(["zstd", "-dcq", TESTS / "samples" / "archive.tar.zst"], capture_output=True, check=True).stdout
    found = []
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if member.isfile():
                file = archive.extractfile(member)
                assert file
                found.append((member.name, file.read()))
    for path in (TESTS / "samples").rglob("*.json*"):
        found.append((path.name, path.read_bytes()))
    return sorted(found)


def long_body(turns: int = 8, size: int = 100_000) -> dict:
    """A body whose old results fill the context."""
    messages: list[dict] = [{"role": "user", "content": "go"}]
    for turn in range(turns):
        call = {"type": "tool_use", "id": f"c{turn}", "name": "run", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"c{turn}", "content": "x" * size}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "on"}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": messages}


@pytest.fixture
def long() -> bytes:
    """The same as bytes, spelled as no serializer of ours spells it."""
    return json.dumps(long_body(), indent=1).encode()


@pytest.fixture
def short() -> bytes:
    return b'{"model": "claude-sonnet-4-5", "max_tokens": 1,  "messages": [{"role": "user", "content": "hi"}]}\n'
