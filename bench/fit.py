"""Compares the fit of the Python estimators with scikit-learn's, in one run.

    fit.py ROWS COLUMNS [REPEATS]      dense doubles and floats of 32 bits
    fit.py --sparse ROWS COLUMNS ENTRIES_PER_ROW

The fits alternate; of every one the least wall time and the least CPU time of parent and child are printed, and the
peak memory of the child beside the size of X. Set OMP_NUM_THREADS for the number of threads of both, DROTRAIN_BINARY for
the command.
"""

import os
import resource
import stat
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
from drotrain import RobustClassifier  # noqa: E402
from drotrain._binary import binary  # noqa: E402

# Runs the command as a child of a small process, whose largest child it is.
MEASURE = """#!{python}
import resource, subprocess, sys
code = subprocess.call([{command!r}, *sys.argv[1:]])
open({out!r}, "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def cpu() -> float:
    """Return the CPU seconds of this process and of its children so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def peak(fit) -> float:
    """Return the largest resident size of the command during a fit, in MB of 10^6 bytes."""
    with tempfile.TemporaryDirectory() as where:
        script, out = Path(where) / "drotrain", Path(where) / "peak"
        script.write_text(MEASURE.format(python=sys.executable, command=binary(), out=str(out)))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        before = os.environ.get("DROTRAIN_BINARY")
        os.environ["DROTRAIN_BINARY"] = str(script)
        try:
            fit()
        finally:
            os.environ.pop("DROTRAIN_BINARY")
            if before is not None:
                os.environ["DROTRAIN_BINARY"] = before
        return int(out.read_text()) * 1024 / 1e6


def compare(fits: dict, repeats: int, ours: list, size: float) -> None:
    """Run the fits in turn and print their least times."""
    best = {name: (np.inf, np.inf) for name in fits}
    for _ in range(repeats):
        for name, fit in fits.items():
            start, used = time.perf_counter(), cpu()
            fit()
            spent = time.perf_counter() - start, cpu() - used
            best[name] = tuple(map(min, best[name], spent))
    for name, (wall, used) in best.items():
        line = f"{name:38}  wall {wall:7.3f} s  CPU {used:7.3f} s"
        if name in ours:
            megabytes = peak(fits[name])
            line += f"  child {megabytes:6.0f} MB, {megabytes / size:.2f} of X"
        print(line, flush=True)


def dense(rows: int, columns: int, repeats: int) -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(rows, columns))
    w = r.normal(size=columns) * 2 / np.sqrt(columns)
    y = (r.random(rows) < 1 / (1 + np.exp(-X @ w))).astype(int)
    g = r.integers(0, 3, rows)
    narrow = X.astype(np.float32)
    fits = {
        "RobustClassifier(average=plain)": lambda: RobustClassifier(average="plain").fit(X, y),
        "the same of float32": lambda: RobustClassifier(average="plain").fit(narrow, y),
        "RobustClassifier(adversary=groups)": lambda: RobustClassifier(adversary="groups", nu=0.1).fit(X, y, groups=g),
        "LogisticRegression(tol=1e-6)": lambda: LogisticRegression(tol=1e-6).fit(X, y),
        "LogisticRegression(newton-cholesky)": lambda: LogisticRegression(solver="newton-cholesky").fit(X, y),
    }
    compare(fits, repeats, list(fits)[:3:2], X.nbytes / 1e6)


def wide(rows: int, columns: int, entries: int) -> None:
    r = np.random.default_rng(0)
    place = np.minimum((r.pareto(1.0, size=rows * entries) * columns / 1000).astype(np.int64), columns - 1)
    cells = (np.abs(r.normal(size=rows * entries)) + 0.1, (np.repeat(np.arange(rows), entries), place))
    X = sparse.coo_matrix(cells, shape=(rows, columns)).tocsr()
    w = r.normal(size=columns)
    y = (X @ w + r.normal(size=rows) > 0).astype(int)
    fits = {
        "RobustClassifier(average=plain)": lambda: RobustClassifier(average="plain").fit(X, y),
        "LogisticRegression(liblinear)": lambda: LogisticRegression(solver="liblinear").fit(X, y),
    }
    compare(fits, 1, list(fits)[:1], (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6)


if sys.argv[1] == "--sparse":
    wide(*(int(float(a)) for a in sys.argv[2:5]))
else:
    dense(*(int(float(a)) for a in sys.argv[1:3]), repeats=int(sys.argv[3]) if len(sys.argv) > 3 else 5)
