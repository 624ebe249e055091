"""The call: kinds of bodies, times, sessions, errors, threads."""

from __future__ import annotations

import collections
import copy
import faulthandler
import gzip
import json
import multiprocessing
import os
import pathlib
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest
from conftest import NOW, WORKLOADS, audit, long_body, run

import deadhead

WARM = {"contextPruning": {"mode": "cache-ttl", "ttl": "1h"}}


def test_a_body_comes_out_in_the_kind_that_it_came_in(long: bytes) -> None:
    pruner = deadhead.Pruner()
    pruned = pruner.prune(long, now=NOW).body
    assert len(pruned) < len(long) and isinstance(pruned, bytes)
    assert pruner.prune(long.decode(), now=NOW).body == pruned.decode()
    assert pruner.prune(json.loads(long), now=NOW).body == json.loads(pruned)
    value = long_body()
    before = copy.deepcopy(value)
    assert pruner.prune(value).changed and value == before, "what is given is never changed"
    messages = long_body()["messages"]
    assert isinstance(pruner.prune(messages).body, list)


def test_an_unchanged_body_is_not_copied(short: bytes) -> None:
    pruner = deadhead.Pruner()
    for body in (short, short.decode(), json.loads(short)):
        result = pruner.prune(body)
        assert result.body is body and not result.changed and result.report["cuts"] == []
    odd = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "a lone \ud800 and é"}]}
    assert pruner.prune(odd).body is odd


def test_an_invalid_body_is_refused() -> None:
    pruner = deadhead.Pruner()
    for value in (None, 7, bytearray(b"{}"), object()):
        with pytest.raises(TypeError):
            pruner.prune(value)
    with pytest.raises(ValueError):
        pruner.prune({"messages": float("nan")})
    with pytest.raises(UnicodeError):
        pruner.prune('{"messages":"\ud800"}')


def test_errors_have_their_place(tmp_path: pathlib.Path) -> None:
    with pytest.raises(deadhead.InputError) as error:
        deadhead.Pruner().prune(b'{"model":"m",\n "messages":[}')
    found = error.value
    assert (found.line, found.column, found.byte) == (2, 14, 27) and str(found).startswith("2:14: ")
    again = pickle.loads(pickle.dumps(found))
    assert (type(again), str(again), again.byte) == (type(found), str(found), 27)
    (tmp_path / "bad.jsonl").write_bytes(b'{"model":"m",\n "messages":[}')
    with pytest.raises(deadhead.InputError) as error:
        deadhead.Pruner().prune_log(tmp_path / "bad.jsonl")
    assert str(error.value).startswith(f"{tmp_path}/bad.jsonl:2:14: ")
    command = run("prune", "-q", tmp_path / "bad.jsonl").stderr.decode()
    assert command == f"deadhead: {error.value}\n"
    with pytest.raises(FileNotFoundError) as error:
        deadhead.Pruner().prune_log(tmp_path / "none")
    assert error.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        deadhead.Pruner().prune_log(tmp_path)


def test_content_that_cannot_be_read_is_no_error_of_the_system(tmp_path: pathlib.Path, long: bytes) -> None:
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(long)[:-50])
    with pytest.raises(deadhead.InputError, match="cut.jsonl.gz: cannot unpack"):
        deadhead.Pruner().prune_log(tmp_path / "cut.jsonl.gz")
    (tmp_path / "body.json").write_bytes(long)
    with pytest.raises(deadhead.InputError, match="body.json"):
        deadhead.replay(tmp_path / "body.json")


