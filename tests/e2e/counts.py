"""Every request once, by kind: held against fio's own counts of the same run."""
from lab import fio_command, fio_counts


def compare(lab, rw, *options, flushes_more=0, image="plain", **shape):
    recording = lab.record(fio_command(lab.image(image), rw, *options, **shape))
    fio, seen, bytes_ = recording.fio, recording.sums(image), recording.sums(image, "bytes")
    truth = fio_counts(fio)
    lab.equal("fio's errors", fio["error"], 0)
    lab.equal("kinds", sorted(seen), sorted(truth))
    for kind, count in truth.items():
        if kind == "flush":
            lab.between("flushes", count, seen.get(kind), count + flushes_more)
        else:
            lab.equal(f"requests: {kind}", seen.get(kind), count)
    for kind, count in fio_counts(fio, "io_bytes").items():
        lab.equal(f"bytes: {kind}", bytes_.get(kind), count)
    lab.equal("failed", sum(recording.sums(image, "failed").values()), 0)
    lab.equal("left open", [client["open_requests"] for client in recording.clients(image)], [0] * shape.get("jobs", 1))
    lab.whole(recording)
    return recording


def test_randread(lab):
    compare(lab, "randread", ios=6000)


def test_randwrite(lab):
    compare(lab, "randwrite", ios=6000)


def test_randrw(lab):
    compare(lab, "randrw", ios=6000)


def test_sequential(lab):
    compare(lab, "write", bs="64k")


def test_discard(lab):
    compare(lab, "randtrim", ios=4000)


def test_fsync(lab):
    # fio ends a job by one more flush that it does not count.
    compare(lab, "randwrite", "--fsync=32", ios=4000, flushes_more=1)


def test_mixed_sizes(lab):
    compare(lab, "randrw", "--bssplit=4k/40:16k/30:64k/30", ios=4000)


def test_busy_poll(lab):
    compare(lab, "randread", "--busy_poll=1", ios=4000)


def test_depth_1(lab):
    recording = compare(lab, "randwrite", ios=800, depth=1)
    lab.equal("most in flight", recording.clients("plain")[0]["in_flight"]["max"], 1)


def test_two_jobs(lab):
    recording = compare(lab, "randwrite", jobs=2, ios=3000)
    clients = recording.clients("plain")
    if lab.equal("clients", len({client["id"] for client in clients}), 2):
        lab.equal("writes of each, 3000 by the command line", [client["requests"]["write"]["completed"] for client in clients], [3000, 3000])
        lab.holds("in flight no more than the depth", all(client["in_flight"]["max"] <= 32 for client in clients), clients)


def test_exclusive_lock(lab):
    """Two writers that take the lock from each other."""
    lab.image("locked", "layering,exclusive-lock")
    compare(lab, "randwrite", jobs=2, ios=1500, image="locked")
