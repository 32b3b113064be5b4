"""rbdprof doctor without Ceph: each of its lines, provoked. Part of run.py.

Programs and libraries are compiled here: victim.c, and libraries that have the right names and nothing in them.
"""
import ctypes, os, platform, re, shutil, signal, struct, subprocess, time

from attach import Dormant
from place import Skip, case, check, daemon_pids, need_root_inside, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
CXX = "_ZN6librbd5Image8read_oddEv"  # in victim.c
CXX_KNOWN = "_ZN6librbd5Image5flushEv"
NOBODY = dict(user=65534, group=65534, extra_groups=[])


def doctor(t, *words, **kw):
    r = subprocess.run([t.rbdprof, "doctor", *map(str, words)], capture_output=True, text=True, timeout=60, **kw)
    check(not r.stderr or r.returncode == 2, "nothing on standard error", r)
    return r


def says(t, words, level, about, sentence, status=None, **kw):
    """One line of that level has the sentence; the status is that of the lines, unless another line decides it."""
    r = doctor(t, *words, **kw)
    lines = [line for line in r.stdout.splitlines() if line.startswith(f"{level:5}  {about:16} ")]
    check(any(sentence in line for line in lines), f"{level} {about}: {sentence}", r.stdout)
    check(r.returncode == int("\nBLIND" in "\n" + r.stdout), "blind is the exit status", (r.returncode, r.stdout))
    if level == "BLIND":
        check(r.returncode == 1, "blind", r.stdout)
    if status is not None:
        check(r.returncode == status, "exit status", (r.returncode, r.stdout))
    return r


def cc(*words, source=None):
    r = subprocess.run(["cc", "-O1", *(["-x", "c", "-", "-x", "none"] if source is not None else []), *words], input=source, capture_output=True, text=True)
    check(r.returncode == 0, "it compiles", r.stderr)


def functions():
    """The functions of librbd that the library asks for: {name: whether it needs it}."""
    with open(os.path.join(HERE, "..", "..", "tracepoints", "functions.def")) as file:
        return {name: need == "REQUIRED" for need, name in re.findall(r"^FN\(RBD, (\w+), (\w+)\)", file.read(), re.M)}


def fake_librbd(folder, without=(), more=()):
    os.makedirs(folder, exist_ok=True)
    names = [name for name in functions() if name not in without] + list(more)
    cc("-shared", "-fPIC", "-Wl,-soname,librbd.so.1", "-o", f"{folder}/librbd.so.1",
       source="".join(f"int {name}(void) {{ return 0; }}\n" for name in names))


def library(folder, name, source=""):
    os.makedirs(folder, exist_ok=True)
    cc("-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", f"{folder}/{name}", source=source)
    return f"{folder}/{name}"


def victim(name, *words, folder="lib", calls=("LINKED",)):
    librbd = ["-Wl,--no-as-needed", f"-L{folder}", "-l:librbd.so.1", f"-Wl,-rpath,{os.path.abspath(folder)}"]
    cc("-o", name, *[f"-D{call}" for call in calls], os.path.join(HERE, "victim.c"), *(librbd if calls else []), *words)
    return os.path.abspath(name)


def run_victim(t, *command, shim=True, env=None, **kw):
    more = {"LD_PRELOAD": t.shim} if shim else {}
    p = subprocess.Popen(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **more, **(env or {})}, **kw)
    t.started.append(p)
    check(p.stdout.readline() == "ready\n", "the victim runs", command)
    return p


# --- the machine ---

@case
def doctor_usage(t):
    for words, sentence in ((["x"], "x"), (["-1"], "-1"), (["999999999"], "no process"), (["--unknown"], "--unknown"), (["1", "2"], "2")):
        r = doctor(t, *words)
        check(r.returncode == 2 and sentence in r.stderr, f"status and sentence of {words}", r)
    check(doctor(t, "--help").returncode == 0, "--help")
    t.clean()


