"""Runs the drotrain command as a child process that reads shared memory or a pipe and writes pipes."""

import contextlib
import json
import os
import re
import signal
import subprocess
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

import numpy as np
import pyarrow as pa
from sklearn.exceptions import ConvergenceWarning

from drotrain._binary import binary

# Options of training that are not parameters of the estimators.
_OPTIONS = (
    *("features", "drop", "filter", "categorical", "min-count", "group-features", "scale", "target-transform", "transform", "interact"),
    *("intercept", "group-adjust", "select", "folds", "budget", "solver", "max-passes", "storage", "memory", "cache", "min-group-size"),
    *("threshold", "recalibrate", "dates", "date-order", "time-zone", "numeric", "na", "relabel", "proof", "allow-degenerate"),
)
# Advice of the command that does not apply in Python, and its replacement.
_ADVICE = (
    (r"(; )?score the other rows with --invalid null(, or )?", ""),
    (
        r"; without --data, `drotrain eval` evaluates the model on hold-out rows or out of fold",
        "; pass rows on which the model was not trained",
    ),
    (r"; the model was written, marked uncertified", ""),
)
# Words that are values of options in messages.
_VALUES = (
    *("mean", "median", "drop", "error", "logistic", "squared", "huber", "poisson", "plain", "balanced", "kl", "chi2", "tv"),
    *("rows", "groups", "none", "standard", "no", "shared", "pooled", "auto", "full", "fast", "newton", "lbfgs", "separable"),
    *("stochastic", "tail", "average", "worst-group-accuracy", "worst-group", "trade-off", "null", "number", "parts"),
)


class DrotrainWarning(UserWarning):
    """A warning of the command, for example of a column that leaks the target."""


class DegenerateModelWarning(DrotrainWarning):
    """The model is degenerate, for example because it predicts the same value for all rows or depends on a few rows."""


def option(name: str, value: Any) -> str:
    """Return a parameter as an option of the command.

    ``transform={"age": "spline4"}`` becomes ``--transform=age:spline4``.
    """
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, (dict, list, tuple, set)):
        pairs = value.items() if isinstance(value, dict) else value
        items = [":".join(map(str, v)) if isinstance(v, tuple) else str(v) for v in pairs]
        value = ",".join('"' + i.replace('"', '""') + '"' if re.search(r'[",\n]|^\s|\s$', i) else i for i in items)
    elif isinstance(value, float):
        value = repr(float(value))
    return f"--{name.replace('_', '-')}={value}"


def run(arguments: Iterable[str], model: bytes | None = None, table: Iterable[pa.RecordBatch] = (), progress: Any = None) -> bytes:
    """Run the command and return what it writes to its standard output.

    The standard input of the command holds the model, if there is one, followed by the table as an Arrow IPC stream. It is
    a file in shared memory, which the command reads in place, or a pipe if the system has no such files. progress is
    called with every progress message. An error that the command reports, such as invalid data, raises a ValueError; a crash or
    an internal error raises a RuntimeError. Training without a certificate and a degenerate model are warnings.
    """
    arguments, entries = list(arguments), []
    with contextlib.ExitStack() as stack:
        shared = stack.enter_context(open(os.memfd_create("drotrain"), "w+b")) if hasattr(os, "memfd_create") else None
        if shared:
            _write_table(shared, model, table)
            shared.seek(0)
        try:
            process = subprocess.Popen([binary(), *arguments, "--log-format=json"], stdin=shared or -1, stdout=-1, stderr=-1)
        except OSError as failure:
            raise RuntimeError(f"the drotrain command {binary()} cannot be started: {failure.strerror}") from failure
        child, threads = stack.enter_context(process), stack.enter_context(ThreadPoolExecutor(2))
        assert child.stdout and child.stderr
        try:
            written = threads.submit(_write_pipe, child.stdin, model, table) if child.stdin else None
            output = threads.submit(child.stdout.read)
            for line in child.stderr:
                try:
                    entries.append(json.loads(line))
                except ValueError:  # a text, as of a crash
                    text = line.decode("utf-8", "replace").rstrip().removeprefix("drotrain: error: ")  # of a wrong option
                    entries.append({"level": "error", "message": text})
                if progress is not None and entries[-1]["level"] in ("info", "note", "progress"):
                    progress(entries[-1]["message"])
        except BaseException:  # Ctrl-C, or the progress function
            child.kill()  # the command has only pipes open, so nothing is lost
            raise
    if written:
        written.result()
    _conclude(arguments[0], child.returncode, entries)
    return output.result()


