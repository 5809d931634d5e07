"""The checks that scikit-learn makes of every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from drotrain import RobustClassifier, RobustRegressor

# With a parameter of robustness weights are repetitions, see test_weights_are_repetitions. Without one, fit
# cross-validates, and the folds of repeated rows are others than those of weighted ones. scikit-learn expects the same
# of its LinearSVC and SGDRegressor (PER_ESTIMATOR_XFAIL_CHECKS).
WEIGHTS = "sample_weight is not equivalent to removing/repeating samples: the folds of the choice differ"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}


@parametrize_with_checks([RobustClassifier(), RobustRegressor()], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn(estimator, check):
    check(estimator)
