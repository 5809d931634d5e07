"""Distributionally robust linear models with a certificate, as scikit-learn estimators.

The ``drotrain`` command, a static binary in this package, does the work. Tables, models, predictions and
reports travel through pipes: no file with data is written and no server runs.
"""

from drotrain._command import DrotrainWarning, binary
from drotrain._estimators import Report, RobustClassifier, RobustRegressor

__all__ = ["DrotrainWarning", "Report", "RobustClassifier", "RobustRegressor", "binary"]
