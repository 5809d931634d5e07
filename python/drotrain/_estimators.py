"""The estimators."""

import html as markup
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from drotrain import _table
from drotrain._command import option, run
from drotrain._model import Model

_SHARED = """Without one of the parameters of robustness, cross-validation inside ``fit`` chooses it; that may be the
    ordinary average. Every parameter is the option of ``drotrain train`` of the same name, None its default.

    Parameters
    ----------
    protect, ess, radius : float, optional
        Robust for every subgroup of at least this proportion of the rows (CVaR); to every reweighting whose
        effective sample size is at least this proportion of the rows; to every one of at most this divergence.
    nu : float, optional
        Penalty coefficient of the divergence: small is cautious, large tends to the average.
    average : {"plain", "balanced"}, optional
        An ordinary average instead, or one with the same weight for every group.
    penalty : {"kl", "chi2"}, optional
        The divergence.
    adversary : {"rows", "groups"}, optional
        What is reweighted; groups take nu (0: group DRO) or radius.
    loss : {"logistic", "squared", "huber"}, optional
        Loss of a row: logistic for classes, squared (default) or huber for numbers.
    mu, gap : float, optional
        The weight of the ridge; the relative gap to certify.
    impute : {"error", "mean", "median"}, optional
        What to do with missing numbers.
    seed, threads : int, optional
        The seed of all random choices; the number of threads, which changes no result.
    options : dict, optional
        Any other option of ``drotrain train``, as ``{"transform": {"age": "spline4"}, "folds": 10}``.
    progress : callable, optional
        Is called with every line that the training reports.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, of a classifier; the second of two is the positive one.
    coef_, intercept_, coef_names_ : ndarray
        Coefficients in the original units, in scikit-learn's shapes, and the names of the encoded columns.
    certificate_ : dict
        ``lower <= optimum <= upper`` of the training problem, ``relative_gap``, ``certified``.
    level_, selection_ : str, dict or None
        The robustness in words, and how cross-validation chose it.
    sample_weights_ : ndarray of shape (n_samples,)
        The adversary's weight of every training row; 1 is the average.
    model_json_ : bytes
        The model document, which is pickled with the estimator."""


class Report(str):
    """An evaluation of a model: the text of a self-contained page, shown as such in Jupyter."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{markup.escape(self)}" style="width:100%;height:42em;border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page to a file; a file that exists is replaced."""
        Path(path).write_text(self, encoding="utf-8")


