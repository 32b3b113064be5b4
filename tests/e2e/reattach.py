"""Attached to twenty times while it writes: the program fails at nothing, keeps nothing, and costs afterwards what it did before."""
import json, os, re, signal, statistics, subprocess, threading, time

from attached import attach
from lab import fio_command

WINDOWS = 10
STACKS_KIB = 264  # libunwind's cache, which a thread keeps from the first time that its stack is taken: 16384 entries of 16 bytes, and its head


class Load:
    """fio, two jobs that write to one image with the library asleep in them, for as long as wanted. It tells its counts when asked (SIGUSR1)."""

    def __init__(self, lab, image):
        self.text, self.lab = "", lab
        self.process = subprocess.Popen(fio_command(image, "randwrite", jobs=2, seconds=600), env={**lab.env, "LD_PRELOAD": lab.shim()}, cwd=lab.work,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def answers(self):
        found, at, decoder = [], self.text.find("{"), json.JSONDecoder()
        while at >= 0:
            try:
                answer, end = decoder.raw_decode(self.text, at)
            except ValueError:
                break  # not yet all of it
            found.append(answer["jobs"][0])
            at = self.text.find("{", end)
        return found

    def wrote(self):
        """So many requests so far."""
        known, end = len(self.answers()), time.monotonic() + 20
        self.process.send_signal(signal.SIGUSR1)
        while len(self.answers()) == known and time.monotonic() < end:
            time.sleep(0.005)
        return self.answers()[known]["write"]["total_ios"]

    def used(self):
        """CPU seconds so far."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def held(self):
        """What it has now: descriptors, threads, and KiB mapped and resident."""
        with open(f"/proc/{self.process.pid}/status") as file:
            status = file.read()
        return {"descriptors": len(os.listdir(f"/proc/{self.process.pid}/fd")),
                **{name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M)[1]) for name in ("Threads", "VmSize", "VmRSS")}}

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)
        self.reader.join()
        return self.answers()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def test_ends_whole(lab):
    """What threads keep to tell it together is told before the recording ends: fio's 32 are open then, but for those that it is about to renew."""
    opened = []
    with Load(lab, lab.image("plain")) as load:
        time.sleep(2)
        for _ in range(4):
            recording = attach(lab, load.process.pid, seconds=1)
            trace = recording.report["trace"]
            lab.equal("lost, unaccounted, unmatched", (trace["lost_events"], trace["unaccounted_events"], trace["unmatched_requests"]), (0, 0, 0))
            opened += [client["open_requests"] for client in recording.clients("plain")]
        load.end()
    lab.between("most requests open at an end", 1, max(opened), 32)
    lab.between("and on average, where every other place would be lost half full otherwise", 24, statistics.mean(opened), 32)


def ratios(loads):
    """CPU time of a request of the first over that of the second, in windows that both share: what else the machine does concerns both."""
    found = []
    for _ in range(WINDOWS):
        before = [(load.used(), load.wrote()) for load in loads]
        time.sleep(1)
        after = [(load.used(), load.wrote()) for load in loads]
        one, other = ((used - was_used) / (wrote - had_written) for (was_used, had_written), (used, wrote) in zip(before, after))
        found.append(one / other)
    return found


def test_twenty_times(lab):
    """A second program of the same kind is never attached to: it is the measure. By chance alone the higher median of ten windows exceeds the
    highest of ten others once in 185 runs: 210 of 38760 orders."""
    images = [lab.image(name, features="layering") for name in ("attached-to", "left-alone")]
    with Load(lab, images[0]) as load, Load(lab, images[1]) as alone:
        time.sleep(4)
        before, held, writes = ratios((load, alone)), [], []
        for _ in range(20):
            writes.append(attach(lab, load.process.pid, seconds=1).sums(images[0])["write"])
            held.append(load.held())
        after = ratios((load, alone))
        ended = load.end()
        lab.equal("fio's errors, and its end", (ended["error"], load.process.stderr.read()), (0, ""))
        lab.holds("each round saw it write", min(writes) > 0, writes)
        third, last = held[2], held[-1]
        for what in ("descriptors", "Threads"):
            lab.equal(f"{what} after the third and the last", last[what], third[what])
        for what in ("VmSize", "VmRSS"):
            lab.between(f"growth of {what} from the third to the last, in KiB", -third[what], last[what] - third[what], STACKS_KIB * last["Threads"])
        lab.holds("CPU time of a request afterwards", statistics.median_high(after) <= max(before), (sorted(before), sorted(after)))


test_twenty_times.long = True
