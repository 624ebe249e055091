#!/usr/bin/env python3
"""Throughput of deadhead.arrow, Spark and Ray beside that of the filter process, in MB of bodies for each second of processor time.

    benches/fleet.py [ROUNDS]

Run with a Python that has the package and its extras. The runs are interleaved, and the best of each counts; the first round, which
starts clusters and workers, does not. Bodies have 100 KB; in "cut" something is cut from each, in "left" from none. Processor time is
that of all processes of a run, with Java and the cluster. "Same job" is the job with a function that returns its input. "Stage" is
the processor time of deadhead.arrow.prune_column in the workers of the job above it. A job has JOBS (4) times as many bodies.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid

import pyarrow as pa
import pyarrow.parquet as parquet

import deadhead
import deadhead.arrow
import deadhead.ray
import deadhead.spark

BODIES = 3000
JOBS = int(os.environ.get("JOBS", "4"))
CORES = 2
SETTINGS = {"cut": {"preset": "clawdbot-aggressive"}, "left": {}}


# What is started here, and what that starts, carries this in its environment.
MARK = uuid.uuid4().hex
os.environ["DEADHEAD_BENCH"] = MARK


def processor_seconds() -> float:
    """What all processes of this run have used so far, with their children that ended."""
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ticks = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(process) == os.getpid() or MARK.encode() not in open(f"/proc/{process}/environ", "rb").read():
                continue
            fields = open(f"/proc/{process}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK") + sum(used.ru_utime + used.ru_stime for used in own)


def body(chance: random.Random) -> bytes:
    """A conversation of 20 calls, with results such as tools print."""
    messages = [{"role": "user", "content": "look at it"}]
    for i in range(20):
        lines = [f"{chance.randrange(10**6):>8} \"src/{chance.randrange(999)}.rs\"\tdone in {chance.random():.3f} s" for _ in range(112)]
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"c{i}", "name": "run", "input": {"line": i}}]})
        messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{i}", "content": "\n".join(lines)}]})
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": messages}).encode()


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    chance = random.Random(7)
    own = [body(chance) for _ in range(50)]
    bodies = [own[i % len(own)] for i in range(BODIES)]
    megabytes = sum(map(len, bodies)) / 1e6
    folder = tempfile.TemporaryDirectory()
    lines = os.path.join(folder.name, "bodies.jsonl")
    with open(lines, "wb") as file:
        file.write(b"\n".join(bodies) + b"\n")
    table = pa.table({"body": pa.array(bodies, pa.binary())})
    parts = os.path.join(folder.name, "parts")
    os.mkdir(parts)
    for i in range(JOBS * CORES * 4):
        size = -(-BODIES // (CORES * 4))
        parquet.write_table(table.slice(i % (CORES * 4) * size, size), f"{parts}/{i}.parquet", compression="zstd")

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local-cluster[{CORES},1,1024]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    import ray

    ray.init(num_cpus=CORES, include_dashboard=False, object_store_memory=1_000_000_000, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def idle(batches):
        yield from batches

    def filtered(options: dict) -> None:
        flags = [flag for name, value in options.items() for flag in (f"--{name}", value)]
        with open(lines, "rb") as given:
            subprocess.run([os.environ.get("DEADHEAD_PROGRAM", "deadhead"), "prune", "-q", "-j1", *flags], stdin=given, stdout=subprocess.DEVNULL, check=True)

    def arrow(options: dict) -> None:
        deadhead.arrow.prune_column(table, "body", deadhead.Pruner(**options))

    stage = os.path.join(folder.name, "stage")

    def timed(table, pruner):
        """Prunes as the workers do, and notes the time."""
        begun = time.thread_time()
        new = deadhead.arrow.prune_column(table, "body", pruner)
        with open(stage, "a") as file:
            file.write(f"{time.thread_time() - begun}\n")
        return new

    def on_spark(options: dict) -> None:
        pruner, frame = deadhead.Pruner(**options), spark.read.parquet(parts)
        frame.mapInArrow(lambda batches: (timed(batch, pruner) for batch in batches), frame.schema).write.format("noop").mode("overwrite").save()

    def spark_alone(_: dict) -> None:
        frame = spark.read.parquet(parts)
        frame.mapInArrow(idle, frame.schema).write.format("noop").mode("overwrite").save()

    def ray_alone(_: dict) -> None:
        for _ in ray.data.read_parquet(parts).map_batches(lambda table: table, batch_format="pyarrow", zero_copy_batch=True, batch_size=None).iter_internal_ref_bundles():
            pass

    def on_ray(options: dict) -> None:
        pruner = deadhead.Pruner(**options)
        for _ in ray.data.read_parquet(parts).map_batches(lambda table: timed(table, pruner), batch_format="pyarrow", zero_copy_batch=True, batch_size=None).iter_internal_ref_bundles():
            pass

    runs = {"filter process": filtered, "deadhead.arrow": arrow, "Spark": on_spark, "Spark, same job": spark_alone, "Ray": on_ray, "Ray, same job": ray_alone}
    best: dict[tuple[str, str], float] = {}
    for i in range(rounds + 1):
        for setting, options in SETTINGS.items():
            for name, run in runs.items():
                begun = processor_seconds()
                run(options)
                taken = processor_seconds() - begun
                size = megabytes * (JOBS if name.startswith(("Spark", "Ray")) else 1)
                found = {name: size / taken}
                if os.path.exists(stage):
                    with open(stage) as file:
                        found[f"{name}, stage"] = size / sum(map(float, file))
                    os.unlink(stage)
                for name, speed in found.items():
                    if i:
                        best[setting, name] = max(best.get((setting, name), 0), speed)
                    print(f"round {i}: {setting:5} {name:16} {speed:7.0f} MB/s", file=sys.stderr, flush=True)
    print(f"{BODIES} bodies, {JOBS} times as many in a job, {megabytes / BODIES * 1000:.0f} KB each, best of {rounds}")
    for (setting, name), speed in best.items():
        print(f"{setting:5} {name:16} {speed:7.0f} MB/s  {speed / best[setting, 'filter process']:.2f}")
    os._exit(0)


main()
