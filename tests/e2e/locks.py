"""What is told of locks and threads: names, holders, the requests that waited, and the thread that is the limit."""
import json, os, re, signal

from lab import CannotRun, fio_command

EXAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "exam")
JOURNALED = "layering,exclusive-lock,journaling"


def contended(recording):
    return [lock for lock in recording.report["locks"] if lock["kind"] != "cond" and lock["contended"]]


def settings(lab, *options):
    """The environment in which Ceph's clients have these settings."""
    return {"CEPH_ARGS": " ".join((lab.env["CEPH_ARGS"], *options))}


def collapse(lab, seconds=5):
    return lab.record(fio_command(lab.image("journaled", JOURNALED), "randwrite", jobs=2, seconds=seconds))


def check_named(lab, recording):
    """Each lock has a name, and no number contradicts another."""
    for lock in recording.report["locks"]:
        name = lock["name"]
        lab.holds("a name and not only an address", not re.fullmatch(r"(0x)?[0-9a-f]+", name) and "unknown" not in name, name)
        if lock["acquisitions"] is not None:
            lab.holds(f"{name}: not fewer acquisitions than contended ones", lock["acquisitions"] >= lock["contended"], lock)
        lab.equal(f"{name}: requests delayed", lock["requests_delayed"], (lock["delay"] or {"count": 0})["count"])
        ways = lock["requests_delayed_in_call"], lock["requests_delayed_meanwhile"]
        lab.between(f"{name}: each delayed in one way or both", max(ways), lock["requests_delayed"], sum(ways))
        edges = lock["edges"]
        waits = (lock["wait"] or {"count": 0})["count"] + lock["failed"] + lock["open"]
        lab.equal(f"{name}: every wait has an edge", sum(e["count"] for e in edges), waits)


def test_collapse(lab):
    """Two writers of a journaled image: librbd's and Objecter's locks have their classes' names in stripped libraries."""
    recording = collapse(lab)
    lab.whole(recording)
    check_named(lab, recording)
    names = [lock["name"] for lock in contended(recording)]
    for wanted in ("librbd::ExclusiveLock<librbd::ImageCtx>", "Objecter", "AsyncConnection"):
        lab.holds(f"a lock of {wanted}", any(name.startswith(wanted) for name in names), names)
    edges = [edge for lock in contended(recording) for edge in lock["edges"]]
    lab.holds("holders have names and places", any(e["holder_thread"] and e["holder_site"] for e in edges), edges[:3])
    longest = max(requests["latency"]["max"] for client in recording.clients("journaled") for requests in client["requests"].values() if requests["latency"])
    for lock in contended(recording):
        lab.holds(f"{lock['name']}: no request is delayed longer than the longest one took", not lock["delay"] or lock["delay"]["max"] <= longest, lock["delay"])


def test_application(lab):
    """A C program's mutexes: their symbols, the functions that wait and that hold, times and counts as it took them itself, a nested wait."""
    recording = lab.record([lab.program("blocked"), "rbd", lab.image("plain"), "4"])
    lab.whole(recording)
    told = json.loads(recording.ended.stdout)
    found = [lock for lock in recording.report["locks"] if lock["name"] == "kept_lock"]
    if not lab.equal("locks called kept_lock", len(found), 1):
        return
    kept = found[0]
    lab.equal("inferred", kept["inferred"], False)
    lab.equal("acquisitions", kept["acquisitions"], told["acquisitions"])
    asker = [edge for edge in kept["edges"] if edge["waiter_thread"] == "asker"]
    waited_ns = sum(edge["wait_ns"] for edge in asker)
    lab.between("time that asker waited", told["asked_ns"] * 0.95 - 20000 * told["asked"], waited_ns, told["asked_ns"])
    # A thread is known to make requests from its first one on, which asker makes after its first wait.
    lab.between("and that threads waited which make requests", waited_ns - kept["wait"]["max"], kept["submitters_wait_ns"], kept["wait_ns"])
    lab.holds("asker waits in ask()", asker and all(e["waiter_site"].startswith("ask+") for e in asker), asker)
    lab.holds("keeper holds it until the end of keep()", asker and asker[0]["holder_thread"] == "keeper" and (asker[0]["holder_site"] or "").startswith("keep+"), asker)
    inner = [nested for edge in asker for nested in edge["nested"] if nested["name"] == "inner_lock"]
    lab.holds("keeper waits for inner_lock meanwhile", inner and sum(n["wait_ns"] for n in inner) > 0, asker)
    lab.equal("writes", sum(recording.sums("plain").values()), told["writes"])
    third = [e for lock in recording.report["locks"] if lock["name"] == "inner_lock" for e in lock["edges"] if e["holder_thread"] == "third"]
    folded = lab.run([lab.rbdprof, "export", "--format", "folded", "--thread", "asker", recording.folder]).stdout.splitlines()
    lab.holds("asker's stack leads from its thread to the lock", any(re.match(r"asker;.*;run_asker;ask;kept_lock \d+$", line) for line in folded), folded)
    lab.holds("third holds inner_lock in hold_inner()", third and (third[0]["holder_site"] or "").startswith("hold_inner+"), third)


