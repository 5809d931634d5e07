"""Sparse matrices: the cost is proportional to the number of entries, and the model equals that of a dense array."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import expit

from drotrain import RobustClassifier, RobustRegressor
from drotrain._command import run
from drotrain._table import Numbered

SCALE = {"scale": "max"}


def table(rows: int = 400, width: int = 30) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return a matrix of which a tenth is stored, and a target of two classes."""
    draw = np.random.default_rng(3)
    X = sparse.random(rows, width, 0.1, format="csr", random_state=3)
    return X, (X @ draw.normal(size=width) + 0.3 * draw.normal(size=rows) > 0).astype(int)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_model_of_sparse_matrix_is_that_of_dense_array(form) -> None:
    X, y = table()
    thin = RobustClassifier(ess=0.9, mu=0.01, options=SCALE).fit(form(X), y)
    thick = RobustClassifier(ess=0.9, mu=0.01, options=SCALE).fit(X.toarray(), y)
    assert thin.coef_.shape == (1, 30) and list(thin.coef_names_) == list(thick.coef_names_)
    np.testing.assert_allclose(thin.predict_proba(X), thick.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(thin.predict_proba(X.toarray()), thin.predict_proba(X), rtol=1e-12)
    assert thin.certificate_["certified"] and abs(thin.certificate_["objective"] - thick.certificate_["objective"]) < 1e-6


def test_three_classes_and_numbers(tmp_path) -> None:
    X, y = table()
    number = np.asarray(X.sum(axis=1)).ravel()
    for model, target in ((RobustClassifier(average="plain"), y + (number > 3)), (RobustRegressor(average="plain"), number)):
        model.fit(X, target).save(tmp_path / "model.json")
        again = type(model).from_file(tmp_path / "model.json")
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert model.coef_.shape[-1] == 30
        assert "<html" in model.report(X, target)


def test_width_costs_nothing() -> None:
    X, y = table()
    wide = sparse.csr_matrix((X.data, X.indices * 100_000, X.indptr), shape=(400, 3_000_000))
    model = RobustClassifier(average="plain").fit(wide, y)
    assert model.coef_.shape == (1, 3_000_000)
    narrow = RobustClassifier(average="plain").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(wide), narrow.predict_proba(X), rtol=1e-9)


def test_named_groups_and_columns_make_it_dense() -> None:
    X, y = table()
    X.data[:] = 1
    dense = RobustClassifier(nu=1, options={"drop": ["x3"]}).fit(X.toarray(), y)
    np.testing.assert_array_equal(RobustClassifier(nu=1, options={"drop": ["x3"]}).fit(X, y).coef_, dense.coef_)


def test_frame_of_sparse_columns_is_a_sparse_matrix_with_names(tmp_path) -> None:
    X, y = table()
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=[f"word {i}" for i in range(30)])
    matrix, model = RobustClassifier(nu=1).fit(X, y), RobustClassifier(nu=1).fit(frame, y)
    np.testing.assert_array_equal(model.coef_, matrix.coef_)
    assert list(model.feature_names_in_) == list(model.coef_names_) == list(frame.columns)
    model.save(tmp_path / "model.json")
    again = RobustClassifier.from_file(tmp_path / "model.json")
    for other in (model, again):
        for rows in (frame, frame.sparse.to_dense()):
            np.testing.assert_allclose(other.predict_proba(rows), matrix.predict_proba(X), rtol=1e-12)
            assert "<html" in other.report(rows, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"word 3": "other"}))
    grouped = RobustClassifier(adversary="groups", nu=0.1).fit(frame.assign(g=y), y, groups="g")
    assert "g" in grouped.coef_names_


def test_column_of_a_sparse_matrix_can_be_the_groups() -> None:
    X, y = table()
    X.data[:] = 1
    thin = RobustClassifier(adversary="groups", nu=0.1).fit(X, y, groups="x3")
    thick = RobustClassifier(adversary="groups", nu=0.1).fit(X.toarray(), y, groups="x3")
    np.testing.assert_array_equal(thin.coef_, thick.coef_)


@pytest.mark.parametrize(
    "fill, stored", [(0.0, 0.0), (np.nan, np.nan), (0.0, np.nan)], ids=["fill 0", "fill NaN", "fill 0 with stored NaN"]
)
def test_sparse_frame_is_the_dense_frame_whatever_its_fill_value(fill, stored) -> None:
    X, y = table()
    dense = pd.DataFrame(X.toarray(), columns=[f"c{i}" for i in range(30)])
    dense = dense.replace(0.0, np.nan) if np.isnan(fill) else dense
    if np.isnan(stored) and not np.isnan(fill):
        dense.iloc[5, 3] = np.nan
    thin = dense.astype(pd.SparseDtype(float, fill))
    robust = {"ess": 0.9, "mu": 0.01}
    if dense.isna().to_numpy().any():
        with pytest.raises((ValueError, RuntimeError), match=r"(?i)nan|null"):
            RobustClassifier(**robust).fit(thin, y)
    models = [RobustClassifier(**robust, options=SCALE | {"impute": "mean"}).fit(frame, y) for frame in (dense, thin)]
    np.testing.assert_allclose(models[1].predict_proba(thin), models[0].predict_proba(dense), atol=1e-4)
    np.testing.assert_allclose(models[1].predict_proba(dense), models[1].predict_proba(thin), rtol=1e-12)


