"""The rows of the exam as data: a cause, how it is made, and what the experiment itself says of its share.

It knows what a row is and which there are. A row's function makes the cause on a stage (stage.py) and returns an Outcome; it never looks
into a report for what the report ought to say.
"""
import dataclasses

SLACK = 0.15  # of a share that is worked out from two runs


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


def lost(without, with_cause):
    """The share of request time that a cause took, from mean latencies: one minus that without the cause over that with it. Where the runs
    without it differ, since other programs use the machine too, all that lies between them is right."""
    shares = [1 - run.latency_ns / with_cause.latency_ns for run in without]
    return around(min(shares))[0], around(max(shares))[1]


def compared(image, without, with_cause):
    """Makes a run without the cause, the run with it, and once more the run without it: three functions that return a Run."""
    before = without()
    run = with_cause()
    after = without()
    return Outcome([run.recording.folder], image, lost((before, after), run), (before.iops + after.iops) / 2, run.iops)


def reckoned(image, without, run, share):
    """The share is known from the run with the cause alone; the one without it only shows how large the effect is."""
    return Outcome([run.recording.folder], image, around(share), without.iops, run.iops)


def unaccused(image, run):
    return Outcome([run.recording.folder], image, None, None, run.iops)
