"""Causes that lie in the image's features, its layout, its parent, and what is done to it meanwhile."""
import time

from rows import Outcome, outcome, row

EXCLUSIVE = "layering,exclusive-lock"
JOURNALED = "layering,exclusive-lock,journaling"
SMALL = ("--object-size", "64K")
SPAN, OBJECTS = "256M", 4096


@row("journal", "writer")
def journal(stage, at):
    """One writer: its image without the journal, and with it."""
    without = stage.fio(stage.image("excl", EXCLUSIVE), "randwrite", depth=at.depth, seconds=2)
    image = stage.image("jour-one", JOURNALED)
    return outcome(image, without, stage.fio(image, "randwrite", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds))


def first_writes(stage, image, depth, recorded):
    """One 4 KiB write to each object, in the order of the objects: each is the object's first."""
    return stage.fio(image, "write:60k", recorded=recorded, depth=depth, size=SPAN, ios=OBJECTS)


@row("copyup", "first-writes")
def copyup(stage, at):
    """First writes to a clone copy the parent's object; first writes to an image without a parent make the object."""
    without = first_writes(stage, stage.fresh("no-parent", EXCLUSIVE, SPAN, *SMALL), at.depth, False)
    image = stage.clone(stage.image("parent", size=SPAN, create=SMALL), "clone", EXCLUSIVE, *SMALL)
    return outcome(image, without, first_writes(stage, image, at.depth, True))


@row("object-map", "first-writes")
def object_map(stage, at):
    """First writes update the object map."""
    without = first_writes(stage, stage.fresh("no-map", EXCLUSIVE, SPAN, *SMALL), at.depth, False)
    image = stage.fresh("map", EXCLUSIVE + ",object-map", SPAN, *SMALL)
    return outcome(image, without, first_writes(stage, image, at.depth, True))


@row("header-refresh", "snapshots")
def snapshots(stage, at):
    """Five snapshots during writes."""
    image = stage.image("excl-snaps", EXCLUSIVE)
    without = stage.fio(image, "randwrite", depth=at.depth, seconds=2)

    def five():
        for n in range(5):
            stage.run(["rbd", "snap", "create", "--no-progress", f"{image}@{at.seed}-{time.monotonic_ns()}"])

    with stage.meanwhile(2, five):
        run = stage.fio(image, "randwrite", f"--randseed={at.seed}", recorded=True, depth=at.depth, seconds=at.seconds + 1)
    stage.run(["rbd", "snap", "purge", "--no-progress", image])
    return outcome(image, without, run)


@row("hot-object", "sequential")
def hot_object(stage, at):
    """Small sequential writes, deep, all go to one object; with a stripe unit of 4 KiB they go to sixteen."""
    unmerged = stage.client("rbd_io_scheduler=none")
    striped = stage.image("striped", create=("--stripe-unit", "4K", "--stripe-count", "16"))
    without = stage.fio(striped, "write", depth=at.depth, seconds=2, env=unmerged)
    image = stage.image("plain")
    return outcome(image, without, stage.fio(image, "write", recorded=True, depth=at.depth, seconds=at.seconds, env=unmerged))


@row("healthy", "sequential-merged")
def merged(stage, at):
    """The same with the default scheduler, which merges them: striping would hurt now, and must not be advised."""
    striped = stage.image("striped", create=("--stripe-unit", "4K", "--stripe-count", "16"))
    with_stripes = stage.fio(striped, "write", depth=at.depth, seconds=2)
    image = stage.image("plain")
    run = stage.fio(image, "write", recorded=True, depth=at.depth, seconds=at.seconds)
    stage.holds("striping hurts here", with_stripes.iops < run.iops, (with_stripes.iops, run.iops))
    return Outcome([run.recording.folder], image, None, with_stripes.iops, run.iops)


@row("writethrough-until-flush", "no-flush")
def writethrough(stage, at):
    """The cache is on, and writes through until it sees a flush."""
    image = stage.image("plain")
    cached = stage.client("rbd_cache=true")
    without = stage.load("flushed", image, 2, depth=at.depth, seed=at.seed, env=cached)
    return outcome(image, without, stage.load("plain", image, at.seconds, depth=at.depth, seed=at.seed, recorded=True, env=cached))
