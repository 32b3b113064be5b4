"""Who owned the exclusive lock, held against the OSD's own log, against fio, and against what was done to the owner on purpose."""
import os, signal, subprocess, time

from lab import CannotRun, Recording, fio_command
from osdlog import OsdLog

EXCLUSIVE = "layering,exclusive-lock"
OBJECT_MAP = "layering,exclusive-lock,object-map"
JOURNALED = "layering,exclusive-lock,journaling"

OTHER_MOST = 0.02        # of a request's time that no phase explains
LIBRBD_MOST = 0.10       # of a journaled image's handovers that no operation explains
WAIT_SLACK = 0.15        # of the waiting share that arithmetic from a client alone gives
WATCH_TIMEOUT_S = 5      # of the OSD, for the tests that kill or stop an owner


def the_image(recording_or_report, name):
    report = recording_or_report.report if isinstance(recording_or_report, Recording) else recording_or_report
    return next(image for image in report["images"] if image["name"] == name)


def share(phase):
    return (phase or {}).get("share") or 0


def sums_hold(lab, image, kind):
    """A request's phases are its total, a handover's steps are the handover."""
    ownership = image["ownership"]
    lab.equal("tenures", ownership["tenures"], 1 + ownership["handovers"])
    lab.between("sum of the steps' shares", 1 - 1e-6, sum(share(step) for step in ownership["steps"]), 1 + 1e-6)
    dists = [step["dist"] for step in ownership["steps"] if step["dist"]]
    whole = ownership["handover"]
    rounding = sum(dist["count"] for dist in dists) + whole["count"]  # a mean is a whole number of nanoseconds
    difference = sum(dist["mean"] * dist["count"] for dist in dists) - whole["mean"] * whole["count"]
    lab.between("the steps' sum against the handovers', ns", -rounding, difference, rounding)
    for client in image["clients"]:
        phases = client["requests"][kind]["phases"]
        lab.between("sum of the phases' shares", 1 - 1e-6, sum(share(phase) for phase in phases.values()), 1 + 1e-6)
        lab.between("what no phase explains", 0, share(phases["other"]), OTHER_MOST)


def contend(lab, name, features, rw, kind, locks_per_tenure=1, command=fio_command, env=None):
    """Two jobs on one image, by a command made as fio_command makes one. Returns the recording."""
    lab.image(name, features)
    alone = lab.parse(lab.run(command(name, rw, seconds=4), env=env))[kind]["clat_ns"]["mean"]
    with OsdLog(lab) as osd:
        recording = lab.record(command(name, rw, jobs=2, seconds=6), env=env)
    image, fio = the_image(recording, name), recording.fio
    ownership = image["ownership"]
    lab.whole(recording)
    lab.equal("every request", sum(c["requests"][kind]["completed"] for c in image["clients"]), fio[kind]["total_ios"])
    lab.between("tenures against the OSD's locks", osd.locks() / locks_per_tenure - 1, ownership["tenures"], osd.locks() / locks_per_tenure + 1)
    lab.between("tenures against the OSD's unlocks", osd.unlocks() / locks_per_tenure - 1, ownership["tenures"], osd.unlocks() / locks_per_tenure + 1)
    lab.between("refused attempts against the OSD's", osd.refused() - 1, ownership["failed_attempts"], osd.refused() + 1)
    lab.holds("there were handovers", ownership["handovers"] >= 5, ownership["handovers"])
    sums_hold(lab, image, kind)
    floor = 1 - alone / fio[kind]["clat_ns"]["mean"] - WAIT_SLACK
    waits = [share(client["requests"][kind]["phases"]["q2l"]) for client in image["clients"]]
    lab.holds("waiting for the lock, by arithmetic from a client alone", max(waits) >= floor, (waits, floor))
    return recording


def test_writers(lab):
    contend(lab, "own-excl", EXCLUSIVE, "randwrite", "write")


def test_writers_object_map(lab):
    contend(lab, "own-omap", OBJECT_MAP, "randwrite", "write", locks_per_tenure=2)


def librbd_explained(lab, recording, name):
    steps = {step["name"]: share(step) for step in the_image(recording, name)["ownership"]["steps"]}
    lab.between("what no operation explains of a handover", 0, steps["librbd"], LIBRBD_MOST)


def test_writers_journaled(lab):
    librbd_explained(lab, contend(lab, "own-jour", JOURNALED, "randwrite", "write"), "own-jour")


def test_readers_journaled(lab):
    librbd_explained(lab, contend(lab, "own-jour", JOURNALED, "randread", "read"), "own-jour")


def test_owners_in_order(lab):
    lab.image("own-excl", EXCLUSIVE)
    quiet = {"CEPH_ARGS": lab.env["CEPH_ARGS"] + " --rbd-mtime-update-interval=0 --rbd-atime-update-interval=0"}
    with OsdLog(lab, messages=True) as osd:
        recording = lab.record(fio_command("own-excl", "randwrite", jobs=2, seconds=3), env=quiet)
    mine = [tenure["client"] for tenure in the_image(recording, "own-excl")["ownership"]["sequence"]]
    lab.holds("there were tenures", len(mine) > 5, len(mine))
    lab.equal("owners in the OSD's order", mine, osd.owners())


