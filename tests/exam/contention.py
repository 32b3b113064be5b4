"""Causes that lie in the exclusive lock: who wants it, who does not give it up, who is gone."""
import os, shlex, signal, time

import lab
from rows import Outcome, compared, reckoned, row
from stage import BRIEF, HERE, Run, of_fio

EXCLUSIVE = "layering,exclusive-lock"
JOURNALED = "layering,exclusive-lock,journaling"
PINGPONG = "exclusive-lock-pingpong"


def writer_alone(stage, at, image):
    return lambda: stage.fio(image, "randwrite", recorded=True, depth=at.depth, seconds=BRIEF)


def two_jobs(stage, at, image, rw):
    """One client, then two of the same depth each, in one process."""
    return compared(image, lambda: stage.fio(image, rw, recorded=True, depth=at.depth, seconds=BRIEF),
                    lambda: stage.fio(image, rw, f"--randseed={at.seed}", recorded=True, jobs=2, depth=at.depth, seconds=at.seconds))


@row(PINGPONG, "writers")
def writers(stage, at):
    return two_jobs(stage, at, stage.image("excl", EXCLUSIVE), "randwrite")


@row(PINGPONG, "journaled-readers")
def journaled_readers(stage, at):
    return two_jobs(stage, at, stage.image("jour-readers", JOURNALED), "randread")


@row(PINGPONG, "journaled-writers")
def journaled_writers(stage, at):
    return two_jobs(stage, at, stage.image("jour-writers", JOURNALED), "randwrite")


@row(PINGPONG, "two-processes")
def two_processes(stage, at):
    image = stage.image("excl", EXCLUSIVE)
    fio = shlex.join(lab.fio_command(image, "randwrite", depth=at.depth, seconds=at.seconds))

    def both():
        recording = stage.record(["sh", "-c", f"{fio} --output=other.json & {fio}; wait"])
        with open(os.path.join(stage.work, "other.json")) as other:
            runs = [of_fio(recording.ended.stdout), of_fio(other.read())]
        requests = sum(run.requests for run in runs)
        return Run(requests, sum(run.iops for run in runs), sum(run.request_time_ns for run in runs) / requests, recording=recording)

    return compared(image, writer_alone(stage, at, image), both)


@row(PINGPONG, "peer-not-traced", long=True)
def peer_not_traced(stage, at):
    image = stage.image("excl-untraced", EXCLUSIVE)

    def beside_another():
        with stage.beside(*lab.fio_command(image, "randwrite", depth=at.depth, seconds=60), says=False, end=signal.SIGTERM):
            time.sleep(0.5)
            return stage.fio(image, "randwrite", recorded=True, depth=at.depth, seconds=at.seconds)

    return compared(image, writer_alone(stage, at, image), beside_another)


@row(PINGPONG, "once-a-second", long=True, depths=())
def once_a_second(stage, at):
    """Two writers that each write a little once a second: few handovers, and a lock wait for each burst."""
    image = stage.image("excl", EXCLUSIVE)
    bursts = ("--thinktime=1s", "--thinktime_blocks=8", "--thinktime_blocks_type=issue", "--direct=1")
    return compared(image, lambda: stage.fio(image, "randwrite", *bursts, recorded=True, depth=8, seconds=3),
                    lambda: stage.fio(image, "randwrite", *bursts, recorded=True, jobs=2, depth=8, seconds=6))


@row(PINGPONG, "for-a-while", long=True, depths=())
def for_a_while(stage, at):
    """A writer whose peer writes for one second out of six: a burst."""
    image, span = stage.image("excl", EXCLUSIVE), []

    def disturb():
        span.clear()
        span.append(time.time_ns())
        stage.fio(image, "randwrite", depth=at.depth, seconds=1)
        span.append(time.time_ns())

    def disturbed():
        with stage.meanwhile(3, disturb):
            return stage.fio(image, "randwrite", recorded=True, depth=at.depth, seconds=6)

    result = compared(image, writer_alone(stage, at, image), disturbed)
    recording = next(recording for recording in stage.recordings if recording.folder in result.folders)
    ownership = next(i for i in recording.report["images"] if i["name"] == image)["ownership"]
    begins = [tenure["begin_ns"] for tenure in ownership["sequence"][1:] if tenure["begin_ns"]]
    stage.holds("the handovers lie where the peer wrote", begins and span[0] <= min(begins) and max(begins) <= span[1] + 1e9,
                (span, begins[:1], begins[-1:]))
    return result


# --- a lock that is taken, or kept ---

@row("exclusive-lock-steal-by-flush", "both-traced")
def steal_both_traced(stage, at):
    """A process that never writes takes the lock by flushing."""
    image = stage.image("excl-thief", EXCLUSIVE)
    fio = shlex.join(lab.fio_command(image, "randwrite", depth=at.depth, seconds=at.seconds))
    thief = shlex.join([stage.program("peer", HERE), "flush", "rbd", image, "20"])

    def stolen():
        recording = stage.record(["sh", "-c", f"{thief} & {fio}; kill $!; wait"])
        return of_fio(recording.ended.stdout, recording)

    return compared(image, writer_alone(stage, at, image), stolen)


