"""Peers of drotrain: solves one problem, timed, each time a line arrives on stdin:
the seconds after which to give up.

Usage: python peers.py scipy|cvxpy CONFIG, where CONFIG is JSON with the paths of
the raw little-endian float64 files of the design and the target, n, d, loss,
penalty, nu, mu and gap. Prints one JSON object a line: {"ready": ...},
then one a run. Timed is the solve alone, not reading or compiling anything.
"""
import json
import resource
import sys
import time

import numpy as np


class Objective:
    """P(x) and its gradient, in one call, without allocating vectors of length n."""

    def __init__(self, c):
        n, d = c["n"], c["d"]
        self.z = np.fromfile(c["x"], dtype="<f8").reshape(n, d)
        self.t = np.fromfile(c["target"], dtype="<f8")
        self.loss, self.penalty, self.nu, self.mu, self.n = c["loss"], c["penalty"], c["nu"], c["mu"], n
        self.m, self.f, self.s, self.y, self.w = (np.empty(n) for _ in range(5))
        self.g = np.empty(d)
        self.reset()

    def reset(self):
        self.evals, self.tau, self.last = 0, None, None

    def losses(self):
        m, f, s, w = self.m, self.f, self.s, self.w
        if self.loss == "logistic":
            np.multiply(m, self.t, out=m)
            np.abs(m, out=w)
            np.negative(w, out=w)
            np.exp(w, out=w)
            w += 1
            np.log(w, out=f)
            np.minimum(m, 0, out=w)
            f -= w
            np.add(m, f, out=s)  # the slope is -t·exp(-a-f)
            np.negative(s, out=s)
            np.exp(s, out=s)
            s *= self.t
            np.negative(s, out=s)
        else:
            np.subtract(m, self.t, out=s)
            if self.loss == "squared":
                np.multiply(s, s, out=f)
                f *= 0.5
            else:
                np.copyto(f, s)
                np.clip(s, -1, 1, out=s)
                np.multiply(s, -0.5, out=w)
                f += w
                f *= s

    def respond(self):
        f, y, nu, n = self.f, self.y, self.nu, self.n
        if self.penalty == "kl":
            top = f.max()
            np.subtract(f, top, out=y)
            y /= nu
            np.exp(y, out=y)
            total = y.sum()
            y /= total
            return top + nu * np.log(total / n)
        tau = self.tau if self.tau is not None and f.max() > self.tau - nu else f.mean()
        for _ in range(100):  # Newton's method; increases after its first step
            np.subtract(f, tau - nu, out=y)
            np.maximum(y, 0, out=y)
            step = (y.sum() - nu * n) / np.count_nonzero(y)
            tau += step
            if abs(step) <= 1e-14 * max(1.0, abs(tau)):
                break
        self.tau = tau
        np.subtract(f, tau - nu, out=y)
        np.maximum(y, 0, out=y)
        y /= y.sum()
        # With r = n·y: mean(r f) - nu/2 mean((r-1)^2).
        return np.dot(y, f) - nu / 2 * (n * np.dot(y, y) - 1)

    def __call__(self, x):
        self.evals += 1
        np.dot(self.z, x, out=self.m)
        self.losses()
        p = self.respond() + self.mu / 2 * np.dot(x, x)
        np.multiply(self.y, self.s, out=self.w)
        np.dot(self.w, self.z, out=self.g)
        g = self.g + self.mu * x
        self.last = (x.copy(), p, g)
        return p, g


def scipy_runner(c):
    from scipy.optimize import minimize

    objective = Objective(c)
    objective(np.zeros(c["d"]))  # starts the threads of the BLAS

    def run(seconds):
        objective.reset()
        began = time.perf_counter()

        def callback(xk):
            x, p, g = objective.last
            if np.array_equal(x, xk) and np.dot(g, g) / (2 * c["mu"]) <= c["gap"] * abs(p):
                run.status = "certified"
                raise StopIteration
            if time.perf_counter() - began > seconds:
                run.status = "limit"
                raise StopIteration

        run.status = "stalled"
        out = minimize(objective, np.zeros(c["d"]), jac=True, method="L-BFGS-B", callback=callback,
                       options={"maxcor": 10, "ftol": 0, "gtol": 0, "maxiter": 100000, "maxfun": 100000})
        seconds = time.perf_counter() - began
        return {"seconds": seconds, "evals": objective.evals, "status": run.status, "x": out.x.tolist()}

    return run


def cvxpy_runner(c):
    import cvxpy as cp

    n, d, nu = c["n"], c["d"], c["nu"]
    z = np.fromfile(c["x"], dtype="<f8").reshape(n, d)
    t = np.fromfile(c["target"], dtype="<f8")
    x = cp.Variable(d)
    if c["loss"] == "logistic":
        f = cp.logistic(-cp.multiply(t, z @ x))
    elif c["loss"] == "squared":
        f = 0.5 * cp.square(z @ x - t)
    else:
        f = 0.5 * cp.huber(z @ x - t, 1)
    if c["penalty"] == "kl":
        risk = nu * cp.log_sum_exp(f / nu) - nu * np.log(n)
    else:
        tau = cp.Variable()
        risk = tau - nu / 2 + nu / (2 * n) * cp.sum_squares(cp.pos(1 + (f - tau) / nu))
    problem = cp.Problem(cp.Minimize(risk + c["mu"] / 2 * cp.sum_squares(x)))

    def run(seconds):
        problem.solve(solver=cp.CLARABEL, warm_start=False)
        stats = problem.solver_stats
        status = "solved" if problem.status == "optimal" else problem.status
        return {"seconds": stats.solve_time, "evals": stats.num_iters, "status": status,
                "x": None if x.value is None else x.value.tolist()}

    return run


def main():
    c = json.loads(sys.argv[2])
    try:
        run = {"scipy": scipy_runner, "cvxpy": cvxpy_runner}[sys.argv[1]](c)
    except ImportError as e:
        print(json.dumps({"missing": str(e)}), flush=True)
        return
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        try:
            out = run(float(line))
        except Exception as e:  # a solver's failure is a result
            out = {"status": "failed: " + type(e).__name__, "seconds": 0, "evals": 0, "x": None}
        out["rss"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps(out), flush=True)


main()
