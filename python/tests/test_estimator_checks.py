"""The checks that scikit-learn provides for estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from drotrain import RobustClassifier, RobustRegressor

# If a parameter sets the robustness, a weight of 2 equals a repeated row; see test_weights_are_repetitions. Otherwise fit
# cross-validates, and the folds of repeated rows differ from those of weighted rows. scikit-learn expects the same check
# to fail for its LinearSVC and SGDRegressor (PER_ESTIMATOR_XFAIL_CHECKS).
WEIGHTS = "sample_weight is not equivalent to removing/repeating samples: the folds of the choice differ"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}


@parametrize_with_checks([RobustClassifier(), RobustRegressor()], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn(estimator, check):
    check(estimator)
