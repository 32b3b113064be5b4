"""What a report forecasts, tried: the same run without the cause, right before and right after the one that the forecast is made from.

On a machine that others use too, the same run can differ by a factor of three within minutes: a trial counts only where the two agree.
"""
from rows import STILL, Outcome, apart, register

EXCLUSIVE = "layering,exclusive-lock"
JOURNALED = "layering,exclusive-lock,journaling"

TRIALS, TRIES = 3, 8  # so many that count are wanted, and not more than so many are made
NARROW, WIDE = 1.7, 2.5
SECONDS = 4

# (cause, what is forecast, features, pattern, jobs, depth, the most that a range's ends may differ by)
FORECASTS = (
    ("exclusive-lock-pingpong", "one-client", EXCLUSIVE, "randwrite", 2, 4, NARROW),
    ("exclusive-lock-pingpong", "one-client", EXCLUSIVE, "randwrite", 2, 32, NARROW),
    ("exclusive-lock-pingpong", "one-client", EXCLUSIVE, "randwrite", 2, 64, NARROW),
    ("exclusive-lock-pingpong", "one-client", EXCLUSIVE, "randwrite", 2, 128, WIDE),
    ("exclusive-lock-pingpong", "one-client", EXCLUSIVE, "randwrite", 10, 32, WIDE),
    ("exclusive-lock-pingpong", "one-client", JOURNALED, "randwrite", 2, 32, NARROW),
    ("exclusive-lock-pingpong", "one-client", JOURNALED, "randread", 2, 32, NARROW),
    ("journal", "no-journal", JOURNALED, "randwrite", 1, 32, WIDE),
)


def forecast_of(report, image, what):
    for verdict in report["verdict"]:
        for forecast in verdict["forecasts"]:
            if forecast["what"] == what and image in (verdict["image"] or ""):
                return forecast["iops_low"], forecast["iops_high"]
    return None


def judge(stage, trials, width):
    """trials: [(low, high, truth)] of those that count."""
    for low, high, truth in trials:
        stage.holds("the range is no barn door", high <= width * low, f"{low:.0f} to {high:.0f}")
    inside = sum(low <= truth <= high for low, high, truth in trials)
    stage.holds("two in three lie inside", inside * 3 >= len(trials) * 2, f"{inside} of {len(trials)}")


def maker(what, features, pattern, jobs, depth, width):
    def without(stage, image):
        other = stage.image("forecast-no-journal", EXCLUSIVE) if what == "no-journal" else image
        return stage.fio(other, pattern, depth=depth, seconds=SECONDS).iops

    def make(stage, at):
        image = stage.image("forecast-journaled" if "journaling" in features else "excl", features)
        trials, notes, before = [], [], without(stage, image)
        for _ in range(TRIES):
            run = stage.fio(image, pattern, recorded=True, jobs=jobs, depth=depth, seconds=SECONDS)
            after = without(stage, image)
            low, high = forecast_of(run.recording.report, image, what) or (None, None)
            result = Outcome([run.recording.folder], image, None, (before + after) / 2, run.iops, notes)
            if low is None:
                stage.holds(f"there is a forecast of {what}", False, "none")
                return result
            counts = apart(before, after) <= STILL
            notes.append(f"forecast {low:.0f} to {high:.0f} (x{high / low:.2f}), made from {run.iops:.0f}; before {before:.0f}, after {after:.0f}: "
                         + ("does not count" if not counts else "inside" if low <= (before + after) / 2 <= high else "outside"))
            if counts:
                trials.append((low, high, (before + after) / 2))
            if len(trials) == TRIALS:
                break
            before = after
        if len(trials) < TRIALS:
            result.unjudged = f"of {len(notes)} trials {len(trials)} count, where the runs before and after agree within a factor of {STILL}"
        judge(stage, trials, width)
        return result
    return make


for cause, what, features, pattern, jobs, depth, width in FORECASTS:
    kind = "journaled-" if what == "one-client" and "journaling" in features else ""
    register(cause, f"forecast-{kind}{pattern}-{jobs}x{depth}", maker(what, features, pattern, jobs, depth, width), long=True, depths=(depth,), depth=depth,
             group="forecasts")
