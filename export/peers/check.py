"""Scores the edge rows of exported models with other programs.

usage: check.py DIR, with DIR/cases.json and NAME.onnx, NAME.sql, NAME.pmml a case.
A program that is not installed is skipped aloud; a score that is off by more than
1e-12 of it is a failure.
"""

import json
import math
import os
import sys

TOLERANCE = 1e-12


def onnx_scores(path, case):
    import numpy as np
    import onnx
    import onnxruntime

    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feed = {}
    types = {i.name: i.type for i in session.get_inputs()}
    for k, name in enumerate(case["columns"]):
        values = [row[k] for row in case["rows"]]
        if types[name] == "tensor(double)":
            column = np.array([math.nan if v is None else v for v in values], dtype=np.float64)
        elif types[name] == "tensor(bool)":
            column = np.array(values, dtype=bool)
        else:
            text = lambda v: case["null"][k] if v is None else ("true" if v is True else "false" if v is False else v)
            column = np.array([text(v) for v in values], dtype=object)
        feed[name] = column.reshape(-1, 1)
    (scores,) = session.run(None, feed)
    assert scores.dtype == np.float64 and scores.shape == (len(case["rows"]), 1)
    return scores[:, 0]


def sql_scores(path, case):
    import duckdb

    db = duckdb.connect()
    types = {"number": "DOUBLE", "text": "VARCHAR", "bool": "BOOLEAN"}
    quote = lambda s: '"' + s.replace('"', '""') + '"'
    columns = ", ".join(f"{quote(n)} {types[t]}" for n, t in zip(case["columns"], case["types"]))
    db.execute(f"CREATE TABLE data (id INTEGER, {columns})")
    marks = ", ".join("?" * (1 + len(case["columns"])))
    for i, row in enumerate(case["rows"]):
        db.execute(f"INSERT INTO data VALUES ({marks})", [i, *row])
    with open(path, encoding="utf-8") as f:
        out = db.execute(f.read())
    names = [d[0] for d in out.description]
    rows = sorted(out.fetchall(), key=lambda r: r[names.index("id")])
    return [r[names.index(case["score"])] for r in rows]


def pmml_scores(path, case):
    from jpmml_evaluator import make_evaluator

    evaluator = make_evaluator(path).verify()
    return [evaluator.evaluate(dict(zip(case["columns"], row)))[case["score"]] for row in case["rows"]]


def main(folder):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as f:
        cases = json.load(f)
    failed = False
    for case in cases:
        for ending, score in {"onnx": onnx_scores, "sql": sql_scores, "pmml": pmml_scores}.items():
            try:
                got = score(os.path.join(folder, f"{case['name']}.{ending}"), case)
            except ImportError as e:
                print(f"{case['name']}.{ending}: skipped: {e}")
                continue
            worst = max(abs(g - w) / max(abs(w), 1e-300) for g, w in zip(got, case["want"], strict=True))
            print(f"{case['name']}.{ending}: {len(case['want'])} rows, largest relative difference {worst:.1e}")
            if not worst <= TOLERANCE:
                failed = True
                for row, g, w in zip(case["rows"], got, case["want"]):
                    if not abs(g - w) <= TOLERANCE * abs(w):
                        print("  ", row, g, w)
    return failed


sys.exit(main(sys.argv[1]))
