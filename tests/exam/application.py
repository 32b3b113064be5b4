"""Causes that lie in the application: its callbacks, when it looks, and its own locks. The application is load.c."""
import signal

from rows import compared, reckoned, row, unaccused
from stage import BRIEF, HERE


def paused(stage, at, way, pause_us):
    """The same load without the pause and with it."""
    image = stage.image("plain")
    return compared(image, lambda: stage.load(way, image, BRIEF, depth=at.depth, seed=at.seed, recorded=True),
                    lambda: stage.load(way, image, at.seconds, depth=at.depth, pause_us=pause_us, seed=at.seed, recorded=True))


@row("callback-slow", "sleeps-2ms")
def callback_sleeps(stage, at):
    return paused(stage, at, "sleep", 2000)


@row("one-thread-saturated", "computes-300us")
def callback_computes(stage, at):
    """All callbacks of an image are called one after another: a thread's worth of processor is all that they get."""
    return paused(stage, at, "compute", 300)


@row("reap-late", "20ms")
def looks_late(stage, at):
    return paused(stage, at, "late", 20000)


@row("reap-late", "no-callback")
def unwatched(stage, at):
    """Without a callback a completion is known when it is waited for, and not before."""
    return paused(stage, at, "unwatched", 20000)


@row("application-mutex", "500us-inside", whole="submitters")
def mutex_held(stage, at):
    image = stage.image("plain")
    without = stage.load("mutex", image, BRIEF, depth=at.depth, seed=at.seed)
    held = stage.load("mutex", image, at.seconds, depth=at.depth, pause_us=500, seed=at.seed, recorded=True)
    return reckoned(image, without, held, held.said["waited_ns"] / held.said["submitters_ns"])


@row("healthy", "mutex-0us")
def mutex_brief(stage, at):
    """The same eight threads and the same mutex, with nothing inside."""
    image = stage.image("plain")
    return unaccused(image, stage.load("mutex", image, at.seconds, depth=at.depth, seed=at.seed, recorded=True))


@row("exclusive-lock-pingpong", "inside-a-mutex", long=True, depths=())
def nested(stage, at):
    """Four threads of one process write under one mutex, while another process takes the lock away from them again and again: what they
    wait for is the lock, and the mutex waits with them."""
    image = stage.image("excl-nested", "layering,exclusive-lock")

    def contended():
        with stage.beside(stage.program("load", HERE), "nested", "rbd", image, "30", "4", "0", "2", says=False, end=signal.SIGTERM):
            return stage.load("nested", image, at.seconds + 1, depth=4, recorded=True)

    return compared(image, lambda: stage.load("nested", image, BRIEF, depth=4, recorded=True), contended)
