"""Spark as the launcher of ranks: spark-submit spark_launch.py RANKS PROGRAM ARGUMENT...

Every task of a barrier stage stands for a rank. The first one starts hydra, MPICH's launcher,
which prints what to start on every host and waits; the first task of each host starts that. The
job ends with hydra's exit code; a task that fails ends all. MPIEXEC names hydra (mpiexec.hydra),
HOSTS the hosts of the tasks, by commas, where they are not those that Spark says.
"""
import json
import os
import subprocess
import sys

from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession


def rank(command, env):
    def run(_):
        task = BarrierTaskContext.get()
        here = task.partitionId()
        hosts = [t.address.rsplit(":", 1)[0] for t in task.getTaskInfos()]
        if env.get("HOSTS"):
            hosts = env["HOSTS"].split(",")
        names = list(dict.fromkeys(hosts))
        spec = ",".join(f"{h}:{hosts.count(h)}" for h in names)
        surroundings = {**os.environ, **env}
        hydra, lines = None, []
        if here == 0:
            hydra = subprocess.Popen(
                [env.get("MPIEXEC", "mpiexec.hydra"), "-launcher", "manual", "-hosts", spec, "-n", str(len(hosts)), *command],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=surroundings)
            for line in hydra.stdout:
                if line.startswith("HYDRA_LAUNCH_END"):
                    break
                if line.startswith("HYDRA_LAUNCH:"):
                    lines.append(line.removeprefix("HYDRA_LAUNCH:").strip())
                else:
                    print(line, end="", flush=True)
        lines = json.loads(task.allGather(json.dumps(lines))[0])
        if len(lines) != len(names):
            raise RuntimeError(f"hydra starts on {len(lines)} hosts, and the tasks are on {len(names)}")
        proxy = None
        if hosts.index(hosts[here]) == here:  # the first of its host
            proxy = subprocess.Popen(lines[names.index(hosts[here])], shell=True, env=surroundings)
        said = hydra.stdout.read() if hydra else ""
        code = proxy.wait() if proxy else 0
        if hydra:
            code = hydra.wait()
        codes = [int(c) for c in task.allGather(str(code))]
        yield said, codes[0] or max(codes, key=abs)
    return run


if __name__ == "__main__":
    size, command = int(sys.argv[1]), sys.argv[2:]
    env = {k: v for k, v in os.environ.items() if k in ("MPIEXEC", "HOSTS") or k.startswith("DROTRAIN_")}
    spark = SparkSession.builder.appName("drotrain").getOrCreate()
    told = spark.sparkContext.parallelize(range(size), size).barrier().mapPartitions(rank(command, env)).collect()
    spark.stop()
    print(told[0][0], end="")
    sys.exit(min(255, abs(told[0][1])))
