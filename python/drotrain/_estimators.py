"""The estimators."""

from __future__ import annotations

import contextlib
import html as markup
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_feature_names, _check_n_features, _check_sample_weight, _check_y, check_is_fitted, validate_data

from drotrain import _table
from drotrain._command import Progress, option, run
from drotrain._model import Model

_PARAMETERS = """Parameters
    ----------
    protect : float, optional
        Robust for every subgroup of at least this proportion of the rows (CVaR).
    ess : float, optional
        Robust to every reweighting whose effective sample size is at least this proportion of the rows.
    bound_confidence : float, optional
        The risk becomes an upper bound of the population's, at this confidence.
    radius : float, optional
        Robust to every reweighting of at most this divergence.
    nu : float, optional
        Penalty coefficient of the divergence: small is cautious, large tends to the average.
    average : {"plain", "balanced"}, optional
        An ordinary average instead, or one with the same weight for every group.
    penalty : {"kl", "chi2"}, optional
        The divergence.
    adversary : {"rows", "groups"}, optional
        What is reweighted; groups take nu (0: group DRO) or radius.
    group_adjust : float, optional
        An adjustment of the risk of small groups.
    select, folds, rate, budget : optional
        How cross-validation chooses the robustness where none is set.
    loss : {"logistic", "squared", "huber"}, optional
        Loss of a row: logistic for classes, squared (default) or huber for numbers.
    huber_delta, mu : float, optional
        Where the Huber loss turns linear; weight of the ridge.
    group_features, group_coefficients : optional
        Whether groups that are columns of X are features, and have coefficients of their own.
    categorical, impute, scale, intercept : optional
        How columns are encoded.
    threshold, recalibrate, min_group_size : optional
        Of two classes, and of groups that may be called the worst.
    solver, gap, max_passes, seed, threads : optional
        The method, the relative gap to certify, its limits.
    options : dict, optional
        Any other option of ``drotrain train``, as ``{"spline": {"age": 4}, "log": ["income"]}``.
    progress : callable, optional
        Is called with every line that the training reports."""
_ATTRIBUTES = """coef_names_ : ndarray of str
        Names of the encoded columns.
    certificate_ : dict
        ``lower <= optimum <= upper`` of the training problem, ``relative_gap``, ``certified``.
    selection_ : dict or None
        How cross-validation chose the robustness.
    level_ : str
        The robustness in words.
    sample_weights_ : ndarray of shape (n_samples,)
        The adversary's weight of every training row; 1 is the average.
    model_json_ : bytes
        The model document, which is pickled with the estimator.
    n_features_in_, feature_names_in_ : as in scikit-learn"""

_OWN = {"progress", "options"}  # parameters that are no options of the command
_NO_REPORT = ["--out=-", "--weights-out=-", "--holdout=0", "--no-report"]


