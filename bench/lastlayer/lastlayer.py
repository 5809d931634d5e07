"""Compares last layers on embeddings with a spurious attribute: worst-group accuracy, average, time.

    python bench/lastlayer/lastlayer.py --seeds 10 --vary --out lastlayer.md

The designs have the group proportions of Waterbirds, CelebA, MultiNLI and CivilComments. The embeddings are simulated: a
class has a direction, the attribute has another, noise is normal with the given decay of its deviations, and all are
rotated. With --embeddings DIR, files DIR/NAME-{train,validation,test}.npz with the arrays X, y and a (the attribute) are used
in place of the simulation, as written from a network. With --species FILE, a Parquet file with the columns embedding (a
vector) and species, such as embeddings of iWildCam, the species with at least 120 rows are the classes and the groups;
half of the rows of every species are training rows, a fifth validation rows and the others test rows, drawn by the seed.

Methods differ in who has groups: training and n/4 validation rows (first block), the validation rows alone (second
block), nobody (third block). Peers choose their ridge by the accuracy of the worst group on the validation rows, or by the
accuracy where there are no groups. Simulated test rows have equal numbers of rows of every group. --vary draws the distances
of the classes and of the attribute's values anew with every seed. The Python package dro takes part where it is installed
and there are two classes: by the χ² ball, without groups, since its group DRO needs the group among the features, where a
group of class and attribute gives the class away. The last column is the difference of the worst group's accuracy
from that of the first method of drotrain in the block, paired by draws.
"""

import argparse
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from drotrain import RobustClassifier
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

