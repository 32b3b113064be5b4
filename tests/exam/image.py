"""Causes that lie in the image's features, its layout, its parent, and what is done to it meanwhile."""
import itertools

from rows import STILL, compared, row, unaccused
from stage import BRIEF

EXCLUSIVE = "layering,exclusive-lock"
JOURNALED = "layering,exclusive-lock,journaling"
SMALL = ("--object-size", "64K")
SPAN, OBJECTS = "256M", 4096
STRIPED = ("--stripe-unit", "4K", "--stripe-count", "16")
SMALLER = ("--object-size", "1M")


def writes(stage, at, image, rw="randwrite", brief=False, **more):
    return stage.fio(image, rw, f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=BRIEF if brief else at.seconds, **more)


@row("journal", "writer")
def journal(stage, at):
    """One writer: its image without the journal, and with it."""
    plain, image = stage.image("excl", EXCLUSIVE), stage.image("jour-one", JOURNALED)
    return compared(image, lambda: writes(stage, at, plain, brief=True), lambda: writes(stage, at, image))


def first_writes(stage, at, image):
    """One 4 KiB write to each object, in the order of the objects: each is the object's first."""
    return stage.fio(image, "write:60k", recorded=True, depth=at.depth, size=SPAN, ios=OBJECTS)


@row("copyup", "first-writes")
def copyup(stage, at):
    """First writes to a clone copy the parent's object; first writes to an image without a parent make the object."""
    parent = stage.image("parent", size=SPAN, create=SMALL)
    return compared("clone", lambda: first_writes(stage, at, stage.fresh("no-parent", EXCLUSIVE, SPAN, *SMALL)),
                    lambda: first_writes(stage, at, stage.clone(parent, "clone", EXCLUSIVE, *SMALL)))


@row("object-map", "first-writes")
def object_map(stage, at):
    """First writes update the object map."""
    return compared("map", lambda: first_writes(stage, at, stage.fresh("no-map", EXCLUSIVE, SPAN, *SMALL)),
                    lambda: first_writes(stage, at, stage.fresh("map", EXCLUSIVE + ",object-map", SPAN, *SMALL)))


SNAPSHOTS = itertools.count(1)


@row("header-refresh", "snapshots")
def snapshots(stage, at):
    """Five snapshots during writes, each time of an image that has had none: with many of them later writes take longer, and what is removed
    the OSD trims for seconds, beside the run to compare with."""
    plain = stage.image("excl", EXCLUSIVE)

    def disturbed():
        image = stage.image(f"excl-snaps-{next(SNAPSHOTS)}", EXCLUSIVE)

        def five():
            for n in range(5):
                stage.run(["rbd", "snap", "create", "--no-progress", f"{image}@{n}"])

        with stage.meanwhile(1.5, five):
            return writes(stage, at, image)

    return compared("excl-snaps", lambda: writes(stage, at, plain, brief=True), disturbed)


def sequential(stage, at, image, rw, brief=False):
    return writes(stage, at, image, rw, brief=brief, env=stage.client("rbd_io_scheduler=none"))


@row("hot-object", "sequential")
def hot_object(stage, at):
    """Small sequential requests, deep, all go to one object, and the disk serves one after the other; with a stripe unit of 4 KiB they go to
    sixteen. Objects are small, so that requests come to many: some pairs are in one placement group, and are no faster than one."""
    with stage.slow_disk(1000):
        striped, image = stage.image("striped", create=(*STRIPED, *SMALLER)), stage.image("plain", create=SMALLER)
        return compared(image, lambda: sequential(stage, at, striped, "read", brief=True), lambda: sequential(stage, at, image, "read"))


@row("healthy", "sequential-unmerged")
def unmerged(stage, at):
    """The same with an OSD that works briefly on an object: it has little more to give with sixteen objects than with one, and the one must
    not be accused."""
    striped, image = stage.image("striped", create=STRIPED), stage.image("plain")
    with_stripes, run = sequential(stage, at, striped, "write"), sequential(stage, at, image, "write")
    outcome = unaccused(image, run)
    if with_stripes.iops > STILL * run.iops:
        outcome.unjudged = f"striping gives {with_stripes.iops / run.iops:.2f} times as much here, so that one object is unaccused is not judged"
    return outcome


@row("healthy", "sequential-merged")
def merged(stage, at):
    """The same with the default scheduler, which merges them: striping would hurt now, and must not be advised."""
    striped, image = stage.image("striped", create=STRIPED), stage.image("plain")
    with_stripes = writes(stage, at, striped, "write", brief=True)
    run = writes(stage, at, image, "write")
    stage.holds("striping hurts here", with_stripes.iops < run.iops, (with_stripes.iops, run.iops))
    for verdict in run.recording.report["verdict"]:
        stage.holds("striping is not advised", not any("--stripe" in text for text in verdict["advice"]), verdict["advice"])
    return unaccused(image, run)


@row("writethrough-until-flush", "no-flush")
def writethrough(stage, at):
    """The cache is on, and writes through until it sees a flush. The program asks for less than the OSD can do: what writes all the time fills
    the cache, and is as slow as the OSD with it."""
    image, more = stage.image("plain"), {"depth": at.depth, "pause_us": 1000, "seed": at.seed, "recorded": True, "env": stage.client("rbd_cache=true")}
    return compared(image, lambda: stage.load("flushed", image, BRIEF, **more), lambda: stage.load("plain", image, at.seconds, **more))
