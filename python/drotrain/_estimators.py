"""The estimators."""

import html as markup
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy import sparse
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags, check_array, check_consistent_length, check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from drotrain import _table
from drotrain._command import DrotrainWarning, option, run
from drotrain._model import Model, describe

_SHARED = """If no parameter sets the robustness, cross-validation inside ``fit`` chooses it, and may choose ERM. Every
    parameter is named like the option of ``drotrain train`` that it sets; None means the default of the option.

    Parameters
    ----------
    protect : float, optional
        Protect every subgroup that has at least this proportion of the rows (CVaR).
    ess : float, optional
        Protect against every reweighting whose effective sample size is at least this proportion of the rows.
    radius : float, optional
        Protect against every reweighting whose divergence from equal weights is at most this number.
    nu : float, optional
        Penalty coefficient of the divergence: small values give a more robust model, large values approach ERM.
    average : {"plain", "balanced"}, optional
        Train without an adversary: "plain" is ERM, "balanced" gives every group the same total weight.
    spectral : str, optional
        Minimise a spectral risk, which weights the losses by their rank: "extremile:2", "superquantile:0.1" or "esrm:2".
    wasserstein : float, optional
        Protect against changes of the encoded features whose Euclidean norm is at most this number on average over the rows
        (type-1 Wasserstein ball). The loss must have bounded slopes.
    penalty : {"kl", "chi2", "tv"}, optional
        Divergence that limits the adversary's weights; "tv" (total variation) requires ``radius``.
    adversary : {"rows", "groups"}, optional
        What the adversary reweights: single rows (the default) or whole groups. "groups" requires ``groups`` in ``fit`` and
        ``nu`` (0 for group DRO) or ``radius``.
    loss : {"logistic", "squared", "huber", "poisson", "quantile:0.9"}, optional
        Loss to minimise: "logistic" for classes; "squared" (default), "huber" or "quantile:0.9" for numbers; "poisson" for
        counts. "huber:2" is linear for residuals beyond 2 standard deviations of the target, instead of 1. "quantile:0.9"
        predicts the value that 90 % of the targets do not exceed.
    mu : float, optional
        Coefficient of the ridge penalty; by default 1 / n_samples, or chosen by cross-validation together with the robustness.
    gap : float, optional
        Relative optimality gap to certify (1e-6 by default).
    impute : {"error", "mean", "median"}, optional
        What to do about missing numbers (null or NaN) in features: raise an error (the default), or fill them in.
    class_weight : dict or "balanced", optional
        Only for classifiers: weights of the classes, which multiply the sample weights. "balanced" gives all classes the same
        total weight.
    random_state : int or RandomState, optional
        Seed of all random choices. An int has the same effect as ``seed``; a RandomState gives another seed in every fit;
        None means 0.
    n_jobs : int, optional
        Number of threads, which changes no result. -1 means all processors; None means the number in OMP_NUM_THREADS or,
        if this is not set, all processors. A positive number has the same effect as ``threads``.
    seed, threads : int, optional
        Alternatives to ``random_state`` and ``n_jobs``, named like the options of the command.
    options : dict, optional
        Other options of ``drotrain train``, such as ``{"transform": {"age": "spline4"}, "folds": 10}``.
    progress : callable, optional
        Function that is called with every progress message of the training.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Only of classifiers: the labels in ascending order. Of two labels, the second is the positive class.
    coef_, intercept_ : ndarray
        Coefficients in the original units, in scikit-learn's shapes. If X has only numbers, they refer to the features of X,
        and a feature that the training left out, such as a constant, has the coefficient 0. Otherwise they refer to the
        encoded columns.
    coef_names_ : ndarray
        Names of the features or encoded columns to which ``coef_`` refers.
    certificate_ : dict
        Proved bounds ``lower`` and ``upper`` of the optimal training objective, their ``relative_gap``, the ``objective`` of
        the model, the ``status`` of the solver, and whether the model is ``certified``.
    level_ : str
        The robustness in words, such as "group DRO, ν = 0.1".
    selection_ : dict or None
        The candidates and the result of cross-validation; None if a parameter set the robustness.
    sample_weights_ : ndarray of shape (n_samples,)
        The adversary's weight of every training row, including its sample weight. The average over the rows of positive
        sample weight is 1.
    model_json_ : bytes
        The model document, which is pickled with the estimator."""


