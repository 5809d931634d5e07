"""Makes the files the reader is tested on, and what they hold.

    pip install pyarrow polars duckdb
    python make.py

Every file holds the first ROWS rows of one table of many types (as far as the
writer knows the type). expected.json gives the values: numbers as numbers,
bools as bools, text as strings, nulls as null; decimals and large integers as
the nearest double.
"""
import datetime
import decimal
import gzip
import json
import math
import os

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

os.chdir(os.path.dirname(os.path.abspath(__file__)))
ROWS = 40
D = decimal.Decimal


def nulls(values, every):
    return [None if every and i % every == every - 1 else v for i, v in enumerate(values)]


idx = range(ROWS)
words = ["alpha", "beta", "gamma", "δέλτα", "", "a longer text than twelve bytes"]
cols = {
    "i8": (pa.int8(), nulls([i * 6 - 120 for i in idx], 0)),
    "i16": (pa.int16(), nulls([i * 1600 - 32000 for i in idx], 7)),
    "i32": (pa.int32(), nulls([i * 100000007 - 2000000000 for i in idx], 0)),
    "i64": (pa.int64(), nulls([(i - 20) * 2**46 + i for i in idx], 5)),
    "u8": (pa.uint8(), nulls([i * 6 for i in idx], 0)),
    "u16": (pa.uint16(), nulls([i * 1600 for i in idx], 9)),
    "u32": (pa.uint32(), nulls([i * 100000007 for i in idx], 0)),
    "u64": (pa.uint64(), nulls([2**63 + i * 2**12 for i in idx], 11)),
    "f32": (pa.float32(), nulls([i / 4 - 3 for i in idx], 0)),
    "f64": (pa.float64(), nulls([math.sin(i) * 10.0 ** (i - 20) for i in idx], 6)),
    "bool": (pa.bool_(), nulls([i % 3 == 0 for i in idx], 0)),
    "boolnull": (pa.bool_(), nulls([i % 4 < 2 for i in idx], 8)),
    "text": (pa.string(), nulls([words[i % 6] for i in idx], 0)),
    "textnull": (pa.string(), nulls([words[i * i % 6] for i in idx], 4)),
    "constant": (pa.string(), ["same"] * ROWS),
    "allnull": (pa.float64(), [None] * ROWS),
    "date": (pa.date32(), [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in idx]),
    "stamp": (pa.timestamp("us"), [datetime.datetime(2020, 1, 1, i % 24) for i in idx]),
}
decimals = {
    "dec5": (pa.decimal128(5, 2), nulls([D(i * 997 - 19000).scaleb(-2) for i in idx], 0)),
    "dec15": (pa.decimal128(15, 4), nulls([D(i * 10**12 - 19 * 10**12 + i).scaleb(-4) for i in idx], 7)),
    "dec38": (pa.decimal128(38, 10), nulls([D(i - 20) * D(10) ** 20 + D(i) / D(8) for i in idx], 0)),
}
wide = {
    "f16": (pa.float16(), nulls([i / 8 for i in idx], 0)),
    "dec76": (pa.decimal256(76, 5), nulls([D((i - 20) * 10**50 + i).scaleb(-5) for i in idx], 3)),
    "large": (pa.large_string(), nulls([words[(i + 1) % 6] for i in idx], 5)),
    "dict8": (pa.dictionary(pa.int8(), pa.string()), nulls([words[i % 6] for i in idx], 7)),
    "dict32": (pa.dictionary(pa.int32(), pa.large_string()), nulls([words[i % 4] for i in idx], 0)),
    "dictu16": (pa.dictionary(pa.uint16(), pa.string()), nulls([words[i % 5] for i in idx], 2)),
    "dictnum": (pa.dictionary(pa.int16(), pa.int64()), nulls([[10, 20, 30][i % 3] for i in idx], 4)),
    "nothing": (pa.null(), [None] * ROWS),
    "list": (pa.list_(pa.int64()), [[i, i] if i % 2 else None for i in idx]),
    "struct": (pa.struct([("x", pa.int64()), ("y", pa.string())]), [{"x": i, "y": "s"} for i in idx]),
    "map": (pa.map_(pa.string(), pa.int64()), [[("k", i)] for i in idx]),
    "binary": (pa.binary(), [bytes([i]) for i in idx]),
    "after": (pa.int64(), list(idx)),
}
expected = {}


def plain(v):
    if isinstance(v, decimal.Decimal):
        return float(v)
    if isinstance(v, int) and not isinstance(v, bool):
        return float(v)
    return v


OTHER = {"date", "stamp", "list", "struct", "map", "binary"}


