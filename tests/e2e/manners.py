"""What a program and its user notice of being recorded: nothing, but for rbdprof's own lines on standard error."""
import glob, os, re, signal, subprocess, time

from lab import Recording, counted_by_fio, fio_command, fio_counts


def lttng_processes():
    names = []
    for file in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(file, "rb") as opened:
                program = os.path.basename(opened.read().split(b"\0")[0].decode(errors="replace"))
        except OSError:
            continue  # it ended meanwhile
        if program in ("lttng-sessiond", "lttng-consumerd", "lttng-relayd"):
            names.append(program)
    return sorted(names)


def footprint():
    return lttng_processes(), sorted(os.listdir("/dev/shm"))


def nothing_left(lab, before):
    for _ in range(50):
        if footprint() == before:
            break
        time.sleep(0.1)
    lab.equal("daemons and shared memory", footprint(), before)


def test_status(lab):
    before = footprint()
    recording = lab.record(["sh", "-c", "echo out; echo err >&2; exit 7"], check=False)
    lab.equal("exit status", recording.ended.returncode, 7)
    lab.equal("standard output is the command's alone", recording.ended.stdout, "out\n")
    lab.holds("standard error has the command's", "err\n" in recording.ended.stderr, recording.ended.stderr)
    lab.equal("death by a signal", lab.record(["sh", "-c", "kill -TERM $$"], check=False).ended.returncode, 143)
    nothing_left(lab, before)


def test_failures(lab):
    before = footprint()
    ended = lab.record(["no-such-program-here"], check=False).ended
    lab.equal("a program that is not there", ended.returncode, 127)
    lab.holds("is named", "no-such-program-here" in ended.stderr, ended.stderr)
    ended = lab.record(["/etc/passwd"], check=False).ended
    lab.equal("a file that is no program", ended.returncode, 126)
    ended = lab.run([lab.rbdprof, "record", "-o", "/proc/nowhere/x", "--", "true"], check=False)
    lab.equal("a folder that cannot be made", ended.returncode, 125)
    lab.holds("is named", "/proc/nowhere/x" in ended.stderr, ended.stderr)
    ended = lab.run([lab.rbdprof, "report", os.path.join(lab.work, "no-such-trace")], check=False)
    lab.holds("a trace that is not there", ended.returncode not in (0, 3) and ended.returncode < 128 and "no-such-trace" in ended.stderr, (ended.returncode, ended.stderr))
    nothing_left(lab, before)


def test_no_librbd(lab):
    recording = lab.record(["true"])
    ended = lab.run([lab.rbdprof, "report", recording.folder], check=False)
    lab.equal("its report", ended.returncode, 3)
    lab.holds("says why", re.search(r"\blibrbd\b", ended.stdout + ended.stderr), ended.stdout + ended.stderr)


def test_forks(lab):
    """fio's other engines fork: the same result, and nothing traced."""
    before = footprint()
    path = os.path.join(lab.work, "forks")
    command = ["fio", "--name=t", "--ioengine=psync", f"--filename={path}", "--rw=randwrite", "--bs=4k", "--size=4M", "--numjobs=4", "--number_ios=500", "--group_reporting", "--output-format=json"]
    recording = lab.record(command)
    lab.equal("fio's own count", recording.fio["write"]["total_ios"], 2000)
    lab.equal("fio's errors", recording.fio["error"], 0)
    lab.equal("its report", lab.run([lab.rbdprof, "report", recording.folder], check=False).returncode, 3)
    nothing_left(lab, before)


def test_disabled(lab):
    recording = lab.record(fio_command(lab.image("plain"), "randread", ios=500), env={"RBDPROF_DISABLE": "1"})
    lab.equal("fio's own count", recording.fio["read"]["total_ios"], 500)
    lab.equal("its report", lab.run([lab.rbdprof, "report", recording.folder], check=False).returncode, 3)


def test_dormant(lab):
    """fio with the shim and without a recording."""
    ended = lab.run(fio_command(lab.image("plain"), "randrw", ios=3000), env={"LD_PRELOAD": lab.shim()})
    lab.equal("standard error", ended.stderr, "")
    lab.holds("fio ended well", '"error" : 0' in ended.stdout, ended.stdout[:200])


