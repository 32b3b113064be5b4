"""What the end-to-end tests share: a real Ceph, fio, recordings and their reports, and expectations that print themselves.

It knows how to run things and where they are. What is true of a run is the tests' business.
"""
import glob, json, os, shlex, shutil, signal, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLUSTER = os.path.join(os.path.dirname(HERE), "cluster", "cluster.sh")


class CannotRun(Exception):
    """A program that had to end well did not."""


class Recording:
    """A folder made by rbdprof record, how the recorded command ended, and the report of it, read once."""

    def __init__(self, lab, folder, ended):
        self.lab, self.folder, self.ended, self.cached = lab, folder, ended, None

    @property
    def report(self):
        if self.cached is None:
            self.cached = json.loads(self.lab.run([self.lab.rbdprof, "report", "--format", "json", self.folder]).stdout)
        return self.cached

    @property
    def fio(self):
        return parse_fio(self.ended.stdout)

    def clients(self, image):
        return [client for entry in self.report["images"] if entry["name"] == image for client in entry["clients"]]

    def sums(self, image, key="completed"):
        """{kind: sum over all clients of the image}, without the kinds that did not occur."""
        total = {}
        for client in self.clients(image):
            for kind, requests in client["requests"].items():
                if requests["completed"]:
                    total[kind] = total.get(kind, 0) + requests[key]
        return total


class Lab:
    def __init__(self, rbdprof, sanitized=None):
        self.rbdprof, self.sanitized = os.path.abspath(rbdprof), sanitized and os.path.abspath(sanitized)
        self.work = tempfile.mkdtemp(prefix="rbdprof-e2e-")
        self.env, self.ceph, self.images, self.built = dict(os.environ), None, set(), {}
        self.begin_test()

    # --- the surroundings ---

    def start_cluster(self, *options, env=None):
        self.ceph = self.run([CLUSTER, "start", "--timeout", "60", "--owner", str(os.getpid()), *options], timeout=90, env=env).stdout.strip()
        conf = os.path.join(self.ceph, "ceph.conf")
        self.env.update(CEPH_CONF=conf, CEPH_ARGS=f"-c {conf}")

    def close(self):
        if self.ceph:
            self.run([CLUSTER, "stop", self.ceph], check=False)
        shutil.rmtree(self.work, ignore_errors=True)

    def image(self, name, features="layering", size="64M", create=()):
        """The name of an image that is filled; made when it is first asked for. create: more options of rbd create."""
        if name not in self.images:
            self.run([CLUSTER, "image", self.ceph, name, "--features", features, "--size", size, "--fill", *create])
            self.images.add(name)
        return name

    def drive(self, image):
        """The image as QEMU's block layer calls it."""
        return f"rbd:rbd/{image}:conf={self.env['CEPH_CONF']}"

    def shim(self):
        found = glob.glob(os.path.join(os.path.dirname(os.path.dirname(self.rbdprof)), "lib", "**", "librbdprof.so"), recursive=True)
        if len(found) != 1:
            raise CannotRun(f"one librbdprof.so beside {self.rbdprof}, not {found}")
        return found[0]

    def program(self, name, folder=HERE):
        """A program of a folder, of this one unless another is given, in C or C++, compiled once."""
        if name not in self.built:
            self.built[name] = os.path.join(self.work, name)
            source = os.path.join(folder, name + ".c")
            compiler = ["cc", "-std=gnu11"]
            if not os.path.exists(source):
                source, compiler = source + "pp", ["c++", "-std=c++17"]
            self.run([*compiler, "-O2", "-Wall", "-Wextra", "-pthread", "-o", self.built[name], source, "-lrbd", "-lrados"])
        return self.built[name]

    # --- running ---

    def run(self, command, check=True, timeout=120, env=None):
        """Runs to the end in a folder of its own, with the whole process group killed on a timeout."""
        self.commands.append(" ".join(map(shlex.quote, command)))
        process = subprocess.Popen(command, env={**self.env, **(env or {})}, cwd=self.work or None, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise CannotRun(f"no end after {timeout} s: {self.commands[-1]}") from None
            raise
        if check and process.returncode:
            raise CannotRun(f"exit {process.returncode}: {self.commands[-1]}\n{out[-600:]}\n{err[-1200:]}")
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def record(self, command, *options, **more):
        folder = tempfile.mkdtemp(prefix="trace-", dir=self.work)
        os.rmdir(folder)
        return Recording(self, folder, self.run([self.rbdprof, "record", "-o", folder, *options, "--", *command], **more))

    def report(self, *folders, baseline=None):
        """One report of several recordings; baseline: the folder of another one to compare with."""
        than = ["--baseline", baseline] if baseline else []
        return json.loads(self.run([self.rbdprof, "report", "--format", "json", *than, *folders]).stdout)

    def parse(self, ended):
        return parse_fio(ended.stdout)

    # --- expecting ---

    def begin_test(self):
        self.commands, self.unmet = [], []

    def holds(self, what, condition, seen=""):
        if not condition:
            self.unmet.append(f"{what}: {seen}")
        return bool(condition)

    def equal(self, what, seen, expected):
        return self.holds(what, seen == expected, f"{seen!r} instead of {expected!r}")

    def between(self, what, low, seen, high):
        return self.holds(what, seen is not None and low <= seen <= high, f"{seen} is not from {low} to {high}")

    def whole(self, recording):
        """Nothing was lost, and nothing in the trace contradicts itself."""
        trace = recording.report["trace"]
        self.equal("events lost", trace["lost_events"], 0)
        self.equal("anomalies", {name: count for name, count in trace["anomalies"].items() if count}, {})


def fio_command(image, rw, *options, jobs=1, depth=32, bs="4k", size="64M", seconds=None, ios=None):
    command = ["fio", "--name=t", "--ioengine=rbd", "--clientname=admin", "--pool=rbd", f"--rbdname={image}", f"--rw={rw}", f"--bs={bs}",
               f"--size={size}", f"--iodepth={depth}", f"--numjobs={jobs}", "--group_reporting", "--randrepeat=0", "--clat_percentiles=1",
               "--lat_percentiles=1", "--output-format=json"]
    if seconds:
        command += ["--time_based", f"--runtime={seconds}"]
    if ios:
        command.append(f"--number_ios={ios}")
    return command + list(options)


def parse_fio(text):
    return json.loads(text[text.index("{"):])["jobs"][0]


# fio's name of a direction, and rbdprof's of the kind of request that it becomes.
KINDS = {"read": "read", "write": "write", "trim": "discard", "sync": "flush"}


def fio_counts(fio, jobs=1):
    """{kind: requests} as fio counted them. Its rbd engine makes one more flush as it sets a job up (seen under gdb)."""
    counts = {kind: fio[direction]["total_ios"] for direction, kind in KINDS.items() if fio[direction]["total_ios"]}
    counts["flush"] = counts.get("flush", 0) + jobs
    return counts


def fio_bytes(fio):
    return {kind: fio[direction]["io_bytes"] for direction, kind in KINDS.items() if fio[direction].get("io_bytes")}


def counted_by_fio(sums):
    """What a report sums up, without the cache's invalidations, which fio makes and does not count."""
    return {kind: value for kind, value in sums.items() if kind != "invalidate_cache"}
