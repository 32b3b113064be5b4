#!/usr/bin/env bash
# Holds cluster.sh to its promises: it starts, says what is wrong, and leaves nothing behind however its user ends.
set -u
cd "$(dirname "$0")" || exit 1
cluster=$PWD/cluster.sh
TMPDIR=$(mktemp -d /tmp/rbdprof-test.XXXXXX) && export TMPDIR || exit 1
clean_up() {
	local left
	for left in "$TMPDIR"/*/; do
		[ ! -e "$left/.rbdprof-cluster" ] || "$cluster" stop "$left"
	done
	rm -rf "$TMPDIR"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

passed=0 failed=0
# expect WHAT CMD...: CMD must succeed.
expect() {
	local what=$1
	shift
	if "$@"; then
		echo "ok   $what"
		passed=$((passed + 1))
	else
		echo "FAIL $what"
		failed=$((failed + 1))
	fi
}

# No folder of a cluster, and no daemon that was told of one.
nothing_left() {
	local n
	for n in $(seq 60); do
		if [ -z "$(ls -d "$TMPDIR"/*/ 2>/dev/null)" ] && ! grep -qsaE "^ceph-(mon|osd).*$TMPDIR" /proc/[0-9]*/cmdline; then
			return 0
		fi
		sleep 0.1
	done
	ls -d "$TMPDIR"/*/
	return 1
}

status_of() {
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
	echo $?
}

says() { grep -q "$1" "$TMPDIR/out" "$TMPDIR/err"; }

expect "a missing verb's arguments: 2" [ "$(status_of "$cluster" stop)" = 2 ]
expect "an unknown option: 2" [ "$(status_of "$cluster" start --nonsense)" = 2 ]
expect "a folder of somebody else's is not touched" [ "$(status_of "$cluster" stop /usr)" = 1 ]
expect "a folder with something in it: 1" [ "$(status_of "$cluster" start /usr)" = 1 ]
expect "placement groups that are no number: 2" [ "$(status_of "$cluster" start --pg-num many)" = 2 ]
expect "an owner that does not exist: 2" [ "$(status_of "$cluster" start --owner 999999999)" = 2 ]

expect "run: the command's status" [ "$(status_of "$cluster" run -- sh -c 'rbd create --size 8M x && rbd ls; exit 7')" = 7 ]
expect "run: the command found the cluster" says '^x$'
expect "run: nothing is left" nothing_left
expect "run: death by a signal" [ "$(status_of "$cluster" run -- sh -c 'kill -KILL $$')" = 137 ]
expect "run: nothing is left after it" nothing_left

expect "an OSD as one wants it" [ "$(status_of "$cluster" run --pg-num 16 --osd osd_objectstore=bluestore --osd bluestore_block_size=2147483648 -- \
	sh -c 'ceph osd pool get rbd pg_num && ceph daemon osd.0 config get osd_objectstore')" = 0 ]
expect "the pool has its groups" says '^pg_num: 16$'
expect "and the OSD its store" says 'bluestore'
expect "no time to start: 1" [ "$(status_of "$cluster" start --timeout 0)" = 1 ]
expect "and a sentence with the daemon's words" says 'its own words'
expect "and nothing is left" nothing_left

# Three at a time, and each knows its own.
for n in 1 2 3; do
	"$cluster" start --timeout 60 --owner $$ "$TMPDIR/$n" >/dev/null &
done
wait
for n in 1 2 3; do
	"$cluster" describe "$TMPDIR/$n"
done >"$TMPDIR/out" 2>&1
expect "three clusters have three identities" [ "$(grep '^fsid' "$TMPDIR/out" | sort -u | grep -c .)" = 3 ]

features=layering,exclusive-lock,object-map,fast-diff,journaling
"$cluster" image "$TMPDIR/1" full --features $features --size 32M --fill --journal-object-size 1M
info=$(rbd -c "$TMPDIR/1/ceph.conf" info --format json full)
expect "an image has the features asked for" python3 -c '
import json, sys
sys.exit(set(json.loads(sys.argv[1])["features"]) != set(sys.argv[2].split(",")))' "$info" $features
expect "and is filled" [ "$(rados -c "$TMPDIR/1/ceph.conf" -p rbd ls | grep -c '^rbd_data')" = 8 ]
expect "and its journal has objects of the size asked for" grep -q 'order: 20' <(rbd -c "$TMPDIR/1/ceph.conf" journal info --image full)
for n in 1 2 3; do
	"$cluster" stop "$TMPDIR/$n"
done
expect "three clusters stopped" nothing_left

# The owner ends in the worst of ways: while the cluster starts, and when it is up.
for delay in 0.4 1.2 2; do
	{ bash -c "'$cluster' start >/dev/null & sleep $delay; kill -KILL \$\$"; } 2>/dev/null
	expect "the owner was killed $delay s into the start: nothing is left" nothing_left
done
{ bash -c "d=\$('$cluster' start --owner \$\$) && kill -KILL \$\$"; } 2>/dev/null
expect "the owner was killed afterwards: nothing is left" nothing_left

# Ctrl-C reaches a whole process group.
setsid --wait bash -c "trap : INT; '$cluster' run -- sleep 100 & sleep 5; kill -INT -- -\$\$; wait \$!" 2>/dev/null
expect "Ctrl-C during run: nothing is left" nothing_left
"$cluster" run -- sleep 100 &
sleep 5
kill -TERM $!
wait $! 2>/dev/null
expect "SIGTERM to run: its status" [ $? = 143 ]
expect "SIGTERM to run: nothing is left" nothing_left

if [ "$(id -u)" = 0 ] && command -v runuser >/dev/null; then
	chmod 1777 "$TMPDIR"
	expect "an ordinary user can have one" [ "$(cd / && status_of runuser -u nobody -- env HOME=/nonexistent TMPDIR="$TMPDIR" "$cluster" run -- rbd ls)" = 0 ]
	expect "and leaves nothing" nothing_left
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
