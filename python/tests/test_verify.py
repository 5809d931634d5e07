import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from drotrain._binary import binary

pytest.importorskip("mpmath")
from drotrain import verify

CASES = [
    ["--target", "approved", "--ess", "0.9"],
    ["--target", "approved", "--nu", "0.5", "--penalty", "chi2", "--weight", "weight"],
    ["--target", "approved", "--adversary", "groups", "--nu", "0"],
    ["--target", "approved", "--average", "balanced"],
    ["--target", "income", "--loss", "huber", "--protect", "0.3"],
    ["--target", "income", "--loss", "quantile:0.9", "--radius", "0.2"],
    ["--target", "visits", "--loss", "poisson", "--ess", "0.8"],
    ["--target", "approved", "--radius", "2", "--penalty", "chi2"],
    ["--target", "income", "--loss", "squared", "--radius", "100"],
    ["--target", "income", "--loss", "squared", "--spectral", "extremile:2"],
    ["--target", "income", "--loss", "huber", "--spectral", "esrm:1"],
    ["--target", "income", "--loss", "huber", "--radius", "0.05", "--penalty", "tv"],
    ["--target", "job", "--ess", "0.95"],
    ["--target", "approved", "--wasserstein", "0.05"],
    ["--target", "visits", "--loss", "poisson", "--protect", "0.8", "--exposure", "weight"],
    ["--target", "approved", "--average", "subsets"],
    ["--target", "job", "--average", "subsets"],
    ["--target", "approved", "--ess", "0.95", "--mu", "0"],
    ["--target", "income", "--loss", "squared", "--adversary", "groups", "--nu", "0.2", "--mu", "0"],
    ["--target", "approved", "--mu", "0", "--wasserstein", "0.05"],
    ["--target", "income", "--loss", "huber", "--mu", "0", "--wasserstein", "0.05"],
    ["--target", "income", "--loss", "quantile:0.9", "--protect", "0.3", "--mu", "0"],
    ["--target", "income", "--loss", "quantile:0.5", "--adversary", "groups", "--nu", "0.1", "--group-adjust", "0.2", "--mu", "0"],
    ["--target", "income", "--loss", "huber", "--nu", "0", "--mu", "0", "--weight", "weight"],
    ["--target", "income", "--loss", "huber", "--average", "balanced", "--mu", "0"],
]


def train(people: pd.DataFrame, folder: Path, options: list[str]) -> list[str]:
    """Train on 150 rows, and return the paths of table, model, proof and encoded rows."""
    table = people[:150].copy()
    rng = np.random.default_rng(8)
    table["weight"], table["visits"] = rng.uniform(0.5, 2, 150), rng.poisson(np.exp((table["age"] - 45) / 20))
    paths = [str(folder / name) for name in ("table.csv", "m", "proof.parquet", "rows.parquet")]
    table.to_csv(paths[0], index=False)
    drop = sorted({"approved", "income", "visits", "job", "weight"} - {options[1], options[-1]})
    common = ["--data", paths[0], "--groups", "region", "--drop", ",".join(drop), "--report", "none", "--quiet", "--allow-degenerate"]
    subprocess.run([binary(), "train", *common, *options, "--out", paths[1], "--proof", paths[2]], check=True)
    return [paths[0], str(folder / "m" / "model.json"), *paths[2:]]