def test_deadlock(lab):
    """Two threads that wait for each other until the program is killed: both waits are there, open, each inside the other."""
    seconds = 5
    recording = lab.record([lab.program("deadlock"), "rbd", lab.image("plain"), str(seconds)], check=False)
    lab.equal("exit status", recording.ended.returncode, 128 + signal.SIGKILL)
    for waiter, holder, asked, held in (("left", "right", "right_lock", "left_lock"), ("right", "left", "left_lock", "right_lock")):
        found = [lock for lock in recording.report["locks"] if lock["name"] == asked]
        if not lab.equal(f"locks called {asked}", len(found), 1):
            continue
        lock, edges = found[0], found[0]["edges"]
        lab.equal(f"{asked}: open, over, in vain", (lock["open"], lock["contended"], lock["failed"]), (1, 0, 0))
        # What the last second had to tell is lost with the process, and what that second is told by takes a moment.
        lab.between(f"{asked}: open for", (seconds - 1.5) * 1e9, lock["open_max_ns"], (seconds + 0.5) * 1e9)
        lab.equal(f"{asked}: who waits for whom", [(e["waiter_thread"], e["holder_thread"], e["count"]) for e in edges], [(waiter, holder, 1)])
        lab.holds(f"{asked}: waits in ask_…()", edges and edges[0]["waiter_site"].startswith("ask_" + holder), edges)
        lab.equal(f"{asked}: and its holder meanwhile for", [nested["name"] for e in edges for nested in e["nested"]], [held])
    text = lab.run([lab.rbdprof, "report", recording.folder]).stdout
    lab.holds("the text tells it", re.search(r"2 waits were not over at the end, the longest for [345]\.\d+ s until then", text), text[-2000:])


def test_cache(lab):
    """ceph 25713: the cache's lock is contended by several workers while there is a cache."""
    workers = "--librados_thread_count=4"
    cached = settings(lab, workers, "--rbd_cache=true", "--rbd_cache_policy=writeback", "--rbd_cache_writethrough_until_flush=false")
    command = fio_command(lab.image("plain"), "randrw", depth=64, seconds=4)
    for way, env, there in (("on", cached, True), ("off", settings(lab, workers, "--rbd_cache=false"), False)):
        names = [lock["name"] for lock in contended(lab.record(command, env=env))]
        lab.equal(f"with the cache {way} its lock is told", any("ObjectCacher" in name for name in names), there)


def test_one_worker(lab):
    """ceph 24483: librbd has one worker thread, and callbacks that compute keep it busy."""
    recording = lab.record([lab.program("load", EXAM), "compute", "rbd", lab.image("plain"), "5", "32", "300", "1"], env=settings(lab, "--librados_thread_count=1"))
    workers = [thread for thread in recording.report["threads"] if thread["name"] == "io_context_pool"]
    if not lab.equal("workers", len(workers), 1):
        return
    worker = workers[0]
    lab.holds("none has more of a processor", all((t["cpu_share"] or 0) <= worker["cpu_share"] for t in recording.report["threads"]), worker)
    # On a machine that has other work the thread waits for a processor instead: both together are what it could have used.
    lab.between("it runs, or could run", 0.85, worker["cpu_share"] + worker["run_queue_share"], 1.1)
    lab.holds("it is told as the limit", worker["pressure"] == ("starved" if worker["run_queue_share"] >= 0.2 else "saturated"), worker)
    advice = [text for verdict in recording.report["verdict"] for text in verdict["advice"]]
    lab.holds("nobody is told to give librbd more threads", not any("rbd_op_threads" in text or "librados_thread_count" in text for text in advice), advice)


def test_export(lab):
    """Folded stacks: all time waited, to the µs that each line is rounded to."""
    recording = collapse(lab, 3)
    lines = lab.run([lab.rbdprof, "export", "--format", "folded", recording.folder]).stdout.splitlines()
    lab.equal("lines that are none", [line for line in lines if not re.fullmatch(r"[^;]+(;[^;]+)+ \d+", line)], [])
    waited_us = sum(lock["wait_ns"] for lock in contended(recording)) / 1000
    lab.between("µs in all", waited_us * 0.98 - 100, sum(int(line.rsplit(" ", 1)[1]) for line in lines), waited_us + len(lines))


def test_debug_packages(lab):
    """With librbd1-dbg and librados2-dbg places in Ceph have a file and a line."""
    library = lab.run(["sh", "-c", "ldconfig -p | sed -n 's/.*librbd.so.1 .*=> //p' | head -n 1"]).stdout.strip()
    build_id = re.search(r"Build ID: ([0-9a-f]+)", lab.run(["readelf", "-n", library]).stdout)[1]
    if not os.path.exists(f"/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"):
        raise CannotRun("it needs the packages librbd1-dbg and librados2-dbg")
    edges = [edge for lock in contended(collapse(lab, 3)) for edge in lock["edges"]]
    sites = {site for edge in edges for site in (edge["waiter_site"], edge["holder_site"]) if site}
    lab.holds("a place in librbd", any(re.match(r"librbd::\S+ \(\w+\.(cc|h):\d+\)$", site) for site in sites), sorted(sites)[:20])
    lab.holds("a place in Objecter", any(re.match(r"Objecter::\S+ \(Objecter\.(cc|h):\d+\)$", site) for site in sites), sorted(sites)[:20])
    lab.holds("none is inside of a lock guard that was inlined", not any("gthr-default" in s or "std_mutex" in s for s in sites), sorted(sites))


test_debug_packages.long = True