class Report:
    """An evaluation of a model as a page, shown as such in Jupyter.

    Attributes
    ----------
    html : str
        The page, self-contained.
    """

    def __init__(self, render: Callable[[str], bytes]) -> None:
        self._render = render
        self.html = render("html").decode()

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{markup.escape(self.html)}" style="width:100%;height:42em;border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the report to a file.

        Parameters
        ----------
        path : str or Path
            Ending in .html (the page), .md (Markdown) or .json (the numbers). A file that exists is replaced.
        """
        form = {".html": "html", ".md": "md", ".json": "metrics"}.get(Path(path).suffix.lower())
        if form is None:
            raise ValueError(f"{path}: end the name in .html, .md or .json")
        Path(path).write_bytes(self.html.encode() if form == "html" else self._render(form))


class _RobustModel(BaseEstimator):
    """Base of both estimators: parameters, training, predictions by the command."""

    _loss: str

    def __init__(
        self,
        *,
        protect: float | None = None,
        ess: float | None = None,
        bound_confidence: float | None = None,
        radius: float | None = None,
        nu: float | None = None,
        average: Literal["plain", "balanced"] | None = None,
        penalty: Literal["kl", "chi2"] | None = None,
        adversary: Literal["rows", "groups"] | None = None,
        group_adjust: float | None = None,
        select: str | None = None,
        folds: int | None = None,
        rate: float | None = None,
        budget: float | None = None,
        loss: Literal["logistic", "squared", "huber"] | None = None,
        huber_delta: float | None = None,
        mu: float | None = None,
        group_features: bool | None = None,
        group_coefficients: Literal["no", "pooled", "auto"] | None = None,
        categorical: list[str] | None = None,
        impute: Literal["error", "mean", "median"] | None = None,
        scale: Literal["standard", "none"] | None = None,
        intercept: bool | None = None,
        threshold: float | None = None,
        recalibrate: bool | None = None,
        min_group_size: int | None = None,
        solver: str | None = None,
        gap: float | None = None,
        max_passes: float | None = None,
        seed: int | None = None,
        threads: int | None = None,
        options: dict[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        for name, value in locals().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    # Training.

    def _fit(self, X: Any, target: Any, name: Any, groups: Any, sample_weight: Any, **given: Any) -> Model:
        """Train on features that are validated, and set the attributes of both estimators."""
        count, names = X.shape[0], _table.names(X)
        self._target_name_ = _table.unused(name if isinstance(name, str) and name else "target", names)
        columns, self._group_names_ = _role_columns(X, self._target_name_, target, groups)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        kept = np.arange(count)
        if weight is not None and np.ptp(weight) > 0:
            kept = np.flatnonzero(weight > 0)
            given["weight"] = _table.unused("sample_weight", [*names, *columns])
            columns[given["weight"]] = weight
        if len(kept) < count:  # a row of weight 0 is as if it were not there
            X = X.take(kept) if isinstance(X, pa.Table) else X[kept]
            columns = {n: c.take(pa.array(kept)) if isinstance(c, (pa.Array, pa.ChunkedArray)) else c[kept] for n, c in columns.items()}
        given.update({n: v for n, v in self.get_params(deep=False).items() if v is not None and n not in _OWN})
        given.update(self.options or {}, target=self._target_name_, loss=given.get("loss", self._loss))
        if self._group_names_:
            given["groups"] = self._group_names_
            if not set(self._group_names_) <= set(names):
                given["group_features"] = False
        if isinstance(X, pa.Table):
            codes = [f.name for f in X.schema if pa.types.is_dictionary(f.type) and not _is_text(f.type.value_type)]
            given["categorical"] = [*(given.get("categorical") or []), *codes]
        arguments = ["train", "--data=-", *_NO_REPORT, *(option(n, v) for n, v in given.items() if v not in ([], ()))]
        output = run(arguments, None, _table.batches(X, columns), self.progress)
        at = output.index(b"\xff\xff\xff\xff")  # which JSON cannot contain: the Arrow stream of the weights
        weights = pa.ipc.open_stream(output[at:]).read_all()
        self.sample_weights_ = np.zeros(count)
        self.sample_weights_[kept[weights.column("row").to_numpy() - 1]] = weights.column("weight").to_numpy()
        return self._adopt(output[:at])

    def _adopt(self, text: bytes) -> Model:
        """Set the attributes that a model document says."""
        model = Model(text)
        self.model_json_ = text
        self.coef_names_ = np.array(model.names, dtype=object)
        self.selection_ = model.result.get("selection")
        self.level_ = model.result["level"]
        self.certificate_ = {**model.result["certificate"], **{k: model.result[k] for k in ("objective", "certified", "status")}}
        return model

    def _validated(self, X: Any, y: Any = None, reset: bool = False) -> Any:
        """Return X as a pyarrow table, if it is a data frame that is not of plain numbers, else as an array."""
        finite: Any = "allow-nan" if self.impute in ("mean", "median") else True
        if _table.is_frame(X):
            table = _table.to_arrow(X)
            if not all(pa.types.is_floating(f.type) or pa.types.is_integer(f.type) for f in table.schema) or hasattr(self, "_framed_"):
                _check_feature_names(self, X, reset=reset)
                _check_n_features(self, X, reset=reset)
                if table.num_rows < 1 + reset:
                    raise ValueError(f"Found array with {table.num_rows} sample(s) while a minimum of {1 + reset} is required.")
                return table
        given = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "ensure_all_finite": finite, "reset": reset}
        if not reset:
            return validate_data(self, X, **given)
        return validate_data(self, X, ensure_min_samples=2, **given)

    def _features(self, X: Any, y: Any) -> Any:
        """Return the validated features of a training."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self.__dict__.pop("_framed_", None)
        features = self._validated(X, reset=True)
        if isinstance(features, pa.Table):
            self._framed_ = True
        elif _table.is_frame(X) and all(isinstance(c, str) for c in X.columns):  # of numbers: the names stay
            features = _table.to_arrow(X)
            self._framed_ = True
        check_consistent_length(X, y)
        return features

    # Predictions.

    def _margin(self, X: Any) -> np.ndarray:
        """Return scores of shape (rows,) or (rows, k): of plain numbers computed here, else by the command."""
        check_is_fitted(self, "model_json_")
        model = Model(self.model_json_)
        features = self._validated(X)
        values: Any = features
        if model.numeric is not None:
            if isinstance(features, pa.Table):
                values = _table.numeric(features, model.numeric.names)
            else:
                order = {f"x{i}": i for i in range(features.shape[1])}
                order.update({n: i for i, n in enumerate(getattr(self, "feature_names_in_", []))})
                chosen = [order[n] for n in model.numeric.names]
                values = features.toarray()[:, chosen] if sparse.issparse(features) else features[:, chosen]
            if values is not None and np.isfinite(values).all():
                n = model.numeric
                margin = ((values.astype(np.float64) - n.shift) / n.scale) @ n.weight + n.constant
                return margin[:, 0] if margin.shape[1] == 1 else margin
        features = self._named(features)
        output = run(["predict", "--model=-", "--data=-", "--out=-", "--format=arrow"], self.model_json_, _table.batches(features, {}))
        predicted = pa.ipc.open_stream(output).read_all()
        if predicted.num_rows != features.shape[0]:
            raise ValueError(f"{features.shape[0] - predicted.num_rows} rows of X have no prediction, as they have missing values")
        column = "probability" if model.classes else "prediction"
        score = predicted.column(column).to_numpy()
        with np.errstate(divide="ignore"):
            return np.log(score) - np.log1p(-score) if model.classes else score

    def _named(self, features: Any) -> Any:
        """Return features with the names of the training, where that had names and these have none."""
        if isinstance(features, pa.Table) or not hasattr(self, "feature_names_in_"):
            return features
        dense = features.toarray() if sparse.issparse(features) else features
        return pa.table([np.ascontiguousarray(c) for c in dense.T], names=list(self.feature_names_in_))

    # What the command does with a model.

    def _report(self, X: Any, target: Any, groups: Any) -> Report:
        check_is_fitted(self, "model_json_")
        features = self._named(self._validated(X))
        columns, listed = _role_columns(features, self._target_name_, target, groups)
        arguments = ["eval", "--model=-", "--data=-", "--out=-", "--weight=", option("groups", listed)]

        def render(form: str) -> bytes:
            return run([*arguments, f"--format={form}"], self.model_json_, _table.batches(features, columns), self.progress)

        return Report(render)

    def export(self, path: str | Path, **options: Any) -> None:
        """Write the model for another system: ONNX, SQL, Go, PMML or a table of coefficients.

        Parameters
        ----------
        path : str or Path
            Ending in .onnx, .sql, .go, .pmml or .csv. A file that exists is an error unless ``force=True``.
        **options
            Options of ``drotrain export``, as ``dialect="postgres"`` or ``table="loans"``.
        """
        check_is_fitted(self, "model_json_")
        run(["export", "--model=-", option("out", str(path)), *(option(n, v) for n, v in options.items())], self.model_json_, None)

    def save(self, path: str | Path) -> None:
        """Write the model document, as ``drotrain train`` does; a file that exists is replaced."""
        check_is_fitted(self, "model_json_")
        Path(path).write_bytes(self.model_json_)

    @classmethod
    def from_file(cls, path: str | Path) -> Any:
        """Return a fitted estimator of a model that ``drotrain train`` or ``save`` wrote.

        Parameters
        ----------
        path : str or Path
            The file ``model.json``, or the directory that it is in.
        """
        path = Path(path)
        estimator: Any = cls()
        model = estimator._adopt((path / "model.json" if path.is_dir() else path).read_bytes())
        estimator._check_task(model)
        config = model.config
        estimator._target_name_, estimator._group_names_ = config["target"], list(config.get("groups") or [])
        inputs = [i["name"] for i in _inputs(model)]
        estimator.feature_names_in_ = np.array(inputs, dtype=object)
        estimator.n_features_in_, estimator._framed_ = len(inputs), True
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.impute in ("mean", "median")
        tags.target_tags.required = True
        return tags


