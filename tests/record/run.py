#!/usr/bin/env python3
"""rbdprof record, attach and doctor without Ceph: exit statuses, signals, recordings that overlap, missing and stuck daemons, full disks.

    run.py RBDPROF TRACED CASE…      RBDPROF: the program; TRACED: the program made of traced.c; --list names the cases

As root each case runs in mount and pid namespaces of its own with an empty /run and /dev/shm, so that a session daemon of the
machine is neither seen nor disturbed. Where that is not allowed it runs on the machine as it is; a case that cannot then be
judged is skipped (exit status 77).
"""
import glob, grp, os, re, signal, subprocess, sys, time

sys.dont_write_bytecode = True
import attach, doctor  # their cases
from place import INSIDE, Place, Skip, case, cases, check, daemon_pids, need_root_inside, wait_for

SKIPPED = 77
OF_ORDINARY_USERS = ("ordinary-user", "tracing-group", "user-beside-root", "attach-ordinary-user")  # CMakeLists.txt runs them one after the other


# --- statuses and streams ---

@case
def statuses(t):
    for words, status, sentence in (
            (["-o", "a", "--", "sh", "-c", "exit 7"], 7, "no process opened an RBD image"),
            (["-o", "b", "--", "sh", "-c", "kill -TERM $$"], 143, "no process opened"),
            (["-o", "c", "--", "sh", "-c", "kill -KILL $$"], 137, "no process opened"),
            (["--", "no-such-program-here"], 127, "no-such-program-here"),
            (["--", "/etc/passwd"], 126, "/etc/passwd"),
            (["--", "/"], 126, "/"),
            (["-o", "/proc/nowhere/x", "--", "true"], 125, "/proc/nowhere/x"),
            (["-o", "a", "--", "true"], 125, "not empty"),
            (["-o", "a/rbdprof.json", "--", "true"], 125, "rbdprof.json"),
            ([], 125, "no command"),
            (["--locks", "some", "--", "true"], 125, "some"),
            (["--stacks-over", "long", "--", "true"], 125, "long"),
            (["--buffers", "lots", "--", "true"], 125, "lots"),
            (["--unknown", "--", "true"], 125, "--unknown"),
            (["-o"], 125, "-o")):
        r = t.record(*words)
        check(r.returncode == status, f"status of {words}", (r.returncode, r.stderr))
        check(sentence in r.stderr and all(line.startswith("rbdprof: ") for line in r.stderr.splitlines()), f"sentence of {words}", r.stderr)
    check(sorted(os.listdir(".")) == ["a", "b", "c"], "no folder is left where nothing ran", os.listdir("."))
    check(t.record("--help").returncode == 0, "--help")
    t.clean()


@case
def exec_fails_late(t):
    """What only execve() finds out: everything is undone again."""
    with open("script", "w") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod("script", 0o755)
    r = t.record("-o", "d", "--", "./script")
    check(r.returncode == 127 and "./script" in r.stderr, "a script without its interpreter", (r.returncode, r.stderr))
    os.mkdir("mine")
    r = t.record("-o", "mine", "--", "./script")
    check(sorted(os.listdir(".")) == ["mine", "script"] and not os.listdir("mine"), "a folder that was there stays, empty", os.listdir("."))
    t.clean()


@case
def streams(t):
    r = subprocess.run([t.rbdprof, "record", "-o", "a", "--", "sh", "-c", "cat; echo err >&2"], input="in", capture_output=True, text=True)
    check(r.stdout == "in" and "err\n" in r.stderr, "standard streams are the command's", r)
    # With all three closed the command must find them closed, and nothing of rbdprof may land in a file of the command.
    r = t.run("sh", "-c", f"exec <&- >&- 2>&-; {t.rbdprof} record -o b -- sh -c 'for n in 0 1 2; do test -e /proc/$$/fd/$n && exit 9; done; exit 0'")
    check(r.returncode == 0, "closed streams stay closed", r.returncode)
    r = t.run("sh", "-c", f"trap '' INT PIPE; {t.rbdprof} record -o c -- grep -E 'Sig(Ign|Blk)' /proc/self/status")
    plain = t.run("sh", "-c", "trap '' INT PIPE; grep -E 'Sig(Ign|Blk)' /proc/self/status")
    check(r.stdout == plain.stdout, "signal mask and dispositions are the command's own", (r.stdout, plain.stdout))
    r = t.record("-o", "e", "--", "sh", "-c", "ls /proc/$$/fd")
    check(r.stdout == t.run("sh", "-c", "ls /proc/$$/fd").stdout, "no descriptor is handed down", r.stdout)
    t.clean()


