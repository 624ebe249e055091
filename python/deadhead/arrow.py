"""Columns of Arrow tables, such as those of Parquet files, and logs by their paths.

    import pyarrow.parquet as parquet
    import deadhead.arrow

    table = parquet.read_table("requests.parquet")
    parquet.write_table(deadhead.arrow.prune_column(table, "body"), "pruned.parquet")

A value is a body, or the messages of one: text, bytes, or a list of structs. Every other column, the types and the metadata of the
schema stay as they are; the table itself comes back where nothing is cut. A value that cannot be pruned stays as it came, with one
warning for each chunk in the log ``deadhead``; ``strict=True`` raises instead.
"""

from __future__ import annotations

import array as numbers
import itertools
import logging
import urllib.parse
from datetime import datetime
from typing import Any, Callable, Iterable, Iterator, TypeVar, cast

from ._extra import Extra

with Extra("arrow"):
    import pyarrow as pa
    import pyarrow.compute as compute

from ._engine import Pruner
from .errors import InputError

Table = TypeVar("Table", pa.Table, pa.RecordBatch)
Time = datetime | float | None

log = logging.getLogger("deadhead")

LOGS = pa.schema([("path", pa.string()), ("body", pa.binary()), ("changed", pa.bool_()), ("error", pa.string())])
"""What ``prune_logs`` makes: a row for each path. ``error`` says why a log has no body."""


def prune_column(table: Table, column: str, pruner: Pruner | None = None, *, strict: bool = False, now: Time = None) -> Table:
    """The table with a column pruned. ``now`` is the time of all its requests; by default it is that of the call."""
    at = table.schema.get_field_index(column)
    if at < 0:
        raise KeyError(f"there is no column {column}, or several; there are {', '.join(table.schema.names)}")
    rows = _Rows(pruner or Pruner(), column, strict, now)
    old = table.column(at)
    chunks = old.chunks if isinstance(old, pa.ChunkedArray) else [old]
    new = [rows.pruned(chunk) for chunk in chunks]
    if all(a is b for a, b in zip(chunks, new)):
        return table
    whole = pa.chunked_array(new, type=old.type) if isinstance(old, pa.ChunkedArray) else new[0]
    columns = [whole if i == at else table.column(i) for i in range(table.num_columns)]
    return cast(Table, type(table).from_arrays(columns, schema=table.schema))


def prune_array(array: pa.Array, pruner: Pruner | None = None, *, strict: bool = False, now: Time = None) -> pa.Array:
    """The same for an array alone."""
    return _Rows(pruner or Pruner(), "the array", strict, now).pruned(array)


def prune_logs(
    paths: pa.Array | list[str], pruner: Pruner | None = None, *, strict: bool = False, now: Time = None
) -> Iterator[pa.RecordBatch]:
    """Prunes whole session logs, read by their paths, one after another: a batch of one row for each, as ``LOGS`` has them."""
    pruner = pruner or Pruner()
    for path in paths.to_pylist() if isinstance(paths, pa.Array | pa.ChunkedArray) else paths:
        row: dict[str, Any] = {"path": path, "body": None, "changed": False, "error": None}
        try:
            result = pruner.prune_log(_local(path), now=now)
            row.update(body=result.body, changed=result.changed)
        except Exception as error:
            if strict:
                raise
            row["error"] = str(error)
        yield pa.RecordBatch.from_pylist([row], schema=LOGS)


def _local(path: str) -> str:
    """The path of a file that may be named by its address, as Spark names them."""
    return urllib.parse.unquote(urllib.parse.urlsplit(path).path) if path.startswith("file:") else path