def test_allocators(lab):
    """Another allocator preloaded beside the shim, in fio and in QEMU, which loads librbd late: the same requests."""
    for allocator in ("libjemalloc.so.2", "libtcmalloc.so.4"):
        def beside(command):
            return ["sh", "-c", f'grep -q {allocator} /proc/self/maps && exec "$@"', "sh", *command]

        fio = beside(fio_command(lab.image("plain"), "randrw", ios=2000))
        ended = lab.run(fio, env={"LD_PRELOAD": f"{allocator} {lab.shim()}"})
        lab.equal(f"{allocator}, dormant: fio's errors", lab.parse(ended)["error"], 0)
        for locks in ("contended", "all"):
            recording = lab.record(fio, f"--locks={locks}", env={"LD_PRELOAD": allocator})
            lab.equal(f"{allocator}, {locks}: requests", counted_by_fio(recording.sums("plain")), fio_counts(recording.fio))
        qemu = beside(["qemu-img", "bench", "-f", "raw", "-w", "-t", "none", "-c", "2000", "-d", "32", "-s", "4096", lab.drive("plain")])
        lab.equal(f"{allocator}, QEMU: writes", lab.record(qemu, env={"LD_PRELOAD": allocator}).sums("plain").get("write"), 2000)


def test_exits(lab):
    """Twenty programs that end as soon as they have begun, one after the other: none hangs or crashes, and all their requests are there."""
    command = ["sh", "-c", 'for n in $(seq 20); do "$@" || exit; done', "sh", *fio_command(lab.image("plain"), "randread", ios=50)]
    lab.equal("dormant: exit status", lab.run(command, env={"LD_PRELOAD": lab.shim()}, check=False).returncode, 0)
    recording = lab.record(command, "--locks=all", check=False)
    lab.equal("recorded: exit status", recording.ended.returncode, 0)
    lab.equal("reads", recording.sums("plain").get("read"), 20 * 50)


def test_data_unchanged(lab):
    """fio writes, reads back and verifies checksums under a recording."""
    recording = lab.record(fio_command(lab.image("plain"), "randwrite", "--verify=crc32c", "--do_verify=1", size="8M"))
    lab.equal("fio's errors", recording.fio["error"], 0)
    lab.equal("requests", counted_by_fio(recording.sums("plain")), fio_counts(recording.fio))


def interrupted(lab, deliver):
    before = footprint()
    folder = os.path.join(lab.work, f"interrupted-{deliver.__name__}")
    command = [lab.rbdprof, "record", "-o", folder, "--", *fio_command(lab.image("plain"), "randread", seconds=60)]
    process = subprocess.Popen(command, env=lab.env, cwd=lab.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(5)
    deliver(process)
    try:
        _, err = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        lab.holds("it ended within 30 s", False)
        return
    report = lab.run([lab.rbdprof, "report", "--format", "json", folder], check=False)
    lab.equal("the recording can be read", report.returncode, 0)
    lab.holds("and has requests", '"completed"' in report.stdout, (report.stdout[:200], err[-400:]))
    nothing_left(lab, before)


def test_ctrl_c(lab):
    def ctrl_c(process):
        os.killpg(process.pid, signal.SIGINT)
    interrupted(lab, ctrl_c)


def test_terminated(lab):
    def terminated(process):
        process.send_signal(signal.SIGTERM)
    interrupted(lab, terminated)


def test_overlapping(lab):
    """Two recordings at a time, of which the first ends first: each has its own program and nothing else."""
    before = footprint()
    image, running = lab.image("plain"), []
    for n, ios in ((1, 2000), (2, 9000)):
        folder = os.path.join(lab.work, f"overlapping-{n}")
        running.append((folder, ios, subprocess.Popen([lab.rbdprof, "record", "-o", folder, "--", *fio_command(image, "randread", ios=ios)], env=lab.env, cwd=lab.work,
                                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)))
        time.sleep(0.7)
    for folder, ios, process in running:
        lab.equal("exit status", process.wait(timeout=60), 0)
        lab.equal("reads, from the command line", Recording(lab, folder, None).sums(image).get("read"), ios)
    nothing_left(lab, before)