def _role_columns(X: Any, target_name: str, target: Any, groups: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the columns beside the features, and the names of the group columns."""
    names, columns = _table.names(X), {target_name: target}
    listed = [groups] if isinstance(groups, str) else groups
    if isinstance(listed, (list, tuple)) and listed and set(map(str, listed)) <= set(names):
        return columns, [str(g) for g in listed]
    if isinstance(groups, str):
        raise ValueError(f"groups: X has no column {groups!r}")
    if groups is None:
        return columns, []
    apart = _table.group_columns(groups, X.shape[0], [*names, target_name])
    columns.update(zip(apart.column_names, apart.columns, strict=True))
    return columns, apart.column_names


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind)


def _inputs(model: Model) -> list[dict[str, Any]]:
    return [i for i in json.loads(model.text)["encoder"]["inputs"] if not i.get("of")]


class RobustClassifier(ClassifierMixin, _RobustModel):
    """Logistic regression that minimises the worst case over reweightings of the rows or of groups.

    Without one of the parameters of robustness, cross-validation inside ``fit`` chooses it; that may be the
    ordinary average. Every parameter is the option of ``drotrain train`` of the same name, None its default.

    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; the second one is the positive class.
    coef_ : ndarray of shape (1, n_columns)
        Coefficients of the encoded columns in the original units.
    intercept_ : ndarray of shape (1,)
        The constant.
    {attributes}
    """

    _loss = "logistic"

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> RobustClassifier:
        """Train the model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Features; columns of text, categories and booleans of a data frame are encoded.
        y : array of shape (n_samples,)
            Labels of two classes.
        groups : str, list of str, array or data frame, optional
            Names of columns of X, which are then features too, or one value per row (and column) apart from X.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is left out.

        Returns
        -------
        RobustClassifier
            The estimator.
        """
        features = self._features(X, y)
        name = getattr(y, "name", None)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"the target has one class, {self.classes_[0]!r}: there is nothing to learn")
        if len(self.classes_) > 2:
            found = f"The type of the target is {type_of_target(y)}: it has {len(self.classes_)} classes."
            raise ValueError(f"Only binary classification is supported. {found}")
        if sample_weight is not None and len(np.unique(codes[np.asarray(_check_sample_weight(sample_weight, y)) > 0])) < 2:
            raise ValueError("the rows of positive weight have one class: there is nothing to learn")
        model = self._fit(features, self._labels(codes), name, groups, sample_weight, positive=str(self.classes_[1]))
        self.coef_, self.intercept_ = model.coef, model.intercept
        return self

    def _labels(self, codes: np.ndarray) -> pa.Array:
        """Return the target as the texts of the classes."""
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array([str(c) for c in self.classes_]))

    def _check_task(self, model: Model) -> None:
        if not model.classes:
            raise ValueError("the model predicts a number: RobustRegressor.from_file reads it")
        labels = np.array(model.classes)
        with contextlib.suppress(ValueError):
            labels = labels.astype(np.int64) if model.target["kind"] == "numeric" else labels
        self.classes_, self.coef_, self.intercept_ = labels, model.coef, model.intercept

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log-odds of the positive class, of shape (n_samples,)."""
        return self._margin(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class, of shape (n_samples, n_classes)."""
        margin = self._margin(X)
        return np.column_stack([expit(-margin), expit(margin)])

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of every row: the positive one from the probability ``threshold`` on."""
        positive = self.predict_proba(X)[:, 1] >= (0.5 if self.threshold is None else self.threshold)
        return self.classes_[positive.astype(int)]

    def report(self, X: Any, y: Any, groups: Any = None) -> Report:
        """Evaluate the model and the ordinary one on rows, overall and by group.

        Parameters
        ----------
        X, y : as for fit
            Rows that the model was not trained on.
        groups : as for fit, optional
            Groups to compare.

        Returns
        -------
        Report
            A page with intervals, shown in Jupyter.
        """
        check_is_fitted(self, "model_json_")
        y = column_or_1d(y)
        unknown = set(np.unique(y)) - set(self.classes_)
        if unknown:
            raise ValueError(f"y has labels that the training did not have: {sorted(unknown)}")
        return self._report(X, self._labels(np.searchsorted(self.classes_, y)), groups)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class RobustRegressor(RegressorMixin, _RobustModel):
    """Linear regression that minimises the worst case over reweightings of the rows or of groups.

    Without one of the parameters of robustness, cross-validation inside ``fit`` chooses it; that may be the
    ordinary average. Every parameter is the option of ``drotrain train`` of the same name, None its default.

    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,)
        Coefficients of the encoded columns in the original units.
    intercept_ : float
        The constant.
    {attributes}
    """

    _loss = "squared"

    def fit(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> RobustRegressor:
        """Train the model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Features; columns of text, categories and booleans of a data frame are encoded.
        y : array of shape (n_samples,)
            Numbers.
        groups : str, list of str, array or data frame, optional
            Names of columns of X, which are then features too, or one value per row (and column) apart from X.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows; a row of weight 0 is left out.

        Returns
        -------
        RobustRegressor
            The estimator.
        """
        features = self._features(X, y)
        name, y = getattr(y, "name", None), _numbers(y)
        model = self._fit(features, y, name, groups, sample_weight)
        self._check_task(model)
        return self

    def _check_task(self, model: Model) -> None:
        if model.classes:
            raise ValueError("the model predicts a class: RobustClassifier.from_file reads it")
        self.coef_, self.intercept_ = model.coef[0], float(model.intercept[0])

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted numbers, of shape (n_samples,)."""
        return self._margin(X)

    def report(self, X: Any, y: Any, groups: Any = None) -> Report:
        """Evaluate the model and the ordinary one on rows, overall and by group.

        Parameters
        ----------
        X, y : as for fit
            Rows that the model was not trained on.
        groups : as for fit, optional
            Groups to compare.

        Returns
        -------
        Report
            A page with intervals, shown in Jupyter.
        """
        return self._report(X, _numbers(y), groups)


for _class in (RobustClassifier, RobustRegressor):
    _class.__doc__ = (_class.__doc__ or "").format(parameters=_PARAMETERS, attributes=_ATTRIBUTES)


def _numbers(y: Any) -> np.ndarray:
    """Return a numeric target as doubles, refusing what is not finite."""
    return np.asarray(_check_y(column_or_1d(y, warn=True), y_numeric=True), dtype=np.float64)
