"""Turns features, target, groups and weights into record batches for the command."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.utils import column_or_1d

VECTOR = "x"  # name of the column of sparse vectors
_TEXTS = (pa.string(), pa.large_string(), pa.string_view(), pa.null())


class Numbered(Sequence[str]):
    """The names of columns without names of their own: x0, x1, … of an array, or x[0], x[1], … of a vector x.

    The names are computed and not stored, so that a wide matrix costs nothing.
    """

    def __init__(self, total: int, before: str = "x", after: str = "") -> None:
        self.total, self.before, self.after = total, before, after

    def __len__(self) -> int:
        return self.total

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(self.total))]
        if not -self.total <= at < self.total:
            raise IndexError(f"there are {self.total} names, so none has the index {at}")
        return f"{self.before}{at % self.total}{self.after}"

    def __contains__(self, name: Any) -> bool:
        if not isinstance(name, str) or not name.startswith(self.before) or not name.endswith(self.after):
            return False
        digits = name[len(self.before) : len(name) - len(self.after)]
        return digits.isdecimal() and digits.isascii() and int(digits) < self.total and str(int(digits)) == digits

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        if name not in self:
            raise ValueError(f"{name!r} is not a name")
        return int(name[len(self.before) : len(name) - len(self.after)])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return vars(self) == vars(other)
        return isinstance(other, list) and len(other) == self.total and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def is_frame(X: Any) -> bool:
    """Report whether X is a table with named columns: pandas, polars, pyarrow or another Arrow producer."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "__arrow_c_stream__"))


def to_arrow(X: Any) -> pa.Table:
    """Return a data frame as a pyarrow table.

    If any column name is not a text, the columns are named x0, x1, …. A column with an empty name is named as in the
    command: column_3 if it is the third. Categories that are neither strings nor numbers, such as intervals, are
    converted to strings.
    """
    if hasattr(X, "iloc"):  # pandas: a sparse column holds numbers
        thick = {c: t.subtype for c, t in X.dtypes.items() if hasattr(t, "fill_value") and hasattr(t, "subtype")}
        X = X.astype(thick) if thick else X
        kinds = {c: t.categories for c, t in X.dtypes.items() if hasattr(t, "categories") and t.categories.dtype.kind == "O"}
        odd = {c: X[c].cat.rename_categories(str) for c, of in kinds.items() if not all(isinstance(v, str) for v in of)}
        X = X.assign(**odd) if odd and all(isinstance(c, str) for c in odd) else X
    try:
        table = pa.Table.from_pandas(X, preserve_index=False) if hasattr(X, "iloc") else pa.table(X)
    except (pa.ArrowException, TypeError) as failure:
        raise ValueError(f"a column of X cannot be converted to Arrow: {failure}") from failure
    if hasattr(X, "iloc") and not all(isinstance(c, str) for c in X.columns):
        table = table.rename_columns([f"x{i}" for i in range(table.num_columns)])
    if "" in table.column_names:
        table = table.rename_columns([n or f"column_{i + 1}" for i, n in enumerate(table.column_names)])
    for i, field in enumerate(table.schema):  # pandas: a missing entry of a vector is NaN
        if hasattr(X, "iloc") and _is_vector(field.type):
            table = table.set_column(i, field.name, pa.chunked_array(map(_without_null_entries, table.column(i).chunks), field.type))
    for i, field in enumerate(table.schema):  # categories of numbers are categories, too
        if pa.types.is_dictionary(field.type) and field.type.value_type not in _TEXTS:
            table = table.set_column(i, field.name, table.column(i).cast(field.type.value_type).cast(pa.string()).dictionary_encode())
    return table.unify_dictionaries()