def test_two_processes(lab):
    """Two recordings read together give one timeline, the OSD's."""
    lab.image("own-excl", EXCLUSIVE)
    folders = [os.path.join(lab.work, f"two-{n}") for n in (1, 2)]
    quiet = dict(lab.env, CEPH_ARGS=lab.env["CEPH_ARGS"] + " --rbd-mtime-update-interval=0 --rbd-atime-update-interval=0")
    with OsdLog(lab, messages=True) as osd:
        running = [subprocess.Popen([lab.rbdprof, "record", "-o", folder, "--", *fio_command("own-excl", "randwrite", seconds=4 + n)], env=quiet,
                                    cwd=lab.work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for n, folder in enumerate(folders)]
        lab.equal("both end well", [process.wait(timeout=120) for process in running], [0, 0])
    image = the_image(lab.report(*folders), "own-excl")
    lab.equal("processes", len({client["pid"] for client in image["clients"]}), 2)
    lab.equal("owners in the OSD's order", [tenure["client"] for tenure in image["ownership"]["sequence"]], osd.owners())
    sums_hold(lab, image, "write")


def test_data_through_handovers(lab):
    """fio writes, reads back and verifies under a recording, each job its own half of the image, which changes hands meanwhile."""
    lab.image("own-jour", JOURNALED)
    command = fio_command("own-jour", "randwrite", "--verify=crc32c", "--do_verify=1", "--offset_increment=32M", "--io_size=4M", jobs=2, size="32M")
    with OsdLog(lab) as osd:
        recording = lab.record(command, timeout=300)
    lab.equal("fio's errors", recording.fio["error"], 0)
    lab.holds("handovers meanwhile", osd.locks() >= 20, osd.locks())


def test_no_feature(lab):
    recording = lab.record(fio_command(lab.image("plain"), "randwrite", jobs=2, seconds=2))
    image = the_image(recording, "plain")
    lab.equal("ownership", image["ownership"], None)
    lab.equal("journal", image["journal"], None)
    text = lab.run([lab.rbdprof, "report", recording.folder]).stdout
    lab.holds("the text says so", "no exclusive lock" in text, text[:600])


class Owner:
    """A process that owns the image's lock and does nothing with it."""

    def __init__(self, lab, image, way):
        self.process = subprocess.Popen([lab.program("owner"), "rbd", image, way], env=lab.env, stdout=subprocess.PIPE, text=True)
        self.client = self.process.stdout.readline().strip()
        if not self.client:
            raise CannotRun("the owner did not get the lock")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def broken(lab, name, stop):
    """An owner that is gone: a peer waits until the OSD has given up its watch, breaks the lock and goes on."""
    lab.image(name, EXCLUSIVE)
    osd = OsdLog(lab)
    osd.set("osd_client_watch_timeout", WATCH_TIMEOUT_S)
    try:
        with Owner(lab, name, "write") as owner:
            stop(owner.process)
            recording = lab.record(fio_command(name, "randwrite", "--direct=1", depth=1, ios=200), timeout=90)  # or a flush would wait first
    finally:
        osd.set("osd_client_watch_timeout", 30)
    ownership = the_image(recording, name)["ownership"]
    lab.equal("broken locks", ownership["breaks"], 1)
    breaks = [incident for incident in ownership["incidents"] if incident["kind"] == "break_lock"]
    lab.equal("whose", [str(incident["other"]) for incident in breaks], [owner.client])
    # The first write waited for it: fio's longest latency is the wait, and a little more.
    longest = recording.fio["write"]["lat_ns"]["max"]
    lab.between("how long it held the writer up, ns", longest * 0.7, breaks[0]["waited_ns"] if breaks else None, longest)
    phases = the_image(recording, name)["clients"][0]["requests"]["write"]["phases"]
    lab.between("the longest wait for the lock, ns", longest * 0.8, phases["q2l"]["dist"]["max"], longest)


def test_killed_owner(lab):
    broken(lab, "own-killed", lambda process: process.send_signal(signal.SIGKILL))


def test_stopped_owner(lab):
    broken(lab, "own-stopped", lambda process: process.send_signal(signal.SIGSTOP))


def test_manual_owner(lab):
    """rbd_lock_acquire refuses peers: their writes fail with EROFS (30)."""
    lab.image("own-manual", EXCLUSIVE)
    with Owner(lab, "own-manual", "acquire"):
        time.sleep(0.2)
        recording = lab.record(fio_command("own-manual", "randwrite", depth=1, ios=20), check=False)
    lab.holds("fio failed with EROFS", "Read-only file system" in recording.ended.stdout + recording.ended.stderr, recording.ended.stderr[-300:])
    image = the_image(recording, "own-manual")
    lab.holds("failed writes", image["clients"][0]["requests"]["write"]["failed"] >= 1, image["clients"][0]["requests"]["write"]["failed"])
    lab.holds("the refusal", image["ownership"]["refusals"] >= 1, image["ownership"]["incidents"])
