"""Causes that lie in the image's features, its layout, its parent, and what is done to it meanwhile."""
from rows import compared, row, unaccused
from stage import BRIEF

EXCLUSIVE = "layering,exclusive-lock"
JOURNALED = "layering,exclusive-lock,journaling"
SMALL = ("--object-size", "64K")
SPAN, OBJECTS = "256M", 4096
STRIPED = ("--stripe-unit", "4K", "--stripe-count", "16")


def writes(stage, at, image, rw="randwrite", recorded=False, more_seconds=0, **more):
    return stage.fio(image, rw, f"--randseed={at.seed}", recorded=recorded, depth=at.depth, seconds=at.seconds + more_seconds if recorded else BRIEF, **more)


@row("journal", "writer")
def journal(stage, at):
    """One writer: its image without the journal, and with it."""
    plain, image = stage.image("excl", EXCLUSIVE), stage.image("jour-one", JOURNALED)
    return compared(image, lambda: writes(stage, at, plain), lambda: writes(stage, at, image, recorded=True))


def first_writes(stage, at, image, recorded=False):
    """One 4 KiB write to each object, in the order of the objects: each is the object's first."""
    return stage.fio(image, "write:60k", recorded=recorded, depth=at.depth, size=SPAN, ios=OBJECTS)


@row("copyup", "first-writes")
def copyup(stage, at):
    """First writes to a clone copy the parent's object; first writes to an image without a parent make the object."""
    parent = stage.image("parent", size=SPAN, create=SMALL)
    return compared("clone", lambda: first_writes(stage, at, stage.fresh("no-parent", EXCLUSIVE, SPAN, *SMALL)),
                    lambda: first_writes(stage, at, stage.clone(parent, "clone", EXCLUSIVE, *SMALL), True))


@row("object-map", "first-writes")
def object_map(stage, at):
    """First writes update the object map."""
    return compared("map", lambda: first_writes(stage, at, stage.fresh("no-map", EXCLUSIVE, SPAN, *SMALL)),
                    lambda: first_writes(stage, at, stage.fresh("map", EXCLUSIVE + ",object-map", SPAN, *SMALL), True))


@row("header-refresh", "snapshots")
def snapshots(stage, at):
    """Five snapshots during writes."""
    image = stage.image("excl-snaps", EXCLUSIVE)

    def five():
        for n in range(5):
            stage.run(["rbd", "snap", "create", "--no-progress", f"{image}@{at.seed}-{n}"])

    def disturbed():
        with stage.meanwhile(2, five):
            run = writes(stage, at, image, recorded=True, more_seconds=1)
        stage.run(["rbd", "snap", "purge", "--no-progress", image])
        return run

    return compared(image, lambda: writes(stage, at, image), disturbed)


@row("hot-object", "sequential")
def hot_object(stage, at):
    """Small sequential writes, deep, all go to one object; with a stripe unit of 4 KiB they go to sixteen."""
    unmerged = stage.client("rbd_io_scheduler=none")
    striped, image = stage.image("striped", create=STRIPED), stage.image("plain")
    return compared(image, lambda: writes(stage, at, striped, "write", env=unmerged), lambda: writes(stage, at, image, "write", True, env=unmerged))


@row("healthy", "sequential-merged")
def merged(stage, at):
    """The same with the default scheduler, which merges them: striping would hurt now, and must not be advised."""
    striped, image = stage.image("striped", create=STRIPED), stage.image("plain")
    with_stripes = writes(stage, at, striped, "write")
    run = writes(stage, at, image, "write", True)
    stage.holds("striping hurts here", with_stripes.iops < run.iops, (with_stripes.iops, run.iops))
    for verdict in run.recording.report["verdict"]:
        stage.holds("striping is not advised", not any("--stripe" in text for text in verdict["advice"]), verdict["advice"])
    return unaccused(image, run)


@row("writethrough-until-flush", "no-flush")
def writethrough(stage, at):
    """The cache is on, and writes through until it sees a flush. The program asks for less than the OSD can do: what writes all the time fills
    the cache, and is as slow as the OSD with it."""
    image, more = stage.image("plain"), {"depth": at.depth, "pause_us": 1000, "seed": at.seed, "env": stage.client("rbd_cache=true")}
    return compared(image, lambda: stage.load("flushed", image, BRIEF, **more), lambda: stage.load("plain", image, at.seconds, recorded=True, **more))
