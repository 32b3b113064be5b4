"""Causes that lie outside the client: the OSD, the network, and a limit that somebody set."""
import time

from rows import compared, reckoned, row
from stage import BRIEF

EXCLUSIVE = "layering,exclusive-lock"
LIMIT = 300


def reads(stage, at, image, brief=False, env=None, **more):
    seconds = BRIEF if brief else at.seconds
    return stage.fio(image, "randread", f"--randseed={at.seed}", recorded=True, depth=at.depth, env=env, **{"seconds": seconds, **more})


def slow_osd(stage, at, image, **settings):
    """An OSD that is slow all the time looks like one that is as fast as it can be: only a baseline tells it."""
    def slow():
        with stage.osd_set(**settings):
            return reads(stage, at, image)

    return compared(image, lambda: reads(stage, at, image), slow, baseline=True)


@row("outside-client", "dispatch-delay")
def dispatch_delay(stage, at):
    """The OSD takes 5 ms longer to look at every twentieth message."""
    return slow_osd(stage, at, stage.image("plain"), osd_debug_inject_dispatch_delay_duration=0.005, osd_debug_inject_dispatch_delay_probability=0.05)


@row("outside-client", "message-delay")
def message_delay(stage, at):
    """The OSD's messenger holds clients' messages up to 5 ms; it looks at this setting when a client connects."""
    return slow_osd(stage, at, stage.image("plain"), ms_inject_delay_type="client", ms_inject_delay_probability=1, ms_inject_delay_max=0.005)


@row("outside-client", "for-a-while")
def slow_for_a_while(stage, at):
    """An OSD that is slow for two seconds of five: the recording itself tells, without a baseline."""
    image = stage.image("plain")

    def slow():
        with stage.osd_set(osd_debug_inject_dispatch_delay_duration=0.005, osd_debug_inject_dispatch_delay_probability=0.05):
            time.sleep(2)

    def disturbed():
        with stage.meanwhile(1.5, slow):
            return reads(stage, at, image, seconds=5)

    return compared(image, lambda: reads(stage, at, image), disturbed)


@row("outside-client", "with-exclusive-lock", long=True)
def with_exclusive_lock(stage, at):
    """The lock is there, and blameless."""
    return slow_osd(stage, at, stage.image("excl", EXCLUSIVE), osd_debug_inject_dispatch_delay_duration=0.005,
                    osd_debug_inject_dispatch_delay_probability=0.05)


@row("osd-stalled", "3s")
def osd_stalled(stage, at):
    """The OSD is stopped for three seconds: what is in flight then waits so long. The share follows from the stop's own length."""
    image, stopped = stage.image("plain"), []
    without = reads(stage, at, image, brief=True)
    with stage.meanwhile(3, lambda: stopped.append(stage.stall(stage.osd_pid, 3))):
        run = reads(stage, at, image, seconds=7)
    stage.holds("the stall fell into the run", stopped and run.longest_ns > 0.95 * stopped[0], (run.longest_ns, stopped))
    return reckoned(image, without, run, at.depth * stopped[0] / run.request_time_ns)


@row("network-loss", "one-in-500")
def network_loss(stage, at):
    """A connection breaks once in 500 messages: what was in flight is sent again."""
    image = stage.image("plain")
    return compared(image, lambda: reads(stage, at, image, brief=True), lambda: reads(stage, at, image, env=stage.client("ms_inject_socket_failures=500")))


@row("qos", "one-job")
def limited(stage, at):
    image = stage.image("qos")

    def limited():
        with stage.image_set(image, rbd_qos_iops_limit=LIMIT):
            return reads(stage, at, image)

    return compared(image, lambda: reads(stage, at, image, brief=True), limited)


@row("qos", "two-writers")
def two_limited_writers(stage, at):
    """Both are limited and both want the exclusive lock: the limit lies above the lock, and lets too little through for the lock to matter."""
    image = stage.image("qos-excl", EXCLUSIVE)
    write = lambda seconds: stage.fio(image, "randwrite", f"--randseed={at.seed}", recorded=True, jobs=2, depth=at.depth, seconds=seconds)

    def limited():
        with stage.image_set(image, rbd_qos_iops_limit=LIMIT):
            return write(at.seconds)

    return compared(image, lambda: write(BRIEF), limited)
