"""Solves the problems of a migration table as other packages state them.

usage: peers.py < problems.json > answers.json. The package dro is called where it is
installed. fast-dro, group_DRO and drlearn are not on PyPI: the objective that their
documentation and sources define is written here in their own parameters and minimised
by cvxpy, to which the only other requirement is Clarabel.
"""

import json
import sys

import cvxpy as cp
import numpy as np


def losses(problem, x, b):
    """Losses of the rows as here: log(1 + exp(-y m)), or (y - m)^2 / 2."""
    margin = problem["x"] @ x + b
    if problem["loss"] == "logistic":
        return cp.logistic(-cp.multiply(problem["y"], margin))
    return cp.square(problem["y"] - margin) / 2


def minimum(problem, objective):
    """objective(losses, coefficients) gives an expression and constraints."""
    x, b = cp.Variable(problem["x"].shape[1]), cp.Variable()
    value, constraints = objective(losses(problem, x, b), x)
    p = cp.Problem(cp.Minimize(value), constraints)
    p.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-10)
    return float(p.value)


def installed(name, problem, **settings):
    kind = "logistic" if problem["loss"] == "logistic" else "ols"
    init = {"group_idx": settings.pop("group_idx")} if "group_idx" in settings else {}
    module = __import__(f"dro.linear_model.{name[0]}", fromlist=[name[1]])
    model = getattr(module, name[1])(input_dim=problem["x"].shape[1], model_type=kind, fit_intercept=True, **init)
    if settings:
        model.update(settings)
    model.fit(problem["x"], problem["y"])
    return float(model.robust_loss_ if hasattr(model, "robust_loss_") else model.robust_obj)


def fast_dro(problem, geometry, size, reg):
    """The loss of fast-dro, minimised over its dual variable eta."""
    n = len(problem["y"])

    def objective(v, x):
        eta = cp.Variable()
        above = cp.pos(v - eta)
        if geometry == "cvar":
            return eta + cp.sum(above) / (n * size), []
        if size is None:  # inf: the penalty alone
            return eta + cp.sum_squares(above) / (2 * reg * n) + reg / 2, []
        return eta + np.sqrt((1 + 2 * size) / n) * cp.norm(above, 2), []

    return minimum(problem, objective)


def group_dro(problem, weight_decay, adjustment=0.0):
    """The largest group loss, with C / sqrt(n_g) added to each, and the ridge."""

    def objective(v, x):
        t, constraints = cp.Variable(), []
        for g in np.unique(problem["group"]):
            rows = np.flatnonzero(problem["group"] == g)
            constraints.append(cp.sum(v[rows]) / len(rows) + adjustment / np.sqrt(len(rows)) <= t)
        return t + weight_decay / 2 * cp.sum_squares(x), constraints

    return minimum(problem, objective)


def drlearn(problem, penalty, shift_cost, weight_decay, head_prob=None):
    """A spectral risk of drlearn: the largest loss less a cost, or a superquantile."""
    n = len(problem["y"])

    def objective(v, x):
        ridge = weight_decay / 2 * cp.sum_squares(x)
        eta = cp.Variable()
        if head_prob is not None:
            return eta + cp.sum(cp.pos(v - eta)) / (n * (1 - head_prob)) + ridge, []
        if penalty == "chi2":  # max over q of q.v - shift_cost n |q - 1/n|^2
            return eta + cp.sum_squares(cp.pos(v - eta)) / (4 * shift_cost * n) + shift_cost + ridge, []
        return shift_cost * (cp.log_sum_exp(v / shift_cost) - np.log(n)) + ridge, []

    return minimum(problem, objective)


SOLVERS = {
    "dro.Chi2DRO": lambda p, **s: installed(("chi2_dro", "Chi2DRO"), p, **s),
    "dro.KLDRO": lambda p, **s: installed(("kl_dro", "KLDRO"), p, **s),
    "dro.CVaRDRO": lambda p, **s: installed(("cvar_dro", "CVaRDRO"), p, **s),
    "dro.GroupDRO": lambda p, **s: installed(("group_dro", "GroupDRO"), p, **s),
    "fast-dro": fast_dro,
    "group_DRO": group_dro,
    "drlearn": drlearn,
}


def main():
    asked = json.load(sys.stdin)
    problems = {}
    for name, p in asked["problems"].items():
        problems[name] = p | {k: np.array(p[k]) for k in ("x", "y", "group")}
    answers = []
    for case in asked["cases"]:
        try:
            answers.append({"optimum": SOLVERS[case["solver"]](problems[case["problem"]], **case["settings"])})
        except Exception as e:  # told in the table
            answers.append({"error": f"{type(e).__name__}: {e}"})
    try:
        from importlib.metadata import version

        dro = version("dro")
    except Exception:
        dro = ""
    json.dump({"answers": answers, "dro": dro, "cvxpy": cp.__version__}, sys.stdout)


main()
