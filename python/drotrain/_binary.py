"""Finds the drotrain command and runs it as a script, without importing other packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def binary() -> str:
    """Return the path of the command: the environment variable DROTRAIN_BINARY, the command in this package, or the one on PATH."""
    name = "drotrain.exe" if os.name == "nt" else "drotrain"
    inside = Path(__file__).parent / "bin" / name
    found = os.environ.get("DROTRAIN_BINARY") or (str(inside) if inside.exists() else shutil.which(name))
    if not found:
        raise RuntimeError("the drotrain command is missing: install the package from a wheel, or from its source with Go installed")
    return found


def main() -> None:
    """Run the command with the arguments of this process. This is the entry point of the script ``drotrain``."""
    if os.name != "nt":
        os.execv(binary(), [binary(), *sys.argv[1:]])
    raise SystemExit(subprocess.call([binary(), *sys.argv[1:]]))
