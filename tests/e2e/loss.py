"""Lost events are declared, and what remains still adds up."""
from lab import fio_command


def test_declared(lab):
    """Buffers far too small for the rate: fio's count is what was completed and what is declared as lost or broken."""
    image = lab.image("plain")
    recording = lab.record(fio_command(image, "randread", ios=20000), "--buffers", "64K")
    trace, fio = recording.report["trace"], recording.fio
    seen = recording.sums(image).get("read", 0)
    lab.equal("fio's errors", fio["error"], 0)
    lab.holds("events were lost, as the test intends", trace["lost_events"] > 0, trace)
    lab.holds("each loss has its interval", sum(i["events"] or 0 for i in trace["lost_intervals"]) == trace["lost_events"], trace["lost_intervals"][:5])
    missing = fio["read"]["total_ios"] - seen
    lab.between("a request that is missing has lost an event at least", 0, missing, trace["lost_events"])
    strict = lab.run([lab.rbdprof, "report", "--strict", recording.folder], check=False)
    lab.equal("with --strict the loss is the exit status", strict.returncode, 4)
    lab.holds("and the text tells of it", "lost" in strict.stdout + strict.stderr, strict.stdout[:300])
