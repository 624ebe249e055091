"""Data sets of Ray: columns of bodies, and whole session logs by their paths.

    import ray, deadhead, deadhead.ray

    pruner = deadhead.Pruner(preset="break-even")
    deadhead.ray.prune_column(ray.data.read_parquet("requests"), "body", pruner).write_parquet("pruned")

The work is that of ``deadhead.arrow``, in Ray's own workers. A value that cannot be pruned stays as it came, with a warning in the
worker's log; ``strict=True`` fails the task instead. A pruner is carried to the workers by its settings. It should have no state file:
each machine would keep one of its own.
"""

from __future__ import annotations

from typing import Any, Iterator

from ._extra import Extra

with Extra("ray"):
    import pyarrow as pa
    from ray.data import Dataset

from . import arrow
from ._engine import Pruner


def prune_column(
    dataset: Dataset, column: str, pruner: Pruner | None = None, *, strict: bool = False, now: arrow.Time = None, **options: Any
) -> Dataset:
    """The data set with a column pruned: text, bytes, or lists of structs. ``options`` are those of ``map_batches``."""
    pruner = pruner or Pruner()

    def pruned(table: pa.Table) -> pa.Table:
        return arrow.prune_column(table, column, pruner, strict=strict, now=now)

    return dataset.map_batches(pruned, **{"batch_format": "pyarrow", "zero_copy_batch": True, "batch_size": None, **options})


def prune_logs(
    dataset: Dataset, column: str = "path", pruner: Pruner | None = None, *, strict: bool = False, now: arrow.Time = None, **options: Any
) -> Dataset:
    """Prunes the logs that a column names, each as a whole: a row of path, body, changed and error for each.

    The workers read the files, so the paths must be theirs, too.
    """
    pruner = pruner or Pruner()

    def pruned(table: pa.Table) -> Iterator[pa.Table]:
        for log in arrow.prune_logs(table.column(column), pruner, strict=strict, now=now):
            yield pa.Table.from_batches([log])

    return dataset.map_batches(pruned, **{"batch_format": "pyarrow", "batch_size": 16, **options})
