#!/usr/bin/env python3
"""What locking and unlocking a mutex costs in a program that has an image open: bare, under lttng-ust's own pthread wrapper, and under rbdprof.

    tests/bench/pair.py [--rbdprof PREFIX/bin/rbdprof] [--rounds N] [--pairs N]

The ways are: bare; the wrapper preloaded (wrapper) and traced (wrapper traced); rbdprof preloaded (dormant) and recording with --locks
contended, holds, all. Each round runs every way once, in turn forwards and backwards; what is told is taken within a round: the ns of processor
time that a way adds to a pair, and its ratio to bare, as the median of the rounds and the interval that holds the true one in 95 of 100 such
measurements. Goals are printed beside; nothing passes or fails here: the next machine is another. Needs the packages of tests/packages.sh and
a cluster of its own, which it starts. As root the traced wrapper has a mount namespace of its own.
"""
import argparse, json, os, signal, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import lab  # noqa: E402
from rounds import interleave, told  # noqa: E402

LOCKS = ("contended", "holds", "all")
WAYS = ("bare", "wrapper", "wrapper traced", "dormant", *LOCKS)
GOALS_NS = {"dormant": 1, "contended": 6, "holds": 12}
SHARE_OF_TRACED = 2 / 3  # the goal of all
BUFFERS = "512M"  # peer.sh takes as much a process


def measure(bench, way, pairs):
    """{"ns": {kind: a pair's}, "lost": events}."""
    command, lost = [bench.program("pair", HERE), "rbd", bench.image("bench-pair"), str(pairs)], 0
    if way in LOCKS:
        recording = bench.record(command, f"--locks={way}", f"--buffers={BUFFERS}")
        ended, lost = recording.ended, recording.report["trace"]["lost_events"]
    elif way == "wrapper traced":
        ended = bench.run([os.path.join(HERE, "peer.sh"), *command])
    else:
        preloaded = {"wrapper": "liblttng-ust-pthread-wrapper.so", "dormant": bench.shim()}.get(way)
        ended = bench.run(command, env=preloaded and {"LD_PRELOAD": preloaded})
    seen = json.loads(ended.stdout)
    if way == "wrapper traced":
        lost = max(0, seen["pairs"] * 3 - int(ended.stderr.split()[-1]))  # asked for, had, given back
    return {"ns": seen["ns"], "lost": lost}


def tell(kind, rounds):
    costs = {way: [seen[way]["ns"][kind] for seen in rounds] for way in WAYS}
    print(f"{kind}: bare {statistics.median(costs['bare']):.1f} ns a pair")
    for way in WAYS[1:]:
        added = [cost - bare for cost, bare in zip(costs[way], costs["bare"])]
        line = f"  {way:14}  {told(added, '+.1f')} ns   × {told(ratios(costs, way, 'bare'), '.2f')}"
        if way in GOALS_NS and "contended" not in kind:  # those who wait are told, one by one
            line += f"   goal: +{GOALS_NS[way]} ns"
        if way == "all":
            line += f"   wrapper traced × {told(ratios(costs, way, 'wrapper traced'), '.2f')}, goal: × {SHARE_OF_TRACED:.2f}"
        print(line)


def ratios(costs, way, other):
    return [mine / its for mine, its in zip(costs[way], costs[other])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbdprof", default="build/check/prefix/bin/rbdprof")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pairs", type=int, default=50000, help="in a slice")
    parser.add_argument("--verbose", action="store_true", help="print each round too")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    bench, rounds = lab.Lab(options.rbdprof), []
    try:
        bench.start_cluster()
        for seen in interleave(WAYS, options.rounds, lambda way: measure(bench, way, options.pairs)):
            rounds.append(seen)
            if options.verbose:
                print("  " + "   ".join(f"{way} {list(seen[way]['ns'].values())}" for way in WAYS), flush=True)
    finally:
        bench.close()
    print(f"{len(rounds)} rounds, slices of {options.pairs} pairs")
    for kind in rounds[0]["bare"]["ns"]:
        tell(kind, rounds)
    for way in WAYS:
        lost = sum(seen[way]["lost"] for seen in rounds)
        if lost:
            print(f"{way}: {lost} events were lost, which costs less than keeping them")


if __name__ == "__main__":
    main()
