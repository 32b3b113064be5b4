#!/usr/bin/env bash
# From a clone to two reports: fio with one job and with two on a journaled image of a real Ceph that lives as long as
# this script. It knows the order of the steps; how a cluster is made is tests/cluster/cluster.sh's business.
set -u
cd "$(dirname "$0")" || exit 1

usage() {
	cat <<'USAGE'
usage: ./demo.sh [--seconds N] [--keep DIR]

Installs the packages (as root or through sudo), builds into build/demo, starts a one-node Ceph on loopback, records fio
with one job and with two writing 4 KiB blocks to one journaled image, prints both reports, and stops everything.
--seconds N   how long each run of fio lasts (6)
--keep DIR    leaves the two recordings in DIR (a new folder) instead of removing them
USAGE
}

seconds=6 keep=''
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) seconds=${2-} && shift ;;
	--keep) keep=${2-} && shift ;;
	-h | --help) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
	shift || { usage >&2 && exit 2; }
done

say() { printf '\n=== %s\n' "$*" >&2; }

fail() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

# Run quietly; show what was said only when it failed.
quietly() {
	"$@" >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		fail "$1 failed"
	}
}

cluster=tests/cluster/cluster.sh ceph='' work=$(mktemp -d "${TMPDIR:-/tmp}/rbdprof-demo.XXXXXX") || exit 1
clean_up() {
	[ -z "$ceph" ] || $cluster stop "$ceph"
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say "packages"
tests/packages.sh --demo || exit 1

say "building into build/demo"
quietly cmake -S . -B build/demo -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX="$PWD/build/demo/prefix"
quietly cmake --build build/demo -j "$(nproc)"
quietly cmake --install build/demo
rbdprof=$PWD/build/demo/prefix/bin/rbdprof

say "starting a Ceph of one node"
ceph=$($cluster start --timeout 60 --owner $$) || exit 1
eval "$($cluster describe --env "$ceph")"
# Small journal objects keep the replay at each change of owner short, so that what is seen is the change itself.
$cluster image "$ceph" journaled --features layering,exclusive-lock,journaling --size 128M --fill --journal-object-size 1M || exit 1

recordings=${keep:-$work}
mkdir -p "$recordings" || exit 1
for jobs in 1 2; do
	say "$jobs fio job(s), 4 KiB random writes, 32 deep, $seconds s, recorded"
	"$rbdprof" record -o "$recordings/jobs-$jobs" -- fio --name=demo --ioengine=rbd --clientname=admin --pool=rbd --rbdname=journaled \
		--rw=randwrite --bs=4k --size=128M --iodepth=32 --numjobs=$jobs --group_reporting --time_based --runtime="$seconds" \
		--output="$work/fio-$jobs" || fail "the recording with $jobs job(s) failed"
done

for jobs in 1 2; do
	say "the report with $jobs job(s)"
	"$rbdprof" report "$recordings/jobs-$jobs" || fail "the report with $jobs job(s) failed"
	"$rbdprof" report --format json "$recordings/jobs-$jobs" >"$work/report-$jobs.json" || fail "the JSON report with $jobs job(s) failed"
done

say "side by side"
python3 - "$work/report-1.json" "$work/report-2.json" <<'PYTHON'
import json, sys

def row(path):
    image, = json.load(open(path))["images"]
    writes = [c["requests"]["write"] for c in image["clients"] if "write" in c["requests"]]
    return len(writes), sum(w["iops"] for w in writes), max(w["latency"]["p50"] for w in writes), max(w["latency"]["p99"] for w in writes)

print(f"{'clients':>8}{'writes/s':>12}{'p50 ms':>12}{'p99 ms':>12}    (p50 and p99: the slower client's latency)")
for path in sys.argv[1:]:
    clients, iops, p50, p99 = row(path)
    print(f"{clients:>8}{iops:>12.0f}{p50 / 1e6:>12.2f}{p99 / 1e6:>12.2f}")
PYTHON
[ -z "$keep" ] || say "the recordings are in $keep"
