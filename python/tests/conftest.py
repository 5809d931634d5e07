import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """A synthetic table: 600 rows, two numbers, two categories, a label that the small group follows otherwise."""
    rng = np.random.default_rng(7)
    n = 600
    region = np.where(rng.random(n) < 0.15, "south", "north")
    age, income = rng.normal(45, 12, n), np.exp(rng.normal(10, 0.5, n))
    score = 0.08 * (age - 45) * np.where(region == "south", -1, 1) + rng.normal(0, 1, n)
    return pd.DataFrame(
        {
            "age": age,
            "income": income,
            "job": rng.choice(["a", "b, c", "d"], n),
            "region": region,
            "approved": np.where(score > 0, "yes", "no"),
        }
    )


@pytest.fixture(scope="session")
def spurious() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Training, validation and test rows (X, y, group) with a background that agrees with the class, except in the test."""
    rng = np.random.default_rng(8)

    def draw(rows: int, agree: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        y = rng.integers(2, size=rows)
        background = np.where(rng.random(rows) < agree, y, 1 - y)
        X = rng.normal(size=(rows, 12))
        X[:, 0] += 1.5 * (2 * y - 1)
        X[:, 1] += 3 * (2 * background - 1)
        return X, y, 2 * y + background

    return [draw(900, 0.96), draw(500, 0.9), draw(4000, 0.5)]


@pytest.fixture(scope="session", autouse=True)
def command() -> None:
    """Tests run the command that DROTRAIN_BINARY names, or that of the installed package."""
    named = os.environ.get("DROTRAIN_BINARY")
    assert named is None or (Path(named).exists() and shutil.which(named))
