"""The workloads of well-known public reports, in their own shape: 4 KiB random, 128 deep, one, two and ten jobs.

The first is about journaling (patterns, jobs, splay width), the second about feature bits (ten writers on one image).
"""
from rows import compared, register, unaccused
from stage import BRIEF

DEPTH = 128
EXCLUSIVE = "layering,exclusive-lock"
OBJECT_MAP = EXCLUSIVE + ",object-map"
DEFAULTS = OBJECT_MAP + ",fast-diff,deep-flatten"
JOURNALED = EXCLUSIVE + ",journaling"
WIDE = ("--journal-splay-width", "32")

HEALTHY, PINGPONG, JOURNAL = "healthy", "exclusive-lock-pingpong", "journal"
FEATURES = {"layering": "layering", "exclusive-lock": EXCLUSIVE, "object-map": OBJECT_MAP, "all-defaults": DEFAULTS, "journaling": JOURNALED,
            "journaling-wide": JOURNALED}

# (cause, features, pattern, jobs, whether only --long makes it)
WORKLOADS = (
    (HEALTHY, "exclusive-lock", "randread", 1, True),
    (HEALTHY, "exclusive-lock", "randwrite", 1, True),
    (HEALTHY, "exclusive-lock", "randrw", 1, True),
    (HEALTHY, "exclusive-lock", "randread", 2, False),
    (PINGPONG, "exclusive-lock", "randwrite", 2, True),
    (PINGPONG, "exclusive-lock", "randrw", 2, True),
    (HEALTHY, "journaling", "randread", 1, False),
    (JOURNAL, "journaling", "randwrite", 1, True),
    (JOURNAL, "journaling", "randrw", 1, True),
    (PINGPONG, "journaling", "randread", 2, True),
    (PINGPONG, "journaling", "randwrite", 2, True),
    (PINGPONG, "journaling", "randrw", 2, False),
    (JOURNAL, "journaling-wide", "randwrite", 1, False),
    (PINGPONG, "journaling-wide", "randwrite", 2, True),
    (HEALTHY, "layering", "randwrite", 1, True),
    (HEALTHY, "layering", "randwrite", 10, False),
    (PINGPONG, "exclusive-lock", "randwrite", 10, False),
    (PINGPONG, "object-map", "randwrite", 10, True),
    (HEALTHY, "object-map", "randwrite", 1, True),
    (PINGPONG, "all-defaults", "randwrite", 10, True),
    (HEALTHY, "all-defaults", "randwrite", 1, False),
)


def prepare(stage, features):
    wide = WIDE if features == "journaling-wide" else ()
    return stage.image("seed-" + features, FEATURES[features], create=wide)


def maker(cause, features, pattern, jobs):
    def make(stage, at):
        image = prepare(stage, features)
        run = lambda: stage.fio(image, pattern, f"--randseed={at.seed}", recorded=True, jobs=jobs, depth=DEPTH, seconds=at.seconds)
        if cause == HEALTHY:
            return unaccused(image, run())
        other = prepare(stage, "exclusive-lock") if cause == JOURNAL else image  # one client, or no journal
        return compared(image, lambda: stage.fio(other, pattern, recorded=True, depth=DEPTH, seconds=BRIEF), run)
    return make


for cause, features, pattern, jobs, long in WORKLOADS:
    register(cause, f"seed-{features}-{pattern}-{jobs}", maker(cause, features, pattern, jobs), long=long, depths=(DEPTH,) * 3, depth=DEPTH)
