"""Clients of other releases of Ceph on this one's cluster: what is seen at the boundary below their librbd, held against fio and the OSD's log."""
import glob, os

from debian import libraries, unpacked, version
from lab import fio_command
from ownership import EXCLUSIVE, JOURNALED, contend, librbd_explained, the_image


def fio_14(lab):
    """This machine's fio and C library with librbd 14.2, and those libraries that it needs and this machine does not have."""
    root, folder = unpacked(lab, "bullseye", "librbd1"), os.path.join(lab.work, "librbd-14")
    if not os.path.exists(folder):
        os.mkdir(folder)
        for path in (path for place in libraries(root) for path in glob.glob(f"{place}/*.so*")):
            own = os.path.basename(path).startswith(("librbd.", "librados.", "libceph-"))
            if own or not os.path.exists("/" + os.path.relpath(path, root)):
                os.symlink(path, os.path.join(folder, os.path.basename(path)))
    return ["env", f"LD_LIBRARY_PATH={folder}", "fio"], root


def fio_18(lab):
    """All of Debian 13, for its programs need its C library, and that its own loader."""
    root = unpacked(lab, "trixie", "librbd1", "fio")
    loader, = glob.glob(f"{root}/usr/lib/*-linux-gnu/ld-linux-*")
    return [loader, "--library-path", ":".join(libraries(root)), f"{root}/usr/bin/fio"], root


def client(lab, fio, name, features, rw, kind):
    """Two jobs of another release, which take the lock from each other. An operation is one request where librbd merges none."""
    start, root = fio(lab)
    unmerged = {"CEPH_ARGS": lab.env["CEPH_ARGS"] + " --rbd-io-scheduler=none"}
    recording = contend(lab, name, features, rw, kind, command=lambda *image, **shape: start + fio_command(*image, **shape)[1:], env=unmerged)
    image, trace = the_image(recording, name), recording.report["trace"]
    lab.equal("release", [client["release"] for client in image["clients"]], [version(root, "librbd1")] * 2)
    lab.equal("data operations", image["operations"], recording.fio[kind]["total_ios"])
    lab.equal("ambiguous joins", image["ambiguous_joins"], 0)
    lab.equal("not understood", [what for what in trace["undecoded"] if not what.startswith("lock counts")], [])  # those are no payloads
    lab.equal("functions not seen", trace["unseen_functions"], [])
    lab.equal("operations without an end", trace["untracked_operations"], 0)
    if features == JOURNALED:
        journal = image["journal"]
        lab.equal("entries joined, of all", journal["entries_joined"], journal["entries"])
        lab.equal("writes without their entries", journal["writes_unjoined"], 0)
        librbd_explained(lab, recording, name)


def test_14_writers(lab):
    client(lab, fio_14, "rel-excl", EXCLUSIVE, "randwrite", "write")


def test_14_writers_journaled(lab):
    client(lab, fio_14, "rel-jour", JOURNALED, "randwrite", "write")


def test_14_readers_journaled(lab):
    client(lab, fio_14, "rel-jour", JOURNALED, "randread", "read")


def test_18_writers(lab):
    client(lab, fio_18, "rel-excl", EXCLUSIVE, "randwrite", "write")


def test_18_writers_journaled(lab):
    client(lab, fio_18, "rel-jour", JOURNALED, "randwrite", "write")


def test_18_readers_journaled(lab):
    client(lab, fio_18, "rel-jour", JOURNALED, "randread", "read")


for test in [function for name, function in vars().items() if name.startswith("test_")]:
    test.long = True
