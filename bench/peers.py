"""Peers of drotrain: answers requests, one JSON object a line on stdin, by one line.

Usage: python peers.py scipy|cvxpy|dro|pyarrow CONFIG. CONFIG is JSON: the path of
the raw little-endian float64 files PATH.x, PATH.signs, PATH.real with n and d or, for
pyarrow, of a Parquet file. Prints {"Ready": true} first. A
request has the cell (loss, penalty, nu, mu), the gap, a lower bound of the optimum
(floor), the seconds after which to give up and, for dro, the radius of its ball. Timed
is what README.md says. The code of the paper's authors: peers_authors.py.
"""
import gc
import json
import sys
import time

try:
    import numpy as np
except ImportError as e:
    print(json.dumps({"Missing": str(e)}), flush=True)
    sys.exit()


def reset_peak():
    gc.collect()
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass


def peak():
    try:
        with open("/proc/self/status") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


class Table:
    def __init__(self, c):
        self.path, self.n, self.d = c["path"], c["n"], c["d"]
        self.z = np.fromfile(self.path + ".x", dtype="<f8").reshape(self.n, self.d)

    def target(self, loss):
        return np.fromfile(self.path + (".signs" if loss == "logistic" else ".real"), dtype="<f8")


class Objective:
    """P(x) and its gradient, in one call, without allocating vectors of length n."""

    def __init__(self, table, cell):
        n, d = table.n, table.d
        self.z, self.t = table.z, table.target(cell["loss"])
        self.loss, self.penalty, self.nu, self.mu, self.n = cell["loss"], cell["penalty"], cell["nu"], cell["mu"], n
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


def arrived(q, p, g):
    """Whether the objective p with gradient g is within the gap of the floor."""
    return min(p - q["floor"], np.dot(g, g) / (2 * q["cell"]["mu"])) <= q["gap"] * abs(p)


def scipy_peer(c):
    from scipy.optimize import minimize

    table, state = Table(c), {}

    def run(q):
        if state.get("cell") != q["cell"]:
            state.clear()
            state["objective"] = Objective(table, q["cell"])
            state["cell"] = q["cell"]
            state["objective"](np.zeros(table.d))  # starts the threads of the BLAS
        objective = state["objective"]
        objective.reset()
        reset_peak()
        status = ["stalled"]
        began = time.perf_counter()

        def callback(xk):
            x, p, g = objective.last
            if np.array_equal(x, xk) and arrived(q, p, g):
                status[0] = "certified"
                raise StopIteration
            if time.perf_counter() - began > q["seconds"]:
                status[0] = "limit"
                raise StopIteration

        out = minimize(objective, np.zeros(table.d), jac=True, method="L-BFGS-B", callback=callback,
                       options={"maxcor": 10, "ftol": 0, "gtol": 0, "maxiter": 100000, "maxfun": 100000})
        seconds = time.perf_counter() - began
        return {"Seconds": seconds, "Passes": objective.evals, "Status": status[0], "X": out.x.tolist()}

    return run


def cvxpy_peer(c):
    import cvxpy as cp

    def run(q):
        table, cell = Table(q["files"]), q["cell"]
        z, n, d, t = table.z, table.n, table.d, table.target(cell["loss"])
        nu = cell["nu"]
        x = cp.Variable(d)
        if cell["loss"] == "logistic":
            f = cp.logistic(-cp.multiply(t, z @ x))
        elif cell["loss"] == "squared":
            f = 0.5 * cp.square(z @ x - t)
        else:
            f = 0.5 * cp.huber(z @ x - t, 1)
        if cell["penalty"] == "kl":
            risk = nu * cp.log_sum_exp(f / nu) - nu * np.log(n)
        else:
            tau = cp.Variable()
            risk = tau - nu / 2 + nu / (2 * n) * cp.sum_squares(cp.pos(1 + (f - tau) / nu))
        problem = cp.Problem(cp.Minimize(risk + cell["mu"] / 2 * cp.sum_squares(x)))
        problem.solve(solver=cp.CLARABEL, warm_start=False, time_limit=q["seconds"])
        stats = problem.solver_stats
        status = "solved" if problem.status == "optimal" else problem.status
        return {"Seconds": stats.solve_time, "Passes": stats.num_iters, "Status": status,
                "X": None if x.value is None else x.value.tolist()}

    return run


def dro_peer(c):
    """The package dro: minimises the largest risk over a ball of weights, without a
    regulariser. Its squared loss is twice ours, which moves no optimum."""
    from dro.linear_model.chi2_dro import Chi2DRO
    from dro.linear_model.kl_dro import KLDRO

    def run(q):
        table, cell = Table(q["files"]), q["cell"]
        ball, radius = (KLDRO, q["radius"]) if cell["penalty"] == "kl" else (Chi2DRO, 2 * q["radius"])
        kind = {"logistic": "logistic", "squared": "ols"}[cell["loss"]]
        t = table.target(cell["loss"])
        model = ball(input_dim=table.d, model_type=kind, fit_intercept=False, solver="CLARABEL")
        model.update({"eps": float(radius)})
        began = time.perf_counter()
        model.fit(table.z, t)
        seconds = time.perf_counter() - began
        return {"Seconds": seconds, "Passes": 0, "Status": "solved", "X": model.theta.reshape(-1).tolist()}

    return run


def pyarrow_peer(c):
    import pyarrow.parquet as pq

    def run(q):
        reset_peak()
        began = time.perf_counter()
        table = pq.read_table(c["path"])
        names = [name for name in table.column_names if name != "target"]
        x = np.empty((table.num_rows, len(names)))
        for i, name in enumerate(names):
            x[:, i] = table[name].to_numpy()
        t = table["target"].to_numpy()
        seconds = time.perf_counter() - began
        return {"Seconds": seconds, "Passes": 0, "Status": "solved", "X": [float(len(t)), float(x.shape[1]), x[-1, -1]]}

    return run


def serve(peers):
    """Answers requests by the peer that the first argument names; peers says how each starts."""
    try:
        run = peers[sys.argv[1]](json.loads(sys.argv[2]))
    except ImportError as e:
        print(json.dumps({"Missing": str(e)}), flush=True)
        return
    print(json.dumps({"Ready": True}), flush=True)
    for line in sys.stdin:
        q = json.loads(line)
        try:
            out = run(q)
        except Exception as e:  # a solver's failure is a result
            out = {"Status": "failed", "Seconds": 0, "Passes": 0, "X": None}
            print(type(e).__name__, e, file=sys.stderr, flush=True)
        out["RSS"] = peak()
        print(json.dumps(out), flush=True)


if __name__ == "__main__":
    serve({"scipy": scipy_peer, "cvxpy": cvxpy_peer, "dro": dro_peer, "pyarrow": pyarrow_peer})
