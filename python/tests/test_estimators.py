import doctest
import json
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from drotrain import RobustClassifier, RobustRegressor, _table, binary

FEATURES = ["age", "income", "job", "region"]


def command(*arguments, **kwargs):
    return subprocess.run([binary(), *map(str, arguments)], check=True, capture_output=True, **kwargs)


# The estimator gives the model and the predictions of the command for the same table, options and seed.
@pytest.mark.parametrize("options", [{"protect": 0.9}, {"nu": 0.5, "penalty": "chi2"}, {}, {"adversary": "groups", "nu": 0.0}])
def test_fit_equals_the_command(people, tmp_path, options):
    people.to_parquet(tmp_path / "t.parquet", index=False)
    flags = [f"--{k}={v}" for k, v in options.items()]
    command("train", "--data", tmp_path / "t.parquet", "--target", "approved", "--groups", "region", "--positive", "yes", "--holdout", 0,
            "--report", "none", "--out", tmp_path / "m", "--weights-out", tmp_path / "w.parquet", "--seed", 3, *flags)  # fmt: skip
    command("predict", "--model", tmp_path / "m", "--data", tmp_path / "t.parquet", "--out", tmp_path / "p.parquet")
    model = RobustClassifier(seed=3, **options).fit(people[FEATURES], people["approved"], groups="region")
    theirs = json.loads((tmp_path / "m" / "model.json").read_text())
    ours = json.loads(model.model_json_)
    assert ours["coefficients"] == theirs["coefficients"]
    assert model.certificate_["upper"] == theirs["result"]["certificate"]["upper"]
    assert model.selection_ == theirs["result"].get("selection")
    np.testing.assert_array_equal(model.sample_weights_, pd.read_parquet(tmp_path / "w.parquet")["weight"])
    predicted = pd.read_parquet(tmp_path / "p.parquet")
    np.testing.assert_allclose(model.predict_proba(people[FEATURES])[:, 1], predicted["probability"], rtol=1e-12, atol=0)
    np.testing.assert_array_equal(model.predict(people[FEATURES]), predicted["prediction"])


# If combinations of groups have their own coefficients, the predictions of the estimator, of ONNX and of SQL are equal.
def test_crossed_groups_in_every_format(tmp_path):
    import onnxruntime

    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(1200, 2)), columns=["x", "z"])
    X["first"], X["second"] = rng.choice(["a", "it's", "c"], 1200), rng.choice(["u", "v"], 1200)
    y = X["x"] + X["z"] + rng.normal(scale=0.5, size=1200) - 3 * X["x"] * ((X["first"] == "a") & (X["second"] == "v"))
    model = RobustRegressor(average="plain").fit(X, y, groups=["first", "second"])
    assert len(json.loads(model.model_json_)["result"]["design"]["ridges"]) == 2
    expected = model.predict(X)
    assert np.mean((expected - y) ** 2) < 0.3  # with shared coefficients above 1

    model.export(tmp_path / "model.onnx")
    columns = {n: X[[n]].to_numpy(float if n in ("x", "z") else object) for n in X}
    found = onnxruntime.InferenceSession(tmp_path / "model.onnx").run(None, columns)[0]
    np.testing.assert_allclose(found.ravel(), expected, rtol=0, atol=1e-11)

    model.export(tmp_path / "model.sql", dialect="sqlite", table="people")
    with sqlite3.connect(":memory:") as base:
        X.assign(row=range(1200)).to_sql("people", base, index=False)
        scored = pd.read_sql((tmp_path / "model.sql").read_text(), base)
    np.testing.assert_allclose(scored.iloc[:, -1], expected, rtol=0, atol=1e-11)


