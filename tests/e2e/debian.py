"""Programs and libraries of other Debian releases, unpacked into folders below build/. Nothing is installed, and the machine's own apt is left
alone: of it only the address of its mirror is asked. What is done with the programs is the tests' business.
"""
import glob, gzip, os, re, shutil

from lab import HERE, CannotRun

ROOT = os.path.dirname(os.path.dirname(HERE))
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirrors(lab):
    """Where this machine has its own packages from."""
    with open("/etc/os-release") as file:
        names = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    targets = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Component: main", f"Release: {names['VERSION_CODENAME']}"]
    return sorted(set(lab.run(targets).stdout.split()))


def fetch(lab, suite, packages, folder):
    """Downloads packages of a suite with all they depend on, as if nothing were installed. Returns the files."""
    apt = os.path.join(folder, "apt")
    archives = os.path.join(apt, "cache", "archives")
    for path in ("lists/partial", "cache/archives/partial", "parts"):
        os.makedirs(os.path.join(apt, path), exist_ok=True)
    open(os.path.join(apt, "status"), "w").close()
    settings = {"Dir::State": apt, "Dir::State::status": f"{apt}/status", "Dir::Cache": f"{apt}/cache", "Dir::Etc::sourcelist": f"{apt}/sources.list",
                "Dir::Etc::sourceparts": f"{apt}/parts", "Dir::Etc::preferences": f"{apt}/preferences", "Dir::Etc::preferencesparts": f"{apt}/parts",
                "Acquire::Languages": "none", "APT::Install-Recommends": "false"}
    command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
    said = []
    for mirror in mirrors(lab):
        with open(f"{apt}/sources.list", "w") as file:
            file.write(f"deb [signed-by={KEYRING}] {mirror} {suite} main\n")
        for arguments in (["--error-on=any", "update"], ["--download-only", "--yes", "install", *packages]):
            ended = lab.run([*command, *arguments], check=False, timeout=400)
            if ended.returncode:
                said.append(ended.stderr[-600:])
                break
        else:
            return glob.glob(f"{archives}/*.deb")
    raise CannotRun(f"the packages of {suite} cannot be had, which this test needs ({', '.join(packages)}):\n" + "\n".join(said or ["this machine's apt has no mirror"]))


def unpacked(lab, suite, *packages):
    """A folder with these packages and all that they need, fetched once."""
    folder = os.path.join(ROOT, "build", "releases", suite)
    root, done = os.path.join(folder, "root"), os.path.join(folder, "packages")
    if not os.path.exists(done) or open(done).read().split() != list(packages):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(root)
        for file in fetch(lab, suite, packages, folder):
            lab.run(["dpkg-deb", "--extract", file, root])
        shutil.rmtree(os.path.join(folder, "apt"))
        with open(done, "w") as file:
            print(*packages, file=file)
    return root


def version(root, package):
    """Of an unpacked package, without Debian's revision."""
    with gzip.open(f"{root}/usr/share/doc/{package}/changelog.Debian.gz", "rt") as changes:
        return re.match(r"\S+ \(([\d.]+)", changes.readline())[1]


def libraries(root):
    """The folders of an unpacked release in which its loader finds libraries."""
    return sorted({os.path.dirname(path) for place in ("lib", "usr/lib") for path in glob.glob(f"{root}/{place}/*-linux-gnu/**/*.so*", recursive=True)})