# Rows of class × attribute in the training sets.
PROPORTIONS = {
    "waterbirds": [[3498, 184], [56, 1057]],
    "celeba": [[71629, 66874], [22880, 1387]],
    "multinli": [[57498, 11158], [67376, 1521], [66630, 1992]],
    "civilcomments": [[148186, 90337], [12731, 17784]],
}
RIDGES = np.logspace(-3, 1, 5)  # of the average loss, as mu
TEST_ROWS = 12000


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
        draw(np.full(share.shape, TEST_ROWS // share.size)),
    )


def load(folder, name):
    """Return training, validation and test rows of files."""
    parts = []
    for part in ("train", "validation", "test"):
        z = np.load(folder / f"{name}-{part}.npz")
        parts.append((z["X"], z["y"], z["y"] * (z["a"].max() + 1) + z["a"]))
    return parts


def load_species(path, rng, least=120):
    """Return training, validation and test rows of the species with enough rows; groups are the species."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    X = np.stack(table["embedding"].to_numpy()).astype(np.float32)
    _, y, counts = np.unique(table["species"].to_numpy().astype(str), return_inverse=True, return_counts=True)
    kept = np.flatnonzero(counts >= least)
    parts = [[], [], []]
    for of in kept:
        rows = rng.permutation(np.flatnonzero(y == of))
        for part, chosen in zip(parts, np.split(rows, [len(rows) // 2, 7 * len(rows) // 10]), strict=True):
            part.append(chosen)
    label = np.searchsorted(kept, y)
    return [(X[rows], label[rows], label[rows]) for rows in (rng.permutation(np.concatenate(p)) for p in parts)]


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


class ChiSquaredBall:
    """The χ² ball of the package dro, which has no ridge, with labels 0 and 1."""

    def __init__(self, X, y, radius):
        from dro.linear_model.chi2_dro import Chi2DRO

        for solver in ("CLARABEL", "SCS"):  # the first one fails on some samples
            self.model = Chi2DRO(input_dim=X.shape[1], model_type="logistic", fit_intercept=True, solver=solver)
            self.model.update({"eps": radius})
            try:
                self.model.fit(X.astype(float), 2 * y - 1)
                return
            except Exception as failure:
                error = failure
        raise error

    def predict(self, X):
        return (self.model.predict(X.astype(float)).ravel() > 0).astype(int)


def clusters(X, y, kinds=2):
    """Return inferred groups: clusters of the embeddings of every class."""
    group = np.zeros(len(y), int)
    for c in np.unique(y):
        rows = y == c
        group[rows] = kinds * c + KMeans(kinds, n_init=3, random_state=0).fit_predict(X[rows])
    return group


def tuned(make, Xv, yv, gv):
    """Return the model of the ridge with the best worst group on the validation rows; without groups the best accuracy."""
    return max((make(r) for r in RIDGES), key=lambda m: (m.predict(Xv) == yv).mean() if gv is None else worst(m.predict(Xv), yv, gv))


def dfr_on_validation(Xv, yv, gv, rng):
    """Return DFR on validation rows: the ridge is tuned on half of them, with models of the other half."""
    half = np.zeros(len(yv), bool)
    for g in np.unique(gv):
        rows = rng.permutation(np.flatnonzero(gv == g))
        half[rows[: (len(rows) + 1) // 2]] = True
    ridge = max(
        RIDGES, key=lambda r: worst(subsets(Xv[half], yv[half], gv[half], r, rng).predict(Xv[~half]), yv[~half], gv[~half])
    )
    return subsets(Xv, yv, gv, ridge, rng)


def methods(train, validation, rng, seed):
    """Return methods by the block of the table and their name."""
    (X, y, g), (Xv, yv, gv) = train, validation
    both = [np.concatenate(p) for p in zip(train, validation, strict=True)]
    inferred = clusters(X, y)

    def ours():
        return RobustClassifier(random_state=seed)

    found = {
        ("all", "drotrain, validation="): lambda: ours().fit(X, y, groups=g, validation=validation),
        ("all", "drotrain, all rows cross-validated"): lambda: ours().fit(both[0], both[1], groups=both[2]),
        ("all", "ERM"): lambda: tuned(lambda r: fit(X, y, r), Xv, yv, gv),
        ("all", "balanced ERM"): lambda: tuned(lambda r: fit(X, y, r, balanced(g)), Xv, yv, gv),
        ("all", "DFR, training rows"): lambda: tuned(lambda r: subsets(X, y, g, r, rng), Xv, yv, gv),
        ("all", "DFR, validation rows"): lambda: dfr_on_validation(Xv, yv, gv, rng),
        ("all", "group DRO"): lambda: tuned(lambda r: group_dro(X, y, g, r), Xv, yv, gv),
        ("validation", "drotrain, validation="): lambda: ours().fit(X, y, validation=validation),
        ("validation", "ERM"): lambda: tuned(lambda r: fit(X, y, r), Xv, yv, gv),
        ("validation", "DFR, validation rows"): lambda: dfr_on_validation(Xv, yv, gv, rng),
        ("validation", "JTT"): lambda: tuned(lambda r: jtt(X, y, r), Xv, yv, gv),
        ("validation", "clusters, balanced ERM"): lambda: tuned(lambda r: fit(X, y, r, balanced(inferred)), Xv, yv, gv),
        ("nobody", "drotrain"): lambda: ours().fit(X, y),
        ("nobody", "ERM"): lambda: tuned(lambda r: fit(X, y, r), Xv, yv, None),
        ("nobody", "JTT"): lambda: tuned(lambda r: jtt(X, y, r), Xv, yv, None),
        ("nobody", "clusters, balanced ERM"): lambda: tuned(lambda r: fit(X, y, r, balanced(inferred)), Xv, yv, None),
        ("nobody", "drotrain on clusters"): lambda: ours().fit(X, y, groups=inferred),
    }
    if len(np.unique(y)) == 2:

        def best(models):
            return max(models, key=lambda m: (m.predict(Xv) == yv).mean())

        balls = {"drotrain, χ² ball": lambda eps: RobustClassifier(penalty="chi2", radius=eps / 2).fit(X, y)}
        if find_spec("dro"):
            balls["package dro, χ² ball"] = lambda eps: ChiSquaredBall(X, y, eps)
        for name, ball in balls.items():
            found["nobody", name] = lambda ball=ball: best([ball(eps) for eps in (0.1, 1.0)])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", nargs="*", default=list(PROPORTIONS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--strength", type=float, default=4.0, help="distance of the attribute's values")
    parser.add_argument("--core", type=float, default=3.0, help="distance of the classes")
    parser.add_argument("--methods", nargs="*", default=[""], help="methods whose names contain one of these texts")
    parser.add_argument("--embeddings", type=Path)
    parser.add_argument("--species", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--vary", action="store_true", help="draw the distances with every seed")
    given = parser.parse_args()
    if given.species:
        given.designs = [given.species.stem]
    warnings.simplefilter("ignore")
    lines = ["| design | groups of | method | worst group | average | seconds | difference |", "|---|---|---|--:|--:|--:|--:|"]
    for name in given.designs:
        results = {}
        for seed in range(1 if given.embeddings else given.seeds):
            rng = np.random.default_rng(seed)
            strength, core = (rng.uniform(2, 6), rng.uniform(2, 3.5)) if given.vary else (given.strength, given.core)
            if given.species:
                parts = load_species(given.species, rng)
            elif given.embeddings:
                parts = load(given.embeddings, name)
            else:
                parts = simulate(name, given.rows, given.width, strength, core, rng)
            scaler = StandardScaler().fit(parts[0][0])
            train, validation, (Xt, yt, gt) = [(scaler.transform(X), y, g) for X, y, g in parts]
            for (block, method), make in methods(train, validation, rng, seed).items():
                if any(text in method for text in given.methods):
                    begun = time.perf_counter()
                    predicted = make().predict(Xt)
                    seconds = time.perf_counter() - begun
                    results.setdefault((block, method), []).append((worst(predicted, yt, gt), (predicted == yt).mean(), seconds))
            print(name, seed, flush=True)
        first = {}
        for (block, method), values in results.items():
            values = np.array(values)
            reference = first.setdefault(block, values)
            difference = values[:, 0] - reference[:, 0]
            error = difference.std(ddof=min(1, len(values) - 1)) / np.sqrt(len(values))
            mean = values.mean(axis=0)
            change = "" if reference is values else f"{difference.mean():+.3f} ± {error:.3f}"
            lines.append(f"| {name} | {block} | {method} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.1f} | {change} |")
            print(lines[-1], flush=True)
        if given.out:
            given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
