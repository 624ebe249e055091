"""Spark and Ray on clusters of this machine, with workers in processes of their own: what they make is what the command makes."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Iterator

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import ray
from conftest import NOW, long_body, run
from pyspark.sql import SparkSession

import deadhead
import deadhead.ray
import deadhead.spark

LOG = pathlib.Path(__file__).resolve().parents[3] / "tests" / "samples" / "demo-session.jsonl"
AGGRESSIVE = ["--preset", "clawdbot-aggressive"]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """Two executors, each a Java process with Python workers."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
    session = made.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, logging_level="warning")
    yield
    ray.shutdown()


@pytest.fixture
def bodies(tmp_path: pathlib.Path) -> pathlib.Path:
    """Parquet files with a column of bodies."""
    made = [json.dumps({**long_body(turns % 12, 20_000), "max_tokens": turns + 1}, indent=turns % 2 or None) for turns in range(60)]
    texts = [*made, None, "not JSON"]
    structs = [json.loads(text)["messages"] if text and text[0] == "{" and len(text) < 200 else None for text in texts]
    table = pa.table({"id": range(len(texts)), "body": texts, "raw": [text and text.encode() for text in texts], "messages": structs})
    (tmp_path / "in").mkdir()
    for part in range(4):
        parquet.write_table(table.slice(part * 16, 16), tmp_path / "in" / f"{part}.parquet")
    return tmp_path / "in"


def wanted(folder: pathlib.Path) -> dict[int, str | None]:
    """What the command makes of each body, as a file of its own."""
    found: dict[int, str | None] = {}
    for row in parquet.read_table(folder).to_pylist():
        one = folder.parent / "one"
        one.write_text(row["body"] or "")
        done = run("prune", "-q", "--now", str(NOW), *AGGRESSIVE, "-o", "/dev/stdout", one)
        found[row["id"]] = row["body"] and (done.stdout.decode() if done.returncode == 0 else row["body"])
    return found


def pruner() -> deadhead.Pruner:
    return deadhead.Pruner(preset="clawdbot-aggressive")


