"""Every request once, by kind: held against fio's own counts of the same run."""
from lab import counted_by_fio, fio_bytes, fio_command, fio_counts


def compare(lab, rw, *options, image="plain", jobs=1, **shape):
    recording = lab.record(fio_command(lab.image(image), rw, *options, jobs=jobs, **shape))
    fio, clients = recording.fio, recording.clients(image)
    lab.equal("fio's errors", fio["error"], 0)
    lab.equal("requests", counted_by_fio(recording.sums(image)), fio_counts(fio, jobs))
    seen = recording.sums(image, "bytes")
    lab.equal("bytes", {kind: seen.get(kind) for kind in fio_bytes(fio)}, fio_bytes(fio))
    lab.equal("failed", sum(recording.sums(image, "failed").values()), 0)
    lab.equal("left open", [client["open_requests"] for client in clients], [0] * jobs)
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
    compare(lab, "randwrite", "--fsync=32", ios=4000)


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
