"""Every way of calling librbd and of learning that a request is complete: counts known beforehand, behaviour unchanged."""
import re


def parse_ways(text):
    """{kind: (requests, bytes, failed)} as the program counted them itself."""
    return {kind: (int(requests), int(bytes_), int(failed)) for kind, requests, bytes_, failed in (line.split() for line in text.splitlines())}


def same_three_times(lab, command, tidy=lambda text: text):
    """Runs a program bare, with the shim dormant and recorded: it must not show. Returns the recording."""
    bare = lab.run(command)
    dormant = lab.run(command, env={"LD_PRELOAD": lab.shim()})
    lab.equal("standard output with the shim dormant", tidy(dormant.stdout), tidy(bare.stdout))
    lab.equal("standard error with the shim dormant", tidy(dormant.stderr), tidy(bare.stderr))
    recording = lab.record(command)
    lab.equal("standard output while recorded", tidy(recording.ended.stdout), tidy(bare.stdout))
    lab.whole(recording)
    return recording


def way(lab, name, n=200, program="ways"):
    image = lab.image("ways")
    recording = same_three_times(lab, [lab.program(program), name, "rbd", image, str(n)])
    for number, key in enumerate(("completed", "bytes", "failed")):
        truth = {kind: counted[number] for kind, counted in parse_ways(recording.ended.stdout).items()}
        lab.equal(key, recording.sums(image, key), truth)
    return recording


def test_wait(lab):
    way(lab, "wait")


def test_late(lab):
    way(lab, "late")


def test_wait_with_callback(lab):
    way(lab, "wait-callback")


def test_is_complete(lab):
    way(lab, "is-complete")


def test_get_return_value(lab):
    way(lab, "get-return-value")


def test_callback(lab):
    """Looked at and released inside the callback: nothing is left to wait for after it."""
    recording = way(lab, "callback")
    for client in recording.clients("ways"):
        for kind, requests in client["requests"].items():
            d2a = requests["phases"]["d2a"]
            lab.equal(f"d2a of {kind}", d2a and d2a["dist"] and d2a["dist"]["max"] or 0, 0)


def test_release_early(lab):
    way(lab, "release-early")


def test_poll(lab):
    way(lab, "poll")


def test_calls(lab):
    way(lab, "calls", 50)


def test_mismatch(lab):
    """A compare-and-write that finds something else has failed, and fails as before."""
    way(lab, "mismatch", 50)


def test_synchronous(lab):
    way(lab, "synchronous", 50)


def test_open(lab):
    way(lab, "open", 4)


def test_threads(lab):
    way(lab, "threads")


def test_fork(lab):
    way(lab, "fork")


def cxx(lab, name, n=200):
    """The same through librbd's C++ interface."""
    return way(lab, name, n, program="ways_cxx")


def test_cxx_wait(lab):
    cxx(lab, "wait")


def test_cxx_callback(lab):
    cxx(lab, "callback")


def test_cxx_release_early(lab):
    cxx(lab, "release-early")


def test_cxx_poll(lab):
    cxx(lab, "poll")


def test_cxx_calls(lab):
    cxx(lab, "calls", 50)


def test_cxx_synchronous(lab):
    cxx(lab, "synchronous", 50)


def test_cxx_open(lab):
    cxx(lab, "open", 4)


def test_qemu_img_bench(lab):
    """librbd loaded with local scope, callbacks only."""
    image = lab.image("plain")
    for options, kind in ((("-w",), "write"), ((), "read")):
        recording = same_three_times(lab, ["qemu-img", "bench", "-f", "raw", "-t", "none", "-c", "2000", "-d", "32", "-s", "4096", *options, lab.drive(image)],
                                     lambda text: re.sub(r"in [0-9.]+ seconds", "", text))
        lab.equal(f"{kind}s, from the command line", recording.sums(image).get(kind), 2000)
        lab.equal(f"bytes, from the command line", recording.sums(image, "bytes").get(kind), 2000 * 4096)


def test_qemu_io(lab):
    image = lab.image("plain")
    steps = ["aio_write -q -P 7 0 64k"] * 5 + ["aio_flush"] + ["aio_read -q -P 7 0 64k"] * 3 + ["aio_flush", "write -q -P 1 1M 4k", "read -q 1M 4k", "discard -q 4M 4M"]
    command = ["qemu-io", "-f", "raw", "-t", "none", "-d", "unmap", *[word for step in steps for word in ("-c", step)], lab.drive(image)]
    recording = same_three_times(lab, command)
    seen = recording.sums(image)
    lab.equal("writes", seen.get("write"), 6)
    lab.equal("reads", seen.get("read"), 4)
    lab.equal("discards", seen.get("discard"), 1)
    lab.equal("bytes written", recording.sums(image, "bytes").get("write"), 5 * 65536 + 4096)
