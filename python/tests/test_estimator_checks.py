"""The checks that scikit-learn makes of every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from drotrain import RobustClassifier, RobustRegressor

# Without a parameter of robustness, fit cross-validates and standardises, and folds and deviations of repeated
# rows are others than those of weighted ones. scikit-learn expects the same of its LogisticRegression,
# LinearSVC and SGDRegressor (PER_ESTIMATOR_XFAIL_CHECKS).
WEIGHTS = "sample_weight is not equivalent to removing/repeating samples: folds and standard deviations differ"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}


@parametrize_with_checks([RobustClassifier(), RobustRegressor()], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn(estimator, check):
    check(estimator)
