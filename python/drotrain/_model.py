"""Reads the parts of a model document that predictions in Python need."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ._table import VECTOR, Numbered

_SCHEMA = 1
ESTIMATOR = "estimator"
_MOST_COLUMNS = 1 << 27  # of a matrix for which coef has one column per feature


class Model:
    """A model document. The score of a row is (encoded columns of the row - shift) @ coef.T + base.

    coef has the shape (k, columns) and the original units. names lists the columns of coef, and inputs the columns of
    the table. vector is the name of the column of vectors if the model has no other input, otherwise None. classes lists
    the classes, of two with the positive one last; it is empty for a numeric target. A model is plain if its encoded
    columns are columns of the table; coef then has one column per training feature, with 0 for a feature that has no
    effect, such as a constant. estimator holds the parameters and features of a saved estimator.
    """

    def __init__(self, text: bytes, features: Sequence[str] | None = None) -> None:
        try:
            document = json.loads(text)
        except ValueError as failure:
            raise ValueError(f"the file is not a model: {failure}") from failure
        if not isinstance(document, dict) or document.get("schema") != _SCHEMA:
            raise ValueError(f"the file is not a model of schema {_SCHEMA}, the schema that this version reads")
        self.result, self.config, encoder = document["result"], document["config"], document["encoder"]
        self.target = target = encoder["target"]
        binary = target["task"] == "binary"
        self.classes: list[str] = [target.get("negative", ""), target.get("positive", "")] if binary else target.get("classes") or []
        inputs = encoder["inputs"]
        pieces, shift, scale, constant = _expand(inputs, encoder["columns"])
        keep_erm = self.result.get("recommended") == "erm" and self.result.get("selection") is not None
        chosen = (keep_erm and document.get("erm_coefficients")) or document.get("recalibrated_coefficients") or document["coefficients"]
        weights = np.array(chosen, dtype=float).reshape(len(constant), -1).T  # stored column by column
        unit, origin = (1.0, 0.0) if self.classes else (target["scale"], target["shift"])
        self.inputs: Sequence[str] = list(dict.fromkeys(i.get("vector") or i["name"] for i in inputs if not i.get("of")))
        dense = inputs[0].get("vector") or ("shifts" in inputs[0] and inputs[0]["name"])
        self.vector = dense or None if len(self.inputs) == 1 else None
        self.estimator: dict[str, Any] = document.get(ESTIMATOR) or {}
        self.shift = shift[~constant]
        self.coef = weights[:, ~constant] / scale[~constant] * unit
        self.base = weights[:, constant].sum(axis=1) * unit + origin
        self.intercept = self.base - self.coef @ self.shift
        link = document.get("link") or ""  # such as log, for a regression whose margin is not the prediction
        untouched = (
            (bool(self.classes) or link in ("", "identity"))
            and not target.get("transform")
            and not encoder.get("spec", {}).get("transforms")
        )
        features = features or self.features
        first = inputs[0]
        self.sparse = len(inputs) == 1 and first["kind"] == "vector" and "shifts" not in first
        if self.sparse and features == [first["name"]] and (first["name"] != VECTOR or first["index"][-1] > 0):
            self.sparse = False  # trained on a data frame whose only column holds the vectors, not on a matrix
        if self.sparse:  # all indices up to the largest in the training rows, unless the document names more
            features = features or Numbered(first["index"][-1] + 1, first["name"] + "[", "]")
            self.inputs = features
            self.plain = untouched and len(features) <= _MOST_COLUMNS
            if self.plain:
                self.names = self._spread(features, first["index"])
            else:
                self.names = [features[i] for i in first["index"]]
        else:
            self.names = [n for piece in pieces for n in piece]
            self.plain = untouched and self.names == self.inputs and all(i["kind"] == "numeric" for i in inputs)
            if self.plain and features:
                at = {n: i for i, n in enumerate(features)}
                self.names = self._spread(features, [at[n] for n in self.names])
        # without large shifts, products of the unshifted columns and the coefficients lose no digits
        lost = np.abs(self.coef * self.shift).sum(axis=1).max(initial=0)
        self.unshifted = lost <= 16 * max(np.abs(self.base).max(initial=0), abs(unit))

    @property
    def features(self) -> Sequence[str] | None:
        """The names of the training features in the document, which holds only their number if they have no names."""
        stored: list[str] | int | None = self.estimator.get("features")
        return Numbered(stored) if isinstance(stored, int) else stored

    def _spread(self, features: Sequence[str], places: list[int]) -> Sequence[str]:
        """Spread coef and shift, which are at the given places, over all features, with 0 for the others. Return the features."""
        shift, coef = np.zeros(len(features)), np.zeros((len(self.coef), len(features)))
        shift[places], coef[:, places] = self.shift, self.coef
        self.shift, self.coef = shift, coef
        return features

    def scores(self, values: Any) -> np.ndarray:
        """Return the scores, of shape (rows, k), of an array or sparse matrix with the columns ``names``."""
        if self.unshifted or not isinstance(values, np.ndarray):
            return np.asarray(values @ self.coef.T) + self.intercept
        return (values - self.shift) @ self.coef.T + self.base


def _expand(inputs: list[dict[str, Any]], stored: list[dict[str, Any]]) -> tuple[list[Iterable[str]], Any, Any, Any]:
    """Return the names of the encoded columns without the intercept, in parts, and of all columns shift, scale, and which is the intercept.

    A document stores the columns of vectors only as indices, shifts and scales of their inputs. The names of their
    entries are computed when a part is read.
    """
    names: list[Iterable[str]] = []
    parts: list[tuple[Any, Any, Any]] = []

    def add(columns: list[dict[str, Any]]) -> None:
        names.append([c["name"] for c in columns if c["kind"] != "intercept"])
        numbers = ([c["shift"] for c in columns], [c["scale"] for c in columns], [c["kind"] == "intercept" for c in columns])
        parts.append(numbers)

    done, count = 0, 0  # numbers of stored columns that were added, and of all columns
    for i in inputs:
        if i["kind"] == "vector":
            before, index = done + i["first"] - count, i["index"]
            add(stored[done:before])
            names.append(_entry_names(i["name"], index))
            width = len(index)
            parts.append((i.get("shifts") or np.zeros(width), i.get("scales") or np.ones(width), np.zeros(width, dtype=bool)))
            done, count = before, i["first"] + width
    add(stored[done:])
    shift, scale = (np.concatenate([np.asarray(p[k], dtype=float) for p in parts]) for k in (0, 1))
    return names, shift, scale, np.concatenate([np.asarray(p[2], dtype=bool) for p in parts])


def _entry_names(vector: str, index: list[int]) -> Iterator[str]:
    """Yield the names of the entries of a vector at the given indices."""
    return (f"{vector}[{k}]" for k in index)


def describe(text: bytes, estimator: dict[str, Any]) -> bytes:
    """Return the model document with a description of the estimator, which the command ignores."""
    return b'{"' + ESTIMATOR.encode() + b'": ' + json.dumps(estimator).encode() + b"," + text.lstrip()[1:]