class _Rows:
    """Prunes the values of a column."""

    def __init__(self, pruner: Pruner, column: str, strict: bool, now: Time) -> None:
        self.prune: Callable[[Any], Any] = pruner._values(now)
        self.column, self.strict = column, strict
        self.row = 0

    def pruned(self, array: pa.Array) -> pa.Array:
        """The array; the very one where nothing is cut."""
        kind = array.type
        if isinstance(array, pa.ExtensionArray):
            storage = self.pruned(array.storage)
            return array if storage is array.storage else pa.ExtensionArray.from_storage(kind, storage)
        if pa.types.is_dictionary(kind):
            return self.dictionary(array)
        if kind in TEXTS:
            return self.each(array, _bytes(array), self.prune)
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_struct(kind):
            return self.each(array, (value.as_py() for value in array), lambda value: self.nested(value, kind))
        raise TypeError(f"column {self.column} is of the type {kind}; a body is text, bytes, or a list of structs")

    def each(self, array: pa.Array, values: Iterable[Any], prune: Callable[[Any], Any]) -> pa.Array:
        new, failed = {}, []
        for at, value in enumerate(values):
            if value is not None:
                try:
                    made = prune(value)
                    if made is not value:
                        new[at] = made
                except Exception as error:
                    failed.append(self.failure(error))
            self.row += 1
        if failed:
            log.warning("%s of %s values stay as they came; the first: %s", len(failed), len(array), failed[0])
        return _with(array, new) if new else array

    def failure(self, error: Exception) -> InputError:
        """The error with its row. Raises it where that is asked for."""
        place = (getattr(error, name, None) for name in ("line", "column", "byte"))
        made = InputError(f"{self.column}, row {self.row}: {error}", *place)
        if self.strict:
            raise made from None
        return made

    def nested(self, value: Any, kind: pa.DataType) -> Any:
        """A value of structs. Arrow has no place for what the type does not name: such a result is an error."""
        made = self.prune(value)
        if made is not value and pa.scalar(made, type=kind).as_py() != made:
            raise InputError(f"what is cut cannot be written as {kind}")
        return made

    def dictionary(self, array: pa.DictionaryArray) -> pa.Array:
        """Each value once, and of those only what the rows use. Values that became the same are one value again."""
        used = array.indices.unique().drop_null()
        old = array.dictionary.take(used)
        new = self.pruned(old)
        if new is old:
            return array
        encoded = new.dictionary_encode()
        indices = encoded.indices.take(compute.index_in(array.indices, used)).cast(array.type.index_type)
        return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=array.type.ordered)


def _bytes(array: pa.Array) -> Iterator[bytes | None]:
    """The values of texts. Each is copied once, and none is kept."""
    plain = array.cast(pa.large_binary())
    _, offsets, data = plain.buffers()
    ends = memoryview(offsets).cast("q")[plain.offset :] if offsets else []
    content = memoryview(data) if data else b""
    for at, is_null in enumerate(plain.is_null().to_pylist()):
        yield None if is_null else bytes(content[ends[at] : ends[at + 1]])


def _with(array: pa.Array, new: dict[int, Any]) -> pa.Array:
    """The array with some values replaced, by their places."""
    if array.type in TEXTS:
        return _texts(array, [new.get(at, value) for at, value in enumerate(_bytes(array))])
    places = list(range(len(array)))
    for i, at in enumerate(new):
        places[at] = len(array) + i
    return pa.concat_arrays([array, pa.array(list(new.values()), array.type)]).take(pa.array(places))


def _texts(array: pa.Array, values: list[bytes | None]) -> pa.Array:
    """An array of the same type and the same nulls. ``pa.array`` would do, but imports pandas, a second for each worker of a cluster."""
    plain = [value or b"" for value in values]
    ends = numbers.array("q", itertools.accumulate(map(len, plain), initial=0))
    nulls = compute.is_valid(array).buffers()[1] if array.null_count else None
    buffers = [nulls, pa.py_buffer(ends), pa.py_buffer(b"".join(plain))]
    return pa.Array.from_buffers(pa.large_binary(), len(plain), buffers).cast(array.type)


TEXTS = {pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()}