def test_frame_of_dense_and_sparse_columns_is_the_dense_frame() -> None:
    X, y = table()
    dense = pd.DataFrame(X.toarray(), columns=[f"c{i}" for i in range(30)])
    dense.insert(0, "colour", np.where(y + X[:, 0].toarray().ravel() > 0.5, "red", "blue"))
    mixed = dense.astype({f"c{i}": pd.SparseDtype(float, 0.0) for i in range(1, 30, 2)})
    models = [RobustClassifier(nu=1).fit(frame, y) for frame in (dense, mixed)]
    assert list(models[0].coef_names_) == list(models[1].coef_names_)
    np.testing.assert_array_equal(models[1].coef_, models[0].coef_)
    np.testing.assert_array_equal(models[1].predict_proba(mixed), models[1].predict_proba(dense))


def test_matrix_without_columns_or_entries_is_refused_with_its_reason() -> None:
    _, y = table()
    for matrix, why in ((sparse.csr_matrix((400, 5)), "entries"), (sparse.csr_matrix((400, 0)), "0 feature|no columns")):
        with pytest.raises((ValueError, RuntimeError), match=why):
            RobustClassifier(nu=1).fit(matrix, y)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_what_scipy_may_store_makes_no_difference(form) -> None:
    X, y = table()
    plain = RobustClassifier(nu=1).fit(X, y)
    entries = X.tocoo()
    order = np.random.default_rng(1).permutation(entries.nnz)
    halves = sparse.coo_matrix(
        (np.tile(entries.data / 2, 2), (np.tile(entries.row[order], 2), np.tile(entries.col[order], 2))), shape=X.shape
    )
    halves.data = np.tile(entries.data[order] / 2, 2)
    wide = X.asformat(form)
    for name in ("indices", "indptr", "row", "col"):
        if hasattr(wide, name) and isinstance(getattr(wide, name), np.ndarray):
            setattr(wide, name, getattr(wide, name).astype(np.int64))
    for matrix in (halves if form == "coo" else halves.asformat(form), wide):
        np.testing.assert_array_equal(RobustClassifier(nu=1).fit(matrix, y).coef_, plain.coef_)


def test_several_entries_of_a_cell_are_added() -> None:
    X, y = table()
    halves = sparse.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    halves = sparse.csr_matrix((np.repeat(halves.data / 2, 2), np.repeat(halves.indices, 2), 2 * halves.indptr), shape=X.shape)
    stored = halves.nnz
    assert stored == 4 * X.nnz > X.shape[0] * X.shape[1] / 4
    want = RobustClassifier(average="plain").fit(X, y)
    got = RobustClassifier(average="plain").fit(halves, y)
    np.testing.assert_array_equal(got.coef_, want.coef_)
    np.testing.assert_array_equal(got.predict_proba(halves), want.predict_proba(X))
    assert halves.nnz == stored  # X is not changed


@pytest.mark.parametrize("name", ["v", "x"])
def test_frame_whose_only_column_holds_sparse_vectors(name, tmp_path) -> None:
    X, y = table()
    rows = [[{"index": int(j), "value": float(v)} for j, v in zip(X[i].indices, X[i].data, strict=True)] for i in range(len(y))]
    frame = pd.DataFrame({name: rows})
    want = RobustClassifier(average="plain").fit(X, y)
    model = RobustClassifier(average="plain").fit(frame, y)
    assert model.n_features_in_ == 1 and list(model.coef_names_) == [f"{name}[{i}]" for i in range(30)]
    model.save(tmp_path / "model.json")
    for one in (model, RobustClassifier.from_file(tmp_path / "model.json")):
        np.testing.assert_allclose(one.predict_proba(frame), want.predict_proba(X), rtol=1e-12)


def test_missing_entries_of_vectors_in_pandas_are_imputed() -> None:
    X, y = table()
    dense = X.toarray()[:, :4]
    dense[[3, 7, 9], [1, 2, 0]] = np.nan
    frame = pd.DataFrame({"e": list(dense), "z": np.arange(len(y)) % 7})
    want = RobustClassifier(average="plain", impute="mean").fit(np.c_[dense, frame["z"]], y)
    got = RobustClassifier(average="plain", impute="mean").fit(frame, y)
    np.testing.assert_array_equal(got.coef_, want.coef_)
    with pytest.raises(ValueError, match=r'column "e\[2\]", row 8: the value is null'):
        RobustClassifier(average="plain").fit(frame.assign(e=list(np.where(np.arange(4) == 2, dense, 0.5))), y)
    frame["e"] = [None, *frame["e"][1:]]
    with pytest.raises(ValueError, match=r'(?s)column "e", row 1: .*the list is null.*"drop": "e"'):
        RobustClassifier(average="plain", impute="mean").fit(frame, y)


