"""Guests under QEMU: what their disks ask of librbd, the ways in which they are started, and two of them on one image."""
import os, re, time

from attached import Attached, attach
from guest import STRICT, Guest, image_with_ext4, readable_conf

USER = 54321  # nobody's: neither a home nor a file of LTTng's is there for it


def as_user(*more):
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *more]


def forget_user():
    try:
        os.remove(f"/dev/shm/lttng-ust-wait-8-{USER}")
    except FileNotFoundError:
        pass


def requests(recording, image):
    """{kind: count}; QEMU has no write_zeroes of its own account: they are writes."""
    sums = recording.sums(image)
    return {"read": sums.get("read", 0), "write": sums.get("write", 0) + sums.get("write_zeroes", 0), "flush": sums.get("flush", 0)}


def difference(after, before):
    return {kind: after[kind] - before[kind] for kind in after}


def test_requests_and_latency(lab):
    """Between two idle moments: as many requests of each kind as QEMU did, and none that took longer than it did for QEMU."""
    image = lab.image("guest", features="layering,exclusive-lock")
    with Guest(lab, image) as guest:
        attached = Attached(lab, guest.pid)
        counts, times = guest.counts(), guest.times()
        guest.do("write", 400, 1)
        guest.do("read", 300, 1)
        guest.do("flush", 25)
        guest.do("discard", 12)
        guest.do("zero", 6)
        seen, took = difference(guest.counts(), counts), guest.times()
        recording = attached.end()
        lab.equal("QEMU did what the guest asked for", seen, {"read": 300, "write": 400 + 25 + 6, "flush": 25})
        lab.equal("requests of each kind", requests(recording, image), seen)
        lab.equal("discards, of one object each", recording.sums(image).get("discard"), 12)
        lab.whole(recording)
        for kind in ("read", "write", "flush"):
            ours = recording.clients(image)[0]["requests"][kind]["latency"]["mean"]
            operations, ns = (now - then for now, then in zip(took[kind], times[kind]))
            lab.between(f"mean of a {kind}, in ns, against QEMU's", 0, ours, ns / operations)


def test_depth(lab):
    """Many at once, some of which QEMU merges."""
    image = lab.image("guest", features="layering,exclusive-lock")
    with Guest(lab, image) as guest:
        attached = Attached(lab, guest.pid)
        counts = guest.counts()
        guest.do("write", 2000, 16)
        guest.do("read", 2000, 16)
        seen = difference(guest.counts(), counts)
        recording = attached.end()
        lab.equal("requests of each kind", requests(recording, image), seen)
        lab.between("most in flight", 2, recording.clients(image)[0]["in_flight"]["max"], 16)
        lab.whole(recording)


def test_two_guests_on_one_image(lab):
    """An attach in the middle of their writing: handovers between both."""
    image = lab.image("shared", features="layering,exclusive-lock")
    with Guest(lab, image) as one, Guest(lab, image) as other:
        for guest in (one, other):
            guest.tell("loop", 14, 8)
        time.sleep(3)
        recording = attach(lab, one.pid, other.pid, seconds=5)
        wrote = [int(guest.expect("done")) for guest in (one, other)]
        lab.holds("both wrote without a failure", min(wrote) > 100, wrote)
        entry = next(i for i in recording.report["images"] if i["name"] == image)
        lab.equal("their processes", {client["pid"] for client in entry["clients"]}, {one.pid, other.pid})
        ownership = entry["ownership"]
        lab.between("handovers", 10, ownership["handovers"], 5000)
        shares = [owner["share"] for owner in ownership["owners"]]
        lab.holds("both owned it", len(shares) == 2 and min(shares) > 0.1, shares)
        lab.holds("ping-pong is told", "exclusive-lock-pingpong" in [found["cause"] for found in recording.report["verdict"]], recording.report["verdict"])
        lab.holds("the text names both", all(str(g.pid) in lab.run([lab.rbdprof, "report", recording.folder]).stdout for g in (one, other)))


def did(lab, guest, image, *commands):
    """A recording of the commands, what the guest answered, and QEMU's operations and ns of writes. A file system may write and flush while the
    recording begins and ends: requests are at least what QEMU did within it, and at most what it did around it."""
    before = guest.counts()
    attached = Attached(lab, guest.pid)
    within, times = guest.counts(), guest.times()["write"]
    answers = [guest.do(*command) for command in commands]
    took = [now - then for now, then in zip(guest.times()["write"], times)]
    least = difference(guest.counts(), within)
    recording = attached.end()
    most = difference(guest.counts(), before)
    for kind, count in requests(recording, image).items():
        lab.between(f"requests, {kind}", least[kind], count, most[kind])
    lab.whole(recording)
    return recording, answers, took


