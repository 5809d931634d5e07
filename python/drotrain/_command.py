"""Runs the drotrain command as a child process that reads and writes pipes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from sklearn.exceptions import ConvergenceWarning

Progress = Callable[[str], object]
"""A function that is told, line by line, what the command reports while it runs."""

_LIMIT = 3  # the exit code of a training that stopped before the gap: its model is written


class DrotrainWarning(UserWarning):
    """A warning of the command, for example of a column that leaks the target."""


def binary() -> str:
    """Return the path of the command.

    Returns
    -------
    str
        ``DROTRAIN_BINARY`` of the environment, else the binary inside the package, else the one on the path.
    """
    name = "drotrain.exe" if os.name == "nt" else "drotrain"
    inside = Path(__file__).parent / "bin" / name
    found = os.environ.get("DROTRAIN_BINARY") or (str(inside) if inside.exists() else shutil.which(name))
    if not found:
        raise RuntimeError("the drotrain command is missing: install the package from a wheel, or from a checkout with Go")
    return found


def main() -> None:
    """Run the command with the arguments of this process, as the script ``drotrain``."""
    command = [binary(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(command[0], command)
    raise SystemExit(subprocess.call(command))


def option(name: str, value: Any) -> str:
    """Return a parameter as an option of the command, as ``--spline=age:4`` of ``spline={"age": 4}``."""
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = value
    elif isinstance(value, (dict, list, tuple, set)):
        mark = "=" if name == "reference" else ":"
        pairs = value.items() if isinstance(value, dict) else value
        items = [mark.join(map(str, v)) if isinstance(v, tuple) else str(v) for v in pairs]
        text = ",".join('"' + i.replace('"', '""') + '"' if re.search(r'[",\n]|^\s|\s$', i) else i for i in items)
    else:
        text = repr(float(value)) if isinstance(value, float) else str(value)
    return f"--{name.replace('_', '-')}={text}"


def write_stream(to: IO[bytes], batches: Iterator[pa.RecordBatch]) -> None:
    """Write record batches of one schema to a pipe as an Arrow IPC stream."""
    first = next(batches)
    with pa.ipc.new_stream(to, first.schema) as out:
        out.write_batch(first)
        for batch in batches:
            out.write_batch(batch)


def run(arguments: Iterable[str], model: bytes | None, table: Iterator[pa.RecordBatch] | None, progress: Progress | None = None) -> bytes:
    """Run the command and return what it writes to its standard output.

    Parameters
    ----------
    arguments : iterable of str
        The command line after the name of the command.
    model : bytes or None
        A model as JSON, the first part of the standard input.
    table : iterator of pyarrow.RecordBatch or None
        The rows, which follow the model as an Arrow IPC stream.
    progress : callable or None
        Is called with every line that the command reports.

    Raises
    ------
    ValueError
        The data or the options are wrong; the message is the command's, with its hint.
    RuntimeError
        The command failed by itself, or was ended by a signal.
    """
    command = [binary(), *arguments, "--log-format=json"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdin and child.stdout and child.stderr
    stdin, stdout = child.stdin, child.stdout
    output: list[bytes] = []
    failures: list[BaseException] = []

    def write() -> None:
        try:
            with contextlib.suppress(BrokenPipeError, ConnectionError), stdin:  # the command says why it stopped reading
                if model is not None:
                    stdin.write(model + b"\n")
                if table is not None:
                    write_stream(stdin, table)
        except BaseException as failure:
            failures.append(failure)
            child.kill()

    threads = [threading.Thread(target=write, daemon=True), threading.Thread(target=lambda: output.append(stdout.read()), daemon=True)]
    entries: list[dict[str, Any]] = []
    try:
        for thread in threads:
            thread.start()
        for line in child.stderr:
            entries.append(_entry(line))
            if progress is not None and entries[-1]["level"] in ("info", "note", "progress"):
                progress(entries[-1]["message"])
        for thread in threads:
            thread.join()
        child.wait()
    finally:  # also where Ctrl-C or the progress function ended the loop
        if child.poll() is None:
            child.kill()  # it holds nothing but pipes
            child.wait()
        child.stderr.close()
        threads[1].join()
        stdout.close()
    if failures:
        if isinstance(failures[0], (pa.ArrowException, OSError)):
            raise ValueError(f"the table cannot be written as Arrow: {failures[0]}") from failures[0]
        raise failures[0]
    _conclude(child.returncode, entries)
    return output[0]


def _entry(line: bytes) -> dict[str, Any]:
    """Return a line of the log as a mapping with level and message."""
    text = line.decode("utf-8", "replace").rstrip()
    try:
        entry = json.loads(text)
        return entry if "level" in entry and "message" in entry else {"level": "error", "message": text}
    except (ValueError, TypeError):
        return {"level": "error", "message": text}


def _conclude(code: int, entries: list[dict[str, Any]]) -> None:
    """Raise or warn as the exit code and the log say."""
    errors = [e for e in entries if e["level"] == "error"]
    parts = [t for e in errors for t in (e["message"], "hint: " + e["hint"] if e.get("hint") else "") if t]
    message = re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), "\n".join(parts))
    if code == _LIMIT:
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    elif code != 0:
        wrong = code in (1, 2) and message and "internal error" not in message
        raise (ValueError if wrong else RuntimeError)(message or f"the drotrain command ended with status {code}")
    for entry in entries:
        if entry["level"] == "warning":
            warnings.warn(entry["message"], DrotrainWarning, stacklevel=4)