@case
def names(t):
    r = t.record("--", "true")
    made = os.listdir(".")
    check(len(made) == 1 and re.fullmatch(r"rbdprof-true-\d{8}-\d{6}", made[0]) and f"rbdprof report {os.getcwd()}/{made[0]}" in r.stderr, "default folder", (made, r.stderr))
    both = [t.start("--", "true"), t.start("--", "true")]
    for p in both:
        p.communicate(timeout=60)
    check([p.returncode for p in both] == [0, 0] and len(os.listdir(".")) == 3, "two in one second have a folder each", os.listdir("."))
    odd = "with blank, %41:ü"
    t.whole(odd, t.record("-o", odd, "--", t.traced, "50").stdout)
    note = t.note(odd)
    check(note["command"] == [t.traced, "50"] and note["status"] == 0 and note["processes_traced"] == 1 and note["processes_refused"] == 0 and
          note["stopped_early"] is None and 0 < note["begin_ns"] < note["end_ns"], "the note", note)
    t.clean()


# --- what is recorded ---

@case
def every_event(t):
    for n in range(8):
        for how in ("exit", "_exit", "kill"):
            r = t.record("-o", f"{how}{n}", "--", t.traced, "3000", how)
            check(r.returncode == (137 if how == "kill" else 0), f"status of {how}", (r.returncode, r.stderr))
            t.whole(f"{how}{n}", r.stdout)
    t.clean()


@case
def families(t):
    t.whole("fork", t.record("-o", "fork", "--", t.traced, "500", "fork").stdout)
    r = t.record("-o", "exec", "--", t.traced, "500", "exec")
    check(r.stdout.count("emitted") == 2, "it is let in again after an exec", r.stdout)
    t.whole("exec", r.stdout)
    r = t.record("-o", "many", "--", "sh", "-c", f"for i in 1 2 3 4 5 6; do {t.traced} 100; done")
    check(t.note("many")["processes_traced"] == 6, "one after the other, more than there are shares", r.stdout)
    t.whole("many", r.stdout)
    r = t.record("-o", "crowd", "--", "sh", "-c", f"for i in 1 2 3 4 5 6; do {t.traced} 100 hold 4 & done; wait")
    note = t.note("crowd")
    check(note["processes_traced"] == 4 and note["processes_refused"] == 2 and "2 more processes" in r.stderr, "a crowd", (note, r.stderr))
    t.whole("crowd", r.stdout)
    begin = time.time()
    r = t.record("-o", "outlived", "--", "sh", "-c", f"{t.traced} 100 hold 6 >/dev/null 2>&1 & sleep 1")
    check(time.time() - begin < 5 and "still running" in r.stderr, "a child that outlives the command is not waited for, but told of", r.stderr)
    check(t.events("outlived") == 100, "what it did is recorded")
    time.sleep(6)
    t.record("-o", "after", "--", "true")
    t.clean()


@case
def locks(t):
    for mode, waits, conds, holds, pairs in (("contended", 1, 0, 0, 0), ("holds", 1, 0, 1, 0), ("all", 1, 1, 1, 1), ("off", 0, 0, 0, 0)):
        r = t.record("-o", mode, "--locks", mode, "--", t.traced, "10")
        check(f"lock_waits {waits} cond_waits {conds} all_holds {holds} lock_pairs {pairs}" in r.stdout, f"--locks {mode}", r.stdout)
    check("lock_waits 1 cond_waits 0 all_holds 0" in t.record("-o", "default", "--", t.traced, "10").stdout, "contended is the default")
    t.clean()


@case
def peers(t):
    """A peer that says nothing holds nobody up; nor do sixty of them."""
    begin = time.time()
    r = t.record("-o", "a", "--", "sh", "-c", f"for i in $(seq 60); do {t.traced} 0 silent 2 & done; sleep 0.5; {t.traced} 100; wait")
    check(r.returncode == 0 and time.time() - begin < 20, "silent peers", r.stderr)
    t.whole("a", r.stdout)
    t.clean()


