"""A guest under QEMU's software emulation: a kernel, one program (guest.c), and a disk that is an RBD image. It does what it is told on its serial
line, and QEMU says through QMP what it did for it. What is true of that is the tests' business.
"""
import glob, json, os, re, signal, socket, subprocess, tempfile, time

from lab import HERE, CannotRun

MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk")
STRICT = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"  # libvirt's


def kernel(lab):
    """(kernel, folder of its modules) of the package linux-image-cloud-amd64, installed or fetched once into build/guest."""
    here = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "guest")
    for root in ("/", here):
        images = sorted(glob.glob(os.path.join(root, "boot/vmlinuz-*-cloud-amd64")))
        if images:
            return images[-1], os.path.join(root, "lib/modules", os.path.basename(images[-1])[len("vmlinuz-"):])
    depends = lab.run(["apt-cache", "depends", "linux-image-cloud-amd64"]).stdout
    package = re.search(r"Depends: (linux-image-[0-9]\S*)", depends)
    if not package:
        raise CannotRun(f"no kernel for a guest: {depends}")
    os.makedirs(here, exist_ok=True)
    lab.run(["sh", "-c", f"cd {here} && apt-get -q download {package[1]} && dpkg -x {package[1]}_*.deb . && rm {package[1]}_*.deb"], timeout=300)
    return kernel(lab)


def readable_conf(lab):
    """The cluster's settings for a user who may not look into its folder."""
    path = os.path.join(lab.work, "user.conf")
    with open(lab.env["CEPH_CONF"]) as conf, open(path, "w") as copy:
        copy.writelines(line for line in conf if line.split("=")[0].strip() not in ("log_file", "admin_socket", "run_dir", "keyring", "pid_file"))
    os.chmod(path, 0o644)
    return path


def archive(files):
    """A cpio archive (newc) with the files {name: (mode, bytes)}."""
    out = b""
    for number, (name, (mode, data)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))]):
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        out += b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return out


def initramfs(lab):
    path = os.path.join(lab.work, "initramfs")
    if not os.path.exists(path):
        modules = kernel(lab)[1]
        program = os.path.join(lab.work, "guest")
        lab.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-static", "-pthread", "-o", program, os.path.join(HERE, "guest.c")])
        files = {"dev": (0o40755, b""), "mnt": (0o40755, b""), "init": (0o100755, open(program, "rb").read())}
        for module in MODULES:
            found = glob.glob(f"{modules}/kernel/drivers/**/{module}.ko", recursive=True)
            files[f"{module}.ko"] = (0o100644, open(found[0], "rb").read())
        with open(path, "wb") as out:
            out.write(archive(files))
        os.chmod(path, 0o644)
        os.chmod(lab.work, 0o755)
    return path


def image_with_ext4(lab, name, features):
    """Of 64 MiB: ext4 in the first half, with the file "data" for the guest to write to, and nothing in the second. No block of it is new to
    the OSD, which rbd leaves out where they are zero."""
    if name not in lab.images:
        files, disk = os.path.join(lab.work, name), os.path.join(lab.work, name + ".raw")
        os.mkdir(files)
        for path, mebibytes in ((os.path.join(files, "data"), 16), (disk, 64)):
            with open(path, "wb") as file:
                file.write(b"\xff" * (mebibytes << 20))
        lab.run(["mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", "-d", files, disk, "32M"])
        lab.run(["rbd", "import", "--image-feature", features, disk, name])
        lab.images.add(name)
    return name