@row("exclusive-lock-steal-by-flush", "thief-not-traced", mistakable=(PINGPONG,))
def steal_thief_unseen(stage, at):
    """From the writer alone nobody can tell what the other did with the lock."""
    image = stage.image("excl-thief", EXCLUSIVE)

    def stolen():
        with stage.peer("flush", image, 20):
            return stage.fio(image, "randwrite", recorded=True, depth=at.depth, seconds=at.seconds)

    return compared(image, writer_alone(stage, at, image), stolen)


@row("manual-lock", "refused", depths=())
def manual_lock(stage, at):
    """All requests fail: all of their time goes to a refusal."""
    image = stage.image("excl-manual", EXCLUSIVE)
    without = stage.load("plain", image, BRIEF)
    with stage.owner(image, "acquire"):
        refused = stage.load("plain", image, at.seconds, recorded=True)
    stage.equal("requests that were not refused", refused.said["completed"], 0)
    return reckoned(image, without, refused, 1)


def gone(stage, at, image, lose, peer):
    """An owner that is idle and then gone: a writer waits until the OSD has given up its watch. The share of request time is that of the
    first requests, which all wait as long as the longest."""
    without = writer_alone(stage, at, stage.image(image, EXCLUSIVE))()
    with stage.osd_set(osd_client_watch_timeout=5), peer(stage, image) as (owner, _):
        lose(owner)
        # --direct=1: fio would flush first otherwise, outside its measurement.
        run = stage.fio(image, "randwrite", "--direct=1", recorded=True, depth=at.depth, seconds=6)
    return reckoned(image, without, run, run.longest_ns * at.depth / run.request_time_ns)


@row("exclusive-lock-dead-owner", "killed-writer")
def killed_writer(stage, at):
    return gone(stage, at, "excl-killed", lambda owner: owner.send_signal(signal.SIGKILL), lambda stage, image: stage.owner(image, "write"))


@row("exclusive-lock-dead-owner", "killed-flusher", long=True)
def killed_flusher(stage, at):
    return gone(stage, at, "excl-killed", lambda owner: owner.send_signal(signal.SIGKILL), lambda stage, image: stage.peer("flush-once", image))


@row("exclusive-lock-dead-owner", "stopped", long=True)
def stopped_owner(stage, at):
    return gone(stage, at, "excl-stopped", lambda owner: owner.send_signal(signal.SIGSTOP), lambda stage, image: stage.owner(image, "write"))


@row("exclusive-lock-dead-owner", "killed-after-its-answer", long=True, depths=())
def killed_after_answer(stage, at):
    """The owner promises to give up the lock and dies: the peer asks again only after ten seconds."""
    image = stage.image("excl-answer", EXCLUSIVE)
    without = writer_alone(stage, at, image)()
    with stage.osd_set(osd_client_watch_timeout=5), stage.peer("answer", image, 300):
        run = stage.fio(image, "randwrite", "--direct=1", recorded=True, depth=at.depth, seconds=14)
    stage.between("its longest wait, s", 9, run.longest_ns / 1e9, 13)
    return reckoned(image, without, run, run.longest_ns * at.depth / run.request_time_ns)


@row("exclusive-lock-dead-owner", "still-waiting", long=True, depths=())
def still_waiting(stage, at):
    """The recording ends before the wait does: what waits has not completed, and is told with its age all the same."""
    image = stage.image("excl-waiting", EXCLUSIVE)
    with stage.owner(image, "write") as (owner, _):
        owner.send_signal(signal.SIGSTOP)
        recording = stage.record(["timeout", "-s", "KILL", "4", *lab.fio_command(image, "randwrite", "--direct=1", seconds=20)], check=False)
    clients = recording.clients(image)
    stage.equal("requests that wait", sum(client["open_requests"] for client in clients), 32)
    return Outcome([recording.folder], image, None, None, 0)


@row("notify-stalled", "stopped-watcher", depths=())
def stopped_watcher(stage, at):
    """A watcher that does not answer, for less than its watch lasts: each notification waits its five seconds for it."""
    image = stage.image("excl-notify", EXCLUSIVE)
    without = stage.fio(image, "randwrite", jobs=2, depth=at.depth, seconds=BRIEF)
    with stage.peer("open", image) as (watcher, _):
        watcher.send_signal(signal.SIGSTOP)
        run = stage.fio(image, "randwrite", "--direct=1", "--write_lat_log=latencies", recorded=True, jobs=2, depth=at.depth, seconds=11)
    return reckoned(image, without, run, stage.share_in_gaps("latencies", 2))