def test_a_pruner_is_carried_to_another_process(tmp_path: pathlib.Path, long: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Spark, Ray and multiprocessing do: by its settings, whatever is in that process's folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json5").write_text("{contextPruning: {mode: 'off'}, workloads: {w: {contextPruning: {mode: 'aggressive'}}}}")
    pruners = [
        deadhead.Pruner(),
        deadhead.Pruner(pathlib.Path("config.json5"), state="state"),
        deadhead.Pruner(pathlib.Path("config.json5"), workload="w"),
        deadhead.Pruner(WARM, preset="clawdbot-aggressive", format="anthropic"),
    ]
    packed = [pickle.dumps(pruner) for pruner in pruners]
    (tmp_path / "config.json5").unlink()
    monkeypatch.chdir("/")
    for pruner, one in zip(pruners, packed):
        again = pickle.loads(one)
        assert (again.prune(long, now=NOW).body, again.has_state) == (pruner.prune(long, now=NOW).body, pruner.has_state)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (result,) = pool.map(deadhead.Pruner(WARM).prune, [long])
    assert result.body == deadhead.Pruner(WARM).prune(long).body


def test_a_result_is_carried_as_well(long: bytes, short: bytes) -> None:
    for body in (long, short, json.loads(long), short + b"no body\n" + short):
        result = deadhead.Pruner().prune(body, now=NOW)
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(pickle.loads(pickle.dumps(result)))):
            for name in ("body", "changed", "reports", "passed"):
                assert getattr(again, name) == getattr(result, name)
            assert repr(again) == repr(result)


def test_a_kind_of_its_own_is_still_text_or_bytes(long: bytes) -> None:
    class Text(str): ...

    class Bytes(bytes): ...

    for body in (Text(long.decode()), Bytes(long)):
        off = deadhead.Pruner({"contextPruning": {"mode": "off"}}).prune(body)
        assert off.body is body
        assert deadhead.Pruner().prune(body).body == deadhead.Pruner().prune(type(body).__base__(body)).body
    for body in (collections.OrderedDict(long_body()), {**long_body(), 7: 1}):
        assert deadhead.Pruner().prune(body).changed
    for wrong in (memoryview(long), (message for message in long_body()["messages"]), tuple(long_body()["messages"])):
        with pytest.raises(TypeError):
            deadhead.Pruner().prune(wrong)


def test_bytes_that_are_no_text_are_carried_through(long: bytes) -> None:
    broken = long.replace(b'"go"', b'"\xff\xfe"')
    pruned = deadhead.Pruner().prune(broken, now=NOW).body
    assert len(pruned) < len(broken) and b'"\xff\xfe"' in pruned


@pytest.mark.parametrize(
    "config, says",
    [("config.json5", r"pathlib\.Path"), ({"contextPrunning": {}}, "contextPruning"), ("{contextPruning: {ttl: 'soon'}}", "contextPruning.ttl"), ("{", "config"), ({"passes": {"on": ["no"]}}, "no")],
)
def test_a_configuration_is_validated(config: object, says: str) -> None:
    with pytest.raises(deadhead.ConfigError, match=says):
        deadhead.Pruner(config)


