"""The journal: every write joined to its entries, and what replay costs a handover."""
from lab import fio_command
from ownership import JOURNALED, share, the_image

ENTRY_BYTES = 16384  # the most of an event that one entry carries (rbd_journal_max_payload_bytes)


def joined(lab, bs, block_bytes, *options):
    lab.image("journal", JOURNALED)
    recording = lab.record(fio_command("journal", "randwrite", *options, bs=bs, seconds=4))
    writes = recording.fio["write"]["total_ios"]
    journal = the_image(recording, "journal")["journal"]
    lab.whole(recording)
    lab.holds("enough writes to tell", writes > 20, writes)
    lab.equal("every write", recording.sums("journal").get("write"), writes)
    lab.between("writes without their entries", 0, journal["writes_unjoined"], writes // 1000)
    lab.holds("as many entries as the payload limit makes", journal["entries_joined"] >= writes * -(-block_bytes // ENTRY_BYTES) * 0.999,
              (journal["entries_joined"], writes))
    lab.holds("appends carry them", 0 < journal["appends"] <= journal["entries"], (journal["appends"], journal["entries"]))
    lab.holds("appended bytes are more than the data", journal["append_bytes"] > writes * block_bytes * 0.999, (journal["append_bytes"], writes * block_bytes))
    for client in the_image(recording, "journal")["clients"]:
        phases = client["requests"]["write"]["phases"]
        lab.between("what no phase explains", 0, share(phases["other"]), 0.02)


def test_4k(lab):
    joined(lab, "4k", 4096)


def test_64k(lab):
    joined(lab, "64k", 65536)


def test_1m(lab):
    joined(lab, "1M", 1 << 20)


def test_4k_with_flushes(lab):
    joined(lab, "4k", 4096, "--fsync=64")


def replayed(lab, name, *create):
    """(bytes read back per handover, mean time of replay) of two writers on an image whose journal has been filled some way."""
    lab.image(name, JOURNALED, create=create)
    lab.run(fio_command(name, "randwrite", ios=6000), timeout=180)
    recording = lab.record(fio_command(name, "randwrite", jobs=2, seconds=6))
    image = the_image(recording, name)
    steps = {step["name"]: step["dist"] for step in image["ownership"]["steps"]}
    lab.holds("handovers to judge by", image["ownership"]["handovers"] >= 5, image["ownership"]["handovers"])
    return image["journal"]["replay_bytes"] / image["ownership"]["handovers"], steps["replay"]["mean"], recording


def test_smaller_objects_flatten_replay(lab):
    """The advice that a report gives, tried: with journal objects of 1 MiB a handover reads back less, in less time."""
    bytes_16, replay_16, recording = replayed(lab, "replay-16")
    bytes_1, replay_1, _ = replayed(lab, "replay-1", "--journal-object-size", "1M")
    lab.holds("bytes read back per handover", bytes_1 < bytes_16 / 2, (bytes_1, bytes_16))
    lab.holds("time of replay per handover, ns", replay_1 < replay_16, (replay_1, replay_16))
    # At most the current object of each of four splay positions is read, and once more to see that it ended: librbd's design.
    lab.holds("no more than the journal's live objects", bytes_1 <= 2 * 4 * (1 << 20) * 1.1, bytes_1)
    text = lab.run([lab.rbdprof, "report", recording.folder]).stdout
    lab.holds("the report advises it", "--journal-object-size" in text, text[-1500:])
