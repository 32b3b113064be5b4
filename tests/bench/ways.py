"""The ways in which a program is run to see what recording it costs. It knows how to run it, not what is measured."""

WAYS = {  # what record is told; None: it does not record
    "bare": None,
    "dormant": None,
    "boundary": ["--locks=off"],
    "recorded": [],
}


def run(bench, way, command, *options, **more):
    """How the command ended, and the folder of its recording, or None. options: more of record's; more: of Lab.run."""
    if WAYS[way] is None:
        return bench.run(command, env={"LD_PRELOAD": bench.shim()} if way == "dormant" else None, **more), None
    recording = bench.record(command, *WAYS[way], *options, **more)
    return recording.ended, recording.folder