def test_a_configuration_is_text_a_mapping_or_a_file(long: bytes, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "config.json5"
    path.write_text("{contextPruning: {mode: 'off'}, workloads: {w: {contextPruning: {mode: 'aggressive'}}}}")
    off = {"contextPruning": {"mode": "off"}}
    for config in (path, path.read_text(), off):
        assert not deadhead.Pruner(config).prune(long).changed
    assert deadhead.Pruner(path, workload="w").prune(long).changed
    assert deadhead.Pruner(preset="clawdbot-aggressive").prune(long).report["decision"]["mode"] == "aggressive"
    for wrong in ({"workload": "x"}, {"preset": "x"}, {"format": "x"}):
        with pytest.raises(deadhead.ConfigError):
            deadhead.Pruner(path, **wrong)
    with pytest.raises(FileNotFoundError):
        deadhead.Pruner(tmp_path / "none")
    with pytest.raises(TypeError):
        deadhead.Pruner(7)


@pytest.mark.parametrize("workload", [None, "w"])
@pytest.mark.parametrize("preset", [None, "clawdbot-adaptive", "break-even", "swe-agent-last-n,anthropic-clear-thinking"])
def test_a_preset_is_chosen_as_by_the_command(preset: str | None, workload: str | None, long: bytes, tmp_path: pathlib.Path) -> None:
    """It replaces the presets of the configuration and of the workload."""
    config = tmp_path / "config.json5"
    config.write_text("{preset: 'swe-agent-last-n', workloads: {w: {preset: 'clawdbot-aggressive', contextPruning: {hardClear: {placeholder: 'gone'}}}}}")
    flags = [flag for name, value in (("--preset", preset), ("--workload", workload)) if value for flag in (name, value)]
    want = run("prune", "-q", "--now", str(NOW), "--config", config, *flags, stdin=long).stdout
    assert want and deadhead.Pruner(config, preset=preset, workload=workload).prune(long, now=NOW).body == want


def test_the_clock_is_the_callers(long: bytes) -> None:
    pruner = deadhead.Pruner(WARM)
    now = datetime.fromtimestamp(NOW, timezone.utc)
    for last_call in (NOW - 1800, now - timedelta(minutes=30), timedelta(minutes=30)):
        assert not pruner.prune(long, now=NOW, last_call=last_call).changed
    for last_call in (NOW - 3600, now - timedelta(hours=1), timedelta(hours=1)):
        assert pruner.prune(long, now=now, last_call=last_call).changed
    assert pruner.prune(long, now=NOW, last_call=0).report["decision"]["now"].startswith("2026-09-21T")
    for wrong in ({"now": datetime.now()}, {"last_call": timedelta(-1)}, {"now": float("inf")}, {"now": float("nan")}):
        with pytest.raises(ValueError):
            pruner.prune(long, **wrong)
    with pytest.raises(TypeError):
        pruner.prune(long, now="today")


def test_a_session_is_the_commands(tmp_path: pathlib.Path) -> None:
    """What the module keeps, the command knows, and the other way round."""
    state = tmp_path / "state"
    pruner = deadhead.Pruner(WARM, state=state)
    bodies = [json.dumps(long_body(turns)).encode() for turns in (6, 7, 8)]
    first = pruner.prune(bodies[0], now=NOW, last_call=NOW - 7200, session="s").body
    flags = ["prune", "-q", "--state", state, "--session", "s", "--set", "contextPruning.mode=cache-ttl", "--set", "contextPruning.ttl=1h"]
    second = run(*flags, "--now", str(NOW + 60), stdin=bodies[1]).stdout
    third = pruner.prune(bodies[2], now=NOW + 120, session="s")
    assert len(first) < len(bodies[0])
    assert second.startswith(first[:-2]) and third.body.startswith(second[:-2])
    assert third.report["session"]["kept"] > 0
    # Without a name, it is the session of how the conversation begins.
    assert pruner.prune(bodies[0]).report["session"]["name"] != "s"
    with pytest.raises(ValueError):
        deadhead.Pruner().prune(bodies[0], session="s")
    with pytest.raises(ValueError):
        pruner.prune(bodies[0], session=" ")
    (tmp_path / "text").write_text("no database")
    with pytest.raises(deadhead.StateError):
        deadhead.Pruner(state=tmp_path / "text")


def test_an_audit_lists_what_the_command_lists(tmp_path: pathlib.Path, long: bytes, short: bytes) -> None:
    (tmp_path / "config").write_text(json.dumps(WORKLOADS))
    flags = ["prune", "-q", "--config", tmp_path / "config", "--state", tmp_path / "command"]
    pruner = deadhead.Pruner(WORKLOADS, state=tmp_path / "state")
    assert pruner.workloads == ["batch", "chat"]
    for i, (body, workload) in enumerate([(long, "chat"), (short, "chat"), (long, "batch"), (long, None)]):
        named = ["--workload", workload] if workload else []
        want = run(*flags, *named, "--session", str(i), "--now", str(NOW + i), stdin=body).stdout
        assert pruner.prune(body, now=NOW + i, session=str(i), workload=workload).body == want
    for workload, rows in (("chat", 2), ("batch", 1)):
        found = audit(tmp_path / "state", workload)
        assert found == audit(tmp_path / "command", workload) and len(found) == rows
    # A pruner's own workload holds where a call names none, also for columns and in another process.
    own = pickle.loads(pickle.dumps(deadhead.Pruner(WORKLOADS, state=tmp_path / "own", workload="chat")))
    assert own.prune(long).changed and not own.prune(long, workload="batch", session="other").changed
    own._values()(short)
    assert [len(audit(tmp_path / "own", name)) for name in ("chat", "batch")] == [2, 1]
    (tmp_path / "log.jsonl").write_bytes(long)
    assert own.prune_log(tmp_path / "log.jsonl", workload="batch", session="other").body == long
    assert len(audit(tmp_path / "own", "batch")) == 2
    with pytest.raises(deadhead.ConfigError, match="unknown workload chap .workloads: chat, batch."):
        own.prune(long, workload="chap")
    with pytest.raises(deadhead.ConfigError, match="the configuration has none"):
        deadhead.Pruner().prune(long, workload="chat")


def test_a_fork_opens_the_state_anew(tmp_path: pathlib.Path, short: bytes) -> None:
    pruner = deadhead.Pruner(state=tmp_path / "state")
    pruner.prune(short, session="parent")
    child = os.fork()
    if not child:
        ok = pruner.prune(short, session="child").report["session"]["name"] == "child"
        os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    pruner.prune(short, session="parent")
    listed = json.loads(run("state", "show", "--json", "--state", tmp_path / "state").stdout)["sessions"]
    assert sorted(session["name"] for session in listed) == ["child", "parent"]


def test_threads_share_a_pruner(tmp_path: pathlib.Path, long: bytes) -> None:
    pruner = deadhead.Pruner(state=tmp_path / "state")
    alone = pruner.prune(long, now=NOW, session="alone").body
    with ThreadPoolExecutor(8) as threads:
        jobs = [threads.submit(pruner.prune, long, now=NOW, session=f"s{i % 4}") for i in range(64)]
        assert all(job.result().body == alone for job in jobs)


def test_other_threads_run_meanwhile(tmp_path: pathlib.Path, short: bytes) -> None:
    """The lock of the interpreter is released: a call that waits for a pipe is answered by another thread of Python."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # If the lock were kept, no thread would continue.
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        with ThreadPoolExecutor(1) as thread:
            called = thread.submit(deadhead.Pruner().prune_log, pipe)
            pipe.write_bytes(short)
            assert called.result().body == short
    finally:
        faulthandler.cancel_dump_traceback_later()


BROKEN = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 1,
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
        {"role": "user", "content": "on"},
    ],
}


def test_defects_are_listed_and_repaired() -> None:
    (defect,) = deadhead.check(BROKEN)
    assert (defect["code"], defect["message"]) == ("E01", 2)
    repaired = deadhead.repair(BROKEN)
    assert repaired.changed and deadhead.check(repaired.body) == []
    text = json.dumps(BROKEN).encode()
    assert deadhead.repair(text).body == run("check", "--repair", "-q", "-o", "/dev/stdout", stdin=text).stdout
    assert deadhead.repair(repaired.body).body is repaired.body


def test_several_bodies_have_several_reports(long: bytes, short: bytes) -> None:
    pruner = deadhead.Pruner()
    one = json.dumps(json.loads(long)).encode() + b"\n"
    result = pruner.prune(one + b"no body\n" + short)
    assert len(result.reports) == 2 and [place for place, _ in result.passed] == [2]
    assert result.body == pruner.prune(one).body + b"no body\n" + short
    with pytest.raises(ValueError, match="2 bodies"):
        result.report
    assert pruner.prune(b"").reports == []


def test_a_replay_is_the_commands() -> None:
    log = pathlib.Path(__file__).resolve().parents[2] / "tests" / "samples" / "demo-session.jsonl"
    presets = ["openclaw-2026.8", "clawdbot-adaptive"]
    for own, flags in ({}, []), ({"presets": presets}, ["--preset", ",".join(presets)]):
        assert deadhead.replay(log, **own) == json.loads(run("replay", "--report-format", "json", *flags, log).stdout)
    with pytest.raises(OSError):
        deadhead.replay("/nonexistent")


def test_a_call_is_cheap() -> None:
    """A body of 100 KB, with which the engine has next to nothing to do: what is left is the call."""
    body = json.dumps(long_body(2, 50_000)).encode()
    pruner = deadhead.Pruner()

    def once() -> float:
        begun = time.perf_counter()
        assert pruner.prune(body).body is body
        return time.perf_counter() - begun

    best = min(once() for _ in range(2_000))
    assert best < 50e-6, f"{best * 1e6:.1f} µs"


def test_the_example_of_the_page_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, long: bytes) -> None:
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()
    example = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    found = {"body": long}
    exec(example, found)
    assert found["result"].changed and (tmp_path / "sessions.db").exists()
