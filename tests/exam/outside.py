"""Causes that lie outside the client: the OSD, the network, and a limit that somebody set."""
from rows import around, outcome, row

EXCLUSIVE = "layering,exclusive-lock"
LIMIT = 300


def slow_osd(stage, at, image, **settings):
    without = stage.fio(image, "randread", depth=at.depth, seconds=2)
    with stage.osd_set(**settings):
        return outcome(image, without, stage.fio(image, "randread", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds))


@row("outside-client", "dispatch-delay")
def dispatch_delay(stage, at):
    """The OSD takes 5 ms longer to look at every twentieth message."""
    return slow_osd(stage, at, stage.image("plain"), osd_debug_inject_dispatch_delay_duration=0.005, osd_debug_inject_dispatch_delay_probability=0.05)


@row("outside-client", "message-delay")
def message_delay(stage, at):
    """The OSD's messenger holds clients' messages up to 5 ms; it looks at this setting when a client connects."""
    return slow_osd(stage, at, stage.image("plain"), ms_inject_delay_type="client", ms_inject_delay_probability=1, ms_inject_delay_max=0.005)


@row("outside-client", "with-exclusive-lock", long=True)
def with_exclusive_lock(stage, at):
    """The lock is there, and blameless."""
    return slow_osd(stage, at, stage.image("excl", EXCLUSIVE), osd_debug_inject_dispatch_delay_duration=0.005,
                    osd_debug_inject_dispatch_delay_probability=0.05)


@row("osd-stalled", "3s")
def osd_stalled(stage, at):
    """The OSD is stopped for three seconds: what is in flight then waits so long. The share follows from the stop's own length."""
    image, stopped = stage.image("plain"), []
    without = stage.fio(image, "randread", depth=at.depth, seconds=2)
    with stage.meanwhile(3, lambda: stopped.append(stage.stall(stage.osd_pid, 3))):
        run = stage.fio(image, "randread", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=7)
    stage.holds("the stall fell into the run", stopped and run.longest_ns > 0.95 * stopped[0], (run.longest_ns, stopped))
    return outcome(image, without, run, around(at.depth * stopped[0] / run.request_time_ns))


@row("network-loss", "one-in-500")
def network_loss(stage, at):
    """A connection breaks once in 500 messages: what was in flight is sent again."""
    image = stage.image("plain")
    without = stage.fio(image, "randread", depth=at.depth, seconds=2)
    return outcome(image, without, stage.fio(image, "randread", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds,
                                             env=stage.client("ms_inject_socket_failures=500")))


@row("qos", "one-job")
def limited(stage, at):
    image = stage.image("qos")
    without = stage.fio(image, "randread", depth=at.depth, seconds=2)
    with stage.image_set(image, rbd_qos_iops_limit=LIMIT):
        run = stage.fio(image, "randread", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds)
    return outcome(image, without, run)


@row("qos", "two-writers")
def two_limited_writers(stage, at):
    """Both are limited and both want the exclusive lock: the limit lies above the lock, and lets too little through for the lock to matter."""
    image = stage.image("qos-excl", EXCLUSIVE)
    without = stage.fio(image, "randwrite", jobs=2, depth=at.depth, seconds=2)
    with stage.image_set(image, rbd_qos_iops_limit=LIMIT):
        run = stage.fio(image, "randwrite", f"--randseed={at.seed}", recorded=True, jobs=2, depth=at.depth, seconds=at.seconds)
    return outcome(image, without, run)
