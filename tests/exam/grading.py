"""Holds a report's verdict against what a row's experiment says, and prints the table of grades.

It knows what a verdict looks like (docs/report-json.md), and nothing of how a cause is made.
"""
import dataclasses

HEALTHY = "healthy"


@dataclasses.dataclass
class Grade:
    row: object
    at: object
    outcome: object = None
    told: str = None               # the first cause of the report
    claimed: float = None          # its mean share
    reasons: tuple = ()            # why it did not pass; empty: it passed
    skipped: str = None
    seconds: float = 0.0
    rest: tuple = ()               # the other causes, with their shares
    sentence: str = None

    @property
    def unjudged(self):
        """Nothing about it is wrong, but the machine did not hold still for all of it to be judged."""
        return self.outcome.unjudged if self.outcome and not self.reasons else None

    @property
    def passed(self):
        return not self.reasons and not self.skipped and not self.unjudged

    @property
    def word(self):
        return "skipped" if self.skipped else "FAIL" if self.reasons else "not judged" if self.unjudged else "ok"


def share_text(verdict):
    return "-" if verdict.get("share_mean") is None else f"{verdict['share_mean']:.2f}"


def wrongs_of_healthy(verdicts):
    if len(verdicts) > 1:
        yield "a healthy run is accused of " + ", ".join(v["cause"] for v in verdicts if v["cause"] != HEALTHY)


def wrongs_of_share(row, outcome, first):
    claimed = first.get("share_mean")
    if first.get("share_of") != row.whole:
        yield f"its share is of {first.get('share_of')}, not of {row.whole}"
    if claimed is None:
        yield "it claims no share"
    elif outcome.share and not outcome.share[0] <= claimed <= outcome.share[1]:
        yield f"it claims {claimed:.2f}, the experiment says {outcome.share[0]:.2f} to {outcome.share[1]:.2f}"


def wrongs(row, outcome, report):
    """Why the verdict is not the right one."""
    verdicts = report["verdict"]
    if not verdicts:
        yield "there is no verdict"
        return
    first = verdicts[0]
    if first["cause"] != row.cause and not (first["cause"] in row.mistakable and row.cause in first["also_possible"]):
        yield f"the first cause is {first['cause']}"
        return
    if row.cause == HEALTHY:
        yield from wrongs_of_healthy(verdicts)
        return
    if first.get("image") is None or outcome.image not in first["image"]:
        yield f"it names the image {first.get('image')}, not {outcome.image}"
    yield from wrongs_of_share(row, outcome, first)


def grade(row, at, outcome, report, unmet):
    verdicts = report["verdict"]
    first = verdicts[0] if verdicts else {}
    return Grade(row, at, outcome, first.get("cause"), first.get("share_mean"), (*wrongs(row, outcome, report), *unmet),
                 rest=tuple(f"{v['cause']} {share_text(v)}" for v in verdicts[1:]), sentence=first.get("sentence"))


# --- the table ---

def thousands(iops):
    return "-" if iops is None else f"{iops / 1000:.1f}k" if iops >= 1000 else f"{iops:.0f}"


def cells(grade):
    outcome = grade.outcome
    effect = f"{thousands(outcome.before)} > {thousands(outcome.after)}" if outcome else "-"
    told_range = f"{outcome.share[0]:.2f}-{outcome.share[1]:.2f}" if outcome and outcome.share else "-"
    return (grade.row.name, str(grade.at.depth), effect, grade.told or "-", "-" if grade.claimed is None else f"{grade.claimed:.2f}", told_range,
            grade.word, f"{grade.seconds:.0f}")


HEADERS = ("made", "depth", "IOPS", "first cause told", "share", "range", "grade", "s")


def print_table(grades):
    table = [HEADERS, *map(cells, grades)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADERS))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def outcome_notes(grade):
    return grade.outcome.notes if grade.outcome else ()


def print_line(grade):
    """One grade as it is given, with its reasons."""
    print("  ".join(cells(grade)), flush=True)
    for reason in (*grade.reasons, *filter(None, (grade.skipped, grade.unjudged))):
        print("     " + reason.replace("\n", "\n     "), flush=True)
    for note in outcome_notes(grade):
        print("     " + note, flush=True)
    if grade.reasons and grade.sentence:
        print(f"     told: {grade.sentence}", flush=True)
    if grade.rest:
        print("     after it: " + ", ".join(grade.rest), flush=True)
