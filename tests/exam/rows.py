"""The rows of the exam as data: a cause, how it is made, and what the experiment itself says of its share.

It knows what a row is and which there are. A row's function makes the cause on a stage (stage.py) and returns an Outcome; it never looks
into a report for what the report ought to say.
"""
import dataclasses

SLACK = 0.15  # of a share that is worked out from two runs
STILL = 1.3   # the most by which the runs right before and right after may differ for anything to follow from them
TRIES = 3     # so often a row is made until they do not


@dataclasses.dataclass
class At:
    """Where a row is made: its depth, if it leaves that open, a seed for its offsets, and how long a run lasts."""
    depth: int = 32
    seed: int = 1
    seconds: float = 3


@dataclasses.dataclass
class Outcome:
    folders: list                  # of the recordings that are one report
    image: str
    share: tuple = None            # (low, high) that the experiment gives; None: it gives none
    before: float = None           # IOPS without the cause
    after: float = None            # and with it
    notes: list = ()               # lines to print with the grade
    unjudged: str = None           # why the experiment says nothing of the share, or of the forecast, though it ought to
    baseline: str = None           # folder of a recording without the cause that the report is given


@dataclasses.dataclass
class Row:
    cause: str                     # the identifier that has to come first
    variant: str
    make: object                   # function(stage, at) -> Outcome
    long: bool = False             # only with --long
    depth: int = At.depth          # of the one pass
    depths: tuple = (8, 32, 64)    # of the passes that --long makes; empty: three of the row's one depth
    mistakable: tuple = ()         # causes that may come first, if they name this one in also_possible
    whole: str = "requests"        # what share_of has to be
    group: str = None              # a name by which these rows are asked for together

    @property
    def name(self):
        return f"{self.cause}/{self.variant}"

    def passes(self, long):
        """Where it is made: once, or with three seeds and depths."""
        depths = (self.depths or (self.depth,) * 3) if long else (self.depth,)
        return [At(depth, seed) for seed, depth in enumerate(depths, 1)]

    def answers_to(self, name):
        return name in (self.cause, self.group) or self.name.startswith(name)


ROWS = []


def register(cause, variant, make, **more):
    ROWS.append(Row(cause, variant, make, **more))


def row(cause, variant, **more):
    """Makes a row of the function that follows."""
    def decorate(function):
        register(cause, variant, function, **more)
        return function
    return decorate


def around(share, slack=SLACK):
    share = min(max(share, 0.0), 1.0)
    return max(0.0, share - slack), min(1.0, share + slack)


def apart(one, other):
    """The factor between two positive numbers."""
    return max(one, other) / min(one, other)


def compared(image, without, with_cause, baseline=False):
    """Makes a run without the cause, the run with it, and once more the run without it: functions that return a Run. All are recorded, so
    that what recording costs is no part of the cause. The share of request time that the cause took is one minus the mean latency without
    it over that with it. Other programs use the machine too: where the runs without the cause differ too much it is made again, and in the
    end not judged. baseline: the report is given the run before."""
    before = without()
    for _ in range(TRIES):
        run = with_cause()
        after = without()
        differ = apart(before.latency_ns, after.latency_ns)
        outcome = Outcome([run.recording.folder], image, None, (before.iops + after.iops) / 2, run.iops,
                          baseline=before.recording.folder if baseline else None)
        if differ <= STILL:
            outcome.share = around(1 - (before.latency_ns + after.latency_ns) / 2 / run.latency_ns)
            return outcome
        before = after
    outcome.unjudged = f"the runs right before and right after differ by a factor of {differ:.2f}, so the share is not judged"
    return outcome


def reckoned(image, without, run, share):
    """The share is known from the run with the cause alone; the one without it only shows how large the effect is."""
    return Outcome([run.recording.folder], image, around(share), without.iops, run.iops)


def unaccused(image, run):
    return Outcome([run.recording.folder], image, None, None, run.iops)