def test_first_flush(lab):
    """A raw device in a guest is never flushed, a file system flushes at once: the same writes before and after the first flush, with the cache on."""
    image, cause, means = lab.image("guest", features="layering,exclusive-lock"), "writethrough-until-flush", []
    with Guest(lab, image, drive="cache=writeback,discard=unmap") as guest:
        for flushes in (0, 1):
            if flushes:
                guest.do("flush", 1)
            recording, _, (operations, ns) = did(lab, guest, image, ("write", 600, 8))
            means.append(ns / operations)
            causes = [found["cause"] for found in recording.report["verdict"]]
            if flushes:
                lab.holds("the cause is gone after it, which this recording has not seen", cause not in causes, causes)
            else:
                lab.holds("the cause comes first before the first flush", causes[:1] == [cause], causes)
        lab.holds("QEMU's own mean of a write falls to less than half", means[1] < means[0] / 2, means)


def test_file_system(lab):
    """A public report's pair on one disk of one guest: block after block to the raw device, which nobody flushes, and to a file, whose file
    system flushes as it is mounted."""
    image, cause = image_with_ext4(lab, "ext4", features="layering,exclusive-lock"), "writethrough-until-flush"
    with Guest(lab, image, drive="cache=writeback,discard=unmap") as guest:
        raw, (raw_wrote,), raw_took = did(lab, guest, image, ("sequence", 3, 4))
        begin_ns = time.time_ns()
        both, _, _ = did(lab, guest, image, ("sequence", 1, 4), ("mount",), ("sequence", 1, 4))
        end_ns = time.time_ns()
        file, (file_wrote,), file_took = did(lab, guest, image, ("sequence", 3, 4))
    causes = [[found["cause"] for found in recording.report["verdict"]] for recording in (raw, both, file)]
    caches = [recording.clients(image)[0]["cache"] for recording in (raw, both, file)]
    lab.holds("the raw device: the cause comes first", causes[0][:1] == [cause], causes)
    lab.equal("no flush", (requests(raw, image)["flush"], caches[0]["flushed"], caches[0]["at_ns"]), (0, False, None))
    lab.holds("from one to the other: the cause is told of the time before", cause in causes[1], causes)
    lab.holds("a flush", requests(both, image)["flush"] > 0 and caches[1]["flushed"])
    lab.between("when", begin_ns, caches[1]["at_ns"], end_ns)
    lab.holds("the file: the cause is gone", cause not in causes[2] and caches[2]["flushed"], causes)
    for cache, kind in ((caches[0], "late"), (caches[2], "early")):
        lab.holds(f"most writes are {kind}", cache[f"{kind}_writes"] > 0.9 * (cache["early_writes"] + cache["late_writes"]), cache)
    lab.holds("the guest itself wrote more to the file, in the same time", file_wrote > raw_wrote, (raw_wrote, file_wrote))
    means = [ns / operations for operations, ns in (raw_took, file_took)]
    lab.holds("QEMU's own mean of a write falls to less than half", means[1] < means[0] / 2, means)


def works(lab, image, guest, **how):
    attached = Attached(lab, guest.pid, **how)
    guest.do("write", 50, 1)
    recording = attached.end()
    lab.equal("its writes", requests(recording, image)["write"], 50)
    lab.whole(recording)
    return recording


def test_sandbox(lab):
    """libvirt's sandbox kills a guest that forks, which LTTng would do where its files are missing: here they are missing for the user."""
    image = lab.image("guest", features="layering,exclusive-lock")
    forget_user()
    try:
        with Guest(lab, image, "-sandbox", "on") as guest:
            works(lab, image, guest)
        with Guest(lab, image, "-sandbox", STRICT, before=as_user("env", "HOME=/nonexistent"), conf=readable_conf(lab)) as guest:
            for _ in range(2):
                works(lab, image, guest)
            ended = lab.run([lab.rbdprof, "doctor", str(guest.pid)])
            lab.holds("the doctor names the filter", re.search(r"^note +seccomp", ended.stdout, re.M), ended.stdout)
    finally:
        forget_user()


def test_daemonized(lab):
    image = lab.image("guest", features="layering,exclusive-lock")
    with Guest(lab, image, "-daemonize") as guest:
        lab.holds("it is another process", guest.pid != guest.process.pid)
        works(lab, image, guest)


