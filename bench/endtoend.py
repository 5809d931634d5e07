"""The peer of the end-to-end benchmark: pandas reads a Parquet file, scikit-learn
trains plain ERM on standardised columns, fairlearn measures by group.

    endtoend.py make FILE ROWS COLUMNS   write the table
    endtoend.py run FILE                 print the seconds of every part as JSON
"""
import json
import resource
import sys
import time


def make(path, rows, columns):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    r = np.random.default_rng(1)
    w = r.normal(size=columns) * 2 / np.sqrt(columns)
    writer = None
    for lo in range(0, rows, 1_000_000 if columns < 100 else 50_000):
        n = min(rows - lo, 1_000_000 if columns < 100 else 50_000)
        x = r.normal(size=(n, columns))
        region = r.choice(5, size=n, p=[0.4, 0.3, 0.2, 0.07, 0.03])
        sex = r.integers(0, 2, n)
        margin = x @ w + 0.3 * (region - 2) * x[:, 0]
        y = r.random(n) < 1 / (1 + np.exp(-margin))
        names = np.array(["north", "south", "east", "west", "centre"])
        t = pa.table({
            **{f"x{j}": x[:, j] for j in range(columns)},
            "region": pa.array(names[region]).dictionary_encode(),
            "sex": pa.array(np.array(["f", "m"])[sex]).dictionary_encode(),
            "y": np.where(y, "yes", "no"),
        })
        writer = writer or pq.ParquetWriter(path, t.schema)
        writer.write_table(t)
    writer.close()


def run(path):
    start = time.perf_counter()
    import pandas as pd
    from fairlearn.metrics import MetricFrame, selection_rate
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, log_loss, recall_score, roc_auc_score
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    marks = [time.perf_counter()]
    d = pd.read_parquet(path)
    marks.append(time.perf_counter())
    y = (d.pop("y") == "yes").astype(int)
    groups = d[["region", "sex"]]
    x = d.drop(columns=["region", "sex"]).to_numpy()
    xa, xb, ya, yb, _, gb = train_test_split(x, y, groups, test_size=0.2, random_state=0)
    m = make_pipeline(StandardScaler(), LogisticRegression()).fit(xa, ya)
    marks.append(time.perf_counter())
    p = m.predict_proba(xb)[:, 1]
    f = MetricFrame(metrics={"accuracy": accuracy_score, "recall": recall_score, "selection": selection_rate},
                    y_true=yb, y_pred=p > 0.5, sensitive_features=gb)
    f.by_group, f.difference(), log_loss(yb, p), roc_auc_score(yb, p)
    marks.append(time.perf_counter())
    use = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"starting": marks[0] - start, "reading": marks[1] - marks[0], "training": marks[2] - marks[1],
                      "measuring": marks[3] - marks[2], "drawing": 0.0, "all": marks[3] - start,
                      "cpu": use.ru_utime + use.ru_stime}))


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    run(sys.argv[2])
