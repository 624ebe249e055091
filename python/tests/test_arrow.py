"""Columns of Arrow tables: what is pruned is the command's, and nothing else changes."""

from __future__ import annotations

import json
import logging
import pathlib
import random

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from conftest import NOW, long_body, run

import deadhead
import deadhead.arrow
from deadhead.arrow import prune_column

TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def chat(turns: int = 6, size: int = 50_000) -> list[dict]:
    """Messages that are all of one struct, as a table has them."""
    empty = {"content": None, "tool_calls": None, "tool_call_id": None}
    messages = [{**empty, "role": "user", "content": "go"}]
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        messages.append({**empty, "role": "assistant", "tool_calls": [call]})
        messages.append({**empty, "role": "tool", "content": "é" * size, "tool_call_id": f"c{turn}"})
        messages += [{**empty, "role": "assistant", "content": "so"}, {**empty, "role": "user", "content": "on"}]
    return messages


def rows() -> list[bytes]:
    """Bodies of several sizes and spellings, each of which the command prunes or leaves."""
    bodies = [json.dumps({**long_body(turns, 30_000), "max_tokens": turns + 1}).encode() for turns in range(0, 24, 3)]
    return [*bodies, json.dumps(long_body(9), indent=1).encode(), b"", b'{"no": "transcript"}', b"not JSON"]


def wanted(bodies: list[bytes], folder: pathlib.Path) -> list[bytes]:
    """What the command makes of each, as a file of its own; what it refuses stays."""
    made = []
    for body in bodies:
        (folder / "body").write_bytes(body)
        done = run("prune", "-q", "--now", str(NOW), "-o", "/dev/stdout", folder / "body")
        made.append(done.stdout if done.returncode == 0 else body)
    return made


def test_a_parquet_file_keeps_everything_else(tmp_path: pathlib.Path) -> None:
    bodies = rows()
    want = wanted(bodies, tmp_path)
    assert sum(a != b for a, b in zip(bodies, want)) >= 4
    field = pa.field("body", pa.binary(), metadata={"unit": "request"})
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), field, pa.field("note", pa.dictionary(pa.int8(), pa.string()))], {"own": "metadata"})
    columns = [range(len(bodies)), bodies, pa.array(["a", None] * 6, pa.string())[: len(bodies)].dictionary_encode().cast(schema.field("note").type)]
    table = pa.Table.from_arrays([pa.array(columns[0], pa.int64()), pa.array(bodies, pa.binary()), columns[2]], schema=schema)
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=3)
    read = parquet.read_table(tmp_path / "in.parquet")
    pruned = prune_column(read, "body", now=NOW)
    parquet.write_table(pruned, tmp_path / "out.parquet")
    back = parquet.read_table(tmp_path / "out.parquet")
    assert back.column("body").to_pylist() == want
    assert back.schema.equals(read.schema, check_metadata=True) and pruned.schema.equals(read.schema, check_metadata=True)
    for name in ("id", "note"):
        assert pruned.column(name) is read.column(name) or pruned.column(name).equals(read.column(name))
    assert prune_column(pruned, "body", now=NOW) is pruned, "a second time nothing is cut, and the table is the very one"


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_every_kind_of_text(kind: pa.DataType, tmp_path: pathlib.Path) -> None:
    bodies = rows()
    want = wanted(bodies, tmp_path)
    plain = (lambda value: value.decode()) if "string" in str(kind) else bytes
    chunks = [[None, *map(plain, bodies[:4])], [], [None], list(map(plain, bodies[4:]))]
    column = pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind)
    # A slice begins within its buffers.
    table = pa.table({"a": column, "b": range(len(column))}).slice(1)
    pruned = prune_column(table, "a", now=NOW)
    assert pruned.column("a").to_pylist() == [*map(plain, want[:4]), None, *map(plain, want[4:])]
    assert pruned.schema == table.schema and pruned.column("a").null_count == 1
    pruned.validate(full=True)
    (batch,) = table.combine_chunks().to_batches()
    assert prune_column(batch, "a", now=NOW).column("a").to_pylist() == pruned.column("a").to_pylist()


