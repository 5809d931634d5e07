"""Lets skl2onnx convert pipelines that end in an estimator of this package."""

from collections.abc import Callable
from typing import Any

from sklearn.linear_model import LinearRegression, LogisticRegression

from drotrain._estimators import RobustClassifier, RobustRegressor


def register_onnx() -> None:
    """Register converters with which ``skl2onnx.convert_sklearn`` converts RobustClassifier and RobustRegressor.

    In a pipeline, the estimator must have been trained on numbers only. To convert an estimator without a pipeline, call
    its method ``export``.
    """
    from skl2onnx import update_registered_converter
    from skl2onnx.common.shape_calculator import (
        calculate_linear_classifier_output_shapes,
        calculate_linear_regressor_output_shapes,
    )
    from skl2onnx.operator_converters.linear_classifier import convert_sklearn_linear_classifier
    from skl2onnx.operator_converters.linear_regressor import convert_sklearn_linear_regressor

    choices = {"zipmap": [True, False, "columns"], "nocl": [True, False], "output_class_labels": [False, True]}
    classifier = _converter(convert_sklearn_linear_classifier, LogisticRegression)
    update_registered_converter(
        RobustClassifier, "DrotrainRobustClassifier", calculate_linear_classifier_output_shapes, classifier, options=choices
    )
    regressor = _converter(convert_sklearn_linear_regressor, LinearRegression)
    update_registered_converter(RobustRegressor, "DrotrainRobustRegressor", calculate_linear_regressor_output_shapes, regressor)


def _converter(convert: Callable[..., Any], like: Callable[[], Any]) -> Callable[..., Any]:
    """Return a converter that converts an estimator like the model of scikit-learn with the same coefficients.

    A model that needs more than its coefficients, such as encoded columns or a threshold, raises a ValueError.
    """

    def converter(scope: Any, operator: Any, container: Any) -> None:
        estimator = operator.raw_operator
        if not estimator._model().plain:
            raise ValueError("the model encodes its columns itself: call model.export(path) instead")
        if getattr(estimator, "_threshold_", None) not in (None, 0.5):
            raise ValueError("the model has a threshold, which ONNX's linear classifier cannot hold: call model.export(path) instead")
        linear = like()  # with the link of scikit-learn's model
        linear.coef_, linear.intercept_ = estimator.coef_, estimator.intercept_
        if hasattr(estimator, "classes_"):
            linear.classes_ = estimator.classes_
        operator.raw_operator = linear
        try:
            convert(scope, operator, container)
        finally:
            operator.raw_operator = estimator

    return converter