@case
def doctor_library(t):
    says(t, [], "ok", "library", t.shim)
    env = lambda folder: dict(os.environ, RBDPROF_PRELOAD_DIR=folder)
    says(t, [], "BLIND", "library", "librbdprof.so is not where", env=env("/nowhere"))
    os.mkdir("half")
    shutil.copy(t.shim, "half")
    says(t, [], "BLIND", "library", "half/librbdprof-lttng.so: No such file", env=env(f"{t.work}/half"))
    library("half", "liblttng-ust-of-old.so.9", "int f(void) { return 0; }")
    cc("-shared", "-fPIC", "-o", "half/librbdprof-lttng.so", "-Wl,--no-as-needed", "half/liblttng-ust-of-old.so.9", source="int f(void); int g(void) { return f(); }")
    os.remove("half/liblttng-ust-of-old.so.9")
    says(t, [], "BLIND", "library", "liblttng-ust-of-old.so.9, which is not there", env=env(f"{t.work}/half"))
    with open("half/librbdprof.so", "w") as file:
        file.write("no library\n")
    says(t, ["--", "true"], "BLIND", "program", "the loader does not preload", env=env(f"{t.work}/half"))


@case
def doctor_daemon(t):
    need_root_inside()
    says(t, [], "ok", "session daemon", "none runs")
    says(t, [], "ok", "versions", ", LTTng 2.")
    os.mkdir("bin")
    for name in ("sh", "true"):
        os.symlink(shutil.which(name), f"bin/{name}")
    says(t, [], "BLIND", "session daemon", "install lttng-tools", env=dict(os.environ, PATH=f"{t.work}/bin"))
    says(t, [], "note", "versions", "cannot be told", env=dict(os.environ, PATH=f"{t.work}/bin"))
    with open("bin/lttng-sessiond", "w") as file:
        file.write("#!/bin/sh\necho 2.16.0\n")
    os.chmod("bin/lttng-sessiond", 0o755)
    old = re.search(r" 2\.0\.", subprocess.run(["babeltrace2", "--version"], capture_output=True, text=True).stdout)
    says(t, [], *(("note", "versions", "libbabeltrace2 2.1") if old else ("ok", "versions", "2.16.0")), env=dict(os.environ, PATH=f"{t.work}/bin"))
    sessiond = subprocess.Popen(["lttng-sessiond", "--no-kernel", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: t.run("lttng", "list").returncode == 0, "the daemon answers")
    says(t, [], "ok", "session daemon", "runs and answers")
    for pid in daemon_pids():
        os.kill(pid, signal.SIGSTOP)
    says(t, [], "BLIND", "session daemon", "does not answer")
    for pid in daemon_pids():
        os.kill(pid, signal.SIGCONT)
    sessiond.terminate()
    sessiond.wait(timeout=20)


@case
def doctor_user(t):
    need_root_inside()
    says(t, [], "ok", "user", "root")
    says(t, [], "note", "user", "not a member", **NOBODY)
    tracing = subprocess.run(["getent", "group", "tracing"], capture_output=True, text=True).stdout
    if tracing:
        says(t, [], "ok", "user", "a member", user=65534, group=65534, extra_groups=[int(tracing.split(":")[2])])


@case
def doctor_room(t):
    need_root_inside()
    says(t, [], "ok", "shared memory", "buffers for 4 processes")
    for size, level, sentence in (("100k", "BLIND", "processors need"), ("2m", "note", "small buffers")):
        check(t.run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", "/dev/shm").returncode == 0, "little shared memory")
        says(t, [], level, "shared memory", sentence)
        t.run("umount", "/dev/shm")
    says(t, [], "ok", "disk", "free in the current folder")
    os.mkdir("disk")
    check(t.run("mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", "disk").returncode == 0, "a small disk")
    says(t, [], "BLIND", "disk", "too little", cwd="disk")
    t.run("umount", "disk")


def deny_reading():
    """In a child before its program: process_vm_readv is refused, as Yama and some containers refuse it."""
    libc, number = ctypes.CDLL(None, use_errno=True), {"x86_64": 310, "aarch64": 270}[platform.machine()]
    # Load the call's number; unless it is this one, skip an instruction; EPERM; allow.
    code = ctypes.create_string_buffer(struct.pack("<HBBI", 0x20, 0, 0, 0) + struct.pack("<HBBI", 0x15, 0, 1, number) +
                                       struct.pack("<HBBI", 0x06, 0, 0, 0x00050001) + struct.pack("<HBBI", 0x06, 0, 0, 0x7fff0000))
    program = ctypes.create_string_buffer(struct.pack("@HP", 4, ctypes.addressof(code)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def own_devices(t):
    """A /dev of this case's own with a device of the kernel's client in it."""
    need_root_inside()
    check(t.run("sh", "-c", "mount -t tmpfs tmpfs /dev && mkdir /dev/shm && mount -t tmpfs tmpfs /dev/shm && mknod -m 666 /dev/null c 1 3 && "
                            "mknod -m 666 /dev/urandom c 1 9 && echo >/dev/rbd0").returncode == 0, "a /dev of its own")


@case
def doctor_kernel_client(t):
    fake_librbd("lib")
    own_devices(t)
    check(t.run("umount", "/dev/shm").returncode == 0 and not os.rmdir("/dev/shm"), "no shared memory at all")
    says(t, [], "BLIND", "shared memory", "cannot look at /dev/shm")
    os.mkdir("/dev/shm")
    check(t.run("mount", "-t", "tmpfs", "tmpfs", "/dev/shm").returncode == 0, "and again")
    says(t, [], "note", "kernel client", "/dev/rbd0", 0)
    says(t, ["--", "cat", "--file=/dev/rbd0"], "note", "kernel client", "/dev/rbd0 is the kernel's: what goes there")
    p = run_victim(t, victim("krbd", calls=()), "open", "/dev/rbd0")
    says(t, [p.pid], "BLIND", "kernel client", "it uses /dev/rbd0")
    p = run_victim(t, victim("both"), "open", "/dev/rbd0")
    says(t, [p.pid], "note", "kernel client", "it uses /dev/rbd0", 0)


# --- commands ---

@case
def doctor_commands(t):
    fake_librbd("lib")
    fine = victim("fine")
    says(t, ["--", fine], "ok", "program", fine, 0)
    says(t, ["--", fine], "ok", "librbd", "lib/librbd.so.1")
    says(t, ["--", fine], "ok", "functions", "all of the C interface")
    says(t, ["--", fine], "ok", "allocator", "the C library's")
    says(t, ["--", victim("later", calls=())], "note", "librbd", "may load it later", 0)
    says(t, ["--", "no-such-program"], "BLIND", "program", "no-such-program")
    cc("-static", "-o", "static", os.path.join(HERE, "victim.c"))
    says(t, ["--", "./static"], "BLIND", "program", "linked statically")
    cc("-static-pie", "-o", "static-pie", os.path.join(HERE, "victim.c"))
    says(t, ["--", "./static-pie"], "BLIND", "program", "linked statically")
    with open("script", "w") as file:
        file.write("#!/bin/sh\n")
    with open("text", "w") as file:
        file.write("no program\n")
    os.chmod("script", 0o755)
    os.chmod("text", 0o755)
    says(t, ["--", "./script"], "ok", "program", "is a script")
    says(t, ["--", "./text"], "BLIND", "program", "no program of this machine's kind")
    fake_librbd("newer", more=["rbd_aio_teleport", "rbd_mirror_image_rest"])
    says(t, ["--", victim("with-newer", folder="newer")], "note", "functions", "1 that the library does not know, rbd_aio_teleport first", 0)
    fake_librbd("older", without=["rbd_aio_readv"])
    says(t, ["--", victim("with-older", folder="older")], "BLIND", "functions", "lacks 1 that the library needs, rbd_aio_readv first")
    optional = next(name for name, needed in functions().items() if not needed)
    fake_librbd("rather-old", without=[optional])
    says(t, ["--", victim("with-rather-old", folder="rather-old")], "ok", "functions", "all of the C interface")
    old = library("lib", "liblttng-ust.so.0")
    says(t, ["--", victim("with-old-lttng", old)], "BLIND", "LTTng", "liblttng-ust.so.0")
    for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"):
        says(t, ["--", victim(f"with-{name}", library("lib", name))], "ok", "allocator", name, 0)
    gone = library("lib", "libgone.so.1")
    lacking = victim("lacking", gone)
    os.remove(gone)
    says(t, ["--", lacking], "note", "program", "libgone.so.1")
    fake_librbd("cxx-lib", more=[CXX])
    says(t, ["--", victim("cxx", folder="cxx-lib", calls=("CXX",))], "BLIND", "C++ interface", "1 of which are not seen")
    says(t, ["--", victim("both", folder="cxx-lib", calls=("CXX", "LINKED"))], "note", "C++ interface", "1 of which are not seen", 0)
    fake_librbd("known-lib", more=[CXX_KNOWN])
    says(t, ["--", victim("known", folder="known-lib", calls=("CXX_KNOWN",))], "ok", "C++ interface", "all 1 functions that it calls are seen", 0)


@case
def doctor_privileges(t):
    need_root_inside()
    fake_librbd("lib")
    for name, mode, sentence in (("setuid", 0o4755, "set-user-id"), ("setgid", 0o2755, "set-group-id"), ("capable", 0o755, "capabilities of its own")):
        path = victim(name)
        os.chmod(path, mode)
        if name == "capable":  # version 2, effective: CAP_NET_ADMIN
            os.setxattr(path, "security.capability", struct.pack("<5I", 0x02000001, 1 << 12, 0, 0, 0))
        says(t, ["--", path], "BLIND", "program", sentence, **NOBODY)
        says(t, ["--", path], "ok", "program", path, 0)  # for root it is none
        p = run_victim(t, path, **NOBODY)
        says(t, [p.pid], "BLIND", "attach", "the loader preloads nothing there")
    p = run_victim(t, victim("fine"), **NOBODY)
    os.chmod("lib/librbd.so.1", 0)
    says(t, [p.pid], "note", "functions", "cannot read", **NOBODY)
    os.chmod("lib/librbd.so.1", 0o755)
    os.chmod(victim("unreadable"), 0o711)
    says(t, ["--", "./unreadable"], "BLIND", "program", "cannot read", **NOBODY)


# --- processes ---

@case
def doctor_processes(t):
    fake_librbd("lib")
    fine = victim("fine")
    p = run_victim(t, fine)
    says(t, [p.pid], "ok", "attach", "waits for its first image", 0)
    says(t, [p.pid], "ok", "calls", "functions of librbd lead through the library")
    says(t, [p.pid], "note", "calls", "its memory cannot be read", preexec_fn=deny_reading)
    says(t, [Dormant(t).pid], "ok", "attach", "ready")
    r = says(t, [p.pid], "ok", "librbd", "lib/librbd.so.1, Ceph of an unknown release")
    check("loaded at run time" not in r.stdout, "linked", r.stdout)
    says(t, [p.pid], "ok", "allocator", "the C library's")
    os.kill(p.pid, signal.SIGSTOP)
    wait_for(lambda: "\nState:\tT" in open(f"/proc/{p.pid}/status").read(), "it is stopped")
    says(t, [p.pid], "BLIND", "attach", "is stopped")
    os.kill(p.pid, signal.SIGCONT)
    says(t, [run_victim(t, fine, shim=False).pid], "BLIND", "attach", f"restart it with LD_PRELOAD={t.shim}")
    says(t, [run_victim(t, fine, shim=False).pid], "BLIND", "attach", "LD_PRELOAD=…/librbdprof.so", env=dict(os.environ, RBDPROF_PRELOAD_DIR="/nowhere"))
    says(t, [run_victim(t, fine, env={"LD_PRELOAD": "/nowhere/librbdprof.so"}).pid], "BLIND", "attach", "could not load it")
    says(t, [run_victim(t, fine, env={"RBDPROF_DISABLE": "1"}).pid], "BLIND", "attach", "RBDPROF_DISABLE")
    says(t, [run_victim(t, victim("later", calls=())).pid], "note", "librbd", "not in it", 0)
    says(t, [run_victim(t, "./later", shim=False).pid], "BLIND", "attach", "nothing to record")
    cc("-static", "-o", "static", os.path.join(HERE, "victim.c"))
    says(t, [run_victim(t, "./static").pid], "BLIND", "process", "linked statically")
    cc("-shared", "-fPIC", "-DPLUGIN", "-o", "plugin.so", os.path.join(HERE, "victim.c"), "-Llib", "-l:librbd.so.1", f"-Wl,-rpath,{t.work}/lib")
    says(t, [run_victim(t, "./later", "local", f"{t.work}/plugin.so").pid], "ok", "librbd", "loaded at run time", 0)
    says(t, [run_victim(t, "./later", "local", f"{t.work}/plugin.so").pid], "ok", "calls", "3 functions of librbd lead through")
    says(t, [run_victim(t, "./later", "deep", f"{t.work}/plugin.so").pid], "BLIND", "calls", f"3 of 3 functions that {t.work}/plugin.so calls")
    old = library("lib", "liblttng-ust.so.0")
    says(t, [run_victim(t, victim("with-old-lttng", old)).pid], "BLIND", "attach", "liblttng-ust.so.0")
    for name in ("libjemalloc.so.2", "libtcmalloc.so.4", "libmimalloc.so.2"):
        says(t, [run_victim(t, victim(f"with-{name}", library("lib", name))).pid], "ok", "allocator", name, 0)
    fake_librbd("newer", more=["rbd_aio_teleport"])
    says(t, [run_victim(t, victim("with-newer", folder="newer")).pid], "note", "functions", "rbd_aio_teleport", 0)
    fake_librbd("older", without=["rbd_aio_readv"])
    says(t, [run_victim(t, victim("with-older", folder="older")).pid], "BLIND", "functions", "rbd_aio_readv")
    fake_librbd("cxx-lib", more=[CXX])
    says(t, [run_victim(t, victim("cxx", folder="cxx-lib", calls=("CXX",))).pid], "BLIND", "C++ interface", "1 of which are not seen")
    says(t, [run_victim(t, victim("both", folder="cxx-lib", calls=("CXX", "LINKED"))).pid], "note", "C++ interface", "1 of which are not seen", 0)
    fake_librbd("known-lib", more=[CXX_KNOWN])
    says(t, [run_victim(t, victim("known", folder="known-lib", calls=("CXX_KNOWN",))).pid], "ok", "C++ interface", "1 functions that")
    says(t, [run_victim(t, victim("lazy", "-Wl,-z,lazy")).pid], "ok", "calls", "some when they are first called", 0)
    says(t, [run_victim(t, fine, env={"LD_PRELOAD": t.shim_of_schema("newer-library", 1)}).pid], "BLIND", "attach", "has a newer library")
    says(t, [run_victim(t, fine, env={"LD_PRELOAD": t.shim_of_schema("older-library", -1)}).pid], "ok", "attach", "waits for its first image", 0)
    says(t, [run_victim(t, fine, "seccomp").pid], "note", "seccomp", "filter of system calls", 0)
    os.remove("fine")
    shutil.copy("/bin/true", "fine")
    says(t, [p.pid], "ok", "attach", "waits for its first image", 0)  # its file was replaced


@case
def doctor_other_mounts(t):
    need_root_inside()
    fake_librbd("lib")
    fine = victim("fine")
    os.mkdir("/run/lttng")
    for hide, level, sentence in (("/run", "BLIND", "does not see"), ("/dev/shm", "BLIND", "does not see"), ("/mnt", "ok", "but it sees")):
        p = run_victim(t, "unshare", "-m", "sh", "-c", f"mount -t tmpfs tmpfs {hide}; exec {fine}")
        says(t, [p.pid], level, "mounts", sentence)
    says(t, [p.pid], "BLIND", "process", "root's: only root", **NOBODY)
    r = t.run("unshare", "--user", "--map-root-user", t.rbdprof, "doctor", str(p.pid), user=65534)
    check(r.returncode == 1 and "may not be looked into, even by root" in r.stdout, "root of a user namespace", r)