# Options that fit sets itself.
_FIXED = ("data", "target", "groups", "holdout", "out", "weights_out", "report", "config", "resume", "json", "quiet", "log_format")
# Options that name columns of X. With one of them, every column of a sparse matrix is a separate column of the table.
_OF_COLUMNS = ("features", "drop", "filter", "categorical", "transform", "interact", "numeric")


class Report(str):
    """An evaluation of a model as the text of a self-contained HTML page, which Jupyter displays."""

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{markup.escape(self)}" style="width:100%;height:42em;border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page to a file. An existing file is replaced."""
        Path(path).write_text(self, encoding="utf-8")


class _RobustModel(BaseEstimator):
    """Base class of both estimators, with their parameters, training and predictions."""

    _loss: str
    _encode: Callable[..., Any]  # encodes the target for the command; in training, also sets options that depend on the target

    def __init__(
        self,
        *,
        protect: float | None = None,
        ess: float | None = None,
        radius: float | None = None,
        nu: float | None = None,
        average: Literal["plain", "balanced"] | None = None,
        spectral: str | None = None,
        wasserstein: float | None = None,
        penalty: Literal["kl", "chi2", "tv"] | None = None,
        adversary: Literal["rows", "groups"] | None = None,
        loss: str | None = None,
        mu: float | None = None,
        impute: Literal["error", "mean", "median"] | None = None,
        gap: float | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        options: dict[str, Any] | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> None:
        for name, value in locals().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: Any, *, groups: Any = None, sample_weight: Any = None, exposure: Any = None, validation: Any = None) -> Any:
        """Train the model.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_features)
            Features. In a data frame, columns of text, categories and booleans are encoded.
        y : array of shape (n_samples,)
            Labels of classes for a classifier, numbers for a regressor.
        groups : str, list of str, array or data frame, optional
            Names of columns of X, which are then also features; or one label per row, or a data frame with one column of
            labels per kind of group, which are then not features.
        sample_weight : array of shape (n_samples,), optional
            Weights of the rows. A row of weight 2 counts as two identical rows; a row of weight 0 is left out.
        exposure : array of shape (n_samples,), optional
            Positive numbers, such as insured years. With the loss "poisson", predicted counts are proportional to them.
        validation : tuple (X, y) or (X, y, groups), optional
            Rows on which the robustness and mu are chosen, instead of by cross-validation. ``groups`` is needed if the
            groups are not columns of X; the training rows need no groups. If the groups are not features, the criterion
            is the accuracy of the worst group. Only the candidate that averages models of balanced subsets is trained
            on these rows.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        features = self._validated(X, reset=True, entries=validation is None and self._needs_no_columns(X, groups))
        check_consistent_length(X, y)
        name, y = getattr(y, "name", None), _table.target(y)
        self._target_name_ = _table.unused(name if isinstance(name, str) and name else "target", *_table.taken(features))
        columns, listed = _role_columns(features, self._target_name_, groups)
        given = self._options()
        narrow = {"storage": "float32"} if isinstance(features, np.ndarray) and features.dtype == np.float32 else {}
        given = narrow | given | {"target": self._target_name_, "loss": given.get("loss", self._loss), "groups": listed}
        if columns:  # groups that are not columns of X are not features
            given["group_features"] = False
        rows = np.arange(len(y))
        weight = self._weights(X, y, sample_weight)
        if weight is not None:
            given["weight"] = _table.unused("sample_weight", *_table.taken(features), columns, [self._target_name_])
            columns[given["weight"]] = pa.array(weight)
            rows = np.flatnonzero(weight > 0)
        if exposure is not None:
            given["exposure"] = _table.unused("exposure", *_table.taken(features), columns, [self._target_name_])
            columns[given["exposure"]] = _exposures(exposure, X)
        if len(rows) < len(y):  # rows of weight 0 are left out
            features = features.take(pa.array(rows)) if isinstance(features, pa.Table) else features[rows]
            columns = {n: c.take(pa.array(rows)) for n, c in columns.items()}
        columns[self._target_name_] = self._encode(y[rows], given)
        if validation is not None:
            features, columns, listed = self._with_validation(features, columns, listed, validation, given)
        arguments = (option(n, v) for n, v in given.items() if not (isinstance(v, (list, tuple)) and len(v) == 0))
        fixed = ["train", "--data=-", "--out=-", "--holdout=0", "--report", "none"]
        fair = given.get("average") == "plain" and given.get("impute") != "drop"  # the adversary's weights are the sample weights
        fixed += [] if fair else ["--weights-out=-"]
        apart = columns.keys() >= set(listed) and given.keys().isdisjoint(_OF_COLUMNS)  # no option names a column of X
        rows_of_table = _table.batches(features, columns, _table.is_vector(features) and apart, not self._imputes())
        output = run([*fixed, *arguments], None, rows_of_table, self.progress)
        end = len(output) if fair else output.find(b"\xff\xff\xff\xff")  # not in JSON: the Arrow stream of the weights
        if end < 1:
            raise RuntimeError(
                "the drotrain command returned no model: check that DROTRAIN_BINARY names the drotrain binary of this version"
            )
        self._adopt(describe(output[:end], self._described(features)))
        self.sample_weights_ = np.ones(len(y)) if weight is None else weight * (len(rows) / weight.sum())
        if not fair:
            weights = pa.ipc.open_stream(output[end:]).read_all()
            self.sample_weights_ = np.zeros(len(y))
            self.sample_weights_[rows[weights.column("row").to_numpy() - 1]] = weights.column("weight").to_numpy()
        return self

    def _needs_no_columns(self, X: Any, groups: Any) -> bool:
        """Report whether neither options nor groups name columns of X, so that X can be sent as one column of vectors."""
        columns = list(map(str, getattr(X, "column_names", getattr(X, "columns", []))))  # of pyarrow, or of other frames
        named = groups is not None and _table.is_frame(X) and _table.group_names(groups, X.shape[0], columns)
        return not named and self._options().keys().isdisjoint(_OF_COLUMNS)

    def _with_validation(self, features: Any, columns: dict[str, Any], listed: list[str], validation: Any, given: dict[str, Any]) -> Any:
        """Append the validation rows to the features and columns, and return both with the names of the groups.

        A further column marks every row as train or validation. given receives the options that depend on the rows.
        """
        if "exposure" in given:
            raise ValueError("validation: validation rows are not supported with an exposure")
        if not isinstance(validation, (tuple, list)) or len(validation) not in (2, 3):
            raise ValueError("validation: pass (X, y) or (X, y, groups)")
        X, y, groups = (*validation, None)[:3]
        check_consistent_length(X, y)
        other = self._validated(X, training=True)
        apart, named = _role_columns(other, self._target_name_, groups)
        trained = [n for n in listed if n in columns]  # groups that are not columns of X
        if not listed:  # the training rows have no groups
            listed, given["groups"] = named, named
            if apart:
                given["group_features"] = False
                columns = {n: pa.nulls(features.shape[0], c.type) for n, c in apart.items()} | columns
        elif len(apart) != len(trained) or (not trained and named not in ([], listed)):
            raise ValueError(f"validation: groups must have the same columns as the training groups: {', '.join(map(repr, listed))}")
        else:
            apart = dict(zip(trained, apart.values(), strict=True))
        apart[self._target_name_] = self._encode(_table.target(y))
        if "weight" in given:
            apart[given["weight"]] = pa.array(np.ones(len(y)))
        part = _table.unused("part", *_table.taken(features), columns)
        given["validation"] = f"split:{part}"
        columns, apart = columns | {part: pa.array(["train"] * features.shape[0])}, apart | {part: pa.array(["validation"] * len(y))}
        return _table.stack(features, other), _table.stack_columns(columns, apart), listed

    def _options(self) -> dict[str, Any]:
        """Return the parameters that are set, as a map from the name of the option to its value."""
        given = {n: v for n, v in self.get_params(deep=False).items() if v is not None}
        for name in ("options", "progress", "class_weight", "random_state", "n_jobs"):
            given.pop(name, None)
        if not isinstance(self.options or {}, dict):
            raise ValueError(f"options must be a dict such as {{'folds': 10}}, not {self.options!r}")
        for name in self.options or {}:
            if name.replace("-", "_") in _FIXED:
                advice = "pass groups to fit" if name == "groups" else "fit sets this option itself"
                raise ValueError(f"options: {name!r} cannot be set: {advice}")
        given |= self.options or {}
        for name, theirs in (("random_state", "seed"), ("n_jobs", "threads")):
            if getattr(self, name) is not None and theirs in given:
                raise ValueError(f"{name} and {theirs} are the same parameter: set only one of them")
        if self.random_state is not None:
            state = self.random_state
            given["seed"] = int(state) if np.ndim(state) == 0 and np.issubdtype(type(state), np.integer) else _drawn_seed(state)
        if self.n_jobs is not None:
            given["threads"] = _threads(int(self.n_jobs))
        elif "threads" not in given and os.environ.get("OMP_NUM_THREADS", "").isdigit():
            given["threads"] = int(os.environ["OMP_NUM_THREADS"])  # as in the workers of joblib
        return given

    def _weights(self, X: Any, y: np.ndarray, sample_weight: Any) -> np.ndarray | None:
        """Return the weights of the rows, or None if all weights are 1."""
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if self.class_weight is not None:
            if not isinstance(self, RobustClassifier):
                raise ValueError("class_weight is for classifiers: use sample_weight")
            weight = compute_sample_weight(self.class_weight, y) * (1.0 if weight is None else weight)
        return None if weight is None or (weight == 1).all() else weight

    def _described(self, features: Any) -> dict[str, Any]:
        """Return the parameters and features of the estimator, which a model document stores."""
        given = {n: _plain(v) for n, v in self.get_params(deep=False).items() if v is not None}
        parameters = {n: v for n, v in given.items() if _is_json(v)}
        named = isinstance(features, pa.Table) or hasattr(self, "feature_names_in_")
        names = list(self.feature_names_in_) if sparse.issparse(features) and named else _table.names(features)
        return {"parameters": parameters, "features": names if isinstance(names, list) else len(names), "named": named}

    def _validated(self, X: Any, reset: bool = False, training: bool = False, entries: bool = False) -> Any:
        """Return a data frame as a pyarrow table, and any other X as an array or sparse matrix of numbers.

        If entries is true, or if the model has sparse vectors, a data frame of sparse columns becomes a sparse matrix.
        """
        if not (reset or training) and getattr(self, "_vector_", None) and not _table.is_frame(X):
            X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
            X = X.toarray() if sparse.issparse(X) else X
            X = pa.table({self._vector_: pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])})
        if _table.is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            thin = not (reset or training) and self._model().sparse
            matrix = _table.to_sparse(X) if thin or entries else None
            if matrix is not None:
                return matrix
            table = _table.to_arrow(X)
            if thin and (values := _table.numbers(table, table.column_names)) is not None:
                return sparse.csr_matrix(values)
            unnamed = not reset and not hasattr(self, "feature_names_in_")  # fitted on an array
            return table.rename_columns([f"x{i}" for i in range(table.num_columns)]) if unnamed else table
        finite: Any = "allow-nan" if self._imputes() else True
        given = {"dtype": [np.float64, np.float32], "ensure_all_finite": finite, "ensure_min_samples": 1 + reset}
        X = validate_data(self, X, accept_sparse="csr", reset=reset, **given)
        if sparse.issparse(X) and not X.has_canonical_format:  # several entries of a cell are added
            X = X.copy()
            X.sum_duplicates()
        if not (reset or training) and self._model().sparse:
            return sparse.csr_matrix(X)
        if reset or not hasattr(self, "feature_names_in_"):
            return X
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        return pa.table([np.ascontiguousarray(c) for c in dense.T], names=list(self.feature_names_in_))

    def _imputes(self) -> bool:
        """Report whether missing numbers are filled in or their rows are left out."""
        return (self.impute or (self.options or {}).get("impute") or "error") != "error"

    def _model(self) -> Model:
        """Return the parsed model document."""
        if "_parsed_" not in self.__dict__:
            self._parsed_ = Model(self.model_json_)
        return self._parsed_

    def __getstate__(self) -> dict[str, Any]:
        return {n: v for n, v in super().__getstate__().items() if n != "_parsed_"}

    def _adopt(self, text: bytes) -> Model:
        """Set the attributes that are stored in a model document, and return the parsed document."""
        model = Model(text)
        wanted, other = ("class", "RobustRegressor") if isinstance(self, RobustClassifier) else ("number", "RobustClassifier")
        if bool(model.classes) != (wanted == "class"):
            raise ValueError(f"the model does not predict a {wanted}: read the model with {other}.from_file")
        self.model_json_, self._parsed_ = text, model
        self.selection_ = model.result.get("selection")
        self.level_ = model.result["level"]
        self.certificate_ = {**model.result["certificate"], **{k: model.result[k] for k in ("objective", "certified", "status")}}
        return model

    @property
    def coef_names_(self) -> np.ndarray:
        """Names of the columns of coef_."""
        check_is_fitted(self, "model_json_")
        return np.array(list(self._model().names), dtype=object)

    def _scores(self, X: Any, exposure: Any = None) -> np.ndarray:
        """Return the scores of the rows of X, of shape (rows, k).

        Scores of plain numbers are computed here, and other scores by the command. If the model has an exposure but none
        is given, the scores are rates.
        """
        check_is_fitted(self, "model_json_")
        model = self._model()
        exposed = model.target.get("exposure")
        if exposure is not None and not exposed:
            raise ValueError("exposure: the model was trained without an exposure")
        features = self._validated(X)
        by_place = model.sparse and sparse.issparse(features)  # the columns are those of fit, whatever their names are
        values = _table.numbers(features, _table.names(features) if by_place else model.names) if model.plain else None
        if values is not None:
            return model.scores(values)
        command = ["predict", "--model=-", "--data=-", "--out=-", "--format=arrow", *(["--margins"] if model.classes else [])]
        columns = {}
        if exposed and (exposure is not None or not any(exposed in n for n in _table.taken(features))):
            columns[exposed] = _exposures(np.ones(features.shape[0]) if exposure is None else exposure, X)
        output = run(command, self.model_json_, _table.batches(features, columns, model.sparse))
        predicted = pa.ipc.open_stream(output).read_all()
        if predicted.num_rows != features.shape[0]:
            raise ValueError(f"{features.shape[0] - predicted.num_rows} rows of X have no prediction, because they have missing values")
        several = [f"margin_{c}" for c in model.classes] if len(model.classes) > 2 else ["margin"]
        return np.column_stack([predicted.column(n).to_numpy() for n in (several if model.classes else ["prediction"])])

    def report(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        sample_weight: Any = None,
        exposure: Any = None,
        favourable: Any = None,
        reference_group: str | None = None,
    ) -> Report:
        """Return a page that evaluates the model and ERM, overall and by group, with intervals.

        X, y, groups, sample_weight and exposure have the same meaning as in ``fit``, but should be rows on which the
        model was not trained. For two classes, favourable is the class that is good for the person, such as "approved".
        The four-fifths rule compares the rate of this class in every group with its rate in reference_group or, if this
        is None, in the group with the highest rate.
        """
        check_is_fitted(self, "model_json_")
        features = self._validated(X)
        check_consistent_length(X, y)
        columns, listed = _role_columns(features, self._target_name_, groups)
        columns[self._target_name_], weight = self._encode(_table.target(y)), ""
        if sample_weight is not None:
            weight = _table.unused("sample_weight", *_table.taken(features), columns)
            columns[weight] = pa.array(_check_sample_weight(sample_weight, X, ensure_non_negative=True))
        if exposure is not None and self._model().target.get("exposure"):
            columns[self._model().target["exposure"]] = _exposures(exposure, X)
        arguments = ["eval", "--model=-", "--data=-", "--out=-", "--format=html", option("weight", weight), option("groups", listed)]
        if favourable is not None:
            arguments.append(option("favourable", str(favourable)))
        if reference_group is not None:
            arguments.append(option("reference_group", reference_group))
        return Report(run(arguments, self.model_json_, _table.batches(features, columns, self._model().sparse), self.progress), "utf-8")

    def export(self, path: str | Path, **options: Any) -> None:
        """Write the model for another system to a file whose name ends in .onnx, .sql or .csv.

        The keyword arguments are options of ``drotrain export``, such as ``dialect="postgres"``, ``table="loans"`` or
        ``force=True``.
        """
        check_is_fitted(self, "model_json_")
        run(["export", "--model=-", option("out", str(path)), *(option(n, v) for n, v in options.items())], self.model_json_)

    def save(self, path: str | Path) -> None:
        """Write the model document that ``drotrain`` reads to a file. An existing file is replaced."""
        check_is_fitted(self, "model_json_")
        Path(path).write_bytes(self.model_json_)

    @classmethod
    def from_file(cls, path: str | Path) -> Any:
        """Return a fitted estimator with a model that ``drotrain train`` or ``save`` wrote. path is the file or its directory."""
        file = Path(path) / "model.json" if Path(path).is_dir() else Path(path)
        text = file.read_bytes()
        try:
            about = Model(text).estimator
        except ValueError as failure:
            raise ValueError(f"{file}: {failure}") from failure
        estimator: Any = cls(**{n: v for n, v in about.get("parameters", {}).items() if n in cls._get_param_names()})
        model = estimator._adopt(text)
        features = model.inputs if model.features is None else model.features
        estimator._target_name_ = model.config["target"]
        estimator.n_features_in_ = len(features)
        if about.get("named", not isinstance(features, _table.Numbered)):
            estimator.feature_names_in_ = np.array(features, dtype=object)
        estimator._vector_ = model.vector
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._imputes()
        tags.target_tags.required = True
        return tags