class Guest:
    """Started and up when made. before: words before QEMU's, as `env -i` or setpriv; options: more of QEMU's."""

    def __init__(self, lab, image, *options, before=(), shim=True, drive="cache=none,discard=unmap", env=None, conf=None):
        self.lab, self.folder = lab, tempfile.mkdtemp(prefix="guest-", dir=lab.work)
        os.chmod(self.folder, 0o777)
        self.qmp_path, self.serial_path, self.pid_file = (os.path.join(self.folder, name) for name in ("qmp", "serial", "pid"))
        words = [*before, "qemu-system-x86_64", "-accel", "tcg", "-m", "128", "-smp", "1", "-display", "none", "-nodefaults", "-no-reboot",
                 "-kernel", kernel(lab)[0], "-initrd", initramfs(lab), "-append", "console=ttyS0 quiet loglevel=0",
                 "-chardev", f"socket,id=line,path={self.serial_path},server=on,wait=off", "-serial", "chardev:line",
                 "-qmp", f"unix:{self.qmp_path},server=on,wait=off", "-pidfile", self.pid_file,
                 "-drive", f"file=rbd:rbd/{image}:conf={conf or lab.env['CEPH_CONF']},format=raw,if=virtio,id=disk,{drive}", *options]
        environment = {**lab.env, **({"LD_PRELOAD": lab.shim()} if shim else {}), **(env or {})}
        lab.commands.append(" ".join(words))
        self.errors = open(os.path.join(self.folder, "stderr"), "w+")
        # Preloaded into QEMU alone, not into what starts it.
        self.process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors, start_new_session=True)
        self.line = self.connect(self.serial_path)
        self.qmp = self.connect(self.qmp_path)
        try:
            self.receive(self.qmp)
            self.command("qmp_capabilities")
            self.expect("ready")
        except OSError:
            raise CannotRun(f"the guest does not start: {self.process.wait(timeout=20)} {self.said()}") from None

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def connect(self, path):
        end = time.monotonic() + 20
        while True:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(60)
            try:
                connection.connect(path)
                return connection.makefile("rw", newline="\n")
            except OSError:
                connection.close()
                if self.process.poll() not in (None, 0) or time.monotonic() > end:
                    raise CannotRun(f"the guest does not start: {self.process.poll()} {self.said()}") from None
                time.sleep(0.05)

    @staticmethod
    def receive(connection):
        while True:
            answer = json.loads(connection.readline())
            if "event" not in answer:
                return answer

    def command(self, name, **arguments):
        self.qmp.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.qmp.flush()
        return self.receive(self.qmp)["return"]

    @property
    def pid(self):
        with open(self.pid_file) as file:
            return int(file.read())

    def expect(self, word):
        """What follows the word on the serial line, where the command that was given is echoed too."""
        while True:
            line = self.line.readline().strip()
            if line.startswith("failed"):
                raise CannotRun(f"the guest's I/O {line}")
            if line.startswith(word):
                return line[len(word):].strip()

    def tell(self, *words):
        self.line.write(" ".join(map(str, words)) + "\n")
        self.line.flush()

    def do(self, *words):
        self.tell(*words)
        return int(self.expect("done"))

    def counts(self):
        """What QEMU's disk has done so far, as librbd should have been asked for it: operations less those merged into others. QEMU 7.2
        counts no discard of a virtio disk."""
        stats = self.command("query-blockstats")[0]["stats"]
        return {"read": stats["rd_operations"] - stats["rd_merged"], "write": stats["wr_operations"] - stats["wr_merged"],
                "flush": stats["flush_operations"]}

    def times(self):
        """{kind: (operations, ns)} as QEMU measures them."""
        stats = self.command("query-blockstats")[0]["stats"]
        return {kind: (stats[f"{name}_operations"], stats[f"{name}_total_time_ns"]) for kind, name in
                (("read", "rd"), ("write", "wr"), ("flush", "flush"))}

    def close(self):
        try:
            self.tell("off")
        except (OSError, ValueError):
            pass
        end = time.monotonic() + 20
        while os.path.exists(f"/proc/{self.pid if os.path.exists(self.pid_file) else self.process.pid}") and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        for pid in {self.process.pid, *([self.pid] if os.path.exists(self.pid_file) else [])}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        for connection in (self.line, self.qmp):
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
