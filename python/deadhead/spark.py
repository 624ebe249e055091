"""Data frames of Spark: columns of bodies, and whole session logs by their paths.

    import deadhead, deadhead.spark

    pruner = deadhead.Pruner(preset="break-even")
    deadhead.spark.prune_column(spark.read.parquet("requests"), "body", pruner).write.parquet("pruned")

The work is that of ``deadhead.arrow``, in Spark's own Python workers. A value that cannot be pruned stays as it came, with a warning in
the worker's log; ``strict=True`` fails the task instead. A pruner is carried to the workers by its settings. It should have no state
file: each machine would keep one of its own.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, cast

from ._extra import Extra

with Extra("spark"):
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.functions import pandas_udf

from . import arrow
from ._engine import Pruner

LOGS = "path string, body binary, changed boolean, error string"
"""The columns of ``prune_logs``."""


def prune_column(frame: DataFrame, column: str, pruner: Pruner | None = None, *, strict: bool = False, now: arrow.Time = None) -> DataFrame:
    """The frame with a column pruned: text, binary, or an array of structs. Everything else stays as it is."""
    pruner = pruner or Pruner()

    def pruned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield arrow.prune_column(batch, column, pruner, strict=strict, now=now)

    return frame.mapInArrow(pruned, frame.schema)


def prune_logs(
    frame: DataFrame, column: str = "path", pruner: Pruner | None = None, *, strict: bool = False, now: arrow.Time = None
) -> DataFrame:
    """Prunes the logs that a column names, each as a whole: a row of path, body, changed and error for each.

    The workers read the files, so the paths must be theirs, too. For logs in an object store, read them as ``binaryFile`` and prune the
    column ``content``.
    """
    pruner = pruner or Pruner()

    def pruned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from arrow.prune_logs(batch.column(0), pruner, strict=strict, now=now)

    return frame.select(column).mapInArrow(pruned, LOGS)


def udf(pruner: Pruner | None = None, *, kind: str = "string", strict: bool = False, now: arrow.Time = None) -> Callable[..., Any]:
    """A function of a column for ``select`` and SQL: ``kind`` is ``string`` or ``binary``, as the column is."""
    pruner = pruner or Pruner()
    type_of_values = {"string": pa.string(), "binary": pa.binary()}[kind]

    def pruned(values: pd.Series) -> pd.Series:
        old = pa.array(values, type=type_of_values, from_pandas=True)
        new = arrow.prune_array(old, pruner, strict=strict, now=now)
        return values if new is old else pd.Series(new.to_pylist(), index=values.index, dtype=object)

    # Its stubs know no function whose series are of either kind.
    make: Any = pandas_udf
    return cast(Callable[..., Any], make(pruned, kind))
