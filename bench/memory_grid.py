"""Runs the command under limits of memory and writes what became of every run.

    CGO_ENABLED=0 go build -o /tmp/static ./cmd/drotrain && go build -o /tmp/cgo ./cmd/drotrain
    python3 bench/memory_grid.py --static /tmp/static --cgo /tmp/cgo --out bench/results/memory-grid.csv

A cell is a limit, a command and a format. A limit is one of a control group (cgroup v1 or v2; its
creation needs root) or one of the address space (ulimit -v), which is tried with both builds. Allowed
are: done, done with the rows on disk, refused with exit code 1; near 1.2 GB of address space the Go
runtime itself does not start, whatever the command, which is told apart. Cells that a file of results has
already are not run again, so that the grid can be run in slices (--seconds).
"""
import argparse, csv, os, re, resource, subprocess, sys, tempfile, time

ROWS = {"m": 1_000_000, "s": 200_000}
MB = 1 << 20


def generate(folder):
    """Writes tables of 20 normal columns, two classes and a group, in four formats."""
    import numpy as np, pyarrow as pa, pyarrow.parquet as pq, pyarrow.csv as pc, json
    for size, n in ROWS.items():
        if os.path.exists(f"{folder}/{size}.jsonl"):
            continue
        rng = np.random.default_rng(n)
        x = rng.standard_normal((n, 20))
        y = (x[:, :5].sum(1) + rng.logistic(size=n) > 0).astype("int64")
        t = pa.table({**{f"x{j}": x[:, j] for j in range(20)}, "g": np.array(list("abcd"))[rng.integers(0, 4, n)], "y": y})
        pq.write_table(t, f"{folder}/{size}.parquet")
        with pa.OSFile(f"{folder}/{size}.arrow", "wb") as f, pa.ipc.new_file(f, t.schema) as w:
            w.write_table(t, max_chunksize=65536)
        if size == "s":
            pc.write_csv(t, f"{folder}/s.csv")
            with open(f"{folder}/s.jsonl", "w") as f:
                f.writelines(json.dumps(r) + "\n" for r in t.to_pylist())
    open(f"{folder}/m.jsonl", "w").close()


# Commands by name: arguments, where {t} is the table, {o} a new folder and {m} a trained model.
COMMANDS = {
    "train --nu 1": "train --data {t} --target y --groups g --nu 1 --report none --out {o}/m",
    "train --nu 1, report": "train --data {t} --target y --groups g --nu 1 --out {o}/m --resamples 100",
    "train": "train --data {t} --target y --groups g --out {o}/m --report none",
    "eval": "eval --model {m} --data {t} --resamples 100",
    "predict": "predict --model {m} --data {t} --out {o}/p.parquet",
}
FORMATS = ["m.parquet", "m.arrow", "s.parquet", "s.arrow", "s.csv", "s.jsonl"]
GROUP = [80, 120, 160, 200, 240, 280, 320, 360, 450, 600]  # MB of control groups
SPACE = [1000, 1100, 1200, 1300, 1400, 1550, 1700, 1850, 2000, 2200]  # MB of address space


def cells():
    for limit in GROUP:
        for command in COMMANDS:
            for form in FORMATS:
                if form[0] == "s" and (limit > 320 or form == "s.arrow") or form[0] == "m" and (limit < 160 or form == "m.arrow" and limit > 450):
                    continue
                if command == "train --nu 1, report" and form != "m.parquet":
                    continue
                yield "cgroup", "static", limit, command, form
    for limit in SPACE:
        for build in ("static", "cgo"):
            for command, form in (("train --nu 1", "m.parquet"), ("train", "s.parquet"), ("train --nu 1", "m.arrow"), ("eval", "m.parquet"), ("predict", "m.parquet"), ("train --nu 1", "s.jsonl")):
                yield "ulimit -v", build, limit, command, form


class Group:
    """A control group with a limit of memory."""

    def __init__(self, limit):
        v1 = os.path.exists("/sys/fs/cgroup/memory/memory.limit_in_bytes")
        self.path = ("/sys/fs/cgroup/memory" if v1 else "/sys/fs/cgroup") + f"/drotrain-grid-{os.getpid()}"
        os.makedirs(self.path, exist_ok=True)
        self.write("memory.limit_in_bytes" if v1 else "memory.max", limit)
        try:
            self.write("memory.memsw.limit_in_bytes" if v1 else "memory.swap.max", limit if v1 else 0)
        except OSError:
            pass  # without an account of swap

    def write(self, name, value):
        with open(f"{self.path}/{name}", "w") as f:
            f.write(str(value))

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def remove(self):
        for _ in range(50):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.1)


def run(kind, binary, limit, args, timeout):
    group = Group(limit) if kind == "cgroup" else None
    enter = group.enter if group else lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    began = time.time()
    try:
        p = subprocess.run([binary, *args], preexec_fn=enter, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout)
        code, said = p.returncode, p.stdout + p.stderr
    except subprocess.TimeoutExpired:
        code, said = "timeout", ""
    finally:
        if group:
            group.remove()
    seconds = time.time() - began
    first = next((line for line in said.splitlines() if "error" in line or "fatal" in line or "panic" in line), "")
    if code == 0:
        outcome = "done on disk" if re.search(r"stored in|on disk", said) else "done"
    elif code == 1 and re.search(r"memory|address space", first) and "goroutine" not in said:
        outcome = "refused"
    elif code in (-9, 137):
        outcome = "killed"
    elif kind != "cgroup" and subprocess.run([binary, "version"], preexec_fn=enter, capture_output=True).returncode:
        outcome = "runtime does not start"
    else:
        outcome = "timeout" if code == "timeout" else "crashed"
    return outcome, code, seconds, "" if code == 0 else first[:160]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--static"), a.add_argument("--cgo"), a.add_argument("--out", required=True)
    a.add_argument("--data", default="/tmp/memory-grid"), a.add_argument("--seconds", type=float, default=500)
    a.add_argument("--only", default="", help="a regular expression of cells")
    a = a.parse_args()
    os.makedirs(a.data, exist_ok=True)
    generate(a.data)
    began, have = time.time(), set()
    if os.path.exists(a.out):
        have = {tuple(r[:5]) for r in csv.reader(open(a.out))}
    else:
        csv.writer(open(a.out, "w")).writerow(["limit of", "build", "MB", "command", "table", "outcome", "exit code", "seconds", "message"])
    if not os.path.exists(f"{a.data}/model"):
        subprocess.run([a.static, "train", "--data", f"{a.data}/s.parquet", "--target", "y", "--groups", "g", "--nu", "1", "--report", "none", "--quiet", "--out", f"{a.data}/model"], check=True, stdout=subprocess.DEVNULL)
    left = [c for c in cells() if tuple(map(str, c)) not in have and re.search(a.only, " ".join(map(str, c)))]
    for at, (kind, build, limit, command, form) in enumerate(left):
        if time.time() - began > a.seconds:
            sys.exit(f"{len(left) - at} cells are left")
        with tempfile.TemporaryDirectory(dir=a.data) as out:
            args = COMMANDS[command].format(t=f"{a.data}/{form}", o=out, m=f"{a.data}/model").split()
            outcome, code, seconds, first = run(kind, getattr(a, build), limit * MB, args, 120)
        with open(a.out, "a") as f:
            csv.writer(f).writerow([kind, build, limit, command, form, outcome, code, f"{seconds:.1f}", first.replace(a.data + "/", "")])


main()
