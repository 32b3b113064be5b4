"""What the rows of the exam share: workloads with their own count of what they did, and ways to spoil a cluster that undo themselves.

It knows how to make a cause and how large its effect was. What the report has to say of it is grading.py's business.
"""
import contextlib, dataclasses, glob, json, os, shutil, signal, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))
import lab
from osdlog import OsdLog


BRIEF = 1.5  # seconds of a run that is only made to be compared with

# An OSD with a disk. Sixteen threads, as one has for a disk that is no rotating one: others wait elsewhere.
SLOW_DISK = ("osd_objectstore=bluestore", "bluestore_block_size=2147483648", "bluestore_default_buffered_read=false", "osd_op_num_shards=8",
             "osd_op_num_threads_per_shard=2")


class Skip(Exception):
    """This machine does not allow what the row needs."""


@dataclasses.dataclass
class Run:
    """What a workload counted of itself, and the recording of it, if it was recorded. times are in nanoseconds."""
    requests: int
    iops: float
    latency_ns: float      # mean over the requests, until the application knew
    longest_ns: float = 0
    recording: object = None
    said: dict = None      # all that load.c said

    @property
    def request_time_ns(self):
        return self.requests * self.latency_ns


def of_fio(text, recording=None):
    job = lab.parse_fio(text)
    parts = [job[name] for name in ("read", "write") if job[name]["total_ios"]]
    requests = sum(part["total_ios"] for part in parts)
    if not requests:
        raise lab.CannotRun("fio completed nothing")
    mean = sum(part["lat_ns"]["mean"] * part["total_ios"] for part in parts) / requests
    return Run(requests, sum(part["iops"] for part in parts), mean, max(part["lat_ns"]["max"] for part in parts), recording)


def of_load(text, recording=None):
    said = json.loads(text)
    requests = said["completed"] + said["failed"]
    return Run(requests, requests / said["ran_ns"] * 1e9, said["total_ns"] / max(requests, 1), 0, recording, said)


