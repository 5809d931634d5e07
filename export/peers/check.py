"""Scores the edge rows of exported models with other programs.

usage: check.py DIR, with DIR/cases.json and NAME.onnx and NAME-DIALECT.sql for each case.
BigQuery itself runs nowhere but at Google: zetasql is its language's own parser, analyzer and
reference engine, compiled to WebAssembly. Dialects without an engine are parsed by sqlglot.
A program that is not installed is skipped aloud; a score that is off by more than 1e-12 of it,
or a probability among more than two classes that is off by more than 1e-12, is a failure.
"""

import datetime
import json
import math
import os
import sys

TOLERANCE = 1e-12
EPOCH = datetime.date(1970, 1, 1)


def day(v):
    return EPOCH + datetime.timedelta(days=v)


def table(case, rows, date=day):
    """Columns (name, type, values) of the rows; the entries of a vector are one of them."""
    out = []
    for k, (name, kind, vector) in enumerate(zip(case["columns"], case["types"], case["vector"])):
        values = [float(row[k]) if kind == "number" and row[k] is not None else row[k] for row in rows]
        if kind == "date":
            values = [None if v is None else date(v) for v in values]
        if not vector:
            out.append((name, kind, values))
            continue
        if not any(name == vector for name, _, _ in out):
            width = 1 + max(e for e, v in zip(case["entry"], case["vector"]) if v == vector)
            out.append((vector, "vector", [[0.0] * width for _ in rows]))
        cells = next(c for n, _, c in out if n == vector)
        for row, v in zip(cells, values):
            row[case["entry"][k]] = v
    return out


def onnx_scores(path, case, rows):
    import numpy as np
    import onnx
    import onnxruntime

    onnx.checker.check_model(path, full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    types = {i.name: i.type for i in session.get_inputs()}
    null = dict(zip(case["columns"], case["null"]))
    feed = {}
    for name, kind, values in table(case, rows, date=float):
        if kind == "vector":
            feed[name] = np.array([[math.nan if v is None else v for v in row] for row in values], dtype=np.float64)
            continue
        if types[name] == "tensor(double)":
            column = np.array([math.nan if v is None else v for v in values], dtype=np.float64)
        elif types[name] == "tensor(bool)":
            column = np.array(values, dtype=bool)
        else:
            text = lambda v: null[name] if v is None else ("true" if v is True else "false" if v is False else v)
            column = np.array([text(v) for v in values], dtype=object)
        feed[name] = column.reshape(-1, 1)
    scores = session.run(None, feed)
    assert scores[0].dtype == np.float64 and scores[0].shape == (len(rows), len(case["classes"] or [0]))
    if case["classes"]:
        best = [case["classes"][k] for k in scores[0].argmax(axis=1)]
        assert [v for v, p in zip(scores[1][:, 0], scores[0]) if p[0] == p[0]] == [v for v, p in zip(best, scores[0]) if p[0] == p[0]]
    return scores[0].tolist()


def results(case, names, rows):
    """The scores of the rows that a query returned, in the order of their ids."""
    folded = [n.lower() for n in names]
    rows = sorted(rows, key=lambda r: r[folded.index("id")])
    wanted = ["probability_" + c for c in case["classes"]] if case["classes"] else [case["score"]]
    out = [[r[folded.index(n.lower())] for n in wanted] for r in rows]
    if case["classes"]:
        label = folded.index("prediction")
        for r, p in zip(rows, out):
            assert r[label] == (None if p[0] is None else case["classes"][p.index(max(p))]), (r[label], p)
    return out


def query(path):
    with open(path, encoding="utf-8") as f:
        return f.read().strip().rstrip(";")


def duckdb_scores(path, case, rows):
    import duckdb

    db = duckdb.connect()
    types = {"number": "DOUBLE", "date": "DATE", "text": "VARCHAR", "bool": "BOOLEAN", "vector": "DOUBLE[]"}
    columns = table(case, rows)
    db.execute("CREATE TABLE data (id INTEGER, " + ", ".join('"' + n.replace('"', '""') + '" ' + types[t] for n, t, _ in columns) + ")")
    db.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (1 + len(columns)))})", [[i, *r] for i, r in enumerate(zip(*(v for _, _, v in columns)))])
    out = db.execute(query(path))
    return results(case, [d[0] for d in out.description], out.fetchall())


def sqlite_scores(path, case, rows):
    import sqlite3

    db = sqlite3.connect(":memory:")
    types = {"number": "REAL", "date": "TEXT", "text": "TEXT", "bool": "INTEGER"}
    columns = table(case, rows, date=lambda v: day(v).isoformat())
    db.execute("CREATE TABLE data (id INTEGER, " + ", ".join('"' + n.replace('"', '""') + '" ' + types[t] for n, t, _ in columns) + ")")
    db.executemany(f"INSERT INTO data VALUES ({', '.join('?' * (1 + len(columns)))})", [[i, *r] for i, r in enumerate(zip(*(v for _, _, v in columns)))])
    out = db.execute(query(path))
    return results(case, [d[0] for d in out.description], out.fetchall())


SPARK = []


