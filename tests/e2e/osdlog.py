"""What the OSD itself wrote down of the exclusive lock: its lock class logs every call, its messenger every reply.

It knows the OSD's log, and nothing of rbdprof.
"""
import os, re, time

REPLY = re.compile(r"--> (?:\[?v\d:)?([\d.:]+/\d+)\S* -- osd_op_reply\(\d+ (rbd_header\.\w+) \[call[^\]]*\] v(\d+'\d+) \S+ (?:ondisk|onnvram) = (-?\d+)")
CLIENT = re.compile(r"<== client\.(\d+) (?:\[?v\d:)?([\d.:]+/\d+)")


class OsdLog:
    """The part of the OSD's log that is written while the object is a context: `with OsdLog(lab) as log: …`, then its methods."""

    def __init__(self, lab, messages=False):
        self.lab, self.messages, self.text = lab, messages, ""
        self.path = os.path.join(lab.ceph, "log", "osd.0.log")
        self.socket = next(os.path.join(path, name) for path, _, names in os.walk(lab.ceph) for name in names if name.endswith("osd.0.asok"))

    def set(self, option, value):
        self.lab.run(["ceph", "daemon", self.socket, "config", "set", option, str(value)])

    def __enter__(self):
        self.begin = self.settled_size()
        self.set("debug_objclass", "20/20")
        self.set("debug_ms", "1/1" if self.messages else "0/0")
        return self

    def __exit__(self, *_):
        end = self.settled_size()
        self.set("debug_objclass", "0/0")
        self.set("debug_ms", "0/0")
        with open(self.path, errors="replace") as log:
            log.seek(self.begin)
            self.text = log.read(end - self.begin)

    def settled_size(self):
        size = -1
        while size != os.path.getsize(self.path):
            size = os.path.getsize(self.path)
            time.sleep(0.4)
        return size

    def locks(self):
        """Calls of lock that succeeded, on any object: on an image's header, and on its object map."""
        return self.text.count(": lock_op") - self.refused()

    def refused(self):
        return self.text.count("could not exclusive-lock")

    def unlocks(self):
        return self.text.count(": unlock_op")

    def owners(self):
        """The global ids of the clients that got the image's lock, in order. Needs messages, one image, no object map, and clients
        that write no timestamps: then the class calls that change the header are locks and unlocks in turn."""
        clients = {address: int(client) for client, address in CLIENT.findall(self.text)}
        changes = [clients.get(address) for address, _, version, result in REPLY.findall(self.text) if result == "0" and version != "0'0"]
        return changes[::2]
