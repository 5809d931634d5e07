"""Values of matrix games and of linear programs over the simplex, by HiGHS.

    pip install scipy && python games.py > games.json

games_test.go draws the same entries from the same generator.
"""
import json
import sys

import numpy as np
from scipy.optimize import linprog


class Generator:
    """Uniform numbers in [-1/2, 1/2)."""

    def __init__(self, seed):
        self.state = seed

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 40) / 2**24 - 0.5

    def matrix(self, n, d, entry=lambda v: 4 * v):
        return np.array([[entry(self.draw()) for _ in range(d)] for _ in range(n)])


def payoff(kind, n, d, seed):
    g = Generator(seed)
    if kind == "random":
        return g.matrix(n, d)
    if kind == "positive":
        return g.matrix(n, d, lambda v: v + 0.5)
    if kind == "sparse":
        return g.matrix(n, d, lambda v: 40 * v if abs(v) < 0.05 else 0.0)
    if kind == "ties":  # every row twice
        half = g.matrix(n // 2, d, lambda v: float(round(2 * v)))
        return np.vstack([half, half])
    if kind == "low rank":
        return g.matrix(n, 2) @ g.matrix(2, d)
    if kind == "diagonal":
        return np.diag(10.0 ** (-2 * np.arange(n) / (n - 1)))
    cyclic = np.zeros((n, n))  # rock, paper, scissors: each strategy beats the (n-1)/2 before it
    for j in range(n):
        for i in range(j):
            cyclic[j, i] = (1 + g.draw()) * (1 if j - i <= (n - 1) // 2 else -1)
            cyclic[i, j] = -cyclic[j, i]
    return cyclic


def solve(objective, rows, shift, d):
    """min objective·(x, t) over the simplex subject to rows·(x, t) ≤ shift."""
    free = len(objective) - d
    r = linprog(objective, A_ub=rows, b_ub=shift, A_eq=[[1.0] * d + [0.0] * free], b_eq=[1],
                bounds=[(0, None)] * d + [(None, None)] * free, method="highs",
                options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    assert r.status == 0, r.message
    return r.fun


cases = []
for kind, n, d, seed in [("random", 60, 40, 1), ("random", 200, 100, 2), ("positive", 100, 100, 3), ("cyclic", 51, 51, 4),
                         ("diagonal", 30, 30, 0), ("ties", 80, 60, 5), ("sparse", 150, 100, 6), ("low rank", 100, 80, 7)]:
    a = payoff(kind, n, d, seed)
    value = solve([0.0] * d + [1.0], np.hstack([a, -np.ones((n, 1))]), np.zeros(n), d)
    cases.append({"kind": kind, "rows": n, "columns": d, "seed": seed, "value": value})
for m, d, seed in [(3, 10, 8), (60, 10, 9), (20, 60, 10)]:
    g = Generator(seed)
    cost, a = g.matrix(1, d)[0], g.matrix(m, d)
    cases.append({"kind": "linear program", "rows": m, "columns": d, "seed": seed,
                  "value": solve(cost, a, a.mean(axis=1) + 0.1, d)})
json.dump(cases, sys.stdout, indent=1)
print()