@case
def strangers(t):
    """Programs with the same tracepoints in them that nobody let in: no event of theirs, and no memory for them."""
    need_root_inside()

    def used():
        room = os.statvfs("/dev/shm")
        return (room.f_blocks - room.f_bfree) * room.f_frsize

    a = t.start_looping("a", 4)
    before = used()
    strangers = [subprocess.Popen([t.traced, "1000", "uninvited", "2"], stdout=subprocess.PIPE, text=True) for _ in range(5)]
    said = [p.stdout.readline() for p in strangers]
    check(said == ["uninvited, requests 0\n"] * 5, "no event is enabled in them", said)
    # The recorded program's own buffers, of 10 MiB, may come into use meanwhile.
    check(used() - before < 12 << 20, "five of them take no buffers, of 10 MiB each", used() - before)
    for p in strangers:
        p.communicate()
    t.end_well(a, "a")
    check(len(glob.glob("a/ust/pid/*")) == 1, "one trace", glob.glob("a/ust/pid/*"))
    t.clean()


# --- signals ---

@case
def signals(t):
    p = subprocess.Popen([t.rbdprof, "record", "-o", "a", "--", t.traced, "100", "hold", "30"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, start_new_session=True)
    t.started.append(p)
    p.stdout.readline()
    os.killpg(p.pid, signal.SIGINT)
    out, err = p.communicate(timeout=20)
    check(p.returncode == 130, "Ctrl-C ends the command, and its status is told", (p.returncode, err))
    check(t.events("a") == 100, "and the recording is whole")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        p = t.start("-o", f"s{int(number)}", "--", "sh", "-c", f"trap 'exit 5' {int(number)}; echo ready; while :; do sleep 0.1; done")
        p.stdout.readline()
        p.send_signal(number)
        p.communicate(timeout=20)
        check(p.returncode == 5, f"{number.name} is passed on", p.returncode)
    p = t.start("-o", "early", "--", "sleep", "30")
    wait_for(lambda: os.path.exists("early"), "it has begun")  # before that a signal has its default effect, with nothing to clean up
    p.send_signal(signal.SIGTERM)
    out, err = p.communicate(timeout=20)
    check(p.returncode in (125, 143), "SIGTERM while it starts ends it", (p.returncode, err))
    t.clean()


# --- several recordings ---

@case
def overlaps(t):
    for n, (first, second) in enumerate(((2, 4), (4, 2), (3, 3))):
        a = t.start_looping(f"a{n}", first)
        b = t.start_looping(f"b{n}", second)
        t.end_well(a, f"a{n}")
        t.end_well(b, f"b{n}")
        t.clean()
    three = [(t.start("-o", f"c{n}", "--", t.traced, "100", "loop", "2"), f"c{n}") for n in range(3)]
    for p, folder in three:
        t.end_well(p, folder)
    t.clean()


@case
def foreign_daemon(t):
    """A daemon, or a session, of somebody else is left alone."""
    need_root_inside()
    sessiond = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: t.run("lttng", "list").returncode == 0, "the daemon answers")
    r = t.record("-o", "a", "--", t.traced, "100")
    t.whole("a", r.stdout)
    check(daemon_pids() and sessiond.poll() is None, "somebody else's daemon lives on")
    sessiond.terminate()
    sessiond.wait(timeout=20)
    a = t.start_looping("b", 3)
    t.run("lttng", "create", "theirs", "-o", f"{t.work}/theirs")
    t.end_well(a, "b")
    check("theirs" in t.run("lttng", "list").stdout, "a daemon that rbdprof started lives on while it has another's session")
    t.run("lttng", "destroy", "theirs")
    t.record("-o", "c", "--", "true")
    check(not daemon_pids(), "the next recording ends it", daemon_pids())


@case
def killed_recording(t):
    """SIGKILL leaves a daemon and a session; the next recording works and tidies up."""
    p = t.start_looping("a", 4)
    p.kill()
    p.wait()
    r = t.record("-o", "b", "--", t.traced, "100")
    t.whole("b", r.stdout)
    time.sleep(4)
    t.record("-o", "c", "--", "true")
    t.clean()
    p = t.start("-o", "d", "--", "true")
    time.sleep(0.15)
    p.kill()
    p.wait()
    r = t.record("-o", "e", "--", t.traced, "100")
    t.whole("e", r.stdout)
    t.clean()


@case
def stuck_daemon(t):
    """A daemon that rbdprof started and that stops answering is killed in the end; the command never waits for it."""
    need_root_inside()
    p = t.start_looping("a", 3)
    for pid in daemon_pids():
        os.kill(pid, signal.SIGSTOP)
    begin = time.time()
    out, err = p.communicate(timeout=60)
    check(p.returncode == 0 and "by force" in err, "it is killed, and that is said", (p.returncode, err))
    check(time.time() - begin < 30, "within its deadlines", time.time() - begin)
    t.clean()
    p = t.start_looping("b", 3)
    for pid in daemon_pids():
        os.kill(pid, signal.SIGKILL)
    out, err = p.communicate(timeout=60)
    check(p.returncode == 0 and "session daemon ended" in err and t.note("b")["stopped_early"], "a daemon that dies is told of", err)
    r = t.record("-o", "c", "--", t.traced, "100")
    t.whole("c", r.stdout)


