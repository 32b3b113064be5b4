"""rbdprof attach without Ceph: programs that sleep with the library in them, and are recorded from outside. Part of run.py."""
import glob, os, re, signal, stat, subprocess, time

from place import Skip, case, check, daemon_pids, need_root_inside, wait_for


class Dormant:
    """A program with the library preloaded that emits numbered events all the time, recorded or not."""

    def __init__(self, t, each=20, seconds=60, late=0, **more):
        env = {**os.environ, "LD_PRELOAD": t.shim, **more.pop("env", {})}
        self.process = subprocess.Popen([t.traced, str(each), "dormant", str(seconds), str(late)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=env, **more)
        t.started.append(self.process)
        self.pid = self.process.pid
        check(self.process.stdout.readline() == "dormant\n", "it runs")
        if not late:
            check(self.process.stdout.readline() == "loaded\n", "it has the tracer")

    def state(self):
        with open(f"/proc/{self.pid}/status") as file:
            return len(os.listdir(f"/proc/{self.pid}/fd")), int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def attach(t, *words, **kw):
    return t.run(t.rbdprof, "attach", *map(str, words), **kw)


def start(t, *words, **kw):
    p = subprocess.Popen([t.rbdprof, "attach", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)
    t.started.append(p)
    return p


def begun(p):
    """The line on which an attach says that it records."""
    while True:
        line = p.stderr.readline()
        if not line or "recording" in line:
            return line


def numbers(t, folder):
    """{process folder: the numbers of its events}; a recording is whole when there is no gap in them."""
    seen = {}
    for trace in sorted(glob.glob(f"{folder}/ust/pid/*")):
        r = t.run("babeltrace2", trace)
        check(r.returncode == 0 and "discarded" not in r.stderr, "babeltrace2 reads it, and nothing was discarded", r.stderr)
        seen[os.path.basename(trace)] = [int(n) for n in re.findall(r"rbdprof:complete: .*?words = \[ \[0\] = (\d+)", r.stdout)]
    return seen


def whole(t, folder, processes=1):
    seen = numbers(t, folder)
    check(len(seen) == processes, "as many processes as were attached to", list(seen))
    for name, events in seen.items():
        check(events and events == list(range(events[0], events[0] + len(events))), f"no gap in {name}", (len(events), events[:3], events[-3:]))
    return seen


# --- usage and refusals ---

@case
def attach_usage(t):
    for words, sentence in ((["-p"], "-p"), (["-p", "x"], "x"), (["-p", "0"], "0"), (["-p", "1,"], "1,"), (["--for", "soon"], "soon"), (["--for", "-1"], "-1"),
                            (["--locks", "some"], "some"), (["--buffers", "lots"], "lots"), (["--unknown"], "--unknown"), (["12"], "12"),
                            (["-p", "999999999"], "no process 999999999")):
        r = attach(t, *words)
        check(r.returncode == 125 and sentence in r.stderr and not r.stdout, f"status and sentence of {words}", r)
    check(attach(t, "--help").returncode == 0, "--help")
    r = attach(t)
    check(r.returncode == 0 and "librbd" in r.stderr + r.stdout, "a list, though nothing is to be listed", r)
    check(not os.listdir("."), "no folder is left", os.listdir("."))
    t.clean()


@case
def attach_refusals(t):
    """Why a process cannot be attached to is said, and nothing is begun."""
    def refused(process, sentence, what):
        r = attach(t, "-p", process.pid, "-o", "x")
        check(r.returncode == 125 and sentence in r.stderr and not os.path.exists("x"), what, r)
        process.kill()
        process.wait()

    plain = subprocess.Popen(["sleep", "60"])
    refused(plain, "nothing to record", "neither librbd nor the library")
    missing = subprocess.Popen(["sleep", "60"], env=dict(os.environ, LD_PRELOAD="/nowhere/librbdprof.so"), stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    refused(missing, "/nowhere/librbdprof.so", "a library that was not there")
    d = Dormant(t, env={"RBDPROF_DISABLE": "1"})
    refused(d.process, "RBDPROF_DISABLE", "switched off")
    d = Dormant(t)
    os.kill(d.pid, signal.SIGSTOP)
    wait_for(lambda: "\nState:\tT" in open(f"/proc/{d.pid}/status").read(), "it is stopped")
    refused(d.process, "is stopped", "stopped")
    refused(Dormant(t, env={"LD_PRELOAD": t.shim_of_schema("newer", 1)}).process, "has a newer library", "what writes what is not understood")
    d = Dormant(t, env={"LD_PRELOAD": t.shim_of_schema("older", -1)})
    r = attach(t, "-p", d.pid, "--for", 1, "-o", "of-older")
    check(r.returncode == 0 and whole(t, "of-older"), "an older library is recorded", r)
    d.process.kill()
    zombie = subprocess.Popen(["true"])
    time.sleep(0.3)
    r = attach(t, "-p", zombie.pid)
    check(r.returncode == 125 and f"no process {zombie.pid}" in r.stderr, "a dead process", r)
    zombie.wait()


# --- recordings ---

@case
def attach_again_and_again(t):
    """From before any session daemon; then as often as one likes, without a trace of it in the program."""
    d = Dormant(t)
    states = []
    for n in range(6):
        r = attach(t, "-p", d.pid, "--for", 1, "-o", f"a{n}")
        check(r.returncode == 0 and f"recording traced ({d.pid})" in r.stderr and f"rbdprof report {os.getcwd()}/a{n}" in r.stderr, "it ends well", r)
        events = whole(t, f"a{n}").popitem()[1]
        check(len(events) > 2000, "a second's events, a millisecond apart or a little more", len(events))
        states.append(d.state())
    check(len({descriptors for descriptors, _ in states}) == 1, "as many descriptors after each", states)
    check(states[5][1] <= states[1][1] * 1.02, "memory does not grow", states)
    check(not daemon_pids() or t.before[0], "no session daemon is left")
    note = t.note("a0")
    check(note["attached"] and note["command"] == [f"traced ({d.pid})"] and note["processes_traced"] == 1 and note["status"] is None and
          note["stopped_early"] is None and 0.9e9 < note["end_ns"] - note["begin_ns"] < 3e9, "the note", note)
    check(stat.S_IMODE(os.stat("a0").st_mode) == 0o700, "nobody else may look into it", oct(os.stat("a0").st_mode))
    r = t.run(t.rbdprof, "record", "-o", "r", "--", "true")
    check(stat.S_IMODE(os.stat("r").st_mode) == 0o700, "nor into a recording of record's", oct(os.stat("r").st_mode))
    d.process.kill()
    check(d.process.communicate()[1] == "", "the program's standard error has nothing of it")


@case
def attach_signals(t):
    d = Dormant(t)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = start(t, "-p", d.pid, "-o", f"s{int(number)}")
        check("until Ctrl-C" in begun(p), "it says what ends it")
        time.sleep(1)
        p.send_signal(number)
        out, err = p.communicate(timeout=30)
        check(p.returncode == 0 and "next: rbdprof report" in err, f"{number.name} ends it well", (p.returncode, err))
        whole(t, f"s{int(number)}")
    os.kill(d.pid, signal.SIGSTOP)
    p = start(t, "-p", d.pid, "-o", "early")
    p.communicate(timeout=30)
    os.kill(d.pid, signal.SIGCONT)
    check(p.returncode == 125 and not os.path.exists("early"), "what is stopped is not waited for", p.returncode)
    d.process.kill()


@case
def attach_to_several(t):
    """Several processes, one trace; when one of them ends the others are recorded on, and with the last one the recording ends."""
    short, long, killed = Dormant(t, seconds=6), Dormant(t, seconds=9), Dormant(t)
    p = start(t, "-p", f"{short.pid},{long.pid}", "-p", killed.pid, "-o", "a")
    check(f"recording traced ({short.pid}) and others" in begun(p), "all three are reached")
    killed.process.kill()
    out, err = p.communicate(timeout=30)
    check(p.returncode == 0 and f"traced ({short.pid}) has ended" in err and "with the last of the processes" in err, "who ended is said", (p.returncode, err))
    seen = whole(t, "a", 3)
    check(t.note("a")["processes_traced"] == 3, "all are counted", t.note("a"))
    lengths = sorted(len(events) for events in seen.values())
    check(lengths[2] > lengths[1] > lengths[0], "each for as long as it lived", lengths)
    d = Dormant(t, seconds=4)
    r = attach(t, "-p", d.pid, "-o", "b")
    check(r.returncode == 0 and "ended with the process" in r.stderr, "the end of the only one ends it", r)
    whole(t, "b")


@case
def attach_before_an_image(t):
    """A process that has not loaded the tracer yet is recorded as soon as it does."""
    d = Dormant(t, seconds=8, late=3)
    r = attach(t, "-p", d.pid, "-o", "a", "--for", 7)
    check(r.returncode == 0 and "no image open yet" in r.stderr, "that is said", r)
    check(whole(t, "a").popitem()[1][0] == 1, "from its first event")
    d = Dormant(t, seconds=8, late=60)
    r = attach(t, "-p", d.pid, "-o", "b", "--for", 1)
    check(r.returncode == 0 and "no image was opened" in r.stderr and t.note("b")["processes_traced"] == 0, "or not at all, which is said too", r)
    d.process.kill()


@case
def attach_limits(t):
    """Without a time it ends by the trace's size, and says so; the program goes on."""
    need_root_inside()
    os.mkdir("disk")
    check(t.run("mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", "disk").returncode == 0, "a small disk")
    d = Dormant(t, each=2000)
    begin = time.time()
    r = attach(t, "-p", d.pid, "-o", "disk/a", "--buffers", "16M")
    check(r.returncode == 0 and "20 MiB are recorded" in r.stderr and "no time was set" in r.stderr, "5 per cent of 400 MiB", r)
    size = sum(os.path.getsize(os.path.join(f, name)) for f, _, names in os.walk("disk/a") for name in names)
    check(20 << 20 <= size < 60 << 20 and time.time() - begin < 25, "about that much", (size, time.time() - begin))
    check("no time was set" in t.note("disk/a")["stopped_early"] and d.process.poll() is None, "the note has it, and the program runs")
    r = attach(t, "-p", d.pid, "-o", "disk/b", "--for", 2, "--buffers", "16M")
    check(r.returncode == 0 and "stopped at" not in r.stderr, "with a time it goes on for that", r)
    d.process.kill()
    d.process.communicate()
    t.run("umount", "disk")


@case
def attach_beside_record(t):
    """A process that is being recorded by another recording can be attached to as well, and neither notices."""
    p = t.start_looping("a", 6)
    pid = int(glob.glob("a/ust/pid/*")[0].split("-")[-3])
    r = attach(t, "-p", pid, "-o", "b", "--for", 1)
    check(r.returncode == 0 and t.events("b") > 500, "what record started", r)
    d, e = Dormant(t), Dormant(t)
    first = start(t, "-p", d.pid, "-p", e.pid, "-o", "c", "--for", 5)
    wait_for(lambda: glob.glob("c/ust/pid/*"), "it is recorded")
    r = attach(t, "-p", d.pid, "-o", "d", "--for", 1)
    check(r.returncode == 0, "a second recording of it", r)
    whole(t, "d")
    first.communicate(timeout=30)
    check(first.returncode == 0, "the first ends well")
    whole(t, "c", 2)
    t.end_well(p, "a")


@case
def attach_stopped_meanwhile(t):
    """A process that is stopped while it is recorded holds up the end for a while, and no longer."""
    need_root_inside()
    d = Dormant(t)
    p = start(t, "-p", d.pid, "-o", "a", "--for", 2)
    wait_for(lambda: glob.glob("a/ust/pid/*"), "it is recorded")
    os.kill(d.pid, signal.SIGSTOP)
    out, err = p.communicate(timeout=60)
    check(p.returncode == 0, "it ends", (p.returncode, err))
    os.kill(d.pid, signal.SIGCONT)
    r = attach(t, "-p", d.pid, "-o", "b", "--for", 1)
    check(r.returncode == 0, "and the process can be attached to again", r)
    whole(t, "b")
    d.process.kill()


@case
def attach_ordinary_user(t):
    """An ordinary user's own process, through a session daemon in the home that it looks in; never anybody else's."""
    need_root_inside()
    for folder in ("home", "theirs", "other"):
        os.mkdir(folder)
        os.chown(folder, 65534, 65534)
    home = f"{t.work}/home"
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "LTTNG_HOME")}
    mine = dict(user=65534, env={"HOME": home})
    d, root = Dormant(t, **mine), Dormant(t)
    for n in range(2):
        r = attach(t, "-p", d.pid, "-o", f"theirs/a{n}", "--for", 1, user=65534, env=env)
        check(r.returncode == 0, "its own process", r)
        whole(t, f"theirs/a{n}")
        check(not os.listdir(home) and not daemon_pids(), "nothing is left in its home", (os.listdir(home), daemon_pids()))
    first = start(t, "-p", d.pid, "-o", "theirs/c", "--for", 4, user=65534, env=env)
    wait_for(lambda: glob.glob("theirs/c/ust/pid/*"), "it is recorded")
    r = attach(t, "-p", d.pid, "-o", "theirs/d", "--for", 1, user=65534, env=env)
    first.communicate(timeout=30)
    check(r.returncode == 0 and first.returncode == 0, "two at a time share the daemon", r)
    whole(t, "theirs/c")
    whole(t, "theirs/d")
    check(not os.listdir(home) and not daemon_pids(), "and the last one ends it", (os.listdir(home), daemon_pids()))
    r = attach(t, "-p", root.pid, "-o", "theirs/b", user=65534, env=env)
    check(r.returncode == 125 and "root's: only root" in r.stderr, "root's process", r)
    elsewhere = Dormant(t, user=65534, env={"HOME": f"{t.work}/other"})
    r = attach(t, "-p", f"{d.pid},{elsewhere.pid}", "-o", "theirs/b", user=65534, env=env)
    check(r.returncode == 125 and "different homes" in r.stderr, "processes with different homes", r)
    homeless = Dormant(t, user=65534, env={"HOME": ""})
    r = attach(t, "-p", homeless.pid, "-o", "theirs/b", user=65534, env=env)
    check(r.returncode == 125 and "no home" in r.stderr, "a process without a home", r)
    r = attach(t, "-p", f"{d.pid},{homeless.pid}", "-o", "all", "--for", 1)
    check(r.returncode == 0, "root may", r)
    whole(t, "all", 2)
    check(not daemon_pids(), "no session daemon is left", daemon_pids())
