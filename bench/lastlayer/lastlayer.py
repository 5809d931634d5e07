"""Compares last layers on embeddings with a spurious attribute: worst-group accuracy, average, time.

    python bench/lastlayer/lastlayer.py --seeds 10 --out lastlayer.md

The designs have the group proportions of Waterbirds, CelebA, MultiNLI and CivilComments. The embeddings are simulated: a
class has a direction, the attribute has another, noise is normal with the given decay of its deviations, and all are
rotated. With --embeddings DIR, files DIR/NAME-{train,validation,test}.npz with the arrays X, y and a (the attribute) are used
in place of the simulation, as written from a network.

Every method sees the training rows with their groups, and n/4 more rows, also with groups, to choose its ridge by the
accuracy of the worst group. Test rows have equal numbers of rows of every group.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from drotrain import RobustClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

# Rows of class × attribute in the training sets.
PROPORTIONS = {
    "waterbirds": [[3498, 184], [56, 1057]],
    "celeba": [[71629, 66874], [22880, 1387]],
    "multinli": [[57498, 11158], [67376, 1521], [66630, 1992]],
    "civilcomments": [[148186, 90337], [12731, 17784]],
}
RIDGES = np.logspace(-4, 1, 6)  # of the average loss, as mu


def simulate(name, rows, width, strength, core, rng):
    """Return training, validation and test rows as (X, y, group)."""
    share = np.array(PROPORTIONS[name], float)
    classes, attributes = share.shape
    share /= share.sum()
    deviations = (1 + np.arange(width)) ** -0.25
    deviations /= np.sqrt((deviations**2).mean())
    rotation, _ = np.linalg.qr(rng.normal(size=(width, width)))
    means = core / 2**0.5 * np.linalg.qr(rng.normal(size=(width, classes)))[0].T
    shift = strength / 2**0.5 * np.linalg.qr(rng.normal(size=(width, attributes)))[0].T

    def draw(counts):
        group = np.repeat(np.arange(counts.size), counts.ravel())
        y, a = group // attributes, group % attributes
        X = means[y] + shift[a] + rng.normal(size=(len(y), width)) * deviations
        return (X @ rotation).astype(np.float32), y, group

    return (
        draw(np.maximum(np.round(share * rows), 4).astype(int)),
        draw(np.maximum(np.round(share * rows / 4), 4).astype(int)),
        draw(np.full(share.shape, 20000 // share.size)),
    )


def load(folder, name):
    """Return training, validation and test rows of files."""
    parts = []
    for part in ("train", "validation", "test"):
        z = np.load(folder / f"{name}-{part}.npz")
        parts.append((z["X"], z["y"], z["y"] * (z["a"].max() + 1) + z["a"]))
    return parts


def worst(predicted, y, group):
    """Return the accuracy of the worst group."""
    return min((predicted[group == g] == y[group == g]).mean() for g in np.unique(group))


def fit(X, y, ridge, weight=None):
    total = len(y) if weight is None else weight.sum()
    return LogisticRegression(C=1 / (ridge * total), max_iter=300).fit(X, y, sample_weight=weight)


def balanced(group):
    counts = np.bincount(group)
    return 1 / counts[group] * len(group) / (counts > 0).sum()


def subsets(X, y, group, ridge, rng, times=10):
    """Return DFR: the average of models of balanced subsets."""
    least = np.bincount(group)[np.unique(group)].min()
    models = []
    for _ in range(times):
        rows = np.concatenate([rng.choice(np.flatnonzero(group == g), least, replace=False) for g in np.unique(group)])
        models.append(fit(X[rows], y[rows], ridge))
    models[0].coef_ = np.mean([m.coef_ for m in models], axis=0)
    models[0].intercept_ = np.mean([m.intercept_ for m in models], axis=0)
    return models[0]


def group_dro(X, y, group, ridge, step=0.05, rounds=20):
    """Return group DRO by exponentiated gradient on the weights of the groups, with the model refitted in each round."""
    groups = np.unique(group)
    q, model, total = np.ones(len(groups)) / len(groups), None, None
    model = LogisticRegression(C=1 / (ridge * len(y)), max_iter=25, warm_start=True)
    counts = np.array([(group == g).sum() for g in groups])
    for _ in range(rounds):
        weight = (q / counts)[np.searchsorted(groups, group)] * len(y)
        model.fit(X, y, sample_weight=weight)
        loss = -np.log(np.clip(model.predict_proba(X)[np.arange(len(y)), y], 1e-12, None))
        risks = np.array([loss[group == g].mean() for g in groups])
        q = q * np.exp(step * risks / max(risks.max(), 1e-12) * 10)
        q /= q.sum()
        total = model.coef_ if total is None else total + model.coef_
    return model


def jtt(X, y, ridge, factor=20):
    """Return JTT: rows that ERM misclassifies are weighted."""
    wrong = fit(X, y, ridge).predict(X) != y
    return fit(X, y, ridge, np.where(wrong, float(factor), 1.0))


def tuned(make, Xv, yv, gv):
    """Return the model of the ridge with the best worst group on the validation rows."""
    return max((make(r) for r in RIDGES), key=lambda m: worst(m.predict(Xv), yv, gv))


def methods(train, validation, rng, seed):
    (X, y, g), (Xv, yv, gv) = train, validation
    both = [np.concatenate(p) for p in zip(train, validation, strict=True)]
    ours = {"random_state": seed}
    return {
        "ERM": lambda: tuned(lambda r: fit(X, y, r), Xv, yv, gv),
        "balanced ERM": lambda: tuned(lambda r: fit(X, y, r, balanced(g)), Xv, yv, gv),
        "DFR, training rows": lambda: tuned(lambda r: subsets(X, y, g, r, rng), Xv, yv, gv),
        "DFR, validation rows": lambda: tuned(lambda r: subsets(Xv, yv, gv, r, rng), Xv, yv, gv),
        "group DRO": lambda: tuned(lambda r: group_dro(X, y, g, r), Xv, yv, gv),
        "JTT": lambda: tuned(lambda r: jtt(X, y, r), Xv, yv, gv),
        "drotrain, default": lambda: RobustClassifier(**ours).fit(both[0], both[1], groups=both[2]),
        "drotrain, worst-group-accuracy": lambda: RobustClassifier(options={"select": "worst-group-accuracy"}, **ours).fit(
            both[0], both[1], groups=both[2]
        ),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", nargs="*", default=list(PROPORTIONS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--strength", type=float, default=4.0, help="distance of the attribute's values")
    parser.add_argument("--core", type=float, default=3.0, help="distance of the classes")
    parser.add_argument("--methods", default="", help="methods whose names contain this text")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = ["| design | method | worst group | average | seconds |", "|---|---|--:|--:|--:|"]
    for name in given.designs:
        results = {}
        for seed in range(1 if given.embeddings else given.seeds):
            rng = np.random.default_rng(seed)
            parts = load(given.embeddings, name) if given.embeddings else simulate(name, given.rows, given.width, given.strength, given.core, rng)
            scaler = StandardScaler().fit(parts[0][0])
            train, validation, (Xt, yt, gt) = [(scaler.transform(X), y, g) for X, y, g in parts]
            for method, make in methods(train, validation, rng, seed).items():
                if given.methods in method:
                    begun = time.perf_counter()
                    predicted = make().predict(Xt)
                    seconds = time.perf_counter() - begun
                    results.setdefault(method, []).append((worst(predicted, yt, gt), (predicted == yt).mean(), seconds))
        for method, values in results.items():
            mean, error = np.mean(values, axis=0), np.std(values, axis=0, ddof=min(1, len(values) - 1)) / np.sqrt(len(values))
            lines.append(f"| {name} | {method} | {mean[0]:.3f} ± {error[0]:.3f} | {mean[1]:.3f} | {mean[2]:.1f} |")
            print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