def _is_vector(kind: pa.DataType) -> bool:
    """Report whether the type is a list of floating-point numbers."""
    return (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and kind.value_type in (pa.float32(), pa.float64())


def _without_null_entries(lists: pa.Array) -> pa.Array:
    """Return lists of numbers in which NaN replaces the nulls that pyarrow makes of the NaN of pandas."""
    if lists.flatten().null_count == 0:
        return lists
    lists = pa.concat_arrays([lists, lists[:0]])  # begins at its first value
    values = pc.fill_null(lists.values, np.nan)
    return type(lists).from_arrays(lists.offsets, values, lists.type, mask=lists.is_null())


def to_sparse(X: Any) -> Any:
    """Return a pandas frame of sparse numeric columns as a sparse matrix, or None if X is not such a frame or is_vector is false."""
    types = list(X.dtypes) if hasattr(X, "iloc") else []
    if not types or not all(hasattr(t, "subtype") and t.subtype.kind in "fiub" and getattr(t, "fill_value", None) == 0 for t in types):
        return None
    matrix = sparse.csr_matrix(X.sparse.to_coo())
    matrix = matrix.astype(np.float32 if matrix.dtype == np.float32 else np.float64)
    return matrix if is_vector(matrix) else None


def names(X: Any) -> Sequence[str]:
    """Return the names of the columns of X; the columns of an array are named x0, x1, …."""
    return list(X.column_names) if isinstance(X, pa.Table) else Numbered(X.shape[1])


def stack(X: Any, other: Any) -> Any:
    """Return the rows of X followed by the rows of other; each is a pyarrow table, an array or a sparse matrix."""
    if isinstance(X, pa.Table) or isinstance(other, pa.Table):
        return pa.concat_tables([_as_table(X), _as_table(other)], promote_options="permissive").unify_dictionaries()
    if sparse.issparse(X) or sparse.issparse(other):
        return sparse.vstack([X, other], format="csr")
    return np.concatenate([X, other])


def _as_table(X: Any) -> pa.Table:
    if isinstance(X, pa.Table):
        return X
    return pa.table([np.ascontiguousarray(c) for c in (X.toarray() if sparse.issparse(X) else X).T], names=list(names(X)))


def stack_columns(columns: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    """Return columns in which the values of columns are followed by the values of others with the same name."""
    tables = [pa.table({n: c[n] for n in columns}) for c in (columns, others)]
    joined = pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()
    return {n: joined.column(n) for n in joined.column_names}


def is_vector(X: Any) -> bool:
    """Report whether X is sent as a column of sparse vectors: a sparse matrix of finite numbers, less than a quarter of them stored."""
    return sparse.issparse(X) and X.nnz < np.prod(X.shape, dtype=float) / 4 and bool(np.isfinite(X.data).all())


def taken(X: Any) -> list[Container[str]]:
    """Return the names that columns beside X must not have, in one or two collections."""
    return [names(X), [VECTOR]] if sparse.issparse(X) else [names(X)]


def unused(name: str, *taken: Container[str]) -> str:
    """Return the name, followed by underscores until none of the collections of names contains it."""
    while any(name in collection for collection in taken):
        name += "_"
    return name


def target(y: Any) -> np.ndarray:
    """Return the target as a one-dimensional array. Missing values raise a ValueError."""
    values = column_or_1d(y, warn=True)
    if values.dtype.kind == "O":
        missing = np.flatnonzero([_is_missing(v) for v in values])
        if len(missing) > 0:
            raise ValueError(f"y has missing values (first: row {missing[0]}, counted from 0): leave out the rows with missing values")
    return values


def _is_missing(value: Any) -> bool:
    """Report whether a value is None, NaN or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or value != value


def group_names(groups: Any, rows: int, features: Sequence[str]) -> list[str]:
    """Return the feature names in groups, or an empty list if groups holds one label per row.

    A string is a name. A list of different strings holds names if all of them name features, or if its length is not the
    number of rows.
    """
    if isinstance(groups, str):
        groups = [groups]
    elif is_frame(groups) or hasattr(groups, "type") or (isinstance(groups, np.ndarray) and groups.dtype.kind in "iufbmM"):  # of pyarrow
        return []
    else:
        groups = list(groups) if np.ndim(groups) == 1 else []
    if not groups or not all(isinstance(g, str) for g in groups):
        return []
    missing = [g for g in groups if g not in features]
    if len(set(groups)) < len(groups) or (missing and len(groups) == rows and rows > 1):
        return []
    if missing and len(missing) == len(groups) and len(groups) > max(len(features), 1):
        return []
    if missing:
        raise ValueError(f"groups: X has no column {', '.join(map(repr, missing))}")
    return [str(g) for g in groups]


def group_columns(groups: Any, rows: int, taken: list[Container[str]]) -> dict[str, pa.ChunkedArray]:
    """Return groups, which are a data frame or one label per row, as columns with names that are not taken."""
    if is_frame(groups):
        table = to_arrow(groups)
    elif isinstance(groups, (pa.Array, pa.ChunkedArray)):
        table = pa.table({"group": groups})
    else:
        listed = not isinstance(groups, np.ndarray)  # the numbers and texts of a list keep their types
        values = groups.to_numpy() if hasattr(groups, "to_numpy") else np.asarray(groups, dtype=object if listed else None)
        if sparse.issparse(groups) or (values.ndim != 1 and (values.ndim != 2 or values.shape[1] != 1)):
            shape = groups.shape if sparse.issparse(groups) else values.shape
            raise ValueError(f"groups has the shape {shape}: pass one label per row, or a data frame with one column per kind of group")
        values = values.ravel()
        texts = _texts(groups if hasattr(groups, "iloc") else values, values)
        table = pa.table({str(getattr(groups, "name", None) or "group"): texts})
    if table.num_rows != rows:
        raise ValueError(f"groups has {table.num_rows} rows, but X has {rows}")
    for name in table.column_names:
        different = table.column(name).combine_chunks().unique()
        if rows > 20 and len(different) > rows / 2:
            raise ValueError(
                f"groups: {name!r} has {len(different)} different values in {rows} rows, but a group needs several rows; "
                "pass weights as sample_weight"
            )
    return {unused(n, *taken): table.column(n) for n in table.column_names}


def _texts(given: Any, values: np.ndarray) -> pa.DictionaryArray:
    """Return the texts of values as categories; None and NaN become null. given is the pandas series of the values, or values."""
    try:
        coded = pa.array(given, from_pandas=True).dictionary_encode()
    except (pa.ArrowException, TypeError):  # objects of several types
        coded = None
    whole = coded is not None and (pa.types.is_integer(coded.type.value_type) or pa.types.is_boolean(coded.type.value_type))
    if coded is not None and (coded.type.value_type in _TEXTS or (whole and (given is not values or values.dtype.kind != "O"))):
        # few different values: their texts are made once
        return pa.DictionaryArray.from_arrays(coded.indices, pa.array([str(v) for v in coded.dictionary.to_pylist()], pa.string()))
    texts = pa.array([None if _is_missing(v) else str(v) for v in values.astype(object)], pa.string())
    return texts.dictionary_encode()


def labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted labels and the index of the label of every value, like numpy.unique, but by hashing."""
    try:
        coded = pa.array(y, pa.string() if y.dtype.kind == "O" else None).dictionary_encode()
    except pa.ArrowException:  # objects that are not all texts
        coded = None
    if coded is None or coded.null_count > 0:
        return np.unique(y, return_inverse=True)
    found, place = np.unique(np.array(coded.dictionary.to_pylist(), dtype=y.dtype), return_inverse=True)
    return found, place[coded.indices.to_numpy()]


def numbers(X: Any, wanted: Sequence[str]) -> Any:
    """Return columns of X as an array or sparse matrix of doubles, or None if a column is missing or not all finite numbers."""
    have = names(X)
    if isinstance(X, pa.Table):
        if not set(wanted) <= set(have):
            return None
        columns = [X.column(n) for n in wanted]
        if not all((pa.types.is_floating(c.type) or pa.types.is_integer(c.type)) and c.null_count == 0 for c in columns):
            return None
        values = np.column_stack([c.to_numpy() for c in columns]) if columns else np.empty((X.num_rows, 0))
    elif have == wanted:
        values = X
    elif all(n in have for n in wanted):
        values = X[:, [have.index(n) for n in wanted]]
    else:
        return None
    values = values.astype(np.float64, copy=False)
    return values if np.isfinite(values.data if sparse.issparse(values) else values).all() else None


def batches(X: Any, extra: dict[str, Any], vector: bool | None = None, finite: bool = False) -> Iterator[pa.RecordBatch]:
    """Yield record batches with the columns of X followed by the extra columns.

    X is a pyarrow table, a two-dimensional array or a sparse matrix; the columns of the last two are named x0, x1, …. If
    vector is true, the sparse matrix X becomes one column of sparse vectors; None means is_vector(X). Any other sparse
    matrix is made dense batch by batch. If finite is true, X has no NaN; otherwise NaN becomes null.
    """
    count, width = X.shape
    vector = is_vector(X) if vector is None else vector
    cells = X.nnz // max(1, count) if vector else width
    step = max(1, (1 << 20) // max(1, cells + len(extra)))  # about a million cells per batch
    for start in range(0, max(count, 1), step):
        part = slice(start, start + step)
        if vector:
            columns = [_vectors(X[part])]
        elif isinstance(X, pa.Table):
            columns = [_whole(c.slice(start, step)) for c in X.columns]
        else:
            dense = X[part].toarray() if sparse.issparse(X) else X[part]
            columns = [pa.array(c, from_pandas=not finite) for c in np.ascontiguousarray(dense.T)]  # NaN is null
        columns += [_whole(c[part]) for c in extra.values()]
        yield pa.record_batch(columns, names=[*([VECTOR] if vector else names(X)), *extra])


def _vectors(X: Any) -> pa.Array:
    """Return the rows of a sparse matrix as lists of structs with the fields index and value."""
    rows = sparse.csr_array(X, copy=True)
    rows.sum_duplicates()
    entries = pa.StructArray.from_arrays([pa.array(rows.indices.astype(np.int32)), pa.array(rows.data)], names=["index", "value"])
    return pa.LargeListArray.from_arrays(pa.array(rows.indptr.astype(np.int64)), entries)


def _whole(column: Any) -> pa.Array:
    """Return a column as a single Arrow array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    return column if isinstance(column, pa.Array) else pa.array(np.ascontiguousarray(column))