def _role_columns(X: Any, target: str, groups: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the group columns that are not columns of X, and the names of all group columns."""
    if groups is None:
        return {}, []
    named = _table.group_names(groups, X.shape[0], _table.names(X))
    columns = {} if named else _table.group_columns(groups, X.shape[0], [*_table.taken(X), [target]])
    for name, column in columns.items() if columns else [(n, X.column(n)) for n in named if isinstance(X, pa.Table)]:
        if column.null_count > 0:
            rows = "1 row has" if column.null_count == 1 else f"{column.null_count} rows have"
            message = f"groups: {rows} no value of {name!r}; rows without a value form a group of their own"
            warnings.warn(message, DrotrainWarning, stacklevel=3)
    return columns, named or list(columns)


def _exposures(exposure: Any, X: Any) -> pa.Array:
    """Return the exposures of the rows of X as a column."""
    values = check_array(exposure, ensure_2d=False, dtype=np.float64, input_name="exposure")
    check_consistent_length(X, values)
    if values.ndim != 1 or not (values > 0).all():
        raise ValueError("exposure must be one positive number per row")
    return pa.array(values)


def _drawn_seed(state: Any) -> int:
    """Return a seed drawn from a RandomState."""
    return int(check_random_state(state).randint(np.iinfo(np.int32).max))


def _threads(jobs: int) -> int:
    """Return the number of threads for n_jobs, as joblib counts them: -1 means all processors, -2 all but one."""
    if jobs == 0:
        raise ValueError("n_jobs is 0: use None, or -1 for all processors")
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def _plain(value: Any) -> Any:
    """Return a parameter in which all numbers and arrays of NumPy are replaced by numbers and lists of Python."""
    if isinstance(value, dict):
        return {_plain(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _is_json(value: Any) -> bool:
    """Report whether JSON can hold a parameter unchanged."""
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False


class RobustClassifier(ClassifierMixin, _RobustModel):
    """Logistic regression for two or more classes that minimises the worst case over reweightings of rows or groups.

    {shared}

    Examples
    --------
    >>> import numpy as np
    >>> from drotrain import RobustClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> site = np.where(rng.random(400) < 0.2, "small", "large")
    >>> y = X[:, 0] * np.where(site == "small", 0.2, 1) + rng.normal(size=400) > 0
    >>> model = RobustClassifier(adversary="groups", nu=0.1).fit(X, y, groups=site)
    >>> model.certificate_["certified"]
    True
    >>> model.predict_proba(X[:1]).shape
    (1, 2)
    """

    _loss = "logistic"

    def _described(self, features: Any) -> dict[str, Any]:
        labels = self.classes_
        typed = labels.dtype.kind in "biufU" or (labels.dtype.kind == "O" and all(isinstance(c, str) for c in labels))
        about = super()._described(features)
        return about | {"classes": labels.tolist(), "dtype": str(labels.dtype)} if typed else about

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
            unknown = labels[~np.isin(labels, self.classes_)]
            raise ValueError(f"y has labels that do not occur in the training data: {unknown.tolist()}")
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array([str(c) for c in labels]))

    def _adopt(self, text: bytes) -> Model:
        model = super()._adopt(text)
        if not hasattr(self, "classes_"):  # read from a file
            self.classes_, texts = _labels_of(model)
        else:
            texts = [str(c) for c in self.classes_]
        self._order_ = [0] if len(model.classes) == 2 else [model.classes.index(t) for t in texts]
        self._threshold_ = model.config.get("threshold")
        self.coef_, self.intercept_ = model.coef[self._order_], model.intercept[self._order_]
        return model

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log-odds of the positive class, of shape (n_samples,).

        For more than two classes, return the log-probability of every class, of shape (n_samples, n_classes).
        """
        scores = self._scores(X)[:, self._order_]
        return scores[:, 0] if scores.shape[1] == 1 else log_softmax(scores, axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of every class, of shape (n_samples, n_classes)."""
        scores = self._scores(X)[:, self._order_]
        return np.hstack([expit(-scores), expit(scores)]) if scores.shape[1] == 1 else softmax(scores, axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of every class, of shape (n_samples, n_classes)."""
        scores = self._scores(X)[:, self._order_]
        return np.hstack([log_expit(-scores), log_expit(scores)]) if scores.shape[1] == 1 else log_softmax(scores, axis=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable label of every row, of shape (n_samples,).

        For two classes, return the positive label if its probability is at least the threshold (0.5 unless set).
        """
        probability = self.predict_proba(X)
        if len(self.classes_) > 2:
            return self.classes_[probability.argmax(axis=1)]
        return self.classes_[(probability[:, 1] >= (0.5 if self._threshold_ is None else self._threshold_)).astype(int)]


def _labels_of(model: Model) -> tuple[np.ndarray, list[str]]:
    """Return the labels of a model document, with the type that they had in training, and their texts."""
    if "classes" in model.estimator:
        labels = np.array(model.estimator["classes"], dtype=model.estimator["dtype"])
        return labels, [str(c) for c in labels]
    texts = model.classes
    if model.target["kind"] == "bool":
        return np.array([t == "true" for t in texts]), texts
    if model.target["kind"] == "numeric":
        numbers = np.array([float(t) for t in texts])
        whole = all(t.lstrip("-").isdigit() for t in texts)
        return np.array([int(t) for t in texts]) if whole else numbers, texts
    return np.array(texts), texts


class RobustRegressor(RegressorMixin, _RobustModel):
    """Linear regression that minimises the worst case over reweightings of rows or groups.

    {shared}

    Examples
    --------
    >>> import numpy as np
    >>> from drotrain import RobustRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = 10 + X @ [1, 2] + rng.normal(size=300)
    >>> model = RobustRegressor(protect=0.5).fit(X, y)  # the worse half of the rows
    >>> model.certificate_["certified"]
    True
    >>> model.coef_.round(0).tolist()
    [1.0, 2.0]
    """

    _loss = "squared"

    def _encode(self, y: np.ndarray, training: dict[str, Any] | None = None) -> pa.Array:
        return pa.array(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))

    def _adopt(self, text: bytes) -> Model:
        model = super()._adopt(text)
        self.coef_, self.intercept_ = model.coef[0], float(model.intercept[0])
        return model

    def predict(self, X: Any, *, exposure: Any = None) -> np.ndarray:
        """Return the predicted numbers, of shape (n_samples,).

        If the model was trained with an exposure but none is given here, return the predicted rates.
        """
        return self._scores(X, exposure)[:, 0]


for _class in (RobustClassifier, RobustRegressor):
    _class.__doc__ = (_class.__doc__ or "").format(shared=_SHARED)
