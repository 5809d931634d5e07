"""Distributionally robust linear models with a certificate, as scikit-learn estimators.

The ``drotrain`` command, a static binary in this package, does the work. Tables, models, predictions and
reports pass through pipes or shared memory. No file with data is written, and no server runs.
"""

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

from drotrain._binary import binary

if TYPE_CHECKING:
    __version__: str
    from drotrain._command import DegenerateModelWarning, DrotrainWarning
    from drotrain._estimators import Report, RobustClassifier, RobustRegressor
    from drotrain._onnx import register_onnx

__all__ = [
    "DegenerateModelWarning",
    "DrotrainWarning",
    "Report",
    "RobustClassifier",
    "RobustRegressor",
    "__version__",
    "binary",
    "register_onnx",
]


def __getattr__(name: str) -> Any:
    """Return an attribute of a module that is imported only on first use, since the script ``drotrain`` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        return importlib.metadata.version("drotrain")
    module = {"DegenerateModelWarning": "_command", "DrotrainWarning": "_command", "register_onnx": "_onnx"}.get(name, "_estimators")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return __all__
