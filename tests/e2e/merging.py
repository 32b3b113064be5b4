"""librbd's scheduler merges requests: one operation can carry many, and one request can be many operations."""
from lab import fio_command
from ownership import the_image


def operations(image):
    return sum(group["operations"] for group in image["placement_groups"])


def test_sequential_writes_are_merged(lab):
    recording = lab.record(fio_command(lab.image("plain"), "write", ios=4000))
    image = the_image(recording, "plain")
    write = image["clients"][0]["requests"]["write"]
    lab.equal("every write", write["completed"], 4000)
    lab.equal("every write was sent with some operation", write["phases"]["n2c"]["dist"]["count"], 4000)
    lab.holds("fewer operations than writes", 0 < operations(image) < 4000, operations(image))


def test_without_the_scheduler_they_are_not(lab):
    """rbd_io_scheduler=none: an operation a write."""
    plain = {"CEPH_ARGS": lab.env["CEPH_ARGS"] + " --rbd-io-scheduler=none"}
    recording = lab.record(fio_command(lab.image("plain"), "write", ios=2000), env=plain)
    image = the_image(recording, "plain")
    lab.equal("operations", operations(image), 2000)
    lab.equal("nothing was ambiguous", image["ambiguous_joins"], 0)


def test_striped_requests_are_many_operations(lab):
    """64 KiB over stripes of 16 KiB on four objects: four operations a read."""
    lab.image("striped", create=("--stripe-unit", "16K", "--stripe-count", "4"))
    recording = lab.record(fio_command("striped", "randread", bs="64k", ios=500))
    image = the_image(recording, "striped")
    lab.equal("operations", operations(image), 2000)
    lab.equal("every read was sent", image["clients"][0]["requests"]["read"]["phases"]["n2c"]["dist"]["count"], 500)