class Stage(lab.Lab):
    """A lab with a cluster that can be spoilt."""

    def __init__(self, rbdprof):
        super().__init__(rbdprof)
        self.recordings = []

    def start_cluster(self, *options, env=None):
        super().start_cluster(*options, env=env)
        self.osd = OsdLog(self)
        with open(self.osd.socket.replace("ceph-osd.0.asok", "osd.0.pid")) as file:
            self.osd_pid = int(file.read())

    def record(self, command, *options, **more):
        recording = super().record(command, *options, **more)
        self.recordings.append(recording)
        return recording

    def drop_recordings(self):
        for recording in self.recordings:
            shutil.rmtree(recording.folder, ignore_errors=True)
        self.recordings.clear()

    def client(self, *options):
        """The surroundings of a client with more of Ceph's options: client("rbd_cache=true")."""
        return {"CEPH_ARGS": " ".join([self.env["CEPH_ARGS"], *(f"--{option}" for option in options)])}

    # --- workloads ---

    def fio(self, image, rw, *options, recorded=False, around=(), env=None, **shape):
        """around: a command that runs fio, such as ("taskset", "-c", "0")."""
        command = [*around, *lab.fio_command(image, rw, *options, **shape)]
        if not recorded:
            return of_fio(self.run(command, env=env).stdout)
        recording = self.record(command, env=env)
        return of_fio(recording.ended.stdout, recording)

    def load(self, way, image, seconds, depth=32, pause_us=0, seed=1, recorded=False, env=None):
        command = [self.program("load", HERE), way, "rbd", image, str(seconds), str(depth), str(pause_us), str(seed)]
        if not recorded:
            return of_load(self.run(command, env=env).stdout)
        recording = self.record(command, env=env)
        return of_load(recording.ended.stdout, recording)

    def share_in_gaps(self, log, longest_s):
        """Of the time of all requests that fio logged (--write_lat_log), one file a job, the share that lay in gaps: times in which the job
        completed nothing for more than longest_s seconds."""
        inside = total = 0
        for path in glob.glob(os.path.join(self.work, log + "_lat.*.log")):
            with open(path) as file:
                ends = sorted((float(line.split(",")[0]) / 1e3, float(line.split(",")[1]) / 1e9) for line in file)  # s, s
            os.unlink(path)
            times = [0, *(end for end, _ in ends)]
            gaps = [(a, b) for a, b in zip(times, times[1:]) if b - a > longest_s]
            total += sum(latency for _, latency in ends)
            inside += sum(max(0, min(end, b) - max(end - latency, a)) for end, latency in ends for a, b in gaps)
        return inside / total

    # --- images ---

    def features(self, name):
        return json.loads(self.run(["rbd", "info", "--format", "json", name]).stdout)["features"]

    def fresh(self, name, features="layering", size="64M", *create):
        """The name of an image that is empty, whatever was written to one of that name before."""
        self.run(["rbd", "rm", "--no-progress", name], check=False)
        self.run(["rbd", "create", "--size", size, "--image-feature", features, *create, name])
        return name

    def clone(self, parent, name, features, *create):
        """The name of a new clone of the parent as it is now."""
        snapshot = f"{parent}@of-{name}"
        self.run(["rbd", "rm", "--no-progress", name], check=False)
        if self.run(["rbd", "snap", "create", "--no-progress", snapshot], check=False).returncode == 0:
            self.run(["rbd", "snap", "protect", snapshot])
        self.run(["rbd", "clone", "--image-feature", features, *create, snapshot, name])
        return name

    # --- spoiling ---

    @contextlib.contextmanager
    def osd_set(self, **options):
        """Settings of the OSD for as long as the context lasts."""
        before = {}
        try:
            for option, value in options.items():
                before[option] = json.loads(self.run(["ceph", "daemon", self.osd.socket, "config", "get", option]).stdout)[option]
                self.osd.set(option, value)
            yield
        finally:
            for option, value in before.items():
                self.osd.set(option, value)

    @contextlib.contextmanager
    def image_set(self, image, **options):
        try:
            for option, value in options.items():
                self.run(["rbd", "config", "image", "set", image, option, str(value)])
            yield
        finally:
            for option in options:
                self.run(["rbd", "config", "image", "remove", image, option], check=False)

    @contextlib.contextmanager
    def slow_disk(self, read_us):
        """Another cluster in place of this one for as long as the context lasts: its OSD keeps its objects on a disk on which every read
        takes so long, and none of them in memory. It has so many placement groups that few objects share one."""
        library = os.path.join(self.work, "slow_disk.so")
        self.run(["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "slow_disk.c")])
        here = self.ceph, self.env, self.images, self.osd, self.osd_pid
        self.ceph, self.images = None, set()
        self.env = {name: value for name, value in self.env.items() if name not in ("CEPH_CONF", "CEPH_ARGS")}
        try:
            self.start_cluster("--pg-num", "64", *(option for setting in SLOW_DISK for option in ("--osd", setting)),
                               env={"LD_PRELOAD": library, "SLOW_DISK_US": str(read_us)})
            yield
        finally:
            if self.ceph:
                self.run([lab.CLUSTER, "stop", self.ceph], check=False)
            self.ceph, self.env, self.images, self.osd, self.osd_pid = here

    @contextlib.contextmanager
    def beside(self, *command, env=None, says=True, end=signal.SIGKILL):
        """A program that runs until the context ends; says: it prints a line when it is ready, which is yielded with it. end: the signal
        that ends it, followed by SIGKILL if it takes long. A client that is killed leaves its lock behind for half a minute."""
        process = subprocess.Popen(command, env={**self.env, **(env or {})}, cwd=self.work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE if says else subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
                                   start_new_session=True)
        self.commands.append(" ".join(command) + " &")
        try:
            line = process.stdout.readline().strip() if says else ""
            if says and not line:
                raise lab.CannotRun(f"{command[0]} did not get ready")
            yield process, line
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, end)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=10)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if says:
                process.stdout.close()

    def peer(self, way, image, *more):
        return self.beside(self.program("peer", HERE), way, "rbd", image, *map(str, more), end=signal.SIGTERM if way == "flush" else signal.SIGKILL)

    def owner(self, image, way):
        return self.beside(self.program("owner"), "rbd", image, way)

    @contextlib.contextmanager
    def meanwhile(self, delay_s, function):
        """Calls function() in a thread of its own, delay_s seconds from now, and waits for its end when the context ends."""
        trouble, over = [], threading.Event()

        def body():
            try:
                if not over.wait(delay_s):
                    function()
            except Exception as error:
                trouble.append(error)

        thread = threading.Thread(target=body)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        if trouble:
            raise trouble[0]

    def stall(self, pid, seconds):
        """Stops a process for so long. Returns how long it was stopped, in ns."""
        begin = time.monotonic_ns()
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(pid, signal.SIGCONT)
        return time.monotonic_ns() - begin

