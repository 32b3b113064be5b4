#!/usr/bin/env python3
"""Runs a victim bare and under the shim in every state, and holds the runs against each other.

    drive.py --alone SHIM --traced SHIM [--relative] [--says TEXT] [--blind] [--also LIBRARY] [--expect NAME=N | NAME+N]... -- VICTIM...

SHIM alone has no provider beside it; the traced one has the counting emitter of emitter.c. Standard output, standard error and exit
status must be those of the bare run. While it is recorded, NAME=N events must have been counted, or with NAME+N at least N.
"""
import argparse
import mmap
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

NAMES = ("process thread image config unseen request_open totals image_closed request complete reap lock_wait lock_wait_open cond_wait "
         "lock_hold lock_pair lock_counts lock_name module usage host undecoded reaped").split()
TIMEOUT_S = 100
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAIL {what}")


class Recording:
    """Answers the processes that ask whether they are traced, as `rbdprof record` does."""

    def __init__(self, answer):
        self.name = f"rbdprof-test-{os.getpid()}-{id(self)}"
        self.answer, self.pids = answer, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind("\0" + self.name)
        self.socket.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                self.pids.append(struct.unpack("=I", peer.recv(16))[0])
                peer.send(self.answer)


def run(command, preload=None, also=None, cwd=None, **env):
    libraries = [l for l in (also, preload) if l]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RBDPROF_")}
    environment.update(env)
    if libraries:
        environment["LD_PRELOAD"] = ":".join(libraries)
    with tempfile.NamedTemporaryFile() as counts:
        counts.write(bytes(8 * len(NAMES)))
        counts.flush()
        environment["RBDPROF_TEST_COUNTS"] = counts.name
        process = subprocess.Popen(command, env=environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            check(False, f"ends within {TIMEOUT_S} s")
        with mmap.mmap(counts.fileno(), 8 * len(NAMES)) as mapped:
            seen = dict(zip(NAMES, struct.unpack(f"={len(NAMES)}Q", mapped[:])))
    return (process.returncode, out.decode(), err.decode()), seen, process.pid


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--alone", required=True)
    parser.add_argument("--traced", required=True)
    parser.add_argument("--relative", action="store_true", help="preload the traced shim by a relative path")
    parser.add_argument("--says", default="", help="a line that the shim adds on standard error")
    parser.add_argument("--blind", action="store_true", help="nothing is traced, and nobody asks")
    parser.add_argument("--also", help="another library to preload, always")
    parser.add_argument("--expect", action="append", default=[])
    parser.add_argument("victim", nargs="+")
    options = parser.parse_args()
    says = options.says + "\n" if options.says else ""
    bare, _, _ = run(options.victim, also=options.also)
    expected = (bare[0], bare[1], bare[2] + says)
    traced, cwd = options.traced, None
    if options.relative:
        traced, cwd = "./" + os.path.basename(traced), os.path.dirname(traced)

    def hold(state, result, wanted):
        check(result == wanted, f"{state}: {result} as bare: {wanted}")

    check(bare[0] == 0, f"bare: exit status 0: {bare}")
    result, seen, _ = run(options.victim, options.alone, options.also)
    hold("no provider", result, expected)
    result, seen, _ = run(options.victim, traced, options.also, cwd, RBDPROF_TEST_DORMANT="1")
    hold("dormant", result, expected)
    check(not any(seen.values()), f"dormant: nothing emitted: {seen}")
    result, seen, _ = run(options.victim, traced, options.also, cwd, RBDPROF_DISABLE="1")
    hold("disabled", result, bare)
    check(not any(seen.values()), f"disabled: nothing emitted: {seen}")

    refusing = Recording(b"n")
    result, seen, _ = run(options.victim, traced, options.also, cwd, RBDPROF_SOCKET=refusing.name)
    hold("refused", result, expected)
    check(not any(seen.values()), f"refused: nothing emitted: {seen}")
    result, seen, _ = run(options.victim, traced, options.also, cwd, RBDPROF_SOCKET="rbdprof-test-nobody")
    hold("nobody answers", result, expected)
    check(not any(seen.values()), f"nobody answers: nothing emitted: {seen}")

    recording = Recording(b"y")
    result, seen, pid = run(options.victim, traced, options.also, cwd, RBDPROF_SOCKET=recording.name)
    hold("recorded", result, expected)
    if options.blind:
        check(not any(seen.values()) and not recording.pids, f"recorded: nothing emitted, nobody asked: {seen} {recording.pids}")
    else:
        check(pid in recording.pids, f"recorded: {pid} asked: {recording.pids}")
        check(len(recording.pids) == len(set(recording.pids)), f"recorded: each process asks once: {recording.pids}")
    for text in options.expect:
        exact = "=" in text
        name, number = text.split("=" if exact else "+")
        check(seen[name] == int(number) if exact else seen[name] >= int(number), f"recorded: {text}: {seen}")
    print(f"{os.path.basename(options.victim[0])}: {seen}")
    sys.exit(bool(failures))


main()