def test_bare_environment(lab):
    """No HOME, no PATH: as a service manager starts it. And the report and the doctor find what they need."""
    image = lab.image("guest", features="layering,exclusive-lock")
    with Guest(lab, image, before=["env", "-i", f"LD_PRELOAD={lab.shim()}", "/usr/bin/env"], shim=False) as guest:
        works(lab, image, guest)
        listed = lab.run([lab.rbdprof, "attach"]).stdout
        told = lab.run([lab.rbdprof, "doctor", str(guest.pid)]).stdout
        lab.holds("the doctor names the image", re.search(rf"^ok +attach +ready, by rbdprof \S+: rbd/{image}$", told, re.M), told)
        lab.holds("it is listed with its image", re.search(rf"^ *{guest.pid} +qemu-system-x86 +\S+ +ready +rbd/{image}$", listed, re.M), listed)


def test_two_disks(lab):
    image, other = (lab.image(name, features="layering,exclusive-lock") for name in ("guest", "shared"))
    with Guest(lab, image, "-drive", f"file={lab.drive(other)},format=raw,if=virtio,cache=none") as guest:
        listed, told = (lab.run([lab.rbdprof, *words]).stdout for words in (["attach"], ["doctor", str(guest.pid)]))
        lab.holds("both are listed", re.search(rf"^ *{guest.pid} .* ready +rbd/{image}, rbd/{other}$", listed, re.M), listed)
        lab.holds("the doctor says that there are more", re.search(rf"^ok +attach +ready, by rbdprof \S+: rbd/{image} and others$", told, re.M), told)


def test_unprivileged(lab):
    """A user's guest, attached to by root and by that user, through a session daemon in the guest's home."""
    image = lab.image("guest", features="layering,exclusive-lock")
    home = os.path.join(lab.work, "home")
    os.makedirs(home, exist_ok=True)
    os.chown(home, USER, USER)
    try:
        with Guest(lab, image, before=as_user("env", f"HOME={home}"), conf=readable_conf(lab)) as guest:
            works(lab, image, guest)
            works(lab, image, guest, before=as_user("env", "-u", "HOME"))
            lab.equal("what is left in the home", os.listdir(home), [])
    finally:
        forget_user()


def test_missing_library(lab):
    """The loader warns, and the guest starts."""
    image = lab.image("guest", features="layering,exclusive-lock")
    with Guest(lab, image, shim=False, env={"LD_PRELOAD": "/nowhere/librbdprof.so"}) as guest:
        guest.do("write", 10, 1)
        lab.holds("the loader's warning", "cannot be preloaded" in guest.said(), guest.said())
        ended = lab.run([lab.rbdprof, "doctor", str(guest.pid)], check=False)
        lab.holds("the doctor says why it is blind", ended.returncode == 1 and "/nowhere/librbdprof.so" in ended.stdout, ended.stdout)
        ended = lab.run([lab.rbdprof, "attach", "-p", str(guest.pid)], check=False)
        lab.holds("and so does attach", ended.returncode == 125 and "/nowhere/librbdprof.so" in ended.stderr, ended.stderr)


def test_provider_gone(lab):
    """A library without its other half, as after an update that went wrong: the guest runs, and why nothing is seen is said."""
    image = lab.image("guest", features="layering,exclusive-lock")
    alone = os.path.join(lab.work, "librbdprof.so")
    lab.run(["cp", lab.shim(), alone])
    with Guest(lab, image, shim=False, env={"LD_PRELOAD": alone}) as guest:
        guest.do("write", 10, 1)
        lab.equal("it says nothing", guest.said(), "")
        ended = lab.run([lab.rbdprof, "doctor", str(guest.pid)], check=False)
        lab.holds("the doctor says why it is blind", ended.returncode == 1 and "librbdprof-lttng.so" in ended.stdout, ended.stdout)


def test_recording_over(lab):
    """Started by a recording that was over before it opened its image, as a program left in the background may be: it runs, and that is said."""
    image = lab.image("guest", features="layering,exclusive-lock")
    over = lab.record(["printenv", "RBDPROF_SOCKET"]).ended.stdout.strip()
    with Guest(lab, image, env={"RBDPROF_SOCKET": over}) as guest:
        guest.do("write", 10, 1)
        ended = lab.run([lab.rbdprof, "doctor", str(guest.pid)], check=False)
        lab.holds("the doctor says why it is blind", ended.returncode == 1 and re.search("^BLIND +attach .* was over$", ended.stdout, re.M), ended.stdout)
