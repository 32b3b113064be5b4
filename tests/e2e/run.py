#!/usr/bin/env python3
"""Runs the end-to-end tests: real Ceph, real fio and QEMU, expected values from them or from arithmetic.

Each file beside this one that has functions called test_… is a topic; a test's name is TOPIC.REST.
"""
import argparse, importlib, os, signal, sys, time, traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import lab as laboratory


def find_tests():
    found = {}
    for file in sorted(os.listdir(HERE)):
        topic, extension = os.path.splitext(file)
        if extension != ".py" or topic in ("run", "lab", "osdlog"):
            continue
        for name, function in vars(importlib.import_module(topic)).items():
            if name.startswith("test_"):
                found[f"{topic}.{name[5:].replace('_', '-')}"] = function
    return found


def find_rbdprof():
    root = os.path.dirname(os.path.dirname(HERE))
    for folder in ("check", "demo"):
        path = os.path.join(root, "build", folder, "prefix", "bin", "rbdprof")
        if os.path.exists(path):
            return path
    return None


def run_one(lab, name, function):
    lab.begin_test()
    begin, trouble = time.monotonic(), None
    try:
        function(lab)
    except laboratory.CannotRun as error:
        trouble = str(error)
    except Exception:
        trouble = traceback.format_exc()
    failed = trouble or lab.unmet
    print(f"{'FAIL' if failed else 'ok  '} {name} ({time.monotonic() - begin:.1f} s)", flush=True)
    for unmet in lab.unmet:
        print(f"     {unmet}")
    if trouble:
        print("     " + trouble.replace("\n", "\n     "))
    if failed:
        print("     the commands were:", *lab.commands, sep="\n       ", flush=True)
    return not failed


def main():
    parser = argparse.ArgumentParser(description="End-to-end tests on a real Ceph.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="only the tests whose names begin so")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--rbdprof", metavar="PATH", help="the installed rbdprof to test (default: that of check.sh, or of demo.sh)")
    parser.add_argument("--sanitized", metavar="PATH", help="the same, built with -DRBDPROF_SANITIZE=ON, for the test that needs it")
    parser.add_argument("--long", action="store_true", help="also the tests marked as long")
    parser.add_argument("--keep", action="store_true", help="leave the recordings where they are")
    options = parser.parse_args()

    tests = find_tests()
    chosen = {name: function for name, function in tests.items()
              if (not options.names and (options.long or not getattr(function, "long", False))) or any(name.startswith(n) for n in options.names)}
    if options.list:
        print("\n".join(chosen))
        return 0
    rbdprof = options.rbdprof or find_rbdprof()
    if not chosen or not rbdprof or not os.path.exists(rbdprof):
        print("run.py: no test has such a name; --list shows them" if not chosen else "run.py: no rbdprof to test; build and install it, or give --rbdprof", file=sys.stderr)
        return 2

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    passed = failed = 0
    lab = laboratory.Lab(rbdprof, options.sanitized)
    try:
        lab.start_cluster()
        for name, function in chosen.items():
            if run_one(lab, name, function):
                passed += 1
            else:
                failed += 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            print(f"the recordings are in {lab.work}")
            lab.work = ""
        lab.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
