"""Makes small tables as people get them from the programs they work with.

    pip install pandas pyarrow polars duckdb fastparquet
    python make.py

One table of 24 rows, as pandas, polars, DuckDB and a spreadsheet write it; every file is
named after what is special about it. What it is read as stands in people_test.go.
"""
import datetime
import decimal
import gzip
import os

import duckdb
import fastparquet
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
N = 24
day0 = datetime.date(2024, 1, 15)
ids = [f"C{100 + i}" for i in range(N)]
city = [["Zürich", "Genève", "Basel"][i % 3] for i in range(N)]
size = [["small", "medium", "large"][i * i % 3] for i in range(N)]
amount = [round(1234.5 + 317.25 * i, 2) for i in range(N)]
share = [i % 7 * 2.5 for i in range(N)]
day = [day0 + datetime.timedelta(9 * i) for i in range(N)]
paid = [i % 4 != 1 for i in range(N)]
gap = [None if i % 5 == 2 else i * 3 for i in range(N)]
note = ["two\nlines" if i % 8 == 3 else 'he said "no"' if i % 8 == 5 else "plain; text, here" for i in range(N)]

# pandas: an index that is not one of rows, nullable types, categories, zones.
df = pd.DataFrame({
    "city": pd.Categorical(city),
    "size": pd.Categorical(size, categories=["small", "medium", "large"], ordered=True),
    "amount": amount, "gap": pd.array(gap, dtype="Int64"), "paid": pd.array([None if i == 6 else p for i, p in enumerate(paid)], dtype="boolean"),
    "when": pd.to_datetime(day).tz_localize("Europe/Zurich"), "took": pd.to_timedelta([i * 3600 for i in range(N)], unit="s"),
}, index=[10 * i + 3 for i in range(N)])
df.to_parquet("pandas_index.parquet", index=True)
df.reset_index(drop=True).to_feather("pandas_lz4.feather", compression="lz4")
df.reset_index(drop=True).to_feather("pandas_zstd.feather", compression="zstd")
plain = pd.DataFrame({"city": city, "amount": amount, "gap": gap, "paid": paid, "day": day})
plain.to_csv("pandas_index.csv")  # with its nameless index
plain.to_csv("pandas_gzip.csv.gz", index=False, compression={"method": "gzip", "mtime": 0})
plain.to_csv("pandas_bzip2.csv.bz2", index=False)
plain.to_csv("pandas_na.csv", index=False, na_rep="-999")

# fastparquet, which puts bytes behind the values of a page, and timestamps as Spark writes them.
when = pd.to_datetime([None if i == 4 else datetime.datetime(2024, 1, 15, i % 24, 30) for i in range(N)])
fp = pd.DataFrame({"city": pd.Categorical(city), "size": size, "amount": amount, "gap": pd.array(gap, dtype="Int64"), "paid": paid, "when": when.astype("datetime64[ns]")})
fastparquet.write("fastparquet.parquet", fp, times="int96")
pq.write_table(pa.table({"city": city, "when": when}), "spark_int96.parquet", flavor="spark", compression="zstd")

# polars: dictionaries, lists and structs, durations, decimals, columns of nothing.
pf = pl.DataFrame({
    "city": pl.Series(city, dtype=pl.Categorical), "size": pl.Series(size, dtype=pl.Enum(["small", "medium", "large"])),
    "amount": pl.Series([decimal.Decimal(str(a)) for a in amount], dtype=pl.Decimal(12, 2)), "gap": gap, "paid": paid, "day": day,
    "when": pl.Series([datetime.datetime(2024, 1, 15, i % 24, 30) for i in range(N)], dtype=pl.Datetime("us", "UTC")),
    "took": pl.Series([datetime.timedelta(hours=i) for i in range(N)]), "list": [[i, i + 1] for i in range(N)],
    "pair": [{"a": i, "b": "x"} for i in range(N)], "nothing": pl.Series([None] * N, dtype=pl.Null),
})
pf.write_parquet("polars_types.parquet")
pf.write_ipc("polars_types.arrow", compression="lz4")
pf.select("city", "amount", "gap", "paid", "day").write_csv("polars_semicolon.csv", separator=";")

# DuckDB: its Parquet and its CSV, a huge integer, an interval, a blob.
con = duckdb.connect()
con.register("p", plain)
con.execute("CREATE TABLE t AS SELECT city, amount, CAST(gap AS INTEGER) AS gap, paid, CAST(day AS DATE) AS day, "
            "CAST(amount * 100 AS HUGEINT) AS cents, to_hours(CAST(amount AS INTEGER)) AS took, encode(city) AS raw FROM p")
con.execute("COPY t TO 'duckdb_types.parquet' (FORMAT parquet)")
con.execute("COPY (SELECT city, amount, gap, paid, day FROM t) TO 'duckdb_bar.csv' (HEADER, DELIMITER '|', NULLSTR 'NULL', QUOTE '\"', FORCE_QUOTE (city))")

# Arrow: large and dictionary text, a null column.
at = pa.table({"city": pa.array(city, pa.large_string()).dictionary_encode(), "name": pa.array(ids, pa.large_string()),
               "amount": pa.array([decimal.Decimal(str(a)) for a in amount], pa.decimal128(12, 2)), "nothing": pa.nulls(N)})
with pa.ipc.new_stream("pyarrow_stream.arrows", at.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as w:
    w.write_table(at, max_chunksize=10)


# Spreadsheets, as they save text in Europe.
def german(v):
    return f"{v:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


def sheet(name, head, rows, sep, encoding, end="\r\n", first=""):
    def cell(v):
        v = str(v)
        return '"' + v.replace('"', '""') + '"' if any(c in v for c in sep + '"\r\n') else v
    text = first + end.join(sep.join(cell(v) for v in row) for row in [head] + rows) + end
    with open(name, "wb") as f:
        f.write(text.encode(encoding))


head = ["Ort", "Betrag", "Anteil", "Datum", "Bemerkung", "bezahlt"]
rows = [[city[i], german(amount[i]), f"{share[i]:.1f} %".replace(".", ","), f"{day[i]:%d.%m.%Y}", note[i], "ja" if paid[i] else "nein"] for i in range(N)]
sheet("excel_semicolon.csv", head, rows, ";", "utf-8-sig")
sheet("excel_cp1252.csv", head, rows, ";", "cp1252")
sheet("excel_utf16.csv", head, rows, "\t", "utf-16", end="\r\n")
sheet("excel_sep.csv", head, rows, ";", "utf-8", first="sep=;\r\n")
head = ["City", "Amount", "Share", "Date", "Notes", "Paid"]
rows = [[city[i], f"${amount[i]:,.2f}", f"{share[i]:.1f}%", f"{day[i]:%m/%d/%Y}", note[i], "TRUE" if paid[i] else "FALSE"] for i in range(N)]
sheet("excel_us.csv", head, rows, ",", "utf-8-sig")
sheet("excel_mac.csv", head, rows, ",", "utf-8", end="\r")
with open("columns.txt", "w", newline="") as f:
    f.write("%-10s %10s %6s\n" % ("id", "amount", "gap"))
    for i in range(N):
        f.write("%-10s %10.2f %6s\n" % (ids[i], amount[i], "?" if gap[i] is None else gap[i]))
with open("noheader.data", "w", newline="") as f:
    for i in range(N):
        f.write(f"{ids[i]},{amount[i]},{'?' if gap[i] is None else gap[i]},{['<=50K.', '<=50K', '>50K'][i % 3]}\n")