@case
def frozen_foreign_daemon(t):
    need_root_inside()
    sessiond = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: t.run("lttng", "list").returncode == 0, "the daemon answers")
    for pid in daemon_pids():
        os.kill(pid, signal.SIGSTOP)
    r = t.record("-o", "a", "--", "true")
    check(r.returncode == 125 and "does not answer" in r.stderr and not os.path.exists("a"), "it is not touched, and that is said", r)
    for pid in daemon_pids():
        os.kill(pid, signal.SIGCONT)
    sessiond.terminate()
    sessiond.wait(timeout=20)


# --- what can be missing ---

@case
def no_daemon_installed(t):
    need_root_inside()
    os.mkdir("bin")
    os.symlink("/bin/true", "bin/true")
    r = t.record("-o", "a", "--", "true", env=dict(os.environ, PATH=f"{t.work}/bin"))
    check(r.returncode == 125 and "lttng-tools" in r.stderr and not os.path.exists("a"), "the package is named", r)
    with open("bin/lttng-sessiond", "w") as file:
        file.write("#!/bin/sh\necho 'Error: no luck today' >&2\nexit 1\n")
    os.chmod("bin/lttng-sessiond", 0o755)
    r = t.record("-o", "a", "--", "true", env=dict(os.environ, PATH=f"{t.work}/bin:{os.environ['PATH']}"))
    check(r.returncode == 125 and "no luck today" in r.stderr and not os.path.exists("a"), "the daemon's own words are quoted", r)
    t.clean()


@case
def no_shim(t):
    r = t.record("-o", "a", "--", "true", env=dict(os.environ, RBDPROF_PRELOAD_DIR="/nowhere"))
    check(r.returncode == 125 and "/nowhere" in r.stderr and not os.path.exists("a"), "a shim that is not there", r)


@case
def full_disk(t):
    need_root_inside()
    os.mkdir("disk")
    check(t.run("mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", "disk").returncode == 0, "a small disk")
    r = t.record("-o", "disk/a", "--", "true")
    check(r.returncode == 125 and "room on the disk" in r.stderr and not os.path.exists("disk/a"), "too small for the default buffers", r)
    p = t.start("-o", "disk/b", "--buffers", "4M", "--", t.traced, "100", "loop", "5")
    wait_for(lambda: glob.glob("disk/b/ust/pid/*"), "the process is traced")
    time.sleep(1)
    with open("disk/filler", "wb") as file:
        file.write(bytes(50 << 20))
    out, err = p.communicate(timeout=60)
    check(p.returncode == 0 and "emitted" in out, "the command runs on", (p.returncode, err))
    check("left on the disk" in err and "left on the disk" in t.note("disk/b")["stopped_early"], "why and when it was stopped is told", err)
    check(t.events("disk/b") > 100, "what was recorded until then can be read")
    t.run("umount", "disk")
    t.clean()


@case
def little_shared_memory(t):
    need_root_inside()
    t.run("mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", "/dev/shm")
    r = t.record("-o", "a", "--", "true")
    check(r.returncode == 125 and "/dev/shm" in r.stderr and not os.path.exists("a"), "too little for one process", r)
    t.run("umount", "/dev/shm")
    t.run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", "/dev/shm")
    r = t.record("-o", "b", "--buffers", "1G", "--", t.traced, "1000")
    check("a quarter of /dev/shm" in r.stderr, "less than was wanted is told", r.stderr)
    t.whole("b", r.stdout)
    # Filled while the recording runs: LTTng would say nothing and record nothing.
    r = t.record("-o", "c", "--", "sh", "-c", f"head -c 70m /dev/zero >/dev/shm/filler 2>/dev/null; {t.traced} 100; rm /dev/shm/filler; {t.traced} 200")
    check("answer n" in r.stdout and t.note("c")["processes_refused"] == 1 and t.events("c") == 200, "a process that would get no buffers is refused", r)
    t.run("umount", "/dev/shm")


# --- an ordinary user ---