# Labels are sorted as in scikit-learn, not as texts.
def test_more_than_two_classes(people, tmp_path):
    X, y = make_classification(400, 6, n_informative=4, n_classes=4, random_state=0)
    y = np.array([2, 10, -1, 33])[y]
    model = RobustClassifier(protect=0.3).fit(X, y, groups=X[:, 0] > 0)
    model.save(tmp_path / "model.json")
    columns = [f"x{i}" for i in range(6)]
    pd.DataFrame(X, columns=columns).to_parquet(tmp_path / "t.parquet")
    command("predict", "--model", tmp_path / "model.json", "--data", tmp_path / "t.parquet", "--out", tmp_path / "p.parquet")
    theirs = pd.read_parquet(tmp_path / "p.parquet")
    assert list(model.classes_) == [-1, 2, 10, 33] and model.coef_.shape == (4, 6) and model.intercept_.shape == (4,)
    probability = model.predict_proba(X)
    np.testing.assert_allclose(probability, theirs[[f"probability_{c}" for c in model.classes_]], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(model.decision_function(X), np.log(probability), rtol=0, atol=1e-12)
    np.testing.assert_allclose(softmax(X @ model.coef_.T + model.intercept_, axis=1), probability, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), theirs["prediction"].astype(int))
    again = RobustClassifier.from_file(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(pd.DataFrame(X, columns=columns)).astype(int), model.predict(X))
    assert "x0" in model.report(X, y)
    jobs = RobustClassifier(adversary="groups", nu=0.0).fit(people[["age", "region"]], people["job"], groups="region")
    assert list(jobs.classes_) == ["a", "b, c", "d"] and jobs.certificate_["certified"]
    np.testing.assert_allclose(jobs.predict_proba(people[["age", "region"]]).sum(axis=1), 1, rtol=1e-12)  # by the command


