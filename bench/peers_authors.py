"""The code of the paper's authors as peers of drotrain: DRAGO, and drlearn with Prospect.

Usage: python peers_authors.py drago|drlearn CONFIG [DIR], as peers.py; DIR is a checkout,
which drlearn does not need where it is installed. What they solve, how the settings are
found, and what is timed: README.md.
"""
import math
import sys
import time

from peers import Objective, Table, arrived, np, reset_peak, serve

# The grid of learning rates of the authors' training script.
RATES = [1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3]
ROUNDS = (1 / 24, 1 / 4, 1)  # of a race: how long each candidate runs, in the time of a run
KEEP = 4  # one candidate in so many goes on to the next round


class Watch:
    """A clock that runs while a peer iterates and stands while its iterate is checked:
    whenever it has advanced by two per cent, and by as much as a check takes."""

    def __init__(self, objective, q, seconds):
        self.objective, self.q, self.limit = objective, q, seconds
        self.seconds, self.due, self.status, self.x, self.p = 0, 0, None, None, math.inf

    def go(self):
        self.began = time.perf_counter()

    def stop(self, x):
        """Stops the clock; says whether the run is over."""
        self.seconds += time.perf_counter() - self.began
        if self.seconds < self.due:
            return False
        began = time.perf_counter()
        self.x = np.array(x)
        self.objective.reset()
        self.p, g = self.objective(self.x)
        if not math.isfinite(self.p):
            self.status, self.p = "diverged", math.inf
        elif arrived(self.q, self.p, g):
            self.status = "certified"
        elif self.seconds > self.limit:
            self.status = "limit"
        self.due = self.seconds + max(0.02 * self.seconds, time.perf_counter() - began)
        return self.status is not None

    def rank(self):
        """Orders runs: those that arrived by their time, the others by their objective."""
        return (0, self.seconds) if self.status == "certified" else (1, self.p)


def race(candidates, solve, q):
    """The reply by the best of the candidates. All of them run for a while, the best of
    them from the start for longer, and so on; the best of the last round is the answer.
    solve(settings, seconds) returns a Watch and the passes."""
    reset_peak()
    for share in ROUNDS:
        limit, ran = share * q["seconds"], []
        for settings in candidates:
            watch, passes = solve(settings, limit)
            ran.append((watch, passes, settings))
            if share == 1 and watch.status == "certified":
                limit = watch.seconds  # who takes longer has lost
        ran.sort(key=lambda run: run[0].rank())
        candidates = [settings for _, _, settings in ran[: math.ceil(len(ran) / KEEP)]]
    watch, passes, settings = ran[0]
    return {"Seconds": watch.seconds, "Passes": passes, "Status": watch.status, "Settings": settings,
            "X": None if watch.status == "diverged" else watch.x.tolist()}


def problem(q):
    """The table, the targets as the authors want them, 0 and 1 for signs, and the loss."""
    table, cell = Table(q["files"]), q["cell"]
    t = table.target(cell["loss"])
    if cell["loss"] == "logistic":
        return table, (t + 1) / 2, "binary_cross_entropy"
    return table, t, {"squared": "squared_error"}[cell["loss"]]


def whole_simplex(n):
    """The spectrum whose permutations have the simplex as their convex hull."""
    spectrum = np.zeros(n)
    spectrum[-1] = 1
    return spectrum


def drago_peer(c):
    from src.drago import Drago
    from src.objective import SpectralRiskMeasureObjective
    import torch

    def run(q):
        table, t, loss = problem(q)
        cell = q["cell"]
        objective = Objective(table, cell)
        theirs = SpectralRiskMeasureObjective(
            torch.from_numpy(table.z), torch.from_numpy(t), lambda n: torch.from_numpy(whole_simplex(n)), loss=loss,
            l2_reg=cell["mu"], sm_coef=cell["nu"] * table.n, smoothing="l2")

        def solve(s, seconds):
            torch.set_num_threads(s["threads"])
            method = Drago(theirs, lr=s["lr"], block_size=None if s["block"] == "n/d" else s["block"])
            # From step 40/lr on, where its b_t is at its limit, about 1/lr. README.md says why.
            method.t = method.n_blocks * math.ceil(40 / (s["lr"] * method.n_blocks))
            watch, over = Watch(objective, q, seconds), False
            while not over:
                watch.go()
                method.step()
                over = watch.stop(method.weights.detach())
            return watch, method.get_oracle_evals() / table.n

        def pace(threads):  # in seconds a pass
            watch, passes = solve({"lr": 0.01, "block": "n/d", "threads": threads}, 0.2)
            return watch.seconds / (passes - 1)  # the first tables count as one

        pace(1)  # compiles
        threads = min((1, 2), key=pace)
        return race([{"lr": lr, "block": block, "threads": threads} for lr in RATES for block in ("n/d", "auto")], solve, q)

    return run


def drlearn_peer(c):
    from drlearn import optim
    from drlearn.spectral_risk import make_spectral_risk_measure_oracle

    def run(q):
        table, t, loss = problem(q)
        cell = q["cell"]
        if cell["loss"] == "logistic":
            t = t.astype(int)
        objective = Objective(table, cell)
        shift = cell["nu"] if cell["penalty"] == "kl" else cell["nu"] / 2
        oracle = make_spectral_risk_measure_oracle(whole_simplex(table.n), cell["penalty"], shift)

        def solve(s, seconds):
            watch, steps = Watch(objective, q, seconds), [0]

            def evaluate(step, w, *_, **__):  # instead of theirs, which takes passes of its own
                steps[0] = step
                if step > 0 and watch.stop(w):
                    return {"gradient_norm": 0}
                watch.go()
                return {"gradient_norm": 1}

            def certificate(*_, **__):
                watch.go()
                return 0, None, None, None, None

            optim.evaluate, optim.compute_certificate = evaluate, certificate
            minimize = optim.minimize_lsvrg if s["method"] == "lsvrg" else optim.minimize_prospect
            options = {} if s["method"] == "lsvrg" else {"uniform": s["method"] == "prospect, uniform"}
            try:
                minimize(loss, oracle, table.z, t, lr=s["lr"], weight_decay=cell["mu"], max_iter=sys.maxsize, eval_interval=20, **options)
            except ValueError:  # weights that are not numbers any more
                watch.status, watch.p = "diverged", math.inf
            return watch, steps[0] / table.n

        methods = ("prospect", "prospect, uniform", "lsvrg")
        for method in methods:  # compiles
            solve({"lr": 1e-6, "method": method}, 0)
        with np.errstate(all="ignore"):
            return race([{"lr": lr, "method": method} for lr in RATES for method in methods], solve, q)

    return run


if __name__ == "__main__":
    if len(sys.argv) > 3:
        sys.path[:0] = [sys.argv[3], sys.argv[3] + "/src"]
    serve({"drago": drago_peer, "drlearn": drlearn_peer})
