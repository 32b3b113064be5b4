"""An image, its cluster and its client as the report describes them, held against rbd's and ceph's own answers."""
import json, os

from lab import fio_command


def test_image(lab):
    features = "layering,exclusive-lock,object-map,fast-diff,deep-flatten"
    if "described" not in lab.images:
        lab.run(["rbd", "create", "--size", "32M", "--object-size", "1M", "--stripe-unit", "64K", "--stripe-count", "4", "--image-feature", features, "described"])
        lab.images.add("described")
    recording = lab.record(fio_command("described", "randwrite", ios=200, size="32M"))
    info = json.loads(lab.run(["rbd", "info", "--format", "json", "described"]).stdout)
    image, = recording.report["images"]
    lab.equal("cluster", image["cluster"], lab.run(["ceph", "fsid"]).stdout.strip())
    lab.equal("pool", image["pool"], "rbd")
    lab.equal("namespace", image["namespace"] or "", "")
    lab.equal("name", image["name"], info["name"])
    lab.equal("id", image["id"], info["id"])
    lab.equal("snapshot", image["snapshot"] or "", "")
    lab.equal("features", sorted(image["features"]), sorted(info["features"]))
    lab.equal("object size", image["object_size_bytes"], info["object_size"])
    lab.equal("stripe unit", image["stripe_unit_bytes"], info["stripe_unit"])
    lab.equal("stripe count", image["stripe_count"], info["stripe_count"])
    lab.equal("the client's setting of the cluster's file", image["config"].get("rbd_cache"), "false")
    lab.whole(recording)


def test_names(lab):
    """Another namespace and a snapshot are other images."""
    if "tenant/named" not in lab.images:
        lab.run(["rbd", "namespace", "create", "rbd/tenant"])
        lab.run(["rbd", "create", "--size", "16M", "--image-feature", "layering", "rbd/tenant/named"])
        lab.run(["rbd", "snap", "create", "rbd/tenant/named@before"])
        lab.images.add("tenant/named")
    for source, snapshot in (("tenant/named", ""), ("tenant/named@before", "before")):
        recording = lab.record(["qemu-img", "bench", "-f", "raw", "-c", "50", "-s", "4096", lab.drive(source)])
        image, = recording.report["images"]
        lab.equal("its name", (image["namespace"], image["name"], image["snapshot"] or ""), ("tenant", "named", snapshot))
        lab.equal("reads, from the command line", recording.sums("named").get("read"), 50)


def test_client(lab):
    """The client's id is the one that the cluster sees while the image is open. rbd, which opens it too, is not looked at."""
    image = lab.image("plain")
    recording = lab.record(["sh", "-c", f"fio --name=t --ioengine=rbd --clientname=admin --pool=rbd --rbdname={image} --rw=randread --size=64M --time_based --runtime=5 >/dev/null & "
                            f"echo $!; sleep 3; LD_PRELOAD= rbd status --format json {image}; wait"])
    pid, status = recording.ended.stdout.splitlines()
    client, = recording.clients(image)
    lab.equal("id", [client["id"]], [watcher["client"] for watcher in json.loads(status)["watchers"]])
    lab.equal("pid", client["pid"], int(pid))
    lab.equal("comm", client["comm"], "fio")


def test_placement_groups(lab):
    """By the cluster's own account of which group an object is in, and which OSDs serve that. The dump of all groups comes from a manager, which
    this cluster has not: it is made of those answers."""
    recording = lab.record(fio_command(lab.image("plain"), "randread", ios=2000))
    image, = recording.report["images"]
    asked, brief = {}, os.path.join(lab.work, "pgs.json")
    for number in range(image["size_bytes"] // image["object_size_bytes"]):
        found = json.loads(lab.run(["ceph", "osd", "map", "rbd", f"{image['prefix']}.{number:016x}", "-f", "json"]).stdout)
        asked[found["pgid"]] = found
    with open(brief, "w") as file:
        json.dump({"pg_ready": True, "pg_stats": list(asked.values())}, file)
    image, = json.loads(lab.run([lab.rbdprof, "report", "--format", "json", "--osdmap", brief, recording.folder]).stdout)["images"]
    lab.equal("its groups and their OSDs", {group["pg"]: group["osds"] for group in image["placement_groups"]},
              {name: found["acting"] for name, found in asked.items()})
