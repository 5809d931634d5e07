"""Prints what drotrain's default changes against ERM on the tables of study.py, and writes the numbers and the drawing.

    python bench/value/table.py bench/results/value.csv --commit 82bece98 --date 2026-11-28 \\
        --json bench/results/value.json --svg docs/images/value.svg

A table's splits share their training rows, so the variance of the mean difference over k splits is that of Nadeau and
Bengio (2003): (1/k + m/t) times the variance of the differences, with m rows for measuring for every t for training
(here 1/3). "Lower" and "higher" are beyond Student's two-sided 95 % quantile with k − 1 degrees of freedom, which the bars of
the drawing show too. A test compares README, help and docs/value.md with the JSON file. Needs the standard library alone.
"""

import argparse
import csv
import json
import statistics
from collections import defaultdict
from pathlib import Path

QUANTILES = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}  # by splits
RATIO = 1 / 3
DEFAULT = "drotrain default"
BASELINES = {"ERM without the group columns": "ERM without the group", "ERM with the group columns": "ERM, group as feature"}
OUTCOMES = ("lower", "none", "same", "higher")


def compare(changes):
    """Return the outcome of the changes of one table, with their mean and the half width of its interval."""
    k, mean = len(changes), statistics.fmean(changes)
    half = QUANTILES[k] * (1 / k + RATIO) ** 0.5 * statistics.stdev(changes)
    if not any(changes):
        return "same", mean, half
    if abs(mean) <= half:
        return "none", mean, half
    return ("lower" if mean < 0 else "higher"), mean, half


def read(path):
    """Return the values of every column by table, model and split, and the levels of drotrain's default."""
    values = {c: defaultdict(dict) for c in ("worst_group_risk", "average_risk", "worst_group_accuracy")}
    levels = []
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for column, of in values.items():
                if row[column]:  # accuracies are empty for quantities
                    of[row["table"], row["model"]][row["split"]] = float(row[column])
            if row["model"] == DEFAULT:
                levels.append((row["level"], row["group_ridges"]))
    return values, levels


def changes_of(of, table, model, relative):
    """Return the changes by split of a table, drotrain's default against a model, in per cent if relative."""
    after, before = of[table, DEFAULT], of[table, model]
    return [100 * (after[s] / before[s] - 1) if relative else after[s] - before[s] for s in before]


def draw(path, names, found):
    """Draw the relative changes of the worst group's risk with their intervals, by table and baseline."""
    left, right, top, step = 150, 740, 48, 13
    low = min(10 * ((m - h) // 10) for of in found.values() for _, m, h in of.values())
    high = max(10 * ((m + h) // 10 + 1) for of in found.values() for _, m, h in of.values())
    low, high = max(low, -80), min(high, 40)

    def x(v):
        return left + (right - left) * (min(max(v, low), high) - low) / (high - low)

    bottom = top + step * len(names) + 6
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {bottom + 26}" width="760" height="{bottom + 26}"'
        ' font-family="Liberation Sans, Arial, sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        '<text x="150" y="16" font-size="13" font-weight="bold">Change of the worst group’s risk on rows not trained on, in per cent</text>',
        '<circle cx="155" cy="30" r="3.5" fill="#0072b2"/><text x="164" y="34">against ERM without the group columns</text>',
        '<rect x="390" y="26.5" width="7" height="7" fill="#d55e00"/><text x="403" y="34">against ERM with them; bars: 95 % intervals</text>',
    ]
    for v in range(int(low // 20 * 20), int(high) + 1, 20):
        if v >= low:
            color = "#555" if v == 0 else "#ddd"
            out.append(f'<line x1="{x(v):.1f}" x2="{x(v):.1f}" y1="40" y2="{bottom}" stroke="{color}"/>')
            out.append(f'<text x="{x(v):.1f}" y="{bottom + 14}" text-anchor="middle">{str(v).replace("-", "−")}</text>')
    for i, name in enumerate(names):
        out.append(f'<text x="142" y="{top + step * i + 6}" text-anchor="end">{name}</text>')
        for (_, of), y, color in zip(found.items(), (top + step * i, top + step * i + 5), ("#0072b2", "#d55e00"), strict=True):
            _, m, h = of[name]
            out.append(f'<line x1="{x(m - h):.1f}" x2="{x(m + h):.1f}" y1="{y}" y2="{y}" stroke="{color}"/>')
            mark = (
                f'<circle cx="{x(m):.1f}" cy="{y}" r="3"'
                if color == "#0072b2"
                else f'<rect x="{x(m) - 2.7:.1f}" y="{y - 2.7:.1f}" width="5.4" height="5.4"'
            )
            out.append(f'{mark} fill="{color}"/>')
    Path(path).write_text("\n".join([*out, "</svg>"]) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--commit", default="", help="of the binary that was measured")
    parser.add_argument("--date", default="", help="of the measurement")
    parser.add_argument("--json", help="file for the numbers")
    parser.add_argument("--svg", help="file for the drawing")
    o = parser.parse_args()
    values, levels = read(o.file)
    tables = sorted({table for table, _ in values["worst_group_risk"]})
    numbers = {
        "date": o.date,
        "commit": o.commit,
        "tables": len(tables),
        "splits": len(levels),
        "not_erm": sum(level != "ERM" for level, _ in levels),
        "own_coefficients": sum(bool(ridges) for _, ridges in levels),
    }
    for column, of in values.items():
        measured = [t for t in tables if of[t, DEFAULT]]
        print(
            f"\n{column}: {len(measured)} tables\n\n| drotrain's default against | lower | no measurable difference | the same model | higher |"
        )
        print("|---|--:|--:|--:|--:|")
        numbers[column] = {}
        for name, model in BASELINES.items():
            outcome = [compare(changes_of(of, t, model, False))[0] for t in measured]
            counts = [outcome.count(k) for k in OUTCOMES]
            print(f"| {name} | {' | '.join(map(str, counts))} |")
            mean = [statistics.fmean(changes_of(of, t, model, True)) for t in measured]
            numbers[column][name] = {
                "tables": len(measured),
                "lower_none_same_higher": counts,
                "mean_percent": round(statistics.fmean(mean), 1),
                "median_percent": round(statistics.median(mean), 1),
            }
            print(f"mean change {statistics.fmean(mean):+.2f} %, median {statistics.median(mean):+.2f} %", outcome.count("higher") and [
                t for t, k in zip(measured, outcome, strict=True) if k == "higher"] or "")  # fmt: skip
    print({k: v for k, v in numbers.items() if not isinstance(v, dict)})
    if o.json:
        Path(o.json).write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    if o.svg:
        found = {n: {t: compare(changes_of(values["worst_group_risk"], t, m, True)) for t in tables} for n, m in BASELINES.items()}
        first = next(iter(found.values()))
        draw(o.svg, sorted(tables, key=lambda t: first[t][1]), found)


if __name__ == "__main__":
    main()