def _write_pipe(stdin: IO[bytes], model: bytes | None, table: Iterable[pa.RecordBatch]) -> None:
    """Write a model and a table to the standard input of the command, and close it."""
    with contextlib.suppress(BrokenPipeError, ConnectionError), stdin:  # the command says why it stopped reading
        _write_table(stdin, model, table)


def _write_table(file: IO[bytes], model: bytes | None, table: Iterable[pa.RecordBatch]) -> None:
    """Write a model, if there is one, followed by a table as an Arrow IPC stream."""
    try:
        file.write(model + b"\n" if model else b"")
        stream = None
        for batch in table:
            stream = stream or pa.ipc.new_stream(file, batch.schema)
            stream.write_batch(batch)
        if stream:
            stream.close()
        file.flush()
    except (BrokenPipeError, ConnectionError):
        raise
    except (pa.ArrowException, OSError) as failure:
        raise ValueError(f"the table cannot be written as Arrow: {failure}") from failure


def _conclude(command: str, code: int, entries: list[dict[str, Any]]) -> None:
    """Raise the error and issue the warnings that the exit code and the log of the command state."""
    errors = [e for e in entries if e["level"] == "error"]
    parts = [t for e in errors for t in (e["message"], "hint: " + e["hint"] if e.get("hint") else "") if t]
    message = _in_python("\n".join(parts)).replace("hint: help lists", f"hint: `drotrain {command} --help` lists")
    if code == 3:  # training stopped before the gap; the model is written
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    elif code == 4:  # the model is degenerate, but written
        warnings.warn(message, DegenerateModelWarning, stacklevel=4)
    elif code != 0:
        wrong = code in (1, 2) and message and "internal error" not in message
        raise (ValueError if wrong else RuntimeError)(message or _ending(code))
    for entry in (e for e in entries if e["level"] == "warning"):
        warnings.warn(_in_python(entry["message"]), DrotrainWarning, stacklevel=4)


def _ending(code: int) -> str:
    """Return a message about a command that ended without writing one."""
    if code >= 0:
        return f"the drotrain command ended with status {code} and no message"
    with contextlib.suppress(ValueError):
        cause = ": the system may be out of memory" if -code == signal.SIGKILL else ""
        return f"the drotrain command was ended by the signal {signal.Signals(-code).name}{cause}"
    return f"the drotrain command was ended by the signal {-code}"


def _in_python(message: str) -> str:
    """Return a message of the command in which options are written as in Python, and the pipe has no name.

    ``choose --impute mean`` becomes ``choose impute="mean"``, ``--drop id`` becomes ``options={"drop": "id"}``, and
    ``standard input: column "x"`` becomes ``column "x"``. Advice that does not apply in Python is left out.
    """
    for advice, replacement in _ADVICE:
        message = re.sub(advice, replacement, message)
    message = re.sub(r"(?m)^(hint: )?(?:-|standard input): ", r"\1", message)
    message = re.sub(r"(?m)^hint: $\n?", "", message).rstrip("\n")

    def parameter(match: re.Match[str]) -> str:
        name, value = match[1].replace("-", "_"), match[2] or match[3]
        is_option = match[1] in _OPTIONS
        name = "sample_weight" if name == "weight" else name
        if value is None:
            return f'options["{name}"]' if is_option else name
        text = value if re.fullmatch(r"[-+]?\.?\d[-+.\deE]*|'.*'", value) else f'"{value}"'
        return f'options={{"{name}": {text}}}' if is_option else f"{name}={text}"

    words = "|".join(_VALUES)
    column = r"(?<=--drop )(?!(?:and|or|to)\b)([\w.\[\]]+)"
    return re.sub(rf"--([a-z][a-z-]*)(?:[ =](?:({words}|\d[\d.e-]*|'[^']*')(?![\w:])|{column}))?", parameter, message)
