"""Other people's ways to be just to groups, on the splits that bench/value writes.

Usage: peers.py DIR; reads DIR/splits.json and the files it names, prints one JSON object
a line: {"model", "seed", "average", "worst", "tail", "by"}. Losses are those of the models that
they stand beside: logistic, or half the squared error. Where fairlearn is not installed
there are only scikit-learn's."""
import json
import os
import sys
import warnings

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge

try:
    import fairlearn
except ImportError:
    fairlearn = None

warnings.filterwarnings("ignore")
MOST = 1500  # rows that fairlearn is trained on: it trains dozens of models


def read(directory, name, columns=None):
    values = np.fromfile(os.path.join(directory, name))
    return values if columns is None else values.reshape(-1, columns)


def measures(loss, groups):
    worst = max(loss[groups == g].mean() for g in np.unique(groups[groups >= 0]))
    ordered, share = np.sort(loss)[::-1], 0.1 * len(loss)
    whole = int(share)
    tail = (ordered[:whole].sum() + (share - whole) * ordered[min(whole, len(loss) - 1)]) / share
    return {"average": loss.mean(), "worst": worst, "tail": tail}


def estimator(binary, class_weight=None, tol=1e-6):
    if binary:  # the sum of the losses + ½‖x‖²: μ = 1/n of the mean
        return LogisticRegression(C=1, class_weight=class_weight, max_iter=2000, tol=tol)
    return Ridge(alpha=1)


def logistic(probability, y):
    p = np.clip(np.where(y > 0, probability, 1 - probability), 1e-12, 1)
    return -np.log(p)


def predict(model, x, y, binary):
    if binary:
        return logistic(model.predict_proba(x)[:, 1], y)
    return (model.predict(x) - y) ** 2 / 2


def fairlearn_loss(train, test, binary):
    """Exponentiated gradient: error rates within .01 of each other between the groups, or
    a bound of the squared error of every group, halfway between the mean's and the worst
    group's under the plain average. The mixture's scores are the mean of its members'."""
    from fairlearn.reductions import BoundedGroupLoss, ErrorRateParity, ExponentiatedGradient, SquareLoss

    x, y, g = train
    if binary:
        model = ExponentiatedGradient(estimator(True, tol=1e-3), ErrorRateParity(difference_bound=0.01), max_iter=5)
        model.fit(x, (y > 0).astype(int), sensitive_features=g)
        at = [(w, m) for w, m in zip(model.weights_, model.predictors_) if w > 1e-6]
        p = sum(w * (m.predict_proba(test[0])[:, -1] if len(m.classes_) > 1 else np.full(len(test[1]), float(m.classes_[0]))) for w, m in at)
        return logistic(p / sum(w for w, _ in at), test[1])
    plain = (estimator(False).fit(x, y).predict(x) - y) ** 2
    worst = max(plain[g == k].mean() for k in np.unique(g))
    low, high = y.min(), y.max()
    model = ExponentiatedGradient(estimator(False), BoundedGroupLoss(SquareLoss(low, high), upper_bound=(plain.mean() + worst) / 2), max_iter=5)
    model.fit(x, y, sensitive_features=g)
    at = [(w, m) for w, m in zip(model.weights_, model.predictors_) if w > 1e-6]
    score = sum(w * m.predict(test[0]) for w, m in at) / sum(w for w, _ in at)
    return (score - test[1]) ** 2 / 2


def main(directory):
    with open(os.path.join(directory, "splits.json")) as f:
        splits = json.load(f)
    for s in splits:
        binary, d = s["binary"], s["columns"]
        part = {}
        for name in ("train", "test"):
            x = read(directory, f"{s['seed']}.{name}.x", d)[:, :-1]  # the constant is last
            part[name] = (x, read(directory, f"{s['seed']}.{name}.y"), read(directory, f"{s['seed']}.{name}.g").astype(int))
        x, y, g = part["train"]
        test = part["test"]
        count = np.bincount(g, minlength=g.max() + 1)
        weight = len(y) / (count[g] * (count > 0).sum())
        models = {}
        models["scikit-learn, group weights"] = lambda: predict(estimator(binary).fit(x, y, sample_weight=weight), *test[:2], binary)
        if binary:
            models["scikit-learn, class weights"] = lambda: predict(estimator(True, "balanced").fit(x, y), test[0], test[1], True)
        if fairlearn:
            some = np.random.default_rng(s["seed"]).permutation(len(y))[:MOST]
            models["fairlearn"] = lambda: fairlearn_loss([v[some] for v in part["train"]], test, binary)
        for name, run in models.items():
            try:
                out = measures(run(), test[2])
            except Exception as e:  # a peer that fails is left out, and says so
                print(f"{name}: {e}", file=sys.stderr)
                continue
            by = f"fairlearn {fairlearn.__version__}" if name == "fairlearn" else f"scikit-learn {sklearn.__version__}"
            print(json.dumps({"model": name, "seed": s["seed"], "by": by, **out}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
