"""Distributionally robust linear models with a certificate, as scikit-learn estimators.

The work is done by the ``drotrain`` command, which this package carries as a static binary. Tables go to
it as an Arrow stream on its standard input; models, predictions and reports come back on its standard
output. No file with data is written and no server runs.
"""

from drotrain._command import DrotrainWarning, binary
from drotrain._estimators import Report, RobustClassifier, RobustRegressor

__all__ = ["DrotrainWarning", "Report", "RobustClassifier", "RobustRegressor", "binary"]
