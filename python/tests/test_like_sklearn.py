"""Comparisons with the interface and the results of scikit-learn's LogisticRegression and LinearRegression."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.stats import loguniform
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import drotrain
from drotrain import DegenerateModelWarning, DrotrainWarning, RobustClassifier, RobustRegressor, _table


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 5))
    return X, (2 * X[:, 0] - X[:, 1] + rng.logistic(size=600) > 0).astype(int)


def plain(**parameters):
    return RobustClassifier(average="plain", **parameters)


# X and y may have the same types as for LogisticRegression, and the model does not depend on the type.
@pytest.mark.parametrize(
    "form",
    [np.asfortranarray, np.ndarray.tolist, lambda X: X.astype(object), lambda X: X.astype(">f8"), lambda X: np.repeat(X, 2, axis=0)[::2],
     lambda X: pd.DataFrame(X).astype("Float64"), lambda X: pd.DataFrame(X).astype("float64[pyarrow]"), sparse.csc_array,
     lambda X: pd.DataFrame(X, columns=["", "target", "a,b", "x=1", '"q"']), lambda X: pd.DataFrame(X).set_index(X[:, 1]), polars.DataFrame,
     lambda X: pd.DataFrame(X, columns=pd.MultiIndex.from_product([["a"], list("bcdef")]))],
)  # fmt: skip
def test_forms_of_features(table, form):
    X, y = table
    given = form(X)
    model = plain().fit(given, y)
    np.testing.assert_array_equal(model.coef_, plain().fit(X, y).coef_)
    np.testing.assert_allclose(model.predict_log_proba(given), np.log(plain().fit(X, y).predict_proba(X)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "form",
    [pd.Categorical, pd.Index, polars.Series, lambda y: pd.Series(y, dtype="Int64"), lambda y: pd.Series(y == 1, dtype="boolean"),
     lambda y: np.where(y, "yes", "no").astype(object), lambda y: pd.Series(np.where(y, "yes", "no"), dtype="string"), lambda y: y[:, None],
     lambda y: np.where(y, np.datetime64("2021-01-01"), np.datetime64("2020-01-01")),
     lambda y: pd.Series(y, index=y - 5).astype("category")],
)  # fmt: skip
def test_forms_of_labels(table, form):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a column
        ours, theirs = plain().fit(X, form(y)), LogisticRegression().fit(X, form(y))
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.97


@pytest.mark.parametrize(
    "X, y",
    [(np.ones((0, 3)), []), (np.ones((9, 0)), [0, 1, 1] * 3), (np.ones(9), [0, 1, 1] * 3), (np.ones((9, 1)), np.zeros(9)),
     (np.full((9, 2), np.inf), [0, 1, 1] * 3), (np.ones((9, 2)) + 1j, [0, 1, 1] * 3), (np.ones((9, 2, 1)), [0, 1, 1] * 3),
     (np.ones((9, 2)), np.linspace(0, 1, 9)), (np.ones((9, 2)), [np.nan, 1, 0] * 3), (np.ones((9, 2)), [0, 1])],
)  # fmt: skip
def test_what_scikit_learn_refuses(X, y):
    for model in (plain(), LogisticRegression()):
        with pytest.raises(ValueError):
            model.fit(X, y)


def test_categories_that_are_no_texts(table):
    X, y = table
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.cut(X[:, 1], 3), "c": pd.Categorical(X[:, 2] > 0)})
    texts = frame.assign(b=frame["b"].astype(str), c=X[:, 2] > 0)
    np.testing.assert_allclose(plain().fit(frame, y).predict_proba(frame), plain().fit(texts, y).predict_proba(texts), rtol=2e-2)


def test_transforms_give_frames(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcde"))
    select = SelectFromModel(plain(), threshold=-np.inf, max_features=2).set_output(transform="pandas").fit(frame, y)
    assert list(select.transform(frame).columns) == ["a", "b"]
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), plain()).fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == list("abcde") and pipeline.predict(frame[:1]).shape == (1,)


# Constant columns stay in coef_, with the coefficient 0.
@pytest.mark.parametrize("where", [[0], [2, 4], [6]])
def test_coef_has_a_column_per_feature(table, where):
    X, y = table
    wide = np.insert(X, [min(w, 5) for w in where], 3.0, axis=1)
    model, theirs = plain().fit(wide, y), LogisticRegression().fit(wide, y)
    assert model.coef_.shape == theirs.coef_.shape == (1, model.n_features_in_) and len(model.coef_names_) == wide.shape[1]
    np.testing.assert_allclose(wide @ model.coef_[0] + model.intercept_[0], model.decision_function(wide), rtol=1e-9, atol=1e-12)
    for select in (RFE(plain(), n_features_to_select=2), SelectFromModel(plain(), threshold=-np.inf, max_features=2)):
        theirs = select.__class__(LogisticRegression(), **{k: v for k, v in select.get_params(deep=False).items() if k != "estimator"})
        np.testing.assert_array_equal(select.fit(wide, y).get_support(), theirs.fit(wide, y).get_support())
        assert select.transform(wide).shape == (600, 2)
    frame = pd.DataFrame(wide, columns=list("abcdefg")[: wide.shape[1]])
    np.testing.assert_array_equal(plain().fit(frame, y).coef_, model.coef_)
    np.testing.assert_array_equal(plain().fit(sparse.csr_matrix(wide), y).coef_, model.coef_)


def test_coef_of_digits_and_of_a_regression():
    X, y = load_digits(return_X_y=True)
    model = plain(mu=0.01).fit(X, y)
    assert model.coef_.shape == (10, 64) and (X @ model.coef_.T + model.intercept_).argmax(axis=1).tolist() == model.predict(X).tolist()
    rng = np.random.default_rng(0)
    Z = np.c_[np.ones(200), rng.normal(size=(200, 2))]
    t = Z @ [0, 2, -1] + rng.normal(size=200)
    ours, theirs = RobustRegressor(average="plain", mu=0.0).fit(Z, t), LinearRegression().fit(Z, t)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert ours.coef_.shape == (3,) and ours.coef_[0] == 0


# Weights passed by position, as to scikit-learn, are an error and are never used as groups.
def test_arguments_behind_y_are_named(table):
    X, y = table
    with pytest.raises(TypeError, match="positional"):
        plain().fit(X, y, np.ones(600))
    with pytest.raises(ValueError, match=r"different values.*sample_weight"):
        plain().fit(X, y, groups=np.random.default_rng(0).random(600))


@pytest.mark.parametrize(
    "labels",
    [np.array([-1, 1]), np.array([False, True]), np.array([0.0, 1.0]), np.array(["", "a"]), np.array([3, 10], np.uint8),
     np.array([-1, 2, 10]), np.array(["b", "a", "ä"], object), np.array([0.0, 2.0, 7.0])],
)  # fmt: skip
def test_files_keep_labels_and_parameters(table, labels, tmp_path):
    X, _ = table
    y = labels[(X[:, 0] + X[:, 1] * 0.1 > 0).astype(int) + ((X[:, 0] > 0.7) if len(labels) > 2 else 0)]
    model = plain(mu=np.float64(0.01), random_state=np.int64(3)).fit(X, y)
    model.save(tmp_path / "model.json")
    again = RobustClassifier.from_file(tmp_path / "model.json")
    np.testing.assert_array_equal(again.classes_, np.unique(y))
    assert again.classes_.dtype == model.classes_.dtype == np.unique(y).dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.score(X, y) == model.score(X, y) > 0.8
    assert again.get_params() == model.get_params() and again.n_features_in_ == 5 and not hasattr(again, "feature_names_in_")


def test_files_of_the_command_keep_labels(table, tmp_path):
    X, y = table
    for labels in (y * 2 - 1, y > 0, y + 1.0, np.where(y, "007", "7")):
        frame = pd.DataFrame(X, columns=list("abcde")).assign(t=labels)
        frame.to_parquet(tmp_path / "t.parquet")
        arguments = ["--data", tmp_path / "t.parquet", "--target", "t", "--average", "plain", "--loss", "logistic", "--report", "none"]
        subprocess.run(
            [drotrain.binary(), "train", *arguments, "--holdout=0", "--force", "--out", tmp_path / "m"], check=True, capture_output=True
        )
        model = RobustClassifier.from_file(tmp_path / "m")
        assert set(model.classes_.tolist()) == set(labels.tolist())
        assert model.score(frame[list("abcde")], labels) > 0.7


# NumPy numbers are accepted as parameters.
def test_searches_over_numpy_numbers(table):
    X, y = table
    grid = GridSearchCV(plain(), {"mu": np.logspace(-4, 0, 3)}, cv=2, error_score="raise").fit(X, y)
    assert isinstance(grid.best_params_["mu"], float)
    search = RandomizedSearchCV(RobustClassifier(), {"ess": loguniform(0.9, 1)}, n_iter=2, cv=2, error_score="raise", random_state=0)
    search.fit(X, y)
    options = {"max_passes": np.int32(500), "drop": np.array([], str), "intercept": np.bool_(True)}
    model = RobustClassifier(nu=np.float32(1), gap=np.float64(1e-5), n_jobs=np.int64(1), options=options).fit(X, y)
    np.testing.assert_array_equal(model.coef_, RobustClassifier(nu=1.0, gap=1e-5, threads=1).fit(X, y).coef_)
    with pytest.raises(ValueError, match="random_state and seed"):
        plain(seed=1, random_state=1).fit(X, y)


def nan_of_arrow(X):  # which is no null
    return pa.table({f"x{i}": pa.array(X[:, i]) for i in range(5)})


@pytest.mark.parametrize("form", [np.asarray, lambda X: X.astype(np.float32), sparse.csr_matrix, pd.DataFrame, nan_of_arrow])
def test_nan_is_missing(table, form):
    X, y = table
    X = X.copy()
    X[3, 1] = X[7, 0] = np.nan
    given = form(X)
    model = plain(impute="mean").fit(given, y)
    reference = plain().fit(np.where(np.isnan(X), np.nanmean(X, axis=0), X), y)
    probability = model.predict_proba(given)
    assert np.isfinite(probability).all() and len(probability) == 600
    assert abs(probability - reference.predict_proba(np.nan_to_num(X))).max() < 0.3
    with pytest.raises(ValueError, match=r"NaN|missing|null"):
        plain().fit(given, y)


# A weight of 2 equals a repeated row, and a weight of 0 a missing row, in standardisation, the default ridge and the fit.
@pytest.mark.parametrize("scale", ["standard", "none"])
@pytest.mark.parametrize("level", [{"average": "plain"}, {"protect": 0.9}, {"ess": 0.95, "penalty": "chi2"}])
def test_weights_are_repetitions(table, level, scale):
    X, y = table
    weight = np.random.default_rng(1).integers(0, 4, 600)
    rows = np.repeat(np.arange(600), weight)
    given = {"options": {"scale": scale}, "gap": 1e-11} | level
    weighted = RobustClassifier(**given).fit(X, y, sample_weight=weight)
    repeated = RobustClassifier(**given).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=2e-5)
    twice = RobustClassifier(**given).fit(X, y, sample_weight=np.full(600, 2))
    np.testing.assert_allclose(twice.coef_, RobustClassifier(**given).fit(np.vstack([X, X]), np.r_[y, y]).coef_, atol=2e-5)


@pytest.mark.parametrize("how", ["mean", "median"])
def test_weights_are_repetitions_of_missing_numbers(table, how):
    X, y = table
    X = np.where(np.random.default_rng(2).random(X.shape) < 0.2, np.nan, X)
    weight = np.random.default_rng(1).integers(1, 4, 600)
    rows = np.repeat(np.arange(600), weight)
    given = {"impute": how, "average": "plain", "gap": 1e-11}
    number = X[:, 0] * 3
    for ours, target in ((RobustClassifier, y), (RobustRegressor, np.nan_to_num(number))):
        weighted = ours(**given).fit(X, target, sample_weight=weight)
        np.testing.assert_allclose(weighted.coef_, ours(**given).fit(X[rows], target[rows]).coef_, atol=2e-5)


def test_class_weight_is_as_in_scikit_learn(table):
    X, y = table
    keep = (y == 1) | (np.arange(600) % 6 == 0)
    X, y = X[keep], y[keep]
    options = {"scale": "none", "gap": 1e-10}
    for weight in ("balanced", {0: 5.0, 1: 0.5}):
        ours = plain(class_weight=weight, mu=0.0, options=options).fit(X, y)
        theirs = LogisticRegression(C=np.inf, class_weight=weight, tol=1e-10, max_iter=1000).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    with pytest.raises(ValueError, match="classifiers"):
        RobustRegressor(class_weight="balanced").fit(X, y)


def test_random_state_determines_the_choice(table):
    X, y = table
    a, b = (RobustClassifier(random_state=r).fit(X, y) for r in (np.random.RandomState(5), np.random.RandomState(5)))
    np.testing.assert_array_equal(a.coef_, b.coef_)
    np.testing.assert_array_equal(RobustClassifier(random_state=4).fit(X, y).coef_, RobustClassifier(seed=4).fit(X, y).coef_)


GROUPS = np.where(np.arange(600) % 7 == 0, "min", "maj")


@pytest.mark.parametrize(
    "groups, message",
    [("zz", "no column 'zz'"), (["a", "zz"], "no column 'zz'"), (pd.Index(["a", "zz"]), "no column 'zz'"),
     (np.eye(2)[np.arange(600) % 2], r"groups has the shape \(600, 2\)"), (["u", "v", "w"] * 100, "groups has 300 rows")],
)  # fmt: skip
def test_wrong_groups_are_explained(table, groups, message):
    X, y = table
    with pytest.raises(ValueError, match=message):
        plain().fit(pd.DataFrame(X, columns=list("abcde")), y, groups=groups)


def test_groups_in_every_form(table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c", "maj", "min"])
    expected = RobustClassifier(average="balanced").fit(frame, y, groups=GROUPS).coef_
    forms = [
        GROUPS.tolist(),
        pd.Series(GROUPS),
        pa.array(GROUPS),
        pa.chunked_array([GROUPS[:9], GROUPS[9:]]),
        GROUPS[:, None],
        pd.Index(GROUPS),
        pd.Series(GROUPS, dtype="string"),
        pd.Series(GROUPS == "maj", dtype="boolean"),
        (GROUPS == "maj").astype(">i4"),
    ]
    for groups in forms:
        np.testing.assert_allclose(RobustClassifier(average="balanced").fit(frame, y, groups=groups).coef_, expected, rtol=1e-9)
    missing = np.where(np.arange(600) < 30, None, GROUPS)
    for groups in (missing, pd.Series(missing, dtype="string"), pd.Series(missing, dtype="string") == "maj"):
        with pytest.warns(DrotrainWarning, match="30 rows have no value"):
            RobustClassifier(average="balanced").fit(X, y, groups=groups)


def test_integers_among_missing_groups_stay_integers():
    groups = pd.Series([1, None, 2, 1], dtype="Int64")
    assert _table.group_columns(groups, 4, [])["group"].to_pylist() == ["1", None, "2", "1"]


def test_missing_texts_in_the_target_are_refused(table):
    X, y = table
    target = pd.Series(np.where(y > 0, "yes", "no"), dtype="string")
    target[7] = pd.NA
    with pytest.raises(ValueError, match="first: row 7"):
        plain().fit(X, target)


def test_frames_and_arrays_are_exchanged_as_in_scikit_learn(table):
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = plain().fit(X, y)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(frame), model.predict(X))
    sparse_frame = frame.round().astype(pd.SparseDtype(float, 0.0))
    np.testing.assert_allclose(plain().fit(sparse_frame, y).coef_, plain().fit(frame.round(), y).coef_)


def test_meta_estimators(table):
    X, y = table
    calibrated = CalibratedClassifierCV(plain(), cv=3).fit(X, y)
    voting = VotingClassifier([("ours", plain()), ("theirs", LogisticRegression())], voting="soft").fit(X, y)
    ours, theirs = plain().fit(X, y), LogisticRegression().fit(X, y)
    for model in (calibrated, voting):
        assert (model.predict(X) == theirs.predict(X)).mean() > 0.97
    importance = [permutation_importance(m, X, y, n_repeats=3, random_state=0).importances_mean for m in (ours, theirs)]
    np.testing.assert_allclose(*importance, atol=0.02)


def test_messages_are_in_the_words_of_python(table):
    X, y = table
    frame = pd.DataFrame({"a": X[:, 0], "b": pa.array([None, *X[1:, 1]]).to_pandas()})
    with pytest.raises(ValueError) as failure:
        plain().fit(frame, y)
    assert "--" not in str(failure.value) and not str(failure.value).startswith("-:") and 'impute="mean"' in str(failure.value)
    assert 'options={"drop": "b"}' in str(failure.value)
    model = plain().fit(X, y)
    model._model().plain = False  # the command computes the scores
    with pytest.raises(ValueError, match="null") as failure, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.predict(pd.DataFrame({f"x{i}": [None, 1.0] for i in range(X.shape[1])}))
    assert "invalid" not in str(failure.value)
    with pytest.raises(ValueError, match="hint: `drotrain train --help` lists the options"):
        plain(options={"nothing": 1}).fit(X, y)
    with pytest.raises(ValueError, match="hint: `drotrain export --help` lists the options"):
        model.export("m.sql", nothing=1)
    with pytest.raises(ValueError, match="y has missing values"):
        plain().fit(X, np.array([None, *y[1:]], object))


def test_missing_or_failing_commands(table, monkeypatch, tmp_path):
    X, y = table
    monkeypatch.setenv("DROTRAIN_BINARY", str(tmp_path / "missing"))
    with pytest.raises(RuntimeError, match="cannot be started"):
        plain().fit(X, y)
    monkeypatch.setenv("DROTRAIN_BINARY", "/bin/true")
    with pytest.raises(RuntimeError, match="returned no model"):
        plain().fit(X, y)
    (tmp_path / "killed").write_text("#!/bin/sh\nkill -9 $$\n")
    (tmp_path / "killed").chmod(0o755)
    monkeypatch.setenv("DROTRAIN_BINARY", str(tmp_path / "killed"))
    with pytest.raises(RuntimeError, match=r"SIGKILL.*memory"):
        plain().fit(X, y)


# Only the first call parses the model document.
def test_prediction_parses_the_model_once(table, monkeypatch):
    X, y = table
    model = plain().fit(X, y)
    monkeypatch.setattr(json, "loads", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict_proba(X[:1]).shape == (1, 2)


def test_pipelines_are_converted_to_onnx(table):
    import onnxruntime
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    drotrain.register_onnx()
    X, y = table
    for target, model in (
        (y, plain()),
        (np.array(["b", "a", "c"])[y + (X[:, 2] > 1)], plain()),
        (X @ [1, 2, 0, 0, 1] + y, RobustRegressor(nu=1.0)),
    ):
        pipeline = make_pipeline(StandardScaler(), model).fit(X.astype(np.float32), target)
        document = convert_sklearn(
            pipeline, initial_types=[("x", FloatTensorType([None, 5]))], options={"zipmap": False} if hasattr(model, "classes_") else None
        )
        outputs = onnxruntime.InferenceSession(document.SerializeToString()).run(None, {"x": X.astype(np.float32)})
        if hasattr(model, "classes_"):
            assert (outputs[0] == pipeline.predict(X.astype(np.float32))).mean() > 0.99
        expected = pipeline.predict_proba(X) if hasattr(model, "classes_") else pipeline.predict(X)[:, None]
        np.testing.assert_allclose(outputs[-1], expected, atol=1e-4)
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "u", "v")})
    with pytest.raises(ValueError, match=r"model\.export"):
        convert_sklearn(plain().fit(frame, y), initial_types=[("x", FloatTensorType([None, 2]))])


def test_version():
    code = "import drotrain, sys; print(drotrain.__version__); assert 'numpy' not in sys.modules"
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert text == drotrain.__version__ and text[0].isdigit()


# A model that predicts the same value for all rows is certified, and a warning says that the model is degenerate.
def test_constant_predictions_are_warned_of(table):
    X, y = table
    with pytest.warns(DegenerateModelWarning):
        model = RobustClassifier(protect=0.05).fit(X, y)
    assert np.ptp(model.predict_proba(X)[:, 1]) < 1e-3 and model.certificate_["certified"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegenerateModelWarning)
        plain().fit(X, y)


# As in scikit-learn, predictions are counts, not their logarithms; quantiles cover the requested proportion.
def test_counts_and_quantiles(table):
    X, _ = table
    rng = np.random.default_rng(5)
    counts = rng.poisson(np.exp(0.3 * X[:, 0] - 0.5 * X[:, 1] + 0.2))
    ours = RobustRegressor(loss="poisson", average="plain", mu=0.0, options={"scale": "none"}).fit(X, counts)
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(X, counts)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=2e-3)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    y = X[:, 0] + rng.gumbel(size=600)
    covered = y <= RobustRegressor(loss="quantile:0.9", average="plain").fit(X, y).predict(X)
    assert abs(covered.mean() - 0.9) < 0.02
    with pytest.raises(ValueError, match="count"):
        RobustRegressor(loss="poisson", average="plain").fit(X, y)


# Margins stay finite and ordered where probabilities round to 1, also with text columns, which the command scores.
@pytest.mark.parametrize("classes", [2, 3, 25])
def test_margins_beyond_double_precision_of_probabilities(classes):
    rng = np.random.default_rng(4)
    x = rng.normal(size=900)
    text = pd.DataFrame({"x": x, "colour": np.where(rng.random(900) < 0.5, "red", "blue")})
    y = np.minimum(np.floor(classes / (1 + np.exp(-x - 0.5 * rng.normal(size=900)))), classes - 1).astype(int)
    model = plain(mu=1e-4).fit(text, y)
    far = pd.DataFrame({"x": [0.5, 100, 200, 400], "colour": ["red"] * 4})
    got = model.decision_function(far)
    assert np.isfinite(got).all() and (np.diff(got if classes == 2 else got[:, -1]) >= 0).all()
    coded = text.assign(colour=(text["colour"] == "red").astype(float))
    same = LogisticRegression(C=1 / (900 * 1e-4), tol=1e-10, max_iter=10000)
    same.fit(coded.assign(x=coded["x"] / x.std()), y)  # another ridge on colour alone
    if classes == 2:
        theirs = same.decision_function(far.assign(colour=1.0, x=far["x"] / x.std()))
        np.testing.assert_allclose(got, theirs, rtol=2e-2)
        assert got[-1] > 500
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1)
    near = text.head(50)
    log_odds = np.log(model.predict_proba(near))
    want = log_odds[:, 1] - log_odds[:, 0] if classes == 2 else log_odds
    np.testing.assert_allclose(model.decision_function(near), want, rtol=1e-9, atol=1e-9)


# Training with an exposure equals training on rates with weights in scikit-learn, and predictions are proportional to it.
@pytest.mark.parametrize("text", [False, True])
def test_exposure_beside_poisson_regressor(table, text):
    X, _ = table
    rng = np.random.default_rng(6)
    years = rng.choice([0.25, 0.5, 1.0, 3.0], size=600)
    counts = rng.poisson(years * np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1] + 0.5))
    features, coded = X, X
    if text:  # which the command scores
        letter = rng.choice(["p", "q"], size=600)
        features, coded = pd.DataFrame(X, columns=list("abcde")).assign(f=letter), np.column_stack([X, letter == "q"])
    theirs = PoissonRegressor(alpha=0, tol=1e-10, max_iter=1000).fit(coded, counts / years, sample_weight=years)
    ours = RobustRegressor(loss="poisson", average="plain", mu=0.0, options={"scale": "none"})
    ours.fit(features, counts, exposure=years)
    np.testing.assert_allclose(ours.predict(features, exposure=years), theirs.predict(coded) * years, rtol=5e-3)
    np.testing.assert_allclose(ours.predict(features) * years, ours.predict(features, exposure=years), rtol=1e-12)
    assert "per exposure" in ours.report(features, counts, exposure=years)
    with pytest.raises(ValueError, match="one positive number"):
        ours.fit(features, counts, exposure=years * 0)
    with pytest.raises(ValueError, match="without an exposure"):
        RobustRegressor(average="plain").fit(X, X[:, 0]).predict(X, exposure=years)
