"""Reads what Python needs of a model that the command wrote."""

import json

import numpy as np

_SCHEMA = 1


class Model:
    """A model document: score of a row = (its encoded columns - shift) @ coef.T + base.

    coef has shape (k, columns), in the original units; names are those of its columns, inputs those of the table, vector
    that of a column of vectors which is the only input. The positive one of two classes is the last; a numeric target has
    none. A plain model has the columns of the table as its encoded columns.
    """

    def __init__(self, text: bytes) -> None:
        document = json.loads(text)
        if not isinstance(document, dict) or document.get("schema") != _SCHEMA:
            raise ValueError(f"not a model of schema {_SCHEMA}, which this version reads")
        self.result, self.config, encoder = document["result"], document["config"], document["encoder"]
        self.target = target = encoder["target"]
        binary = target["task"] == "binary"
        self.classes: list[str] = [target["negative"], target["positive"]] if binary else target.get("classes") or []
        columns, inputs = encoder["columns"], encoder["inputs"]
        features = [k for k, c in enumerate(columns) if c["kind"] != "intercept"]
        constant = [k for k, c in enumerate(columns) if c["kind"] == "intercept"]
        keep_erm = self.result.get("recommended") == "erm" and self.result.get("selection") is not None
        chosen = (keep_erm and document.get("erm_coefficients")) or document.get("recalibrated_coefficients") or document["coefficients"]
        weights = np.array(chosen, dtype=float).reshape(len(columns), -1).T  # stored column by column
        unit, origin = (1.0, 0.0) if self.classes else (target["scale"], target["shift"])
        self.names = [columns[k]["name"] for k in features]
        self.inputs = list(dict.fromkeys(i.get("vector") or i["name"] for i in inputs if not i.get("of")))
        self.vector = inputs[0].get("vector") if len(self.inputs) == 1 else None
        self.shift = np.array([columns[k]["shift"] for k in features])
        self.coef = weights[:, features] / np.array([columns[k]["scale"] for k in features]) * unit
        self.base = weights[:, constant].sum(axis=1) * unit + origin
        self.intercept = self.base - self.coef @ self.shift
        untouched = not target.get("transform") and not encoder.get("spec", {}).get("transforms")
        self.plain = untouched and self.names == self.inputs and all(i["kind"] == "numeric" for i in inputs)