@pytest.mark.parametrize("ordered", [False, True])
def test_a_dictionary_is_pruned_once_a_value(ordered: bool) -> None:
    class Counting:
        def __init__(self) -> None:
            self.seen: list[bytes] = []

        def _values(self, now: float) -> object:
            prune = deadhead.Pruner()._values(now)
            return lambda body: (self.seen.append(body), prune(body))[1]

    # The first two differ in what is cut alone.
    alike = [json.dumps(long_body(9, 30_000)).encode().replace(b"xxxx", four, 1) for four in (b"abcd", b"efgh")]
    values = pa.array([*alike, b'{"messages": []}', b"never used"], pa.large_binary())
    kind = pa.dictionary(pa.int8(), pa.large_binary(), ordered)
    array = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 1, 0, 0, 1], pa.int8()), values, ordered=ordered)
    pruner = Counting()
    new = deadhead.arrow.prune_array(array.slice(1), pruner, now=NOW)
    want = [None if value is None else deadhead.Pruner().prune(value, now=NOW).body for value in array.slice(1).to_pylist()]
    assert new.to_pylist() == want and new.type == kind and sorted(pruner.seen) == sorted(alike)
    new.validate(full=True)
    same = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array(["{}"]))
    assert deadhead.arrow.prune_array(same) is same


def test_messages_may_be_structs() -> None:
    function = pa.struct({"id": pa.string(), "type": pa.string(), "function": pa.struct({"name": pa.string(), "arguments": pa.string()})})
    one = pa.struct({"role": pa.string(), "content": pa.string(), "tool_calls": pa.list_(function), "tool_call_id": pa.string()})
    for kind in (pa.list_(one), pa.large_list(one)):
        table = pa.table({"messages": pa.array([chat(), None, chat(1, 5), []], kind)})
        pruned = prune_column(table, "messages", now=NOW)
        want = deadhead.Pruner().prune(chat(), now=NOW)
        assert want.changed
        assert pruned.column("messages").to_pylist() == [want.body, None, chat(1, 5), []]
        assert pruned.schema == table.schema
    body = pa.struct({"model": pa.string(), "messages": pa.list_(one)})
    array = pa.array([{"model": "m", "messages": chat()}], body)
    assert deadhead.arrow.prune_array(array, now=NOW).to_pylist() == [{"model": "m", "messages": want.body}]


def test_parts_without_a_type_are_kept() -> None:
    class Adding:
        def _values(self, now: float | None) -> object:
            return lambda value: [{**value[0], "new": 1}]

    array = pa.array([[{"role": "user"}]], pa.list_(pa.struct({"role": pa.string()})))
    assert deadhead.arrow.prune_array(array, Adding()) is array
    with pytest.raises(deadhead.InputError, match="cannot be written as list"):
        deadhead.arrow.prune_array(array, Adding(), strict=True)


def test_an_extension_type_stays() -> None:
    table = pa.table({"a": pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array([json.dumps(long_body(9)), None]))})
    pruned = prune_column(table, "a", now=NOW)
    assert pruned.schema == table.schema and len(pruned.column("a")[0].as_py()) < 900_000 and pruned.column("a")[1].as_py() is None


