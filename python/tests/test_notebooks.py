"""The notebooks run without errors."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebook(path):
    NotebookClient(nbformat.read(path, 4), timeout=300).execute()