def spark_scores(path, case, rows):
    from pyspark.sql import SparkSession, types as T

    if not SPARK:
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
        SPARK.append(builder.config("spark.sql.codegen.wholeStage", "false").config("spark.sql.shuffle.partitions", "1").getOrCreate())
        SPARK[0].sparkContext.setLogLevel("OFF")
    kinds = {"number": T.DoubleType(), "date": T.DateType(), "text": T.StringType(), "bool": T.BooleanType(), "vector": T.ArrayType(T.DoubleType())}
    columns = table(case, rows)
    schema = T.StructType([T.StructField("id", T.IntegerType())] + [T.StructField(n, kinds[t]) for n, t, _ in columns])
    SPARK[0].createDataFrame([(i, *r) for i, r in enumerate(zip(*(v for _, _, v in columns)))], schema).createOrReplaceTempView("data")
    out = SPARK[0].sql(query(path))
    return results(case, out.columns, [tuple(r) for r in out.collect()])


def bigquery_scores(path, case, rows):
    from zetasql.api import CatalogBuilder, PreparedQuery, TableBuilder, create_table_content
    from zetasql.types import AnalyzerOptions, LanguageOptions, TypeKind, ZetaSQLBuiltinFunctionOptions

    if any(case["vector"]):
        raise ImportError("the tables of zetasql have no arrays")
    # Dates are given as texts, which TIMESTAMP() takes as it takes dates; the default zone is UTC in BigQuery alone.
    types = {"number": TypeKind.TYPE_DOUBLE, "date": TypeKind.TYPE_STRING, "text": TypeKind.TYPE_STRING, "bool": TypeKind.TYPE_BOOL}
    columns = table(case, rows, date=lambda v: f"{day(v)} 00:00:00+00")
    t = TableBuilder("data").add_column("id", TypeKind.TYPE_INT64)
    for name, kind, _ in columns:
        t = t.add_column(name, types[kind])
    language = LanguageOptions.maximum_features()
    catalog = CatalogBuilder("catalog").add_table(t.build())
    catalog = catalog.with_builtin_functions(ZetaSQLBuiltinFunctionOptions(language_options=language)).build()
    content = [[i, *r] for i, r in enumerate(zip(*(v for _, _, v in columns)))]
    q = PreparedQuery.builder().set_sql(query(path)).set_analyzer_options(AnalyzerOptions(language_options=language)).set_catalog(catalog)

    def value(cell):
        for field in ("double_value", "int64_value", "string_value"):
            if getattr(cell, field, None) is not None:
                return getattr(cell, field)

    with q.set_table_content({"data": create_table_content(content)}).prepare() as prepared:
        names = [c.name for c in prepared.columns]
        out = [[value(c) for c in r.cell] for r in prepared.execute().content.table_data.row]
    return results(case, names, out)


def parse(dialect):
    def parsed(path, case, rows):
        import sqlglot

        sqlglot.parse_one(query(path), read={"sqlserver": "tsql"}.get(dialect, dialect), error_level=sqlglot.ErrorLevel.RAISE)

    return parsed


PROGRAMS = {
    ".onnx": onnx_scores, "-duckdb.sql": duckdb_scores, "-sqlite.sql": sqlite_scores, "-spark.sql": spark_scores,
    "-bigquery.sql": bigquery_scores,
    "-snowflake.sql": parse("snowflake"), "-sqlserver.sql": parse("sqlserver"), "-redshift.sql": parse("redshift"),
}


def main(folder):
    with open(os.path.join(folder, "cases.json"), encoding="utf-8") as f:
        cases = json.load(f)
    failed, missing = False, set()
    for ending, score in PROGRAMS.items():
        for case in cases:
            name = case["name"] + ending
            path = os.path.join(folder, name)
            if ending in missing or not os.path.exists(path) or ending not in os.environ.get("DROTRAIN_PEERS", ending).split():
                continue
            none = lambda v: v is None or v[0] is None or math.isnan(v[0])
            rows, want = case["rows"] + case["nulls"], case["want"] + [None] * len(case["nulls"])
            if ending.endswith(".sql"):
                unscored = [row for row in case["unscored"] if ending != "-sqlite.sql" or "NaN" not in row]  # which it stores as a null
                rows, want = rows + unscored + case["far"], want + [None] * len(unscored) + case["want_far"]
            try:
                got = score(path, case, rows)
            except ImportError as e:
                print(f"{name}: skipped: {e}")
                if not any(case["vector"]):
                    missing.add(ending)
                continue
            except Exception as e:
                print(f"{name}: {type(e).__name__}: {str(e)[:2000]}")
                failed = True
                continue
            if got is None:
                print(f"{name}: parsed, not run")
                continue
            worst = 0.0
            for k, (row, g, w) in enumerate(zip(rows, got, want, strict=True)):
                if none(g) or w is None:
                    large = k >= len(case["want"]) and any(type(v) is float and abs(v) >= 1e120 for v in row)
                    good = none(g) and (w is None or large)
                else:  # a probability among several classes is a share of 1
                    off = max(abs(a - b) / (1 if case["classes"] else max(abs(b), 1e-100 if k >= len(case["want"]) else 1e-300)) for a, b in zip(g, w, strict=True))
                    worst, good = max(worst, off), off <= TOLERANCE
                if not good:
                    failed = True
                    print(f"{name}: {row} scores {g}, wanted {w}")
            print(f"{name}: {len(rows)} rows, largest relative difference {worst:.1e}")
    return failed


sys.exit(main(sys.argv[1]))
