"""What the cases of run.py share: a place to work in, the programs, and what a recording must leave as it was.

It knows how to record and what a whole recording is; not what is tested.
"""
import glob, json, os, re, shutil, struct, subprocess, tempfile, time

INSIDE = "RBDPROF_TEST_INSIDE"
cases = {}


def case(function):
    """Registers a test under its name with dashes."""
    cases[function.__name__.replace("_", "-")] = function
    return function


class Skip(Exception):
    pass


def check(holds, what, seen=None):
    if not holds:
        raise AssertionError(f"{what}: {seen!r}")


class Place:
    """Programs, a folder to work in, and what a recording must leave as it was."""

    def __init__(self, rbdprof, traced, ordinary):
        self.ordinary = ordinary
        self.rbdprof, self.traced = os.path.abspath(rbdprof), os.path.abspath(traced)
        self.shim = os.path.join(os.path.dirname(os.path.dirname(self.rbdprof)), "preload", "librbdprof.so")
        self.work = tempfile.mkdtemp(prefix="record-test-")
        os.chmod(self.work, 0o777)
        os.chdir(self.work)
        self.before = self.footprint()
        self.started = []

    def footprint(self):
        daemons = subprocess.run(["pgrep", "-f", "lttng-(sessiond|consumerd)"], capture_output=True, text=True).stdout.split()
        return len(daemons), sorted(os.listdir("/dev/shm")), sorted(filter(self.is_home, glob.glob("/tmp/rbdprof-??????")))

    def is_home(self, folder):
        """A session daemon's home of this case's user: other cases run at the same time, those of ordinary users one after the other."""
        try:
            return (os.stat(folder).st_uid == 0) != self.ordinary
        except FileNotFoundError:
            return False

    def clean(self, patience=3):
        end = time.time() + patience
        while self.footprint() != self.before and time.time() < end:
            time.sleep(0.05)
        check(self.footprint() == self.before, "no daemon, shared memory or folder is left", (self.before, self.footprint()))

    def run(self, *command, env=None, user=None, stdin=None):
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env or os.environ, user=user, stdin=stdin)

    def record(self, *words, **kw):
        return self.run(self.rbdprof, "record", *words, **kw)

    def start(self, *words):
        p = subprocess.Popen([self.rbdprof, "record", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started.append(p)
        return p

    def start_looping(self, folder, seconds):
        """A recording whose command emits for that long; returns once it does."""
        p = self.start("-o", folder, "--", self.traced, "100", "loop", str(seconds))
        wait_for(lambda: glob.glob(f"{folder}/ust/pid/*"), "the process is traced")
        return p

    def events(self, folder):
        r = self.run("babeltrace2", folder)
        check(r.returncode == 0, "babeltrace2 reads the recording", r.stderr)
        check("discarded" not in r.stderr, "nothing was discarded", r.stderr)
        return len(r.stdout.splitlines())

    def whole(self, folder, said):
        """Every event that the traced programs say they emitted is in the recording, and no other."""
        truth, seen = sum(int(n) for n in re.findall(r"emitted (\d+)", said)), self.events(folder)
        check(truth > 0 and seen == truth, "as many events as were emitted", (seen, truth, said))

    def end_well(self, p, folder):
        out, err = p.communicate(timeout=60)
        check(p.returncode == 0, "the recording ends well", (p.returncode, err))
        self.whole(folder, out)

    def note(self, folder):
        with open(f"{folder}/rbdprof.json") as file:
            return json.load(file)

    def shim_of_schema(self, folder, difference):
        """A copy of the library whose card says that it writes a schema so much newer than today's."""
        shutil.copytree(os.path.dirname(self.shim), folder, ignore=lambda _, names: [name for name in names if not name.endswith(".so")])
        path = os.path.join(self.work, folder, "librbdprof.so")
        with open(path, "rb") as file:
            data = bytearray(file.read())
        at = re.search(rb"rbdprof\0[\1-\x20]\0\0\0", data).end()  # magic, layout, then the schema
        schema, = struct.unpack_from("<I", data, at)
        check(0 < schema < 100, "the card is found", schema)
        struct.pack_into("<I", data, at, schema + difference)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def close(self):
        for p in self.started:
            if p.poll() is None:
                p.kill()
            p.communicate()
        os.chdir("/")
        shutil.rmtree(self.work, ignore_errors=True)


def wait_for(condition, what, patience=15):
    end = time.time() + patience
    while not condition():
        check(time.time() < end, f"in time: {what}")
        time.sleep(0.02)


def daemon_pids():
    return [int(p) for p in subprocess.run(["pgrep", "-x", "lttng-sessiond"], capture_output=True, text=True).stdout.split()]


def need_root_inside():
    if os.geteuid() or not os.environ.get(INSIDE):
        raise Skip("needs root and namespaces")
