"""Librbd's other users: the rbd command, which calls the C++ interface, Python, and QEMU's storage daemon. The truth is what the driver says."""
import os, re, signal, subprocess, tempfile, time

from lab import CannotRun, Recording

PYTHON = """
import rados, rbd, sys, threading
cluster = rados.Rados(conffile="")
cluster.connect()
pool = cluster.open_ioctx("rbd")
image = rbd.Image(pool, sys.argv[1])
counted, waiting = {}, []

def count(kind, call, *arguments):
    counted[kind] = counted.get(kind, 0) + 1
    return call(*arguments)

for i in range(50):
    data = bytes([i]) * 4096
    count("write", image.write, data, i * 8192)
    assert count("read", image.read, i * 8192, 4096) == data
    count("discard", image.discard, i * 8192 + 4096, 4096)
    done = threading.Event()
    waiting.append((done, count("write", image.aio_write, data, i * 8192, lambda completion, done=done: done.set())))
    seen = threading.Event()
    waiting.append((seen, count("read", image.aio_read, 0, 4096, lambda completion, read, seen=seen: seen.set())))
count("flush", image.flush)
for event, completion in waiting:
    completion.wait_for_complete_and_cb()
    assert event.is_set() and completion.get_return_value() >= 0
image.close()
pool.close()
cluster.shutdown()
for kind, number in sorted(counted.items()):
    print(kind, number)
"""


def bench(lab, io_type, flushes, *options):
    """rbd bench flushes before it begins, and once more when it wrote (seen under gdb)."""
    image = lab.image("plain")
    recording = lab.record(["rbd", "bench", "--io-type", io_type, "--io-size", "4K", "--io-threads", "16", "--io-total", "8M", *options, image])
    said = {kind or "all": int(number) for kind, number in re.findall(r"(read|write)?_?ops: +(\d+)", recording.ended.stdout)}
    lab.equal("operations by arithmetic", said["all"], 8 * 256)
    kinds = {kind: said[kind] for kind in ("read", "write")} if io_type == "rw" else {io_type: said["all"]}
    lab.equal("requests", recording.sums(image), {**kinds, "flush": flushes})
    lab.equal("bytes", sum(recording.sums(image, "bytes").values()), 8 << 20)
    client, = recording.clients(image)
    lab.equal("most in flight, its threads", client["in_flight"]["max"], 16)
    lab.whole(recording)


def test_rbd_bench_write(lab):
    bench(lab, "write", 2)


def test_rbd_bench_read(lab):
    bench(lab, "read", 1, "--io-pattern", "rand")


def test_rbd_bench_both(lab):
    bench(lab, "rw", 2)


def test_rbd_export(lab):
    """What is read is the image, an object at a time; what is imported is a file without zeroes, which rbd would leave out."""
    image, path = lab.image("plain"), os.path.join(lab.work, "exported")
    recording = lab.record(["rbd", "export", "--no-progress", image, path])
    size = os.path.getsize(path)
    lab.equal("the image's size", size, 64 << 20)
    lab.equal("reads", recording.sums(image), {"read": size // (4 << 20)})
    lab.equal("bytes", recording.sums(image, "bytes"), {"read": size})
    lab.whole(recording)
    with open(path, "wb") as file:
        file.write(os.urandom(size))
    recording = lab.record(["rbd", "import", "--no-progress", path, "imported"])
    lab.images.add("imported")
    lab.equal("bytes written", recording.sums("imported", "bytes"), {"write": size})
    lab.whole(recording)
    with open(path, "rb") as exported:
        lab.equal("what was written", subprocess.run(["rbd", "export", "--no-progress", "imported", "-"], env=lab.env, stdout=subprocess.PIPE).stdout == exported.read(), True)
    os.remove(path)


def test_doctor(lab):
    """Says of the rbd command that its calls are seen, and of which release it is."""
    said = lab.run([lab.rbdprof, "doctor", "--", "rbd"]).stdout
    release = lab.run(["rbd", "--version"]).stdout.split()[2]
    lab.holds("its release", re.search(rf"^ok +librbd +\S+, Ceph {re.escape(release)}$", said, re.M), said)
    lab.holds("its C++ functions", re.search(r"^ok +C\+\+ interface +all \d+ functions", said, re.M), said)


def test_python(lab):
    """python3-rbd: librbd in a module of its own."""
    image = lab.image("plain")
    recording = lab.record(["/usr/bin/python3", "-c", PYTHON, image])
    truth = {kind: int(number) for kind, number in (line.split() for line in recording.ended.stdout.splitlines())}
    lab.equal("requests", recording.sums(image), truth)
    lab.equal("of them, from the program", truth, {"write": 100, "read": 100, "discard": 50, "flush": 1})
    lab.whole(recording)


class Daemon:
    """qemu-storage-daemon, recorded, which exports an image over NBD. end() gives the recording."""

    def __init__(self, lab, image):
        folder = tempfile.mkdtemp(prefix="nbd-", dir=lab.work)
        self.lab, self.folder, self.pid_file, socket = lab, os.path.join(folder, "t"), os.path.join(folder, "pid"), os.path.join(folder, "socket")
        self.uri = f"nbd+unix:///disk?socket={socket}"
        words = [lab.rbdprof, "record", "-o", self.folder, "--", "qemu-storage-daemon", "--pidfile", self.pid_file, "--blockdev",
                 f"driver=rbd,node-name=disk,pool=rbd,image={image},conf={lab.env['CEPH_CONF']},discard=unmap,cache.direct=on",
                 "--nbd-server", f"addr.type=unix,addr.path={socket}", "--export", "type=nbd,id=disk,node-name=disk,name=disk,writable=on"]
        lab.commands.append(" ".join(words))
        self.process = subprocess.Popen(words, env=lab.env, cwd=lab.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(200):
            if os.path.exists(socket) and os.path.exists(self.pid_file):
                return
            time.sleep(0.05)
        self.process.kill()
        raise CannotRun(f"the storage daemon does not start: {self.process.communicate()[1]}")

    def end(self):
        with open(self.pid_file) as file:
            os.kill(int(file.read()), signal.SIGTERM)
        out, err = self.process.communicate(timeout=60)
        return Recording(self.lab, self.folder, subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err))


def test_storage_daemon(lab):
    """Requests that come over NBD, each of which is one of librbd's. QEMU flushes once more when a client that wrote lets go."""
    image = lab.image("plain")
    daemon = Daemon(lab, image)
    for options in (["-w", "-c", "1500"], ["-c", "900"]):
        lab.run(["qemu-img", "bench", "-f", "raw", "-t", "none", "-d", "16", "-s", "4096", *options, daemon.uri])
    steps = ["write -q 0 8k", "write -q -z 8k 8k", "discard -q 64k 64k", "read -q 0 4k", "flush"]
    lab.run(["qemu-io", "-f", "raw", "-t", "none", "-d", "unmap", *[word for step in steps for word in ("-c", step)], daemon.uri])
    recording = daemon.end()
    lab.equal("requests", recording.sums(image), {"write": 1501, "read": 901, "write_zeroes": 1, "discard": 1, "flush": 2})
    lab.equal("bytes", recording.sums(image, "bytes"),
              {"write": 1500 * 4096 + 8192, "read": 901 * 4096, "write_zeroes": 8192, "discard": 65536, "flush": 0})
    lab.whole(recording)
