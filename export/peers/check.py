"""Scores the edge rows of exported models with other programs.

usage: check.py DIR, with DIR/cases.json and NAME.onnx, NAME.pmml, NAME-duckdb.sql,
NAME-bigquery.sql a case. BigQuery itself runs nowhere but at Google: zetasql is its
language's own parser, analyzer and reference engine, compiled to WebAssembly.
A program that is not installed is skipped aloud; a score that is off by more than
1e-12 of it is a failure.
"""

import json
import math
import os
import sys

TOLERANCE = 1e-12


def number(v):
    return float(v) if isinstance(v, str) else v


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


def duckdb_scores(path, case):
    import datetime

    import duckdb

    db = duckdb.connect()
    types = {"number": "DOUBLE", "date": "DATE", "text": "VARCHAR", "bool": "BOOLEAN"}
    quote = lambda s: '"' + s.replace('"', '""') + '"'
    columns = ", ".join(f"{quote(n)} {types[t]}" for n, t in zip(case["columns"], case["types"]))
    db.execute(f"CREATE TABLE data (id INTEGER, {columns})")
    marks = ", ".join("?" * (1 + len(case["columns"])))
    for i, row in enumerate(case["rows"]):
        values = [number(v) if t == "number" else v for v, t in zip(row, case["types"])]
        for k, t in enumerate(case["types"]):
            if t == "date" and row[k] is not None:
                values[k] = datetime.date(1970, 1, 1) + datetime.timedelta(days=row[k])
        db.execute(f"INSERT INTO data VALUES ({marks})", [i, *values])
    with open(path, encoding="utf-8") as f:
        out = db.execute(f.read())
    names = [d[0] for d in out.description]
    rows = sorted(out.fetchall(), key=lambda r: r[names.index("id")])
    return [r[names.index(case["score"])] for r in rows]


def bigquery_scores(path, case):
    from zetasql.api import CatalogBuilder, PreparedQuery, TableBuilder, create_table_content
    from zetasql.types import AnalyzerOptions, LanguageOptions, TypeKind, ZetaSQLBuiltinFunctionOptions

    # Dates are given as texts, which TIMESTAMP() takes as it takes dates.
    types = {"number": TypeKind.TYPE_DOUBLE, "date": TypeKind.TYPE_STRING, "text": TypeKind.TYPE_STRING, "bool": TypeKind.TYPE_BOOL}
    table = TableBuilder("data").add_column("id", TypeKind.TYPE_INT64)
    for name, t in zip(case["columns"], case["types"]):
        table = table.add_column(name, types[t])
    language = LanguageOptions.maximum_features()
    catalog = CatalogBuilder("catalog").add_table(table.build())
    catalog = catalog.with_builtin_functions(ZetaSQLBuiltinFunctionOptions(language_options=language)).build()
    import datetime

    day = lambda v: f"{datetime.date(1970, 1, 1) + datetime.timedelta(days=v)} 00:00:00+00"  # the default zone is UTC in BigQuery alone
    cell = lambda v, t: None if v is None else float(v) if t == "number" else day(v) if t == "date" else v
    rows = [[i] + [cell(v, t) for v, t in zip(row, case["types"])] for i, row in enumerate(case["rows"])]
    with open(path, encoding="utf-8") as f:
        query = PreparedQuery.builder().set_sql(f.read().strip().rstrip(";"))
    query = query.set_analyzer_options(AnalyzerOptions(language_options=language)).set_catalog(catalog)
    with query.set_table_content({"data": create_table_content(rows)}).prepare() as prepared:
        at = {c.name: k for k, c in enumerate(prepared.columns)}
        out = [r.cell for r in prepared.execute().content.table_data.row]
    out.sort(key=lambda r: r[at["id"]].int64_value)
    return [r[at[case["score"]]].double_value for r in out]


def pmml_scores(path, case):
    from jpmml_evaluator import make_evaluator

    evaluator = make_evaluator(path).verify()
    return [evaluator.evaluate(dict(zip(case["columns"], row))).get(case["score"]) for row in case["rows"]]


def main(folder):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as f:
        cases = json.load(f)
    failed = False
    for case in cases:
        for ending, score in {
            ".onnx": onnx_scores, "-duckdb.sql": duckdb_scores, "-bigquery.sql": bigquery_scores, ".pmml": pmml_scores,
        }.items():
            name = case["name"] + ending
            if ending not in os.environ.get("DROTRAIN_PEERS", ending):
                continue
            try:
                got = score(os.path.join(folder, name), case)
            except ImportError as e:
                print(f"{name}: skipped: {e}")
                continue
            none = lambda v: v is None or math.isnan(v)
            extra = dict(case, rows=case["nulls"])
            if extra["rows"]:
                for row, g in zip(extra["rows"], score(os.path.join(folder, name), extra), strict=True):
                    if not none(g):
                        failed = True
                        print(f"{name}: {row} scores {g}, wanted null")
            if ending.endswith(".sql"):
                extra["rows"] = case["unscored"] + case["far"]
                want = [None] * len(case["unscored"]) + case["want_far"]
                for row, g, w in zip(extra["rows"], score(os.path.join(folder, name), extra) if extra["rows"] else [], want, strict=True):
                    large = any(type(v) is float and abs(v) >= 1e120 for v in row)
                    if not (w is None or large) if g is None else w is None or not abs(g - w) <= TOLERANCE * max(abs(w), 1e-100):
                        failed = True
                        print(f"{name}: {row} scores {g}, wanted {w}")
            worst = max(abs(g - w) / max(abs(w), 1e-300) for g, w in zip(got, case["want"], strict=True))
            print(f"{name}: {len(case['want'])} rows, largest relative difference {worst:.1e}")
            if not worst <= TOLERANCE:
                failed = True
                for row, g, w in zip(case["rows"], got, case["want"]):
                    if not abs(g - w) <= TOLERANCE * abs(w):
                        print("  ", row, g, w)
    return failed


sys.exit(main(sys.argv[1]))
