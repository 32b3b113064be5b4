#!/usr/bin/env python3
"""What being recorded costs: CPU time of the profiled process per I/O, bare against dormant and recorded, in interleaved rounds.

    tests/bench/cost.py [--rbdprof PREFIX/bin/rbdprof] [--rounds N] [--ios N]

Prints a line a workload: the median of the rounds' ratios, their range, and bytes of trace per request. Nothing passes or fails here:
this machine and this moment differ from the next. Needs the packages of tests/packages.sh and a cluster of its own, which it starts.
"""
import argparse, os, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import lab  # noqa: E402

WORKLOADS = (  # name, features, fio's pattern, jobs, share of the I/Os
    ("plain randread", "layering", "randread", 1, 1.0),
    ("plain randwrite", "layering", "randwrite", 1, 1.0),
    ("journaled randwrite", "layering,exclusive-lock,journaling", "randwrite", 1, 0.5),
)


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def measure(bench, image, pattern, jobs, ios, way):
    """(CPU microseconds per I/O, IOPS, bytes of trace per I/O) of one run."""
    command = [sys.executable, os.path.join(HERE, "meter.py"), *lab.fio_command(image, pattern, "--direct=1", jobs=jobs, ios=ios)]
    trace_bytes = 0
    if way == "recorded":
        recording = bench.record(command)
        ended, trace_bytes = recording.ended, folder_bytes(recording.folder)
    else:
        ended = bench.run(command, env={"LD_PRELOAD": bench.shim()} if way == "dormant" else None)
    fio = lab.parse_fio(ended.stdout.rsplit("\ncpu_seconds", 1)[0])
    done = fio["read"]["total_ios"] + fio["write"]["total_ios"]
    return float(ended.stdout.split()[-1]) * 1e6 / done, fio["read"]["iops"] + fio["write"]["iops"], trace_bytes / done


def compare(bench, name, features, pattern, jobs, ios, rounds):
    image = bench.image("bench-" + name.replace(" ", "-"), features)
    seen = [{way: measure(bench, image, pattern, jobs, ios, way) for way in ("bare", "dormant", "recorded")} for _ in range(rounds)]
    print(f"{name}: {ios} I/Os, {rounds} rounds, bare {statistics.median(s['bare'][0] for s in seen):.1f} µs of CPU an I/O")
    for way in ("dormant", "recorded"):
        cpu = [s[way][0] / s["bare"][0] for s in seen]
        iops = [s[way][1] / s["bare"][1] for s in seen]
        print(f"  {way:9}  CPU per I/O × {statistics.median(cpu):.3f} [{min(cpu):.3f} to {max(cpu):.3f}]   IOPS × {statistics.median(iops):.3f}"
              + (f"   {statistics.median(s[way][2] for s in seen):.0f} bytes of trace an I/O" if way == "recorded" else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbdprof", default="build/check/prefix/bin/rbdprof")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ios", type=int, default=40000)
    options = parser.parse_args()
    bench = lab.Lab(options.rbdprof)
    try:
        bench.start_cluster()
        for name, features, pattern, jobs, part in WORKLOADS:
            compare(bench, name, features, pattern, jobs, int(options.ios * part), options.rounds)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