@case
def ordinary_user(t):
    need_root_inside()
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "LTTNG_HOME")}
    os.mkdir("theirs")
    os.chown("theirs", 65534, 65534)
    for n in range(3):
        r = t.record("-o", f"theirs/a{n}", "--", t.traced, "1000", env=env, user=65534)
        check(r.returncode == 0, "nobody, without HOME", r.stderr)
        t.whole(f"theirs/a{n}", r.stdout)
        t.clean()
    p = subprocess.Popen([t.rbdprof, "record", "-o", "theirs/b", "--", t.traced, "100", "loop", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, user=65534)
    t.started.append(p)
    wait_for(lambda: glob.glob("theirs/b/ust/pid/*"), "the process is traced")
    t.whole("theirs/c", t.record("-o", "theirs/c", "--", t.traced, "100", env=env, user=65534).stdout)
    t.end_well(p, "theirs/b")
    p = subprocess.Popen([t.rbdprof, "record", "-o", "theirs/d", "--", t.traced, "100", "loop", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, user=65534)
    t.started.append(p)
    wait_for(lambda: glob.glob("theirs/d/ust/pid/*"), "the process is traced")
    p.kill()
    p.communicate()
    t.record("-o", "theirs/e", "--", "true", env=env, user=65534)
    daemons, _, homes = t.footprint()
    check((daemons, homes) == (0, []), "a killed recording's daemon ends with it, and its folder is removed by the next", (daemons, homes))
    r = t.record("-o", "/forbidden", "--", "true", env=env, user=65534)
    check(r.returncode == 125 and "/forbidden" in r.stderr, "a folder that is not theirs", r)


@case
def tracing_group(t):
    """A member of the tracing group uses root's daemon, and leaves it alone; without one a private daemon."""
    need_root_inside()
    try:
        group = grp.getgrnam("tracing").gr_gid
    except KeyError:
        raise Skip("no group named tracing")
    os.mkdir("theirs")
    os.chown("theirs", 65534, 65534)
    member = ["setpriv", "--reuid=65534", "--regid=65534", f"--groups={group}", t.rbdprof, "record"]
    t.whole("theirs/a", t.run(*member, "-o", "theirs/a", "--", t.traced, "100").stdout)
    t.clean()
    a = t.start_looping("a", 4)
    daemons = daemon_pids()
    p = subprocess.Popen([*member, "-o", "theirs/b", "--", t.traced, "100", "loop", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    t.started.append(p)
    wait_for(lambda: glob.glob("theirs/b/ust/pid/*"), "the process is traced")
    check(daemon_pids() == daemons, "no second daemon", (daemons, daemon_pids()))
    t.end_well(p, "theirs/b")
    check(daemon_pids() == daemons, "root's daemon lives on", (daemons, daemon_pids()))
    t.end_well(a, "a")
    check(not daemon_pids(), "and is ended by root's recording", daemon_pids())


@case
def user_beside_root(t):
    """An ordinary user's recording beside root's, and root's recording of another user's program."""
    need_root_inside()
    a = t.start_looping("a", 3)
    os.mkdir("theirs")
    os.chown("theirs", 65534, 65534)
    r = t.record("-o", "theirs/b", "--", t.traced, "100", user=65534)
    t.whole("theirs/b", r.stdout)
    t.end_well(a, "a")
    r = t.record("-o", "c", "--", "setpriv", "--reuid=65534", "--clear-groups", t.traced, "100")
    t.whole("c", r.stdout)
    t.clean()


def run_inside(argv):
    """The same script in fresh namespaces, with a shell as their first process that reaps what is orphaned."""
    mounts = "mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /dev/shm"
    if os.geteuid() or subprocess.run(["unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", mounts], capture_output=True).returncode:
        return None
    return subprocess.run(["unshare", "-m", "-p", "-f", "--mount-proc", "bash", "-c", f'{mounts} && "$@"; exit $?', "bash", sys.executable, *argv],
                          env=dict(os.environ, **{INSIDE: "1"})).returncode


def run(name, rbdprof, traced):
    t = Place(rbdprof, traced, ordinary=bool(os.geteuid()) or name in OF_ORDINARY_USERS)
    try:
        cases[name](t)
        print(f"ok      {name}", flush=True)
        return 0
    except Skip as why:
        print(f"skipped {name}: {why}", flush=True)
        return SKIPPED
    except Exception as error:
        print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
        return 1
    finally:
        t.close()


def main(argv):
    if argv[1:] == ["--list"]:
        print("\n".join(cases))
        return 0
    rbdprof, traced, *names = argv[1:]
    results = []
    for name in names or cases:
        status = None if os.environ.get(INSIDE) else run_inside([argv[0], rbdprof, traced, name])
        results.append(run(name, rbdprof, traced) if status is None else status)
    return SKIPPED if set(results) == {SKIPPED} else int(any(r not in (0, SKIPPED) for r in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
