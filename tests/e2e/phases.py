"""The arithmetic of a report, worked out a second time from the same trace as babeltrace2's own command prints it."""
import re

from lab import fio_command

# The kinds in the order of their numbers in a trace (docs/events.md).
KINDS = ("read", "write", "discard", "write_zeroes", "writesame", "compare_and_write", "flush", "invalidate_cache")
PHASES = ("s2q", "q2l", "l2j", "j2n", "n2c", "other", "c2d", "d2a")


# What a thread tells together: the kinds of a record in the order of their numbers, and how many words each has (docs/events.md).
RECORDS = (None, ("request", 4), ("complete", 4), ("sent", 7), ("lock_wait", 8), ("cond_wait", 8), ("lock_hold", 5), ("lock_pair", 5),
           ("reap", 1))


def numbers(fields):
    return [int(number, 0) for number in re.findall(r"\[\d+\] = (\w+)", fields)]


def events(lab, folder):
    """[(time, name, words)] of a recording's requests, completions and reaps, in order of time."""
    found = []
    for line in lab.run(["babeltrace2", "--clock-cycles", "--no-delta", folder], timeout=300).stdout.splitlines():
        match = re.match(r"\[0*(\d+)\].* rbdprof:(request|complete|reap|batch): (?:\{[^}]*\}, )*\{(.*)\}$", line)
        if not match:
            continue
        time, name, fields = int(match[1]), match[2], match[3]
        words = numbers(fields)
        if name != "batch":
            found.append((time, name, words))
        while name == "batch" and words:
            what, count = RECORDS[words[0] >> 56]
            found.append(((time & ~((1 << 56) - 1)) | words[0] & (1 << 56) - 1, what, words[1:1 + count]))
            words = words[1 + count:]
    return sorted(found, key=lambda event: event[0])


def moments(lab, folder):
    """{kind: [(S, C, D, A)]} of a recording with one process, in ns of the trace's clock."""
    requests = {}
    for time, name, words in events(lab, folder):
        if name == "request":
            requests[words[0]] = {"kind": words[3] >> 32 & 0xff, "S": time, "called": not words[3] >> 40}
        elif name == "complete":
            request = requests[words[0]]
            request["C"] = words[2]
            request["D"] = time if request["called"] else request["C"]
            if words[3] >> 32:
                request["A"] = time
        elif name == "reap":
            requests[words[0]].setdefault("A", max(time, requests[words[0]].get("D", 0)))
    found = {}
    for request in requests.values():
        found.setdefault(KINDS[request["kind"]], []).append(tuple(request[moment] for moment in "SCDA"))
    return found


def check_sums(lab, client):
    for kind, requests in client["requests"].items():
        if not requests["completed"]:
            continue
        phases = {name: requests["phases"][name] for name in PHASES}
        lab.between(f"{kind}: the phases' shares sum to 1", 1 - 1e-6, sum((p or {}).get("share") or 0 for p in phases.values()), 1 + 1e-6)
        times = {name: p["dist"]["mean"] * p["dist"]["count"] for name, p in phases.items() if p and p["dist"] and p["dist"]["count"]}
        # Each mean is a whole number of ns, so half of one may be missing in each part and in the sum, times the number of requests.
        slack = 0.5 * requests["total"]["count"] * (len(times) + 1)
        total = requests["total"]["mean"] * requests["total"]["count"]
        lab.between(f"{kind}: the phases' times sum to total", total - slack, sum(times.values()), total + slack)
        before_c = sum(time for name, time in times.items() if name not in ("c2d", "d2a"))
        latency = requests["latency"]["mean"] * requests["latency"]["count"]
        lab.between(f"{kind}: those before C sum to latency", latency - slack, before_c, latency + slack)


def compare(lab, recording, kind, image="plain"):
    lab.whole(recording)
    clients = recording.clients(image)
    if not lab.equal("clients", len(clients), 1):
        return
    check_sums(lab, clients[0])
    requests = clients[0]["requests"][kind]
    every = moments(lab, recording.folder)
    lab.equal("kinds in the trace", {kind: len(found) for kind, found in every.items()}, recording.sums(image))
    found = every[kind]
    lab.equal("requests whose moments are out of order", [r for r in found if list(r) != sorted(r)], [])
    for name, values in (("latency", [c - s for s, c, _, _ in found]), ("total", [a - s for s, _, _, a in found]), ("c2d", [d - c for _, c, d, _ in found]),
                         ("d2a", [a - d for _, _, d, a in found])):
        seen = requests[name] if name in requests else requests["phases"][name]["dist"]
        values.sort()
        lab.equal(f"{name}: count", seen["count"], len(values))
        lab.equal(f"{name}: max", seen["max"], values[-1])
        mean = sum(values) / len(values)
        lab.between(f"{name}: mean", mean * (1 - 1e-6) - 1, seen["mean"], mean * (1 + 1e-6) + 1)
        for key, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            # Nearest rank; one rank to each side, and the histogram's own error, at most 1 in 128 and 1 ns.
            rank = -(-int(share * 1000) * len(values) // 1000) - 1
            low, high = values[max(rank - 1, 0)], values[min(rank + 1, len(values) - 1)]
            lab.between(f"{name}: {key}", low * (1 - 1 / 128) - 1, seen[key], high * (1 + 1 / 128) + 1)


def test_fio(lab):
    compare(lab, lab.record(fio_command(lab.image("plain"), "randread", ios=5000)), "read")


def test_qemu(lab):
    image = lab.image("plain")
    compare(lab, lab.record(["qemu-img", "bench", "-f", "raw", "-w", "-t", "none", "-c", "2000", "-d", "16", "-s", "4096", lab.drive(image)]), "write")


def test_looks_late(lab):
    """Nothing is called when a request is complete, and the program sleeps 20 ms before it looks: that is its own time, not librbd's."""
    recording = lab.record([lab.program("ways"), "late", "rbd", lab.image("plain"), "400"])
    for kind in ("read", "write"):
        compare(lab, recording, kind)
        requests = recording.clients("plain")[0]["requests"][kind]
        lab.holds(f"{kind}: total is at least the sleep", requests["total"]["p50"] >= 19e6, requests["total"])
        lab.equal(f"{kind}: c2d", requests["phases"]["c2d"]["dist"]["max"], 0)
        lab.between(f"{kind}: share of d2a", 0.7, requests["phases"]["d2a"]["share"], 1)


def test_blocking(lab):
    """A blocking call has no callback either."""
    recording = lab.record([lab.program("ways"), "synchronous", "rbd", lab.image("plain"), "50"])
    for kind in ("read", "write"):
        compare(lab, recording, kind)
        lab.equal(f"{kind}: c2d", recording.clients("plain")[0]["requests"][kind]["phases"]["c2d"]["dist"]["max"], 0)
