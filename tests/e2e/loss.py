"""Lost events are declared, and what remains still adds up."""
import glob, os, signal, threading

from lab import fio_command


def signal_consumers(number):
    """Stops or continues the processes that take events out of the buffers."""
    for file in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(file, "rb") as opened:
                if os.path.basename(opened.read().split(b"\0")[0]) == b"lttng-consumerd":
                    os.kill(int(file.split("/")[2]), number)
        except OSError:
            pass  # it ended meanwhile


def test_declared(lab):
    """Small buffers that nobody empties for a while: fio's count is what was completed and what is declared as lost or broken."""
    image = lab.image("plain")
    timers = [threading.Timer(2, signal_consumers, [signal.SIGSTOP]), threading.Timer(3.5, signal_consumers, [signal.SIGCONT])]
    for timer in timers:
        timer.start()
    try:
        recording = lab.record(fio_command(image, "randread", seconds=4), "--buffers", "64K")
    finally:
        for timer in timers:
            timer.join()
    trace, fio = recording.report["trace"], recording.fio
    seen = recording.sums(image).get("read", 0)
    lab.equal("fio's errors", fio["error"], 0)
    lab.holds("events were lost, as the test intends", trace["lost_events"] > 0, trace)
    admitted = sum(i["events"] or 0 for i in trace["lost_intervals"])
    lab.holds("each loss has its interval, in which what is told together is one", 0 < admitted <= trace["lost_events"], trace["lost_intervals"][:5])
    missing = fio["read"]["total_ios"] - seen
    lab.between("a request that is missing has lost an event at least", 0, missing, trace["lost_events"])
    strict = lab.run([lab.rbdprof, "report", "--strict", recording.folder], check=False)
    lab.equal("with --strict the loss is the exit status", strict.returncode, 4)
    lab.holds("and the text tells of it", "lost" in strict.stdout + strict.stderr, strict.stdout[:300])


def test_killed(lab):
    """A process that is killed takes with it what it kept to tell it together: a tenth of a second, give or take how fast the machine is."""
    fio = fio_command(lab.image("plain"), "randread", "--thread", seconds=60)
    recording = lab.record(["sh", "-c", 'timeout -s KILL 3 "$@"; date +%s%N', "sh", *fio])
    died_ns, end_ns = int(recording.ended.stdout.split()[-1]), recording.report["trace"]["end_ns"]
    lab.between("the recording ends before the process did, by", -50e6, died_ns - end_ns, 300e6)
    client = recording.clients("plain")[0]
    lab.holds("its requests are there", client["requests"]["read"]["completed"] > 1000, client["requests"])
