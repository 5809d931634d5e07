"""Optima of problems with every adversary, by cvxpy and Clarabel.

    pip install cvxpy && python adversaries.py > adversaries.json

The primal forms are those of a textbook, not of this package: perspectives in
exponential and second-order cones, with the price of a ball as a variable.
"""
import json
import sys

import cvxpy as cp
import numpy as np


def table(n, d, seed, intercept):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, d)).round(3)
    if intercept:
        z[:, -1] = 1
    truth = rng.normal(size=d)
    signs = np.where(rng.random(n) < 1 / (1 + np.exp(-5 * z @ truth)), 1.0, -1.0)
    values = (z @ truth + rng.standard_t(4, size=n)).round(3)
    weights = rng.exponential(size=n).round(3)
    weights[3] = 0
    first = rng.integers(0, 4, size=n)
    second = rng.integers(0, 3, size=n)
    first[5] = -1
    return z, {"logistic": signs, "squared": values}, weights, [first, second]


def risk(f, w, divergence, nu, radius, share, constraints):
    """The robust risk of the losses f, w summing to one."""
    s = cp.Variable(len(w))  # the losses, or more
    constraints.append(s >= f)
    keep = w > 0
    tau = cp.Variable()
    if share:
        return tau + cp.sum(cp.multiply(w[keep], cp.pos(s[keep] - tau))) / share
    if nu == 0 and radius is None:
        return cp.max(s[keep])
    price = cp.Variable(nonneg=True) if radius is not None else None
    nu = cp.Constant(nu) if price is None else nu + price
    k = int(keep.sum())
    if divergence == "kl":
        u = cp.Variable(k)
        constraints.append(cp.constraints.ExpCone(s[keep] - tau, nu * np.ones(k), u))
        constraints.append(w[keep] @ u <= nu)
        value = tau
    else:
        value = tau - nu / 2 + cp.quad_over_lin(cp.multiply(np.sqrt(w[keep]), cp.pos(s[keep] - tau + nu)), 2 * nu)
    return value if radius is None else value + price * radius


def solve(case, z, target, weights, groups):
    n, d = z.shape
    x, constraints = cp.Variable(d), []
    m = z @ x
    f = cp.logistic(cp.multiply(-target, m)) if case["loss"] == "logistic" else cp.square(m - target) / 2
    w = weights / weights.sum() if case["weighted"] else np.full(n, 1 / n)
    adjust = 0
    if case["ways"]:
        rows = []
        for index in groups[: case["ways"]]:
            for g in range(index.max() + 1):
                rows.append(np.where(index == g, w, 0))
        rows = np.array(rows)
        shares = rows.sum(axis=1)
        f = (rows / shares[:, None]) @ f
        if case["adjust"]:
            f = f + np.array(case["adjust"])
        w = shares / shares.sum() if case["prior"] == "shares" else np.full(len(rows), 1 / len(rows))
    penalised = x[:-1] if case["intercept"] else x
    objective = risk(f, w, case["divergence"], case["nu"], case["radius"], case["share"], constraints)
    problem = cp.Problem(cp.Minimize(objective + case["mu"] / 2 * cp.sum_squares(penalised)), constraints)
    for tolerance in (1e-12, 1e-11, 1e-10, 1e-9):
        try:
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance,
                          max_iter=300, ignore_dpp=True)
        except cp.error.SolverError:
            continue
        if problem.status == cp.OPTIMAL:
            break
    print(case, problem.status, tolerance, problem.value, file=sys.stderr)
    return problem.value, tolerance if problem.status == cp.OPTIMAL else 1


def main():
    out = []
    for intercept in (False, True):
        z, targets, weights, groups = table(60, 4, 7 if intercept else 11, intercept)
        data = dict(n=60, d=4, rows=z.ravel().tolist(), logistic=targets["logistic"].tolist(),
                    squared=targets["squared"].tolist(), weights=weights.tolist(),
                    groups=[g.tolist() for g in groups])
        cases = []

        def add(**kw):
            base = dict(loss="logistic", mu=0.05, intercept=intercept, weighted=False, divergence="kl", nu=0.0,
                        radius=None, share=0.0, ways=0, prior="", adjust=None)
            cases.append(base | kw)

        for loss in ("logistic", "squared"):
            for weighted in (False, True):
                for divergence in ("kl", "chi2"):
                    add(loss=loss, weighted=weighted, divergence=divergence, nu=0.3)
                    for radius in (1e-3, 0.05, 0.3):
                        add(loss=loss, weighted=weighted, divergence=divergence, radius=radius)
                    add(loss=loss, weighted=weighted, divergence=divergence, radius=0.2, nu=0.2)
                add(loss=loss, weighted=weighted, share=0.5)
            for weighted, ways in ((False, 1), (True, 1), (True, 2)):
                for prior in ("shares", "equal"):
                    for divergence in ("kl", "chi2"):
                        add(loss=loss, weighted=weighted, ways=ways, prior=prior, divergence=divergence, nu=0.1)
                        add(loss=loss, weighted=weighted, ways=ways, prior=prior, divergence=divergence, radius=0.05)
                add(loss=loss, weighted=weighted, ways=ways, prior="equal")
                adjust = [0.1, 0.0, 0.25, 0.05, 0.0, 0.3, 0.02][: 4 if ways == 1 else 7]
                add(loss=loss, weighted=weighted, ways=ways, prior="equal", adjust=adjust, nu=0.05)
                add(loss=loss, weighted=weighted, ways=ways, prior="equal", adjust=adjust)
        for c in cases:
            c["optimum"], tolerance = solve(c, z, targets[c["loss"]], weights, groups)
            c["reached"] = tolerance
        out.append(dict(data=data, cases=[c for c in cases if c.pop("reached") <= 1e-10]))
    json.dump(out, sys.stdout, indent=None, separators=(",", ":"))


main()
