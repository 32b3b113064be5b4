"""The distribution of total, S to A, between two of fio's own: clat, which begins after the rbd call, and lat, before it."""
from lab import fio_command

SLACK = 0.03  # the bins of both histograms

# fio takes its own time a moment after the call that it measures returned. On a machine that has not enough processors for
# all that runs it can be put aside between the two for milliseconds, and its clat is then longer than it was. An error of rbdprof's
# would show each time; this does not.
ATTEMPTS = 3


def compare(lab, rw, depth):
    kind = "read" if rw == "randread" else "write"
    for _ in range(ATTEMPTS):
        recording = lab.record(fio_command(lab.image("plain"), rw, depth=depth, seconds=6))
        fio, clients = recording.fio[kind], recording.clients("plain")
        lab.whole(recording)
        lab.equal("clients", len(clients), 1)
        lab.equal("requests", [client["requests"][kind]["completed"] for client in clients], [fio["total_ios"]])
        if lab.unmet:
            return
        compare_times(lab, fio, clients[0], clients[0]["requests"][kind])
        if not lab.unmet:
            return
        unmet, lab.unmet = lab.unmet, []
    lab.unmet = unmet


def compare_times(lab, fio, client, requests):
    total, latency = requests["total"], requests["latency"]
    for mine, percentile in (("p50", "50.000000"), ("p90", "90.000000"), ("p99", "99.000000")):
        lab.between(f"total {mine}", fio["clat_ns"]["percentile"][percentile] * (1 - SLACK), total[mine], fio["lat_ns"]["percentile"][percentile] * (1 + SLACK))
    lab.between("total mean", fio["clat_ns"]["mean"] * (1 - SLACK), total["mean"], fio["lat_ns"]["mean"] * (1 + SLACK))
    lab.between("total max", fio["clat_ns"]["max"] * (1 - SLACK), total["max"], fio["lat_ns"]["max"] * (1 + SLACK))
    lab.holds("no percentile of latency above that of total", all(latency[k] <= total[k] * 1.02 for k in ("p50", "p90", "p99", "p999", "max")), (latency, total))
    lab.between("requests a second", fio["iops"] * 0.9, requests["iops"], fio["iops"] * 1.1)
    # Little's law: requests in flight are their rate times their latency. The mean is over a slightly longer time, for it begins with
    # the flush of fio's set-up.
    little = requests["iops"] * latency["mean"] / 1e9
    lab.between("in flight", little * 0.9, client["in_flight"]["mean"], little * 1.02)


def test_reads_depth_1(lab):
    compare(lab, "randread", 1)


def test_reads_depth_32(lab):
    compare(lab, "randread", 32)


def test_writes_depth_1(lab):
    compare(lab, "randwrite", 1)


def test_writes_depth_32(lab):
    compare(lab, "randwrite", 32)
