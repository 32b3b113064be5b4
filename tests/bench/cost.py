#!/usr/bin/env python3
"""What being recorded costs: CPU time of the profiled process per I/O, bare against dormant and recorded, without the program's locks
(the boundary: librbd's calls and what it does below) and with them.

    tests/bench/cost.py [--rbdprof PREFIX/bin/rbdprof] [--workload NAME]... [--way NAME]... [--rounds N] [--ios N] [--depth N]

Each run is made twice, with few I/Os and with many, and the difference is what so many I/Os more cost: starting the program and its
recording is told apart, in ms. Each round runs every way once, in turn forwards and backwards, so that what drifts weighs on all alike; a
ratio is taken within its round. Printed are the median of the rounds' ratios and the interval that holds the true median in 95 of 100
such measurements (of the ordered ratios, by the binomial distribution: no assumption is made about the noise). Where the processor's counters
can be read, user instructions per I/O are compared likewise; they hardly scatter. Nothing passes or fails here: the next machine is another.
Needs the packages of tests/packages.sh and a cluster of its own, which it starts.
"""
import argparse, os, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import lab  # noqa: E402
from rounds import interleave, told  # noqa: E402
from ways import WAYS, run  # noqa: E402

WORKLOADS = {  # features, fio's pattern, share of the I/Os
    "plain-randread": ("layering", "randread", 1.0),
    "plain-randwrite": ("layering", "randwrite", 1.0),
    "journaled-randwrite": ("layering,exclusive-lock,journaling", "randwrite", 0.5),
}
FEW = 100


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


def run_once(bench, image, pattern, ios, way, options):
    """{quantity: of all} of one run."""
    fio = lab.fio_command(image, pattern, "--direct=1", f"--io_size={ios * 4}k", depth=options.depth)
    command = [sys.executable, os.path.join(HERE, "meter.py"), *fio]
    ended, folder = run(bench, way, command, *options.record)
    seen = {"bytes": folder_bytes(folder)} if folder else {}
    text, used = ended.stdout.rsplit("\nused ", 1)
    user, system, instructions = used.split()
    seen["cpu"], seen["user"] = (float(user) + float(system)) * 1e6, float(user) * 1e6
    if instructions != "-":
        seen["instructions"] = float(instructions)
    fio = lab.parse_fio(text)
    return {"iops": fio["read"]["iops"] + fio["write"]["iops"], "ios": fio["read"]["total_ios"] + fio["write"]["total_ios"], **seen}


def measure(bench, image, pattern, ios, way, options):
    """{quantity: of one more I/O}, and what the rest costs."""
    few, many = (run_once(bench, image, pattern, count, way, options) for count in (FEW, ios))
    more = {what: (many[what] - few[what]) / (many["ios"] - few["ios"]) for what in many if what not in ("ios", "iops")}
    return {"iops": many["iops"], "start": few["cpu"] - few["ios"] * more["cpu"], **more}


def ratio(rounds, way, what):
    return "× " + told([seen[way][what] / seen["bare"][what] for seen in rounds], ".3f")


def compare(bench, name, options):
    features, pattern, part = WORKLOADS[name]
    image, rounds = bench.image("bench-" + name, features), []
    ways = ["bare", *(options.way or list(WAYS)[1:])]
    for seen in interleave(ways, options.rounds, lambda way: measure(bench, image, pattern, int(options.ios * part), way, options)):
        rounds.append(seen)
        if options.verbose:
            print("  " + "   ".join(f"{way} {seen[way]['cpu']:.1f} µs, {seen[way]['iops']:.0f} IOPS" for way in ways), flush=True)
    bare = {what: statistics.median(seen["bare"][what] for seen in rounds) for what in rounds[0]["bare"]}
    print(f"{name}: {int(options.ios * part)} I/Os, {options.depth} deep, {len(rounds)} rounds, "
          f"bare {bare['cpu']:.1f} µs of CPU an I/O, {bare['iops']:.0f} IOPS")
    for way in ways[1:]:
        print(f"  {way:9}  CPU {ratio(rounds, way, 'cpu')}   user CPU {ratio(rounds, way, 'user')}   IOPS {ratio(rounds, way, 'iops')}"
              + (f"   user instructions {ratio(rounds, way, 'instructions')}" if "instructions" in bare else "")
              + f"   start {statistics.median(seen[way]['start'] - seen['bare']['start'] for seen in rounds) / 1000:+.0f} ms"
              + (f"   {statistics.median(seen[way]['bytes'] for seen in rounds):.0f} bytes of trace an I/O" if "bytes" in rounds[0][way] else ""), flush=True)
    if "instructions" not in bare:
        print("  user instructions are not counted on this machine")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbdprof", default="build/check/prefix/bin/rbdprof")
    parser.add_argument("--workload", action="append", choices=WORKLOADS, help="only this one; may be given several times")
    parser.add_argument("--way", action="append", choices=list(WAYS)[1:], help="only this one beside bare; may be given several times")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--ios", type=int, default=40000)
    parser.add_argument("--depth", type=int, default=32)
    parser.add_argument("--record", action="append", default=[], metavar="OPTION", help="one more option of rbdprof record, as --record=--locks=off")
    parser.add_argument("--verbose", action="store_true", help="print each round too")
    options = parser.parse_args()
    bench = lab.Lab(options.rbdprof)
    try:
        bench.start_cluster()
        for name in options.workload or WORKLOADS:
            compare(bench, name, options)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
