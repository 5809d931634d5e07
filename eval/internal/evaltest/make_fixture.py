"""Writes fixture.json: synthetic rows and what scikit-learn and fairlearn say
about them. Run once with scikit-learn 1.9, fairlearn 0.15, numpy 2.4:

    python make_fixture.py > fixture.json
"""
import json
import numpy as np
import sklearn.metrics as sm
from fairlearn.metrics import MetricFrame

rng = np.random.default_rng(20260101)
n = 400
a = rng.choice(["north", "south"], n, p=[0.6, 0.4])
b = rng.choice(["f", "m"], n, p=[0.5, 0.5])
cross = np.char.add(np.char.add(a, ", "), b)
z = rng.normal(size=n) + (a == "south") * 0.7
p = np.round(1 / (1 + np.exp(-z)), 2)  # two decimals: many ties
y = (rng.random(n) < np.clip(p + 0.1 * (b == "f"), 0, 1)).astype(int)
thr = 0.45
pred = (p >= thr).astype(int)
pc = np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps)
logloss = -np.where(y == 1, np.log(pc), np.log(1 - pc))


def ece(y, p, k=10):
    bins = np.minimum((p * k).astype(int), k - 1)
    return sum(abs(p[bins == j].sum() - y[bins == j].sum()) for j in range(k)) / len(y)


binary = {
    "risk": lambda t, s: sm.log_loss(t, s[:, 0], labels=[0, 1]),
    "log_loss": lambda t, s: sm.log_loss(t, s[:, 0], labels=[0, 1]),
    "accuracy": lambda t, s: sm.accuracy_score(t, s[:, 1]),
    "balanced_accuracy": lambda t, s: sm.balanced_accuracy_score(t, s[:, 1]),
    "brier": lambda t, s: sm.brier_score_loss(t, s[:, 0]),
    "auc": lambda t, s: sm.roc_auc_score(t, s[:, 0]),
    "auprc": lambda t, s: sm.average_precision_score(t, s[:, 0]),
    "tpr": lambda t, s: sm.recall_score(t, s[:, 1]),
    "fpr": lambda t, s: 1 - sm.recall_score(t, s[:, 1], pos_label=0),
    "ppv": lambda t, s: sm.precision_score(t, s[:, 1]),
    "selection_rate": lambda t, s: s[:, 1].mean(),
    "prevalence": lambda t, s: t.mean(),
    "ece": lambda t, s: ece(t, s[:, 0]),
}
yr = 300 + 40 * z + rng.standard_t(3, n) * 25
q = 295 + 38 * z + 5 * (b == "f")
loss_r = ((yr - q) / 50) ** 2 / 2
reg = {
    "risk": lambda t, s: s[:, 1].mean(),
    "rmse": lambda t, s: sm.root_mean_squared_error(t, s[:, 0]),
    "mae": lambda t, s: sm.mean_absolute_error(t, s[:, 0]),
    "r2": lambda t, s: sm.r2_score(t, s[:, 0]),
    "median_ae": lambda t, s: sm.median_absolute_error(t, s[:, 0]),
    "bias": lambda t, s: (s[:, 0] - t).mean(),
}




def frame(metrics, t, s, groups):
    rows = np.arange(len(t))
    wrap = lambda f: lambda _t, i: f(t[np.asarray(i).astype(int)], s[np.asarray(i).astype(int)])
    m = MetricFrame(metrics={k: wrap(f) for k, f in metrics.items()}, y_true=rows, y_pred=rows, sensitive_features=groups)
    flat = lambda x: {k: float(v) for k, v in x.items()}
    return {
        "overall": flat(m.overall),
        "by_group": {g: flat(m.by_group.loc[g]) for g in m.by_group.index},
        "group_min": flat(m.group_min()), "group_max": flat(m.group_max()),
        "difference": flat(m.difference()), "difference_to_overall": flat(m.difference(method="to_overall")),
        "ratio": flat(m.ratio()), "ratio_to_overall": flat(m.ratio(method="to_overall")),
    }


w = np.round(rng.gamma(2, size=n) + 0.05, 3)  # row weights
wbin = {
    "risk": lambda t, s, w: sm.log_loss(t, s[:, 0], labels=[0, 1], sample_weight=w),
    "accuracy": lambda t, s, w: sm.accuracy_score(t, s[:, 1], sample_weight=w),
    "balanced_accuracy": lambda t, s, w: sm.balanced_accuracy_score(t, s[:, 1], sample_weight=w),
    "brier": lambda t, s, w: sm.brier_score_loss(t, s[:, 0], sample_weight=w),
    "auc": lambda t, s, w: sm.roc_auc_score(t, s[:, 0], sample_weight=w),
    "auprc": lambda t, s, w: sm.average_precision_score(t, s[:, 0], sample_weight=w),
    "tpr": lambda t, s, w: sm.recall_score(t, s[:, 1], sample_weight=w),
    "ppv": lambda t, s, w: sm.precision_score(t, s[:, 1], sample_weight=w),
    "selection_rate": lambda t, s, w: np.average(s[:, 1], weights=w),
}
wreg = {
    "risk": lambda t, s, w: np.average(s[:, 1], weights=w),
    "rmse": lambda t, s, w: sm.root_mean_squared_error(t, s[:, 0], sample_weight=w),
    "mae": lambda t, s, w: sm.mean_absolute_error(t, s[:, 0], sample_weight=w),
    "r2": lambda t, s, w: sm.r2_score(t, s[:, 0], sample_weight=w),
    "median_ae": lambda t, s, w: sm.median_absolute_error(t, s[:, 0], sample_weight=w),
    "bias": lambda t, s, w: np.average(s[:, 0] - t, weights=w),
}


def weighted(metrics, t, s, groups):
    return {
        "overall": {k: float(f(t, s, w)) for k, f in metrics.items()},
        "by_group": {g: {k: float(f(t[groups == g], s[groups == g], w[groups == g])) for k, f in metrics.items()} for g in np.unique(groups)},
    }


out = {
    "weight": w.tolist(),
    "weighted": {
        "binary": weighted(wbin, y, np.column_stack([p, pred]), cross),
        "regression": weighted(wreg, yr, np.column_stack([q, loss_r]), cross),
    },
    "threshold": thr,
    "groupings": {"a": a.tolist(), "b": b.tolist(), "a × b": cross.tolist()},
    "binary": {"target": y.tolist(), "score": p.tolist(), "loss": logloss.tolist()},
    "regression": {"target": yr.tolist(), "score": q.tolist(), "loss": loss_r.tolist()},
    "expected": {
        task: {name: frame(m, t, s, g) for name, g in [("a", a), ("b", b), ("a × b", cross)]}
        for task, m, t, s in [
            ("binary", binary, y, np.column_stack([p, pred])),
            ("regression", reg, yr, np.column_stack([q, loss_r])),
        ]
    },
}
print(json.dumps(out, ensure_ascii=False))