@pytest.mark.parametrize("options", CASES, ids=lambda o: " ".join(o))
def test_bounds_are_those_of_the_command(people: pd.DataFrame, tmp_path: Path, options: list[str]) -> None:
    table, model, proof, rows = train(people, tmp_path, options)
    command = [binary(), "verify", "--model", model, "--proof", proof, "--data", table, "--encoded", rows, "--quiet", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    upper, lower = verify.check(model, proof, rows)
    assert told["proved"]
    for ours, theirs in ((upper, told["upper"]), (lower, told["lower"])):
        assert abs(ours - verify.iv.mpf(theirs)).b < 1e-27 * upper


def test_changes_are_refused(people: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    table, model, proof, rows = train(people, tmp_path, CASES[0])
    command = [binary(), "verify", "--model", model, "--proof", proof, "--data", table, "--encoded", rows, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setattr(sys, "argv", ["verify", model, proof, rows])
    assert verify.main() == 0
    assert "proved" in capsys.readouterr().out

    file = Path(model)
    file.write_text(file.read_text().replace('"ess": 0.9', '"ess": 0.8'))
    monkeypatch.setattr(sys, "argv", ["verify", model, proof, rows])
    assert verify.main() == 4
    assert "a different model" in capsys.readouterr().err


@pytest.mark.parametrize("options", CASES, ids=lambda o: " ".join(o))
def test_changed_proofs_are_refused(people: pd.DataFrame, tmp_path: Path, options: list[str]) -> None:
    table, model, proof, rows = train(people, tmp_path, options)
    command = [binary(), "verify", "--model", model, "--proof", proof, "--data", table, "--encoded", rows, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    honest = pq.read_table(proof).to_pydict()
    numbers = [name for name in honest if name.startswith(("part", "row", "weight", "slope"))]
    slopes = [name for name in numbers if name.startswith("slope")]
    changes = ((["weight"], 2.0, False), (["weight"], 0.0, True), (slopes, 0.5, True), (slopes, -1.0, True), (["row"], 2.0, True))
    for names, change, agree in changes:
        changed = {k: list(v) for k, v in honest.items()}
        for name in names:
            for j in range(0, len(changed["row"]), 2) if agree else [int(np.argmax(changed["weight"]))]:
                changed[name][j] *= change
        if agree:  # the digest is made to agree again
            stacked = np.column_stack([changed[n] for n in numbers]).astype("<f8")
            changed["digest"] = [hashlib.sha256(stacked.tobytes()).hexdigest()] * len(stacked)
        pq.write_table(pa.table(changed), tmp_path / "changed.parquet")
        with pytest.raises(verify.Refused):
            verify.check(model, str(tmp_path / "changed.parquet"), rows)


def test_changes_of_a_mean_are_refused(people: pd.DataFrame, tmp_path: Path) -> None:
    table, model, proof, rows = train(people, tmp_path, ["--target", "approved", "--average", "subsets"])
    command = [binary(), "verify", "--model", model, "--proof", proof, "--data", table, "--encoded", rows, "--quiet"]
    subprocess.run(command, check=True, capture_output=True)
    document, honest = json.loads(Path(model).read_text()), pq.read_table(proof).to_pydict()
    bounds = verify.check(model, proof, rows)

    def refuses(why: str, change_model: object = None, change: object = None) -> None:
        """Check changed files whose digests agree again."""
        m, p = json.loads(json.dumps(document)), {k: list(v) for k, v in honest.items()}
        for of, changes in ((m, change_model), (p, change)):
            if changes:
                changes(of)
        (tmp_path / "m.json").write_text(json.dumps(m))
        n = len(p["row"])
        p["model"] = [hashlib.sha256((tmp_path / "m.json").read_bytes()).hexdigest()] * n
        numbers = np.column_stack([p[k] for k in ("part", "row", "weight", "slope")]).astype("<f8")
        p["digest"] = [hashlib.sha256(numbers.tobytes()).hexdigest()] * n
        pq.write_table(pa.table({k: v[:n] for k, v in p.items()}), tmp_path / "p.parquet")
        with pytest.raises(verify.Refused, match=why):
            verify.check(str(tmp_path / "m.json"), str(tmp_path / "p.parquet"), rows)

    last = len(honest["row"]) - 1
    assert bounds[0] > bounds[1]
    refuses("not the mean", lambda m: m["averaged_coefficients"].pop())
    refuses("not the mean", lambda m: m["coefficients"].__setitem__(0, m["coefficients"][0] + 1e-9))
    refuses("balanced", None, lambda p: p["part"].__setitem__(last, 9))
    refuses("balanced", None, lambda p: [v.pop() for v in p.values()])
    refuses("larger gap", None, lambda p: p["slope"].__setitem__(slice(last // 10), [0.0] * (last // 10)))
    refuses("differ from the row weights", None, lambda p: p["weight"].__setitem__(0, 1.1 * p["weight"][0]))
