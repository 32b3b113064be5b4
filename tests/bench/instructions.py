#!/usr/bin/env python3
"""What being recorded costs in instructions of the profiled process per I/O, counted by valgrind's callgrind: where they go, by library.

    tests/bench/instructions.py [--rbdprof PREFIX/bin/rbdprof] [--pattern RW] [--way NAME]... [--ios N] [--functions N]

They are the same within a few in a hundred, whatever else the machine does, and those of one function or library within one, so that one run
shows what a change is worth; what they take, caches and all, is cost.py's to say. Each run is made twice, with few I/Os and with many, and the difference is what so many
I/Os more cost. In a run under callgrind a second is some fifty times as short: what is said once a second weighs that much more in
`recorded`. Needs the packages of tests/packages.sh and a cluster of its own, which it starts.
"""
import argparse, collections, os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import lab  # noqa: E402
from ways import WAYS, run  # noqa: E402

FEW = 200


def count(bench, image, pattern, ios, way):
    """{(library, function): instructions} of one run."""
    counted = os.path.join(bench.work, "counted")
    fio = lab.fio_command(image, pattern, "--direct=1", f"--io_size={ios * 4}k", "--thread")
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counted}", *fio]
    run(bench, way, command, timeout=600)
    functions = collections.Counter()
    for line in bench.run(["callgrind_annotate", "--threshold=100", counted]).stdout.splitlines():
        found = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+\S+?:(.*) \[(.*)\]", line)
        if found:
            functions[os.path.basename(found[3]), found[2]] += int(found[1].replace(",", ""))
    return functions


def measure(bench, image, options, way):
    """{(library, function): instructions} of one more I/O."""
    more = count(bench, image, options.pattern, FEW + options.ios, way)
    more.subtract(count(bench, image, options.pattern, FEW, way))
    return {function: instructions / options.ios for function, instructions in more.items()}


def tell(way, seen, bare, functions):
    sums = {library: sum(n for (of, _), n in seen.items() if of == library) for library in {library for library, _ in seen}}
    total, plain = sum(seen.values()), sum(bare.values())
    ours = {library: n for library, n in sums.items() if re.search("rbdprof|lttng", library) and n >= 1}
    print(f"{way:9} {total:9.0f} instructions an I/O   × {total / plain:.3f}   "
          + ", ".join(f"{library} {n:.0f}" for library, n in sorted(ours.items(), key=lambda item: -item[1])), flush=True)
    for (library, function), n in sorted(seen.items(), key=lambda item: -item[1]):
        if library in ours and functions > 0:
            print(f"{n:19.0f}  {library}  {function}")
            functions -= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rbdprof", default="build/check/prefix/bin/rbdprof")
    parser.add_argument("--pattern", default="randwrite", help="fio's rw; randwrite if not given")
    parser.add_argument("--way", action="append", choices=list(WAYS)[1:], help="only this one beside bare; may be given several times")
    parser.add_argument("--ios", type=int, default=4000)
    parser.add_argument("--functions", type=int, default=0, metavar="N", help="print the N dearest functions of each way too")
    options = parser.parse_args()
    bench = lab.Lab(options.rbdprof)
    try:
        bench.start_cluster()
        image = bench.image("bench")
        bare = measure(bench, image, options, "bare")
        tell("bare", bare, bare, 0)
        for way in options.way or list(WAYS)[1:]:
            tell(way, measure(bench, image, options, way), bare, options.functions)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
