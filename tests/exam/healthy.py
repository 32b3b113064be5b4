"""Runs that nothing holds up, and causes that lie in how the application asks: too few requests at a time, too little processor."""
import contextlib, os

from rows import compared, reckoned, row, unaccused
from stage import BRIEF, Skip

EXCLUSIVE = "layering,exclusive-lock"


def plain(stage, at, rw, *options):
    image = stage.image("plain")
    return unaccused(image, stage.fio(image, rw, f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds,
                                      env=stage.client(*options)))


@row("healthy", "reads", depths=(16, 32, 128))
def reads(stage, at):
    return plain(stage, at, "randread", "rbd_io_scheduler=none")


@row("healthy", "writes", depths=(16, 32, 128))
def writes(stage, at):
    return plain(stage, at, "randwrite", "rbd_io_scheduler=none")


@row("healthy", "default-scheduler", depths=(16, 32, 128))
def default_scheduler(stage, at):
    return plain(stage, at, "randwrite")


@row("healthy", "large-reads", long=True, depths=(16,))
def large_reads(stage, at):
    image = stage.image("plain")
    return unaccused(image, stage.fio(image, "read", recorded=True, bs="256k", depth=at.depth, seconds=at.seconds))


@row("healthy", "exclusive-lock-alone", depths=(16, 32, 128))
def alone(stage, at):
    """The lock is there, and there is nobody else who wants it."""
    image = stage.image("excl", EXCLUSIVE)
    return unaccused(image, stage.fio(image, "randwrite", recorded=True, depth=at.depth, seconds=at.seconds))


@row("queue-shallow", "depth-1", depths=(), whole="wall")
def depth_1(stage, at):
    """One at a time: more at a time give more. It is that for as long as there is one."""
    image = stage.image("plain")
    deep = stage.fio(image, "randread", depth=16, seconds=BRIEF)
    one = stage.fio(image, "randread", recorded=True, depth=1, seconds=at.seconds)
    stage.holds("more depth gives more", deep.iops > 1.5 * one.iops, (one.iops, deep.iops))
    return reckoned(image, deep, one, one.iops * one.latency_ns / 1e9)


@row("application-idle", "cached-writes", depths=(), whole="wall")
def cached_writes(stage, at):
    """A program that pauses, with the cache in use: writes are complete before anything is sent for them, and that librbd has all of their time
    is as it should be. There is one at a time."""
    run = stage.load("flushed", stage.image("plain"), at.seconds, depth=at.depth, pause_us=1000, seed=at.seed, recorded=True,
                     env=stage.client("rbd_cache=true"))
    return reckoned("plain", run, run, 1 - run.iops * run.latency_ns / 1e9)


# --- too little processor ---

@contextlib.contextmanager
def quota(share):
    """A control group whose members together get this share of one processor, as a command that joins it."""
    for root, file, value in (("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "{quota}"), ("/sys/fs/cgroup", "cpu.max", "{quota} 100000")):
        folder = os.path.join(root, f"rbdprof-exam-{os.getpid()}")
        try:
            os.mkdir(folder)
        except OSError:
            continue
        try:
            with open(os.path.join(folder, file), "w") as limit:
                limit.write(value.format(quota=int(share * 100000)))
        except OSError:
            os.rmdir(folder)
            continue
        try:
            yield ("sh", "-c", f'echo $$ >{folder}/cgroup.procs; exec "$@"', "sh")
        finally:
            os.rmdir(folder)
        return
    raise Skip("no control group for processor time can be made here")


@row("cpu-starved", "quota")
def cpu_quota(stage, at):
    image = stage.image("plain")

    def starved():
        with quota(0.15) as join:
            return stage.fio(image, "randread", recorded=True, around=join, depth=at.depth, seconds=at.seconds)

    return compared(image, lambda: stage.fio(image, "randread", recorded=True, depth=at.depth, seconds=BRIEF), starved)


@row("cpu-starved", "busy-neighbour")
def busy_neighbour(stage, at):
    """The client shares one processor with programs that never sleep."""
    image = stage.image("plain")

    def starved():
        with contextlib.ExitStack() as stack:
            for _ in range(8):
                stack.enter_context(stage.beside("taskset", "-c", "0", "sh", "-c", "while :; do :; done", says=False))
            return stage.fio(image, "randread", recorded=True, around=("taskset", "-c", "0"), depth=at.depth, seconds=at.seconds)

    return compared(image, lambda: stage.fio(image, "randread", recorded=True, depth=at.depth, seconds=BRIEF), starved)