# Scores of plain numbers, which Python computes, equal those of the command for any shift of the columns.
@pytest.mark.parametrize("scale", ["standard", "none"])
def test_predictions_of_numbers_equal_the_command(scale, tmp_path):
    X, y = make_regression(200, 5, noise=10, random_state=0)
    X = X * [1, 1e-3, 1e3, 1, 1] + ([0, 0, 1e4, 1e6, -3] if scale == "standard" else [0] * 5)
    model = RobustRegressor(ess=0.8, options={"scale": scale}).fit(X, y)
    model.save(tmp_path / "model.json")
    pd.DataFrame(X, columns=[f"x{i}" for i in range(5)]).to_parquet(tmp_path / "t.parquet")
    command("predict", "--model", tmp_path / "model.json", "--data", tmp_path / "t.parquet", "--out", tmp_path / "p.parquet")
    theirs = pd.read_parquet(tmp_path / "p.parquet")["prediction"].to_numpy()
    np.testing.assert_allclose(model.predict(X), theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, theirs, rtol=0, atol=1e-6 * np.abs(theirs).max())
    again = RobustRegressor.from_file(tmp_path / "model.json")
    again = again.predict(pd.DataFrame(X, columns=[f"x{i}" for i in range(5)]))
    np.testing.assert_allclose(again, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


def test_fit_takes_every_kind_of_table(people):
    X, y = make_classification(300, 6, random_state=0)
    X[np.abs(X) < 0.5] = 0
    dense = RobustClassifier(protect=0.2).fit(X, y)
    for form in (sparse.csr_matrix(X), sparse.csc_array(X), X.astype(np.float64, order="F"), X.tolist()):
        np.testing.assert_array_equal(RobustClassifier(protect=0.2).fit(form, y).coef_, dense.coef_)
    for form in (pd.DataFrame(X), pl.DataFrame(X), pd.DataFrame(X, columns=list("abcdef")), pa.table({str(i): X[:, i] for i in range(6)})):
        model = RobustClassifier(protect=0.2).fit(form, y)
        np.testing.assert_array_equal(model.coef_, dense.coef_)
        np.testing.assert_allclose(model.predict_proba(form), dense.predict_proba(X), rtol=1e-12)
    frame = people[FEATURES].assign(job=people["job"].astype("category"), old=people["age"] > 60)
    by_pandas = RobustClassifier(nu=1.0).fit(frame, people["approved"])
    by_polars = RobustClassifier(nu=1.0).fit(pl.from_pandas(frame), people["approved"].to_list())
    np.testing.assert_array_equal(by_pandas.coef_, by_polars.coef_)
    assert list(by_pandas.feature_names_in_) == [*FEATURES, "old"]
    assert {"job=b, c", "region=south"} <= set(by_pandas.coef_names_)
    codes = people[["age"]].assign(code=pd.Categorical(np.arange(600) % 4))  # categories of numbers are categories
    assert {"code=0", "code=3"} <= set(RobustClassifier(nu=1.0).fit(codes, people["approved"]).coef_names_)


# A column of arrays of equal length gives the same model as an array with that number of columns.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_of_vectors(dtype, tmp_path):
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(500, 8)).astype(dtype)
    y = np.array(["a", "b", "c"])[(Z[:, :3] + rng.gumbel(size=(500, 3))).argmax(axis=1)]
    frame = pd.DataFrame({"z": list(Z), "age": rng.normal(size=500)})
    model = RobustClassifier(ess=0.9).fit(frame[["z"]], y)
    assert list(model.coef_names_) == [f"z[{i}]" for i in range(8)] and list(model.feature_names_in_) == ["z"]
    dense = RobustClassifier(ess=0.9).fit(Z, y)
    assert json.loads(dense.model_json_)["config"]["storage"] == np.dtype(dtype).name
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-6, atol=1e-9)
    probability = model.predict_proba(frame[["z"]])
    np.testing.assert_allclose(probability, dense.predict_proba(Z), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(RobustClassifier(ess=0.9).fit(pl.DataFrame({"z": Z}), y).coef_, model.coef_)
    model.save(tmp_path / "model.json")
    again = RobustClassifier.from_file(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(frame[["z"]]), probability)
    np.testing.assert_array_equal(again.predict_proba(Z), probability)
    both = RobustClassifier(ess=0.9).fit(frame, y)
    assert list(both.coef_names_) == [*model.coef_names_, "age"] and both.coef_.shape == (3, 9)
    assert "z" in both.report(frame, y)
    with pytest.raises(ValueError, match=r'"z".*row 3'):
        RobustClassifier().fit(frame.assign(z=[*Z[:2], Z[2, :7], *Z[3:]]), y)


# Labels of any type are the same as from numpy.unique.
@pytest.mark.parametrize(
    "y", [np.array(["b", "a", "b"]), np.array(["b", "a", "ä"], dtype=object), np.array([2, -1, 2]), np.array([3, 1], np.uint8),
          np.array([True, False, True]), np.array([1.0, 0.5, 1.0]), np.array([2, 1, 2], dtype=object), np.array([], dtype=str)]
)  # fmt: skip
def test_labels_are_those_of_unique(y):
    for ours, numpys in zip(_table.labels(y), np.unique(y, return_inverse=True), strict=True):
        np.testing.assert_array_equal(ours, numpys)
    assert _table.labels(y)[0].dtype == np.unique(y).dtype


def test_groups_apart_are_no_features(people):
    model = RobustClassifier(adversary="groups", nu=0.0).fit(people[["age", "income"]], people["approved"], groups=people["region"])
    assert set(model.coef_names_) == {"age", "income"}
    weights = pd.Series(model.sample_weights_).groupby(people["region"].to_numpy()).mean()
    assert weights["south"] > weights["north"] and abs(model.sample_weights_.mean() - 1) < 1e-9
    two = RobustClassifier(adversary="groups", nu=0.0).fit(people[["age"]], people["approved"], groups=people[["region", "job"]])
    assert json.loads(two.model_json_)["config"]["groups"] == ["region", "job"]
    with pytest.raises(ValueError, match="groups has 3 rows"):
        RobustClassifier().fit(people[["age"]], people["approved"], groups=[1, 2, 3])
    with pytest.raises(ValueError, match="no column 'regoin'"):
        RobustClassifier().fit(people[["age"]], people["approved"], groups="regoin")


@pytest.mark.parametrize(("width", "criterion"), [(50, "worst-group-accuracy"), (49, "trade-off")])
def test_embeddings_are_chosen_by_accuracy(width, criterion):
    rng = np.random.default_rng(0)
    X, group = rng.normal(size=(600, width)), rng.integers(0, 3, 600)
    y = X[:, 0] + rng.normal(size=600) > 0
    assert RobustClassifier(random_state=0).fit(X, y, groups=group).selection_["criterion"] == criterion


def test_sample_weight(people):
    X, y = people[["age", "income"]], people["approved"]
    weight = np.where(np.arange(600) < 300, 1.0, 0.0)
    half = RobustClassifier(nu=1.0).fit(X[:300], y[:300])
    zero = RobustClassifier(nu=1.0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(zero.coef_, half.coef_, rtol=1e-12)
    assert (zero.sample_weights_[300:] == 0).all()
    ones = RobustClassifier(nu=1.0).fit(X, y, sample_weight=np.ones(600))
    np.testing.assert_array_equal(ones.coef_, RobustClassifier(nu=1.0).fit(X, y).coef_)
    threefold = RobustClassifier(nu=1.0, gap=1e-11).fit(X, y, sample_weight=np.full(600, 3.0))
    repeated = RobustClassifier(nu=1.0, gap=1e-11).fit(pd.concat([X] * 3), pd.concat([y] * 3))
    np.testing.assert_allclose(threefold.coef_, repeated.coef_, rtol=1e-4)
    heavy = RobustClassifier(nu=1.0).fit(X, y, sample_weight=weight + 0.01)
    assert json.loads(heavy.model_json_)["config"]["weight"] == "sample_weight"
    assert not np.allclose(heavy.coef_, ones.coef_)


def test_errors_are_those_of_the_command(people):
    X, y = people[FEATURES], people["approved"]
    with pytest.raises(ValueError, match="protect") as error:
        RobustClassifier(protect=2).fit(X, y)
    assert "--" not in str(error.value)
    with pytest.raises(ValueError, match="hint: "):
        RobustClassifier(average="plain", options={"select": "tail"}).fit(X, y)
    holes = X.assign(age=X["age"].where(X["age"] < 60))
    with pytest.raises(ValueError, match=r'(?s)"age".*impute'):
        RobustClassifier(nu=1.0).fit(holes, y)
    filled = RobustClassifier(nu=1.0, impute="mean").fit(holes, y)
    assert np.isfinite(filled.predict_proba(holes)).all()
    with pytest.raises(ValueError, match="loss"):
        RobustClassifier(loss="huber").fit(X, np.arange(600) % 3)
    with pytest.raises(ValueError, match="options: 'groups' cannot be set: pass groups to fit"):
        RobustClassifier(nu=1.0, options={"groups": "region"}).fit(X, y)
    with pytest.raises(ValueError, match="options: 'weights-out' cannot be set"):
        RobustClassifier(nu=1.0, options={"weights-out": "w.csv"}).fit(X, y)
    with pytest.raises(ValueError, match="options must be a dict"):
        RobustClassifier(nu=1.0, options=["folds"]).fit(X, y)
    with pytest.raises(ValueError, match="fewer than two classes"):
        RobustClassifier().fit(X, np.ones(600))
    with pytest.raises(ValueError, match="cannot be converted to Arrow"):
        RobustClassifier().fit(X.assign(age=[1, "x"] * 300), y)
    for empty in (X[:0], X[:1]):
        with pytest.raises(ValueError, match=r"row|class"):
            RobustClassifier().fit(empty, y[: len(empty)])
    with pytest.raises(NotFittedError):
        RobustClassifier().report(X, y)
    with pytest.warns(ConvergenceWarning, match="max_passes"):
        assert not RobustClassifier(nu=1e-3, options={"max_passes": 1}).fit(X, y).certificate_["certified"]


def test_pickle_clone_and_files(people, tmp_path):
    X, y = people[FEATURES], people["approved"]
    model = RobustClassifier(ess=0.9).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    model.save(tmp_path / "model.json")
    read = RobustClassifier.from_file(tmp_path)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    np.testing.assert_array_equal(read.coef_, model.coef_)
    with pytest.raises(ValueError, match="RobustClassifier"):
        RobustRegressor.from_file(tmp_path)
    (tmp_path / "page.html").write_text("<html>")
    with pytest.raises(ValueError, match=r"page\.html: the file is not a model: "):
        RobustClassifier.from_file(tmp_path / "page.html")
    model.export(tmp_path / "m.sql", table="people")
    assert "people" in (tmp_path / "m.sql").read_text()
    with pytest.raises(ValueError, match="exists"):
        model.export(tmp_path / "m.sql")


def test_report(people, tmp_path):
    X, y = people[FEATURES], people["approved"]
    model = RobustClassifier(ess=0.9).fit(X[:400], y[:400], groups="region")
    report = model.report(X[400:], y[400:], groups="region")
    assert report.startswith("<!DOCTYPE html>") and "region=south" in report and "<iframe" in report._repr_html_()
    report.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report
    with pytest.raises(ValueError, match="labels that do not occur in the training data"):
        model.report(X, np.arange(600) % 2)
    page = model.report(X[400:], y[400:], groups="region", favourable="no", reference_group="north")
    assert "rate of predicted “no” divided by the rate in north" in page and "rate of predicted “yes”" not in page
    with pytest.raises(ValueError, match="maybe"):
        model.report(X[400:], y[400:], groups="region", favourable="maybe")
    wages = RobustRegressor(nu=1.0).fit(X[["age", "job"]], people["income"], groups=people["region"])
    assert "south" in wages.report(X[["age", "job"]], people["income"], groups=people["region"])


def test_model_selection_and_pipelines(people):
    X, y = people[FEATURES], people["approved"]
    search = GridSearchCV(RobustClassifier(), {"protect": [0.05, 0.2, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["protect"] in (0.05, 0.2, 1.0)
    encode = ColumnTransformer(
        [("number", StandardScaler(), ["age", "income"]), ("word", OneHotEncoder(), ["job", "region"])], sparse_threshold=1
    )
    pipeline = make_pipeline(encode, RobustClassifier(ess=0.98)).fit(X, y)
    assert pipeline.score(X, y) > 0.5
    named = make_pipeline(encode.set_params(sparse_threshold=0).set_output(transform="default"), RobustClassifier(ess=0.98)).fit(X, y)
    np.testing.assert_allclose(named.predict_proba(X), pipeline.predict_proba(X), rtol=1e-9)
    framed = make_pipeline(StandardScaler(), RobustClassifier(ess=0.8)).set_output(transform="pandas").fit(X[["age", "income"]], y)
    assert list(framed[-1].feature_names_in_) == ["age", "income"]
    folds = cross_val_score(RobustClassifier(nu=1.0), X, y, groups=np.arange(600) % 7, cv=GroupKFold(3))
    assert len(folds) == 3 and np.isfinite(folds).all()


@pytest.mark.parametrize("estimator", [RobustClassifier, RobustRegressor])
def test_examples_of_docstrings(estimator):
    runner = doctest.DocTestRunner()
    for examples in doctest.DocTestFinder(recurse=False).find(estimator, estimator.__name__):
        runner.run(examples)
    assert runner.tries > 5 and runner.failures == 0


def test_metadata_routing(people):
    with sklearn.config_context(enable_metadata_routing=True):
        robust = RobustClassifier(adversary="groups").set_fit_request(groups=True, sample_weight=True)
        robust.set_score_request(sample_weight=True)
        search = GridSearchCV(robust, {"nu": [0.0, 1.0]}, cv=2)
        search.fit(people[["age"]], people["approved"], groups=people["region"], sample_weight=np.ones(600))
        assert json.loads(search.best_estimator_.model_json_)["config"]["groups"] == ["region"]


def test_fairlearn(people):
    from fairlearn.metrics import MetricFrame, selection_rate
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient

    X, y = people[["age", "income"]], (people["approved"] == "yes").astype(int)
    model = RobustClassifier(ess=0.9).fit(X, y)
    rates = MetricFrame(metrics=selection_rate, y_true=y, y_pred=model.predict(X), sensitive_features=people["region"])
    assert set(rates.by_group.index) == {"north", "south"}
    fair = ExponentiatedGradient(RobustClassifier(nu=1.0), DemographicParity(), max_iter=3)
    fair.fit(X, y, sensitive_features=people["region"])
    assert set(np.unique(fair.predict(X))) <= {0, 1}


def test_progress_and_interruption(people):
    lines = []
    RobustClassifier(nu=1.0, progress=lines.append).fit(people[FEATURES], people["approved"])
    assert any("reading standard input" in line for line in lines)

    def stop(line):
        raise KeyError(line)

    with pytest.raises(KeyError):
        RobustClassifier(nu=1.0, progress=stop).fit(people[FEATURES], people["approved"])


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_interrupt_ends_the_child():
    script = textwrap.dedent("""
        import numpy as np, subprocess
        from drotrain import RobustRegressor, _command
        start = subprocess.Popen
        def announced(*a, **k):
            child = start(*a, **k); print(child.pid, flush=True); return child
        _command.subprocess.Popen = announced
        X = np.random.default_rng(0).normal(size=(60000, 80))
        try:
            RobustRegressor(threads=1).fit(X, X[:, 0] ** 3 + X[:, 1])
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as run:
        pid = int(run.stdout.readline())
        time.sleep(0.3)
        os.kill(run.pid, signal.SIGINT)
        assert run.stdout.readline().strip() == "interrupted"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_children_leave_no_files(people, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    model = RobustClassifier(nu=1.0).fit(people[FEATURES], people["approved"])
    model.predict(people[FEATURES])
    assert list(tmp_path.iterdir()) == []


def test_parameters_are_options():
    options = command("train", "--help", text=True).stdout
    for name in set(RobustClassifier().get_params()) - {"options", "progress", "class_weight", "random_state", "n_jobs"}:
        assert f"--{name.replace('_', '-')} " in options, name


# Importing the package, as the script drotrain does, does not import scikit-learn.
def test_import_of_the_package_alone_is_light():
    code = "import sys, drotrain; drotrain.binary; print(*sorted({'numpy', 'pyarrow', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


# A model chosen on validation rows is better than ERM for the worst group, in every form of the arguments, and the
# validation rows are not training rows.
def test_validation_rows_choose(spurious):
    (X, y, g), (Xv, yv, gv), (Xt, yt, gt) = spurious

    def worst(model):
        return min((model.predict(Xt) == yt)[gt == v].mean() for v in np.unique(gt))

    model = RobustClassifier(random_state=0).fit(X, y, groups=g, validation=(Xv, yv, gv))
    chosen = model.selection_
    assert chosen["criterion"] == "worst-group-accuracy" and chosen["validation"] == len(yv) and "validation rows" in chosen["reason"]
    assert {"erm", "half", "balanced", "subsets", "validation-subsets", "groups"} <= {c["family"] for c in chosen["candidates"]}
    assert worst(model) > worst(RobustClassifier(average="plain").fit(X, y)) + 0.1
    assert model.sample_weights_.shape == y.shape and model.n_features_in_ == X.shape[1]
    frame = pd.DataFrame(X).rename(columns=str)
    in_frames = RobustClassifier(random_state=0).fit(
        frame, pd.Series(y, name="y"), groups=pd.Series(g, name="g"), validation=(pd.DataFrame(Xv).rename(columns=str), yv, gv.tolist())
    )
    np.testing.assert_array_equal(in_frames.coef_, model.coef_)
    named = frame.assign(g=g)
    with_names = RobustClassifier(random_state=0, options={"select": "worst-group-accuracy", "features": list(frame.columns)})
    with_names.fit(named, y, groups="g", validation=(pd.DataFrame(Xv).rename(columns=str).assign(g=gv), yv))
    np.testing.assert_allclose(with_names.coef_[:, :12], model.coef_)
    texts, of_validation = np.where(y, "bird", "other"), np.where(yv, "bird", "other")
    text = RobustClassifier(random_state=0).fit(X, texts, groups=g, validation=(Xv, of_validation, gv))
    assert set(text.predict(Xt)) == {"bird", "other"} and text.selection_["validation"] == len(yv)
    late = RobustClassifier(random_state=0).fit(X, y, validation=(Xv, yv, gv))  # the training rows have no groups
    assert {"balanced", "validation-subsets"} <= {c["family"] for c in late.selection_["candidates"]} and worst(late) > worst(model) - 0.1
    again = RobustClassifier(random_state=0).fit(X, y, groups=g, validation=(Xv, 1 - yv, gv))
    assert again.selection_["candidates"][0]["worst_group"] > 0.8  # labels that are turned round


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (lambda X, y, g: X, r"pass \(X, y\)"),
        (lambda X, y, g: (X, y[1:], g), "inconsistent numbers"),
        (lambda X, y, g: (X[:, 1:], y, g), "features"),
        (lambda X, y, g: (X, y + 7, g), "labels that do not occur in the training data"),
        (lambda X, y, g: (X, y), "groups"),
        (lambda X, y, g: (X, y, g[1:]), "groups has"),
    ],
)
def test_wrong_validation_rows_are_explained(spurious, validation, message):
    (X, y, g), held, _ = spurious
    with pytest.raises(ValueError, match=message):
        RobustClassifier().fit(X, y, groups=g, validation=validation(*held))


def test_a_level_excludes_validation_rows(spurious):
    (X, y, g), held, _ = spurious
    with pytest.raises(ValueError, match="validation"):
        RobustClassifier(adversary="groups", nu=0.1).fit(X, y, groups=g, validation=held)
    average = RobustClassifier(average="validation-subsets", mu=0.01).fit(X, y, groups=g, validation=held)
    assert average.sample_weights_.max() == 0 and average.certificate_["certified"]
