"""Turns features, target, groups and weights into record batches for the command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

_CELLS = 1 << 20  # of a record batch


def is_frame(X: Any) -> bool:
    """Report whether X is a table with named columns: pandas, polars, pyarrow or another Arrow producer."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "__arrow_c_stream__"))


def to_arrow(X: Any) -> pa.Table:
    """Return a data frame as a pyarrow table, its columns named as scikit-learn names features.

    Raises
    ------
    ValueError
        A column has values of several types.
    """
    try:
        table = pa.Table.from_pandas(X, preserve_index=False) if hasattr(X, "iloc") else pa.table(X)
    except (pa.ArrowException, TypeError) as failure:
        raise ValueError(f"a column of X cannot be taken as Arrow: {failure}") from failure
    if not all(isinstance(c, str) for c in X.columns):
        table = table.rename_columns([f"x{i}" for i in range(table.num_columns)])
    return table.unify_dictionaries()


def names(X: Any) -> list[str]:
    """Return the names of the feature columns; those of an array are x0, x1, …."""
    return list(X.column_names) if isinstance(X, pa.Table) else [f"x{i}" for i in range(X.shape[1])]


def unused(name: str, taken: list[str]) -> str:
    """Return the name, with underscores behind it where a column has it already."""
    while name in taken:
        name += "_"
    return name


def group_columns(groups: Any, rows: int, taken: list[str]) -> pa.Table:
    """Return groups that are given apart from the features as a table of their columns.

    An array or a Series is one column; a data frame or a 2-dimensional array has one for every column.
    """
    if is_frame(groups):
        table = to_arrow(groups)
    else:
        values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups)
        if values.ndim not in (1, 2):
            raise ValueError(f"groups must have one or two dimensions, not {values.ndim}")
        columns = values.reshape(len(values), -1).T if values.size else values.reshape(1, 0)
        name = getattr(groups, "name", None)
        first = name if isinstance(name, str) and name else "group"
        names = [first] if len(columns) == 1 else [f"{first}{i}" for i in range(len(columns))]
        table = pa.table([labels(c.astype(object)) for c in columns], names=names)
    if table.num_rows != rows:
        raise ValueError(f"groups has {table.num_rows} rows, but X has {rows}")
    return table.rename_columns([unused(n, taken) for n in table.column_names])


def labels(values: np.ndarray) -> pa.Array:
    """Return values as texts, nulls where they are None or NaN."""
    return pa.array([None if v is None or v != v else str(v) for v in values], pa.string()).dictionary_encode()


def numeric(table: pa.Table, wanted: list[str]) -> np.ndarray | None:
    """Return columns as an array of doubles; None where one is not of numbers or has missing values."""
    if not set(wanted) <= set(table.column_names):
        return None
    chosen = [table.column(n) for n in wanted]
    if not all((pa.types.is_floating(c.type) or pa.types.is_integer(c.type)) and c.null_count == 0 for c in chosen):
        return None
    return np.column_stack([c.to_numpy().astype(np.float64) for c in chosen]) if chosen else np.empty((table.num_rows, 0))


def batches(X: Any, extra: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """Yield record batches of the features and of the extra columns behind them.

    X is a pyarrow table, a 2-dimensional array or a sparse matrix, whose columns are named x0, x1, …; the
    rows of a sparse matrix are made dense batch by batch.
    """
    count, width = X.shape
    step = max(1, _CELLS // max(1, width + len(extra)))
    schema = None
    for start in range(0, count, step):
        stop = min(start + step, count)
        if isinstance(X, pa.Table):
            columns = [_whole(X.column(i).slice(start, stop - start)) for i in range(width)]
        else:
            block = X[start:stop]
            dense = block.toarray() if sparse.issparse(block) else block
            columns = [pa.array(c) for c in np.ascontiguousarray(dense.T)]
        columns += [_whole(c[start:stop]) for c in extra.values()]
        batch = pa.record_batch(columns, names=[*names(X), *extra])
        schema = schema or batch.schema
        yield batch.cast(schema) if batch.schema != schema else batch


def _whole(column: Any) -> pa.Array:
    """Return a column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column if isinstance(column, pa.Array) else pa.array(np.ascontiguousarray(column))
