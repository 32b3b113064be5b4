#!/usr/bin/env python3
"""What the shim adds to locks that nobody else wants: instructions, instructions that lock the bus, and functions, counted by callgrind; system
calls, seen by strace.

    quiet.py SHIM VICTIM

SHIM is the one with the emitter of emitter.c beside it; the victim is quiet. Dormant, and while locks are recorded as by default or with every
hold timed, such a lock may cost no system call; no function of the C library's but its own, so no allocation; no instruction that locks the bus
more than without the shim, so nothing that threads change in turn; and no more than so many instructions.
"""
import os
import re
import subprocess
import sys
import tempfile

ROUNDS = 6400  # a multiple of 64: of so many acquisitions the hold of one is timed
STATES = {  # the environment, and how many instructions may be added to a pair of calls
    "dormant": ({"RBDPROF_TEST_DORMANT": "1"}, 40),
    "contended": ({"RBDPROF_TEST_LOCKS": "contended"}, 95),
    "holds": ({"RBDPROF_TEST_LOCKS": "holds"}, 210),
}
MARK = "getpgid("
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAIL {what}")


def run(*command, env=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RBDPROF_")}
    ended = subprocess.run(command, env={**environment, **(env or {})}, capture_output=True, text=True, timeout=200)
    check(ended.returncode == 0, f"{command} ends well: {ended.stdout} {ended.stderr}")
    return ended.stdout


def preloaded(shim, env):
    return {**env, "LD_PRELOAD": shim, "LD_BIND_NOW": "1"}  # a symbol's first call would be the loader's


def count(victim, env):
    """{way: [instructions, those that lock the bus]} of a pair of calls, and {(function, object)} that ran in any."""
    with tempfile.NamedTemporaryFile() as file:
        run("valgrind", "-q", "--tool=callgrind", "--collect-bus=yes", "--toggle-collect=hammer_*", f"--callgrind-out-file={file.name}", victim,
            str(ROUNDS), env=env)
        text = run("callgrind_annotate", "--inclusive=yes", "--auto=no", "--threshold=100", file.name)
    ways, functions = {}, set()
    for line in text.splitlines():
        row = re.fullmatch(r" *([\d,]+) \([^)]*\) +([\d,.]+)(?: \([^)]*\))? +.*:(\S+) \[.*/(\S+)\]", line)
        if not row:
            continue
        name, library = row[3], row[4]
        if name.startswith("hammer_"):
            ways[name[len("hammer_"):]] = [int(number.replace(",", "").replace(".", "") or 0) / ROUNDS for number in (row[1], row[2])]
        functions.add((name, library))
    return ways, functions


def hold_counts(shim, victim):
    bare, _ = count(victim, {"LD_BIND_NOW": "1"})
    check(len(bare) == 7, f"seven ways are counted: {bare}")
    for state, (env, most) in STATES.items():
        seen, functions = count(victim, preloaded(shim, env))
        check(seen.keys() == bare.keys(), f"{state}: the same ways: {seen}")
        for way, (instructions, locking) in seen.items():
            added = instructions - bare[way][0]
            print(f"{state}: {way}: {bare[way][0]:.1f} instructions and {added:.1f}, {bare[way][1]:.2f} of them lock the bus and {locking - bare[way][1]:.2f}")
            check(added <= most, f"{state}: {way}: {added} instructions added, at most {most}")
            check(int(locking) <= int(bare[way][1]), f"{state}: {way}: {locking} instructions lock the bus, without the shim {bare[way][1]}")
        check(any(library == os.path.basename(shim) for _, library in functions), f"{state}: the shim is in between: {functions}")
        foreign = {name for name, library in functions if library not in (os.path.basename(shim), os.path.basename(victim))
                   and not (library.startswith("libc.") and re.match(r"_*pthread_(mutex|rwlock|cond)_", name))}
        # Around the victim's functions, not in them.
        check(foreign <= {"clone", "start_thread"}, f"{state}: no function but the locks': {foreign}")


def hold_system_calls(shim, victim):
    for state, (env, _) in STATES.items():
        with tempfile.NamedTemporaryFile("r") as file:
            run("strace", "-f", "-qq", "-o", file.name, "env", *(f"{k}={v}" for k, v in preloaded(shim, env).items()), victim, str(ROUNDS))
            calls = [line.split(maxsplit=1) for line in file]
        threads = {thread for thread, call in calls if call.startswith(MARK)}
        check(len(threads) == 1, f"{state}: one thread marks: {threads}")
        mine = [call for thread, call in calls if thread in threads and not call.startswith("<... ")]  # the end of one that others came between
        marks = [i for i, call in enumerate(mine) if call.startswith(MARK)]
        check(len(marks) == 14, f"{state}: seven ways, marked before and after: {marks}")
        for first, last in zip(marks[::2], marks[1::2]):
            check(last == first + 1, f"{state}: no system call: {mine[first:last + 1]}")


def main():
    shim, victim = sys.argv[1:]
    hold_counts(shim, victim)
    hold_system_calls(shim, victim)
    sys.exit(bool(failures))


main()
