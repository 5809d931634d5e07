"""Sparse matrices: at the cost of their entries, with the model of the same numbers stored as dense."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from drotrain import RobustClassifier, RobustRegressor

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