def note(file, table, dropped=()):
    out = {}
    for name in table.column_names:
        out[name] = None if name in OTHER else [plain(v) for v in table[name].to_pylist()]
    expected[file] = out


def table(*parts):
    arrays, names = [], []
    for part in parts:
        for name, (typ, values) in part.items():
            arr = (
                pa.array(values, typ) if not pa.types.is_float16(typ) else pa.array([None if v is None else v for v in values], pa.float32()).cast(pa.float16()))
            arrays.append(arr)
            names.append(name)
    return pa.table(arrays, names=names)


def pq_write(file, t, **kw):
    kw.setdefault("row_group_size", 16)
    pq.write_table(t, file, **kw)
    note(file, t)


base, full = table(cols, decimals), table(cols, decimals, wide)

# pyarrow, Parquet: every codec, both page versions, every encoding.
pq_write("pyarrow_zstd.parquet", full, compression="zstd")
pq_write("pyarrow_snappy.parquet", base, compression="snappy", data_page_version="2.0")
pq_write("pyarrow_none_crc.parquet", base, compression="none", write_page_checksum=True)
pq_write("pyarrow_gzip_v1.parquet", base, compression="gzip", version="1.0", use_dictionary=False, write_statistics=False)
pq_write("pyarrow_brotli.parquet", base, compression="brotli", use_dictionary=False)
pq_write("pyarrow_lz4raw.parquet", base, compression="lz4", store_decimal_as_integer=True)
some = base.select(["i8", "i32", "i64", "f32", "f64", "text", "textnull", "bool", "u64"])
for v in ("1.0", "2.0"):
    pq_write(f"pyarrow_delta_v{v[0]}.parquet", some, compression="zstd", use_dictionary=False, data_page_version=v, row_group_size=33,
             column_encoding={"i8": "DELTA_BINARY_PACKED", "i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED",
                              "u64": "DELTA_BINARY_PACKED", "text": "DELTA_LENGTH_BYTE_ARRAY", "textnull": "DELTA_BYTE_ARRAY",
                              "bool": "RLE", "f32": "BYTE_STREAM_SPLIT", "f64": "BYTE_STREAM_SPLIT"})
pq_write("pyarrow_delta_decimals.parquet", base.select(["dec15", "dec38"]), compression="zstd", use_dictionary=False,
         column_encoding={"dec15": "DELTA_BYTE_ARRAY", "dec38": "DELTA_BYTE_ARRAY"})
for bits, typ in ((32, pa.decimal32(5, 2)), (64, pa.decimal64(15, 4))):
    t = pa.table({"y": [1, 2], "amount": pa.array([D("1.50"), D("-2.25")], typ)})
    with pa.ipc.new_file(f"pyarrow_decimal{bits}.arrow", t.schema) as w:
        w.write_table(t)
pq_write("pyarrow_bss_int.parquet", some.select(["i32", "i64"]), use_dictionary=False, column_encoding={"i32": "BYTE_STREAM_SPLIT", "i64": "BYTE_STREAM_SPLIT"})
pq_write("pyarrow_required.parquet", pa.table([some["i32"], some["f64"].fill_null(0), some["text"]], schema=pa.schema(
    [pa.field("i32", pa.int32(), False), pa.field("f64", pa.float64(), False), pa.field("text", pa.string(), False)])), compression="snappy")
pq_write("pyarrow_zero_rows.parquet", base.slice(0, 0))
pq_write("pyarrow_one_row.parquet", base.slice(3, 1))

with pq.ParquetWriter("pyarrow_empty_groups.parquet", some.schema) as w:
    for part in (some.slice(0, 0), some.slice(0, 10), some.slice(10, 0), some.slice(10), some.slice(0, 0)):
        w.write_table(part)
note("pyarrow_empty_groups.parquet", some)