def test_frame_with_one_dense_column_named_x() -> None:
    X, y = table()
    frame = pd.DataFrame({"x": X.toarray()[:, 0]})
    model = RobustClassifier(average="plain").fit(frame, y)
    assert model.coef_.shape == (1, 1)
    np.testing.assert_allclose(model.decision_function(frame), frame["x"] * model.coef_[0, 0] + model.intercept_[0], rtol=1e-12)


def test_groups_name_a_column_of_a_pyarrow_table() -> None:
    X, y = table()
    frame = pd.DataFrame({"a": X.toarray()[:, 0], "g": np.where(np.arange(len(y)) % 3 == 0, "p", "q")})
    want = RobustClassifier(adversary="groups", nu=0.1).fit(frame, y, groups="g")
    got = RobustClassifier(adversary="groups", nu=0.1).fit(pa.Table.from_pandas(frame), y, groups="g")
    np.testing.assert_array_equal(got.coef_, want.coef_)


def test_names_of_unnamed_columns_are_not_stored(tmp_path) -> None:
    X, y = table()
    wide = sparse.csr_matrix((X.data, X.indices * 100_000, X.indptr), shape=(400, 3_000_000))
    for model, target in ((RobustClassifier(average="plain"), y), (RobustRegressor(average="plain"), np.asarray(X.sum(axis=1)).ravel())):
        model.fit(wide, target).save(tmp_path / "model.json")
        assert len(model.model_json_) < 1_000_000 and len(pickle.dumps(model)) < 30_000_000  # the size of coef_
        again = type(model).from_file(tmp_path / "model.json")
        assert again.n_features_in_ == 3_000_000 and not hasattr(again, "feature_names_in_")
        np.testing.assert_array_equal(again.predict(wide), model.predict(wide))
        assert list(again.coef_names_[[0, 17, 2_999_999]]) == ["x0", "x17", "x2999999"]
    assert not hasattr(RobustClassifier(), "coef_names_")


def test_model_with_a_huge_index_is_read(tmp_path) -> None:
    X, y = table()
    lines = [f"{y[i]} " + " ".join(f"{j + 1}:{v}" for j, v in zip(X[i].indices, X[i].data, strict=True)) for i in range(len(y))]
    (tmp_path / "t.svm").write_text("\n".join([*lines, "1 2147483646:1"]) + "\n")
    run(["train", f"--data={tmp_path / 't.svm'}", "--target=label", "--average=plain", f"--out={tmp_path / 'm'}", "--report=none"])
    model = RobustClassifier.from_file(tmp_path / "m")
    rows = sparse.csr_matrix((X.data, X.indices + 1, X.indptr), shape=(len(y), 2147483647))
    assert model.n_features_in_ == 2147483647 and model.coef_.shape == (1, 31)
    want = expit(X @ model.coef_[0, :30] + model.intercept_[0])
    np.testing.assert_allclose(model.predict_proba(rows)[:, 1], want, rtol=1e-12)


def test_numbered_names() -> None:
    names = Numbered(12, "x[", "]")
    all_names = [f"x[{i}]" for i in range(12)]
    assert list(names) == all_names and names == all_names and names == Numbered(12, "x[", "]") and names != Numbered(12)
    assert names[-1] == "x[11]" and names[2:4] == ["x[2]", "x[3]"] and names.index("x[7]") == 7
    assert [n for n in ("x[3]", "x[12]", "x[03]", "x[]", "x[-1]", "x[³]", "x[٣]", "x3", "[3]", 3) if n in names] == ["x[3]"]
    with pytest.raises(IndexError):
        names[12]
    with pytest.raises(ValueError, match="'x12' is not a name"):
        names.index("x12")


def test_sparse_rows_of_a_model_with_names_are_scored_in_process(monkeypatch) -> None:
    X, y = table()
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=[f"word {i}" for i in range(30)])
    model = RobustClassifier(average="plain").fit(frame, y)
    want = RobustClassifier(average="plain").fit(X, y).predict_proba(X)
    monkeypatch.setattr("drotrain._estimators.run", None)  # the command is not started
    for rows in (frame, frame.sparse.to_dense(), X):
        np.testing.assert_allclose(model.predict_proba(rows), want, rtol=1e-12)


def test_sparse_rows_of_a_model_of_dense_vectors(tmp_path) -> None:
    X, y = table()
    frame = pd.DataFrame({"v": list(X.toarray())})
    RobustClassifier(average="plain").fit(frame, y).save(tmp_path / "model.json")
    model = RobustClassifier.from_file(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(X.toarray()))