def chats() -> pa.Table:
    """Messages as structs, some of which are cut."""
    rows = []
    for turns in (0, 9):
        messages = [{"role": "user", "content": "go", "tool_calls": None, "tool_call_id": None}]
        for i in range(turns):
            call = {"id": f"c{i}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call], "tool_call_id": None})
            messages.append({"role": "tool", "content": "x" * 50_000, "tool_calls": None, "tool_call_id": f"c{i}"})
            messages.append({"role": "user", "content": "on", "tool_calls": None, "tool_call_id": None})
        rows.append(messages)
    return pa.table({"id": [0, 1], "messages": rows})


def test_spark_prunes_a_column(spark: SparkSession, bodies: pathlib.Path, tmp_path: pathlib.Path) -> None:
    want = wanted(bodies)
    frame = spark.read.parquet(str(bodies)).drop("messages")
    assert sum(row.body != want[row.id] for row in frame.collect()) > 10
    for column in ("body", "raw"):
        pruned = deadhead.spark.prune_column(frame, column, pruner(), now=NOW)
        assert pruned.schema == frame.schema
        pruned.write.parquet(str(tmp_path / column))
        back = parquet.read_table(tmp_path / column)
        plain = {row["id"]: row for row in back.to_pylist()}
        made = {at: row[column].decode() if isinstance(row[column], bytes) else row[column] for at, row in plain.items()}
        assert made == want
        other = "raw" if column == "body" else "body"
        assert {at: row[other] for at, row in plain.items()} == {row["id"]: row[other] for row in parquet.read_table(bodies).to_pylist()}


def test_spark_has_a_function_for_sql(spark: SparkSession, bodies: pathlib.Path) -> None:
    want = wanted(bodies)
    frame = spark.read.parquet(str(bodies))
    spark.udf.register("pruned", deadhead.spark.udf(pruner(), now=NOW))
    frame.createOrReplaceTempView("requests")
    assert {row.id: row.made for row in spark.sql("select id, pruned(body) as made from requests").collect()} == want
    made = frame.select("id", deadhead.spark.udf(pruner(), kind="binary", now=NOW)("raw").alias("made")).collect()
    assert {row.id: row.made and bytes(row.made).decode() for row in made} == want


def test_spark_prunes_messages_of_structs(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    parquet.write_table(chats(), tmp_path / "chats.parquet")
    frame = spark.read.parquet(str(tmp_path / "chats.parquet"))
    want = [deadhead.Pruner(preset="clawdbot-aggressive").prune(messages, now=NOW).body for messages in chats().column("messages").to_pylist()]
    assert want != chats().column("messages").to_pylist()
    made = deadhead.spark.prune_column(frame, "messages", pruner(), now=NOW)
    assert made.schema == frame.schema
    assert [row.asDict(recursive=True)["messages"] for row in made.orderBy("id").collect()] == want


def test_spark_prunes_whole_logs(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    want = run("prune", "-q", "--now", str(NOW), *AGGRESSIVE, LOG).stdout
    paths = spark.createDataFrame([(str(LOG),), (LOG.as_uri(),), (str(tmp_path / "none"),)], "path string").repartition(2)
    rows = deadhead.spark.prune_logs(paths, "path", pruner(), now=NOW).collect()
    assert sorted((row.path, row.body and bytes(row.body), row.changed) for row in rows) == sorted(
        [(str(LOG), want, True), (LOG.as_uri(), want, True), (str(tmp_path / "none"), None, False)]
    )
    # From a store that only Spark can read.
    files = spark.read.format("binaryFile").load(str(LOG)).select("path", "content")
    (row,) = deadhead.spark.prune_column(files, "content", pruner(), now=NOW).collect()
    assert bytes(row.content) == want


def test_spark_fails_where_it_is_strict(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("not JSON",)], "body string")
    assert deadhead.spark.prune_column(frame, "body").collect()[0].body == "not JSON"
    with pytest.raises(Exception, match="body, row 0: 1:2: not JSON"):
        deadhead.spark.prune_column(frame, "body", strict=True).collect()


def test_ray_prunes_a_column(cluster: None, bodies: pathlib.Path, tmp_path: pathlib.Path) -> None:
    want = wanted(bodies)
    read = ray.data.read_parquet(str(bodies))
    for column in ("body", "raw"):
        deadhead.ray.prune_column(read, column, pruner(), now=NOW).write_parquet(str(tmp_path / column))
        rows = parquet.read_table(tmp_path / column).to_pylist()
        assert {row["id"]: row[column].decode() if isinstance(row[column], bytes) else row[column] for row in rows} == want
    chat = deadhead.ray.prune_column(ray.data.from_arrow(chats()), "messages", pruner(), now=NOW, batch_size=1)
    wanted_chats = [deadhead.Pruner(preset="clawdbot-aggressive").prune(messages, now=NOW).body for messages in chats().column("messages").to_pylist()]
    assert [row["messages"] for row in sorted(chat.take_all(), key=lambda row: row["id"])] == wanted_chats


def test_ray_prunes_whole_logs(cluster: None, tmp_path: pathlib.Path) -> None:
    want = run("prune", "-q", "--now", str(NOW), *AGGRESSIVE, LOG).stdout
    paths = ray.data.from_items([{"path": str(LOG)}, {"path": str(tmp_path / "none")}] * 20)
    rows = deadhead.ray.prune_logs(paths, "path", pruner(), now=NOW).take_all()
    assert len(rows) == 40 and all(row["body"] == (want if row["path"] == str(LOG) else None) for row in rows)
    with pytest.raises(Exception, match="No such file"):
        deadhead.ray.prune_logs(paths, strict=True).take_all()


def test_texts_are_pruned_without_pandas() -> None:
    """It takes a second to import, in every worker of a cluster; ``pa.array`` does import it."""
    script = """
import array, sys, pyarrow as pa, deadhead.arrow
body = sys.stdin.buffer.read()
ends = pa.py_buffer(array.array("q", [0, len(body)]))
given = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, pa.py_buffer(body)])
assert deadhead.arrow.prune_array(given) is not given
assert "pandas" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", script], input=json.dumps(long_body()).encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_the_examples_of_the_page_run(
    spark: SparkSession, cluster: None, bodies: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "fleet.md").read_text()
    examples = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert len(examples) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "session.jsonl").write_bytes(LOG.read_bytes())
    parquet.write_table(parquet.read_table(bodies).drop_columns(["messages"]), tmp_path / "requests.parquet")
    for example in examples:
        # The workers have folders of their own.
        for name in ("requests.parquet", "logs/", "pruned-by-", "logs-by-", "contents-by-"):
            example = example.replace(f'"{name}', f'"{tmp_path}/{name}')
        exec(example, {"spark": spark})
    want = run("prune", "-q", "--preset", "break-even", LOG).stdout
    for folder, column in (("logs-by-spark", "body"), ("contents-by-spark", "content"), ("logs-by-ray", "body")):
        assert parquet.read_table(tmp_path / folder).column(column).to_pylist() == [want], folder
    assert parquet.read_table(tmp_path / "pruned.parquet").num_rows == parquet.read_table(tmp_path / "pruned-by-ray").num_rows
