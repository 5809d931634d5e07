"""Reads what Python needs of a model that the command wrote."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

_SCHEMA = 1


class Numeric(NamedTuple):
    """Scores of a model whose features are numbers as they are: margin = ((X - shift) / scale) @ weight + constant."""

    names: list[str]
    shift: np.ndarray
    scale: np.ndarray
    weight: np.ndarray  # (columns,) or (columns, classes)
    constant: np.ndarray


class Model:
    """A model document.

    Attributes
    ----------
    text : bytes
        The document as JSON.
    coef, intercept : numpy.ndarray
        Of shape (k, columns) and (k,), in the original units of the columns and of the target.
    names : list of str
        Names of the columns.
    numeric : Numeric or None
        How scores are computed here; None where only the command can.
    """

    def __init__(self, text: bytes) -> None:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != _SCHEMA:
            raise ValueError(f"not a model of schema {_SCHEMA}, which this version reads")
        self.text = text
        self.result: dict[str, Any] = document["result"]
        self.config: dict[str, Any] = document["config"]
        encoder = document["encoder"]
        self.target: dict[str, Any] = encoder["target"]
        columns = encoder["columns"]
        ends = [i["first"] for i in encoder["inputs"]]
        plain = all(i["kind"] == "numeric" and not i.get("of") for i in encoder["inputs"]) and not self.target.get("transform")
        spec = encoder.get("spec", {})
        plain = plain and not spec.get("transforms") and ends == list(range(len(columns) - ("intercept" in {c["kind"] for c in columns})))
        weights = self._scoring(document)
        features = [k for k, c in enumerate(columns) if c["kind"] != "intercept"]
        constant = [k for k, c in enumerate(columns) if c["kind"] == "intercept"]
        shift = np.array([columns[k]["shift"] for k in features])
        scale = np.array([columns[k]["scale"] for k in features])
        weight = weights[:, features]
        bias = weights[:, constant].sum(axis=1)
        units, origin = (1.0, 0.0) if self.classes else (self.target["scale"], self.target["shift"])
        self.names: list[str] = [columns[k]["name"] for k in features]
        self.coef = weight / scale * units
        self.intercept = (bias - (weight * (shift / scale)).sum(axis=1)) * units + origin
        self.numeric = Numeric(self.names, shift, scale, weight.T * units, bias * units + origin) if plain else None

    def _scoring(self, document: dict[str, Any]) -> np.ndarray:
        """Return the coefficients of the encoded columns that predictions use, of shape (k, columns)."""
        recommended = self.result.get("recommended") == "erm" and self.result.get("selection") is not None
        chosen = document.get("erm_coefficients") if recommended else None
        flat = np.array(chosen or document.get("recalibrated_coefficients") or document["coefficients"], dtype=float)
        return flat.reshape(-1, len(document["encoder"]["columns"]))

    @property
    def classes(self) -> list[str]:
        """Labels of the classes, the positive one of two last; empty for a numeric target."""
        if self.target["task"] == "binary":
            return [self.target["negative"], self.target["positive"]]
        return list(self.target.get("classes") or [])

    @property
    def threshold(self) -> float:
        """The probability from which a row is predicted positive."""
        value = self.config.get("threshold")
        return 0.5 if value is None else float(value)