class _RobustModel(BaseEstimator):
    """Base of both estimators: parameters, training, predictions by the command."""

    _loss: str
    _encode: Callable[..., Any]  # the target as the command reads it; in a training, also what it says of its options

    def __init__(
        self,
        *,
        protect: float | None = None,
        ess: float | None = None,
        radius: float | None = None,
        nu: float | None = None,
        average: Literal["plain", "balanced"] | None = None,
        penalty: Literal["kl", "chi2"] | None = None,
        adversary: Literal["rows", "groups"] | None = None,
        loss: Literal["logistic", "squared", "huber"] | None = None,
        mu: float | None = None,
        impute: Literal["error", "mean", "median"] | None = None,
        gap: float | None = None,
        seed: int | None = None,
        threads: int | None = None,
        options: dict[str, Any] | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> None:
        for name, value in locals().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Any:
        """Train the model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Features; columns of text, categories and booleans of a data frame are encoded.
        y : array of shape (n_samples,)
            Labels of classes for a classifier, numbers for a regressor.
        groups : str, list of str, array or data frame, optional
            Names of columns of X, which are then features too, or one value per row (and column) apart from X.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is left out.

        Returns
        -------
        object
            The estimator.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        features = self._validated(X, reset=True)
        check_consistent_length(X, y)
        name, y = getattr(y, "name", None), column_or_1d(y, warn=True)
        self._target_name_ = _table.unused(name if isinstance(name, str) and name else "target", _table.names(features))
        columns, listed = _role_columns(features, self._target_name_, groups)
        given = {n: v for n, v in self.get_params(deep=False).items() if v is not None and n not in ("options", "progress")}
        narrow = {"storage": "float32"} if isinstance(features, np.ndarray) and features.dtype == np.float32 else {}
        given.update(narrow | (self.options or {}), target=self._target_name_, loss=given.get("loss", self._loss), groups=listed)
        if columns:  # groups apart from X are no features
            given["group_features"] = False
        rows = np.arange(len(y))
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
            if np.ptp(weight) > 0:
                given["weight"] = _table.unused("sample_weight", [*_table.names(features), *columns, self._target_name_])
                columns[given["weight"]] = pa.array(weight)
                rows = np.flatnonzero(weight > 0)
        if len(rows) < len(y):  # a row of weight 0 is as if it were not there
            features = features.take(pa.array(rows)) if isinstance(features, pa.Table) else features[rows]
            columns = {n: c.take(pa.array(rows)) for n, c in columns.items()}
        columns[self._target_name_] = self._encode(y[rows], given)
        arguments = (option(n, v) for n, v in given.items() if v not in ([], ()))
        fixed = ["train", "--data=-", "--out=-", "--weights-out=-", "--holdout=0", "--report", "none"]
        output = run([*fixed, *arguments], None, _table.batches(features, columns), self.progress)
        end = output.index(b"\xff\xff\xff\xff")  # which JSON cannot contain: the Arrow stream of the weights
        self._adopt(output[:end])
        weights = pa.ipc.open_stream(output[end:]).read_all()
        self.sample_weights_ = np.zeros(len(y))
        self.sample_weights_[rows[weights.column("row").to_numpy() - 1]] = weights.column("weight").to_numpy()
        return self

    def _validated(self, X: Any, reset: bool = False) -> Any:
        """Return a data frame as a pyarrow table, anything else as an array or sparse matrix of numbers."""
        if not reset and getattr(self, "_vector_", None) and not _table.is_frame(X):
            X = check_array(X, dtype=[np.float64, np.float32])
            X = pa.table({self._vector_: pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])})
        if _table.is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return _table.to_arrow(X)
        finite: Any = "allow-nan" if self.impute in ("mean", "median") else True
        given = {"dtype": [np.float64, np.float32], "ensure_all_finite": finite, "ensure_min_samples": 1 + reset}
        X = validate_data(self, X, accept_sparse="csr", reset=reset, **given)
        if reset or not hasattr(self, "feature_names_in_"):
            return X
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        return pa.table([np.ascontiguousarray(c) for c in dense.T], names=list(self.feature_names_in_))

    def _adopt(self, text: bytes) -> Model:
        """Set the attributes that a model document says."""
        model = Model(text)
        wanted, other = ("class", "RobustRegressor") if isinstance(self, RobustClassifier) else ("number", "RobustClassifier")
        if bool(model.classes) != (wanted == "class"):
            raise ValueError(f"the model predicts no {wanted}: {other}.from_file reads it")
        self.model_json_ = text
        self.coef_names_ = np.array(model.names, dtype=object)
        self.selection_ = model.result.get("selection")
        self.level_ = model.result["level"]
        self.certificate_ = {**model.result["certificate"], **{k: model.result[k] for k in ("objective", "certified", "status")}}
        return model

    def _scores(self, X: Any) -> np.ndarray:
        """Return scores of shape (rows, k): of plain numbers computed here, else by the command."""
        check_is_fitted(self, "model_json_")
        model = Model(self.model_json_)
        features = self._validated(X)
        values = _table.numbers(features, model.names) if model.plain else None
        if values is not None:
            return (values - model.shift) @ model.coef.T + model.base
        output = run(["predict", "--model=-", "--data=-", "--out=-", "--format=arrow"], self.model_json_, _table.batches(features, {}))
        predicted = pa.ipc.open_stream(output).read_all()
        if predicted.num_rows != features.shape[0]:
            raise ValueError(f"{features.shape[0] - predicted.num_rows} rows of X have no prediction, as they have missing values")
        several = [f"probability_{c}" for c in model.classes] if len(model.classes) > 2 else ["probability"]
        score = np.column_stack([predicted.column(n).to_numpy() for n in (several if model.classes else ["prediction"])])
        with np.errstate(divide="ignore"):
            return np.log(score) - (np.log1p(-score) if len(several) == 1 else 0) if model.classes else score

    def report(self, X: Any, y: Any, groups: Any = None) -> Report:
        """Return a page that evaluates the model and the ordinary one, overall and by group, with intervals.

        X, y and groups are as for ``fit``: of rows that the model was not trained on.
        """
        check_is_fitted(self, "model_json_")
        features = self._validated(X)
        columns, listed = _role_columns(features, self._target_name_, groups)
        columns[self._target_name_] = self._encode(column_or_1d(y))
        arguments = ["eval", "--model=-", "--data=-", "--out=-", "--format=html", "--weight=", option("groups", listed)]
        return Report(run(arguments, self.model_json_, _table.batches(features, columns), self.progress), "utf-8")

    def export(self, path: str | Path, **options: Any) -> None:
        """Write the model for another system, to a file that ends in .onnx, .sql, .go, .pmml or .csv.

        Options are those of ``drotrain export``, as ``dialect="postgres"``, ``table="loans"`` or ``force=True``.
        """
        check_is_fitted(self, "model_json_")
        run(["export", "--model=-", option("out", str(path)), *(option(n, v) for n, v in options.items())], self.model_json_)

    def save(self, path: str | Path) -> None:
        """Write the model document, as ``drotrain train`` does; a file that exists is replaced."""
        check_is_fitted(self, "model_json_")
        Path(path).write_bytes(self.model_json_)

    @classmethod
    def from_file(cls, path: str | Path) -> Any:
        """Return a fitted estimator of a model that ``drotrain train`` or ``save`` wrote, or of the directory it is in."""
        estimator: Any = cls()
        model = estimator._adopt((Path(path) / "model.json" if Path(path).is_dir() else Path(path)).read_bytes())
        estimator._target_name_ = model.config["target"]
        estimator.feature_names_in_ = np.array(model.inputs, dtype=object)
        estimator.n_features_in_ = len(model.inputs)
        estimator._vector_ = model.vector
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.impute in ("mean", "median")
        tags.target_tags.required = True
        return tags


def _role_columns(X: Any, target: str, groups: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the group columns that are given apart from X, and the names of all group columns."""
    names, listed = _table.names(X), [groups] if isinstance(groups, str) else groups
    if listed is None:
        return {}, []
    if isinstance(listed, (list, tuple)) and listed and set(map(str, listed)) <= set(names):
        return {}, [str(g) for g in listed]
    if isinstance(groups, str):
        raise ValueError(f"groups: X has no column {groups!r}")
    columns = _table.group_columns(groups, X.shape[0], [*names, target])
    return columns, list(columns)


class RobustClassifier(ClassifierMixin, _RobustModel):
    """Logistic regression, of two or more classes, that minimises the worst case over reweightings of rows or groups.

    {shared}
    """

    _loss = "logistic"

    def _encode(self, y: np.ndarray, training: dict[str, Any] | None = None) -> pa.Array:
        labels, codes = _table.labels(y)
        if training is not None:
            check_classification_targets(labels)
            if len(labels) < 2:
                raise ValueError(f"the target has fewer than two classes: {labels.tolist()}")
            self.classes_ = labels
            if len(labels) == 2:
                training["positive"] = str(labels[1])
        elif not set(labels) <= set(self.classes_):
            raise ValueError(f"y has labels that the training did not have: {sorted(set(labels) - set(self.classes_))}")
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array([str(c) for c in labels]))

    def _adopt(self, text: bytes) -> Model:
        model = super()._adopt(text)
        if not hasattr(self, "classes_"):  # of a file
            numeric = model.target["kind"] == "numeric" and all(c.lstrip("-").isdigit() for c in model.classes)
            self.classes_ = np.array(model.classes).astype(np.int64) if numeric else np.array(model.classes)
        self._order_ = [0] if len(model.classes) == 2 else [model.classes.index(str(c)) for c in self.classes_]
        self._threshold_ = model.config.get("threshold")
        self.coef_, self.intercept_ = model.coef[self._order_], model.intercept[self._order_]
        return model

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log-odds of the positive class, of shape (n_samples,), or the log-probability of every class."""
        scores = self._scores(X)[:, self._order_]
        return scores[:, 0] if scores.shape[1] == 1 else log_softmax(scores, axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class, of shape (n_samples, n_classes)."""
        scores = self._scores(X)[:, self._order_]
        return np.hstack([expit(-scores), expit(scores)]) if scores.shape[1] == 1 else softmax(scores, axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable label of every row; of two, the positive one from the threshold of the training on."""
        probability = self.predict_proba(X)
        if len(self.classes_) > 2:
            return self.classes_[probability.argmax(axis=1)]
        return self.classes_[(probability[:, 1] >= (0.5 if self._threshold_ is None else self._threshold_)).astype(int)]


class RobustRegressor(RegressorMixin, _RobustModel):
    """Linear regression that minimises the worst case over reweightings of rows or groups.

    {shared}
    """

    _loss = "squared"

    def _encode(self, y: np.ndarray, training: dict[str, Any] | None = None) -> pa.Array:
        return pa.array(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))

    def _adopt(self, text: bytes) -> Model:
        model = super()._adopt(text)
        self.coef_, self.intercept_ = model.coef[0], float(model.intercept[0])
        return model

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted numbers, of shape (n_samples,)."""
        return self._scores(X)[:, 0]


for _class in (RobustClassifier, RobustRegressor):
    _class.__doc__ = (_class.__doc__ or "").format(shared=_SHARED)
