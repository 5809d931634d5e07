"""Prints how often the worst group of drotrain's default has a measurably lower or higher risk than with ERM.

    python bench/value/table.py bench/results/value-2026-11-23.csv [--column worst_group_accuracy] [--json value.json]

A table's splits share their training rows, so the variance of the mean difference over k splits is that of Nadeau and
Bengio (2003): (1/k + m/t) times the variance of the differences, with m rows for measuring for every t for training
(here 1/3). "Lower" and "higher" are beyond Student's two-sided 95 % quantile with k − 1 degrees of freedom. Beside them, in
brackets, what two uncorrected standard errors would say. With --json the corrected numbers are also written to a file, with
which a test compares the documentation. Needs the standard library alone.
"""

import argparse
import csv
import json
import statistics
from collections import defaultdict

QUANTILES = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}  # by splits
RATIO = 1 / 3
DEFAULT = "drotrain default"
BASELINES = {"ERM without the group columns": "ERM without the group", "ERM with the group columns": "ERM, group as feature"}


def compare(changes, bounds):
    """Return the outcome of the changes of one table, whose mean is tested against bounds · its standard deviation."""
    if not any(changes):
        return "same"
    mean = statistics.fmean(changes)
    if abs(mean) <= bounds * statistics.stdev(changes):
        return "none"
    return "lower" if mean < 0 else "higher"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--column", default="worst_group_risk")
    parser.add_argument("--json")
    o = parser.parse_args()
    column, numbers = o.column, {}
    risks = defaultdict(dict)  # by table and model: the risk by split
    with open(o.file, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row[column]:  # empty for the accuracy of quantities
                risks[row["table"], row["model"]][row["split"]] = float(row[column])
    tables = sorted({table for table, _ in risks})
    print(f"{len(tables)} tables\n")
    print("| drotrain's default against | lower | no measurable difference | the same model | higher |")
    print("|---|--:|--:|--:|--:|")
    for name, model in BASELINES.items():
        corrected, plain = defaultdict(int), defaultdict(int)
        for table in tables:
            after, before = risks[table, DEFAULT], risks[table, model]
            changes = [after[split] - before[split] for split in before]
            k = len(changes)
            corrected[compare(changes, QUANTILES[k] * (1 / k + RATIO) ** 0.5)] += 1
            plain[compare(changes, 2 / k**0.5)] += 1
        numbers[name] = [corrected[outcome] for outcome in ("lower", "none", "same", "higher")]
        cells = [f"{corrected[o]} ({plain[o]})" for o in ("lower", "none", "same", "higher")]
        print(f"| {name} | {' | '.join(cells)} |")
    if o.json:
        with open(o.json, "w", encoding="utf-8") as file:
            json.dump({"tables": len(tables), "lower_none_same_higher": numbers}, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