def test_it_fails_open_unless_it_is_strict(caplog: pytest.LogCaptureFixture) -> None:
    table = pa.table({"a": ["{}", '{"messages": []}', '{"messages":\n [}']})
    with caplog.at_level(logging.WARNING, "deadhead"):
        assert prune_column(table, "a") is table
    assert [record.getMessage().split(": unknown")[0] for record in caplog.records] == ["2 of 3 values stay as they came; the first: a, row 0"]
    with pytest.raises(deadhead.InputError, match=r"a, row 2: 2:3: not JSON") as error:
        prune_column(pa.table({"a": ["", "", '{"messages":\n [}']}), "a", strict=True)
    assert (error.value.line, error.value.column, error.value.byte) == (2, 3, 15)
    with pytest.raises(KeyError, match="no column b"):
        prune_column(table, "b")
    for wrong in (pa.array([1]), pa.array([True]), pa.array([None])):
        with pytest.raises(TypeError, match="a body is text, bytes"):
            prune_column(pa.table({"a": wrong}), "a")


def test_no_rows_and_no_chunks() -> None:
    for kind in (*TEXTS, pa.dictionary(pa.int32(), pa.string())):
        for table in (pa.table({"a": pa.array([], kind)}), pa.table({"a": pa.chunked_array([], kind)}), pa.table({"a": pa.nulls(3, kind)})):
            assert prune_column(table, "a") is table


def test_any_mixture_is_row_by_row() -> None:
    """Chunks, slices and nulls at random: each value is what the engine makes of it alone."""
    chance = random.Random(7)
    bodies = [None, "", "no", *(json.dumps(long_body(turns, 20_000)) for turns in (0, 3, 9, 15))]
    alone = {body: deadhead.Pruner().prune(body, now=NOW).body if body and body != "no" else body for body in bodies}
    for _ in range(30):
        chunks = [[chance.choice(bodies) for _ in range(chance.randrange(5))] for _ in range(chance.randrange(1, 5))]
        kind = chance.choice([pa.string(), pa.large_string(), pa.dictionary(pa.int16(), pa.string())])
        table = pa.table({"x": pa.chunked_array([pa.array(chunk, pa.string()).cast(kind) for chunk in chunks], kind)})
        table = table.slice(chance.randrange(3), chance.randrange(20))
        pruned = prune_column(table, "x", now=NOW)
        assert pruned.column("x").to_pylist() == [alone[value] for value in table.column("x").to_pylist()]
        pruned.validate(full=True)


def test_logs_by_their_paths(tmp_path: pathlib.Path) -> None:
    log = pathlib.Path(__file__).resolve().parents[2] / "tests" / "samples" / "demo-session.jsonl"
    pruner = deadhead.Pruner(preset="clawdbot-aggressive")
    want = run("prune", "-q", "--now", str(NOW), "--preset", "clawdbot-aggressive", log).stdout
    odd = tmp_path / "a b%20ü.jsonl"
    odd.write_bytes(log.read_bytes())
    paths = [str(log), odd.as_uri(), str(odd), str(tmp_path / "none")]
    batches = list(deadhead.arrow.prune_logs(pa.array(paths), pruner, now=NOW))
    assert all(batch.schema == deadhead.arrow.LOGS for batch in batches)
    made = [row for batch in batches for row in batch.to_pylist()]
    assert [row["path"] for row in made] == paths and [row["body"] for row in made] == [want, want, want, None]
    assert [row["changed"] for row in made] == [True, True, True, False] and "No such file" in made[3]["error"]
    with pytest.raises(FileNotFoundError):
        list(deadhead.arrow.prune_logs([str(tmp_path / "none")], strict=True))


@pytest.mark.parametrize("kind", TEXTS)
def test_nulls_and_slices_stay(kind: pa.DataType) -> None:
    body = rows()[3]
    whole = pa.array([body, None, b"x", body, None, None, b"", body] * 5, pa.binary()).cast(kind)
    want = deadhead.Pruner().prune(body, now=NOW).body
    assert want != body
    for begin in range(9):
        for size in (1, 7, 9, 30):
            part = whole.slice(begin, size)
            made = deadhead.arrow.prune_array(part, now=NOW)
            assert made.type == kind and made.validate(full=True) is None
            old = part.cast(pa.large_binary()).to_pylist()
            assert made.cast(pa.large_binary()).to_pylist() == [want if value == body else value for value in old]