# Many small pages; more rows, so that runs, bit packing and deltas get long.
n = 3000
long = pa.table({
    "run": pa.array([i // 700 for i in range(n)], pa.int32()),
    "walk": pa.array([None if i % 97 == 0 else i * i % 1009 for i in range(n)], pa.int64()),
    "flag": pa.array([i % 5 == 0 for i in range(n)]),
    "level": pa.array(["level %d" % (i * 7919 % 300) for i in range(n)]),
})
pq_write("pyarrow_pages.parquet", long, compression="zstd", data_page_size=256, write_batch_size=64, row_group_size=1100)
pq_write("pyarrow_pages_delta.parquet", long, compression="zstd", use_dictionary=False, row_group_size=2900,
         column_encoding={"run": "DELTA_BINARY_PACKED", "walk": "DELTA_BINARY_PACKED", "flag": "RLE", "level": "DELTA_BYTE_ARRAY"})

# pyarrow, Arrow IPC.
flat = full.drop(["list", "struct", "map"])


def ipc(file, t, stream=False, batch=16, **kw):
    opts = pa.ipc.IpcWriteOptions(**kw)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(file, t.schema, options=opts) as w:
        w.write_table(t, max_chunksize=batch)
    note(file, t)


ipc("pyarrow.arrow", full)
ipc("pyarrow_lz4.feather", flat, compression="lz4")
ipc("pyarrow_zstd.feather", flat, compression="zstd")
ipc("pyarrow.arrows", flat, stream=True)
ipc("pyarrow_zstd.arrows", flat, stream=True, compression="zstd")
ipc("pyarrow_zero_rows.arrow", flat.slice(0, 0))
ipc("pyarrow_zero_rows.arrows", flat.slice(0, 0), stream=True)
delta = [pa.record_batch([pa.array(v).dictionary_encode()], names=["d"]) for v in (["a", "b", "a"], ["a", "b", "c", None], ["x", "y", "x"])]
with pa.ipc.new_stream("pyarrow_dictionaries.arrows", delta[0].schema) as w:  # replaced dictionaries
    for b in delta:
        w.write_batch(b)
expected["pyarrow_dictionaries.arrows"] = {"d": ["a", "b", "a", "a", "b", "c", None, "x", "y", "x"]}
with pa.ipc.new_stream("pyarrow_deltas.arrows", delta[0].schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as w:
    for b in delta[:2]:
        w.write_batch(b)
expected["pyarrow_deltas.arrows"] = {"d": ["a", "b", "a", "a", "b", "c", None]}

# Polars.
pdf = pl.from_arrow(base)
pdf = pdf.with_columns(pl.col("text").cast(pl.Categorical).alias("cat"),
                       pl.col("constant").cast(pl.Enum(["other", "same"])).alias("enum"))
for codec in ("zstd", "snappy", "uncompressed"):
    file = f"polars_{codec}.parquet"
    pdf.write_parquet(file, compression=codec, row_group_size=16)
    note(file, pdf.to_arrow())
for codec in ("uncompressed", "lz4", "zstd"):
    file = f"polars_{codec}.arrow"
    pdf.write_ipc(file, compression=codec)
    note(file, pdf.to_arrow())
pdf.write_ipc_stream("polars.arrows", compat_level=pl.CompatLevel.oldest())
note("polars.arrows", pdf.to_arrow())

# DuckDB.
con = duckdb.connect()
con.register("t", base)
for codec in ("zstd", "snappy"):
    for v in ("V1", "V2"):
        file = f"duckdb_{codec}_{v.lower()}.parquet"
        con.execute(f"COPY t TO '{file}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {v})")
        note(file, base)
con.execute("CREATE TABLE e AS SELECT i::INTEGER AS i, ['small','big'][1 + (i > 5)::INT]::ENUM('small','big') AS size, (i * 1.25)::DECIMAL(9,2) AS price, i::HUGEINT AS huge FROM range(12) r(i)")
con.execute("COPY e TO 'duckdb_enum.parquet' (FORMAT parquet, COMPRESSION zstd)")
expected["duckdb_enum.parquet"] = {"i": [float(i) for i in range(12)], "size": ["big" if i > 5 else "small" for i in range(12)],
                                   "price": [round(i * 1.25, 2) for i in range(12)], "huge": [float(i) for i in range(12)]}

# CSV by three writers.
csv = base.drop(["date", "stamp", "allnull", "u64", "dec38"])
import pyarrow.csv as pc
pc.write_csv(csv, "pyarrow.csv")
csv_pl = pl.from_arrow(csv)
csv_pl.write_csv("polars.tsv", separator="\t")
con.register("c", csv)
con.execute("COPY c TO 'duckdb.csv' (FORMAT csv, HEADER)")
with gzip.GzipFile("pyarrow.csv.gz", "wb", mtime=0) as g:
    g.write(open("pyarrow.csv", "rb").read())
for file in ("pyarrow.csv", "pyarrow.csv.gz", "polars.tsv", "duckdb.csv"):
    note(file, csv)
    for name in ("text", "textnull"):  # an empty text is a null in CSV
        expected[file][name] = [v or None for v in expected[file][name]]

# Columns that occur in several files are stored once.
lists, index, files = [], {}, {}
for file, columns in sorted(expected.items()):
    files[file] = {}
    for name, values in columns.items():
        key = json.dumps(values, ensure_ascii=False)
        if key not in index:
            index[key] = len(lists)
            lists.append(values)
        files[file][name] = index[key]
with open("expected.json", "w") as f:
    json.dump({"files": files, "lists": lists}, f, ensure_ascii=False, separators=(",", ":"))
    f.write("\n")
