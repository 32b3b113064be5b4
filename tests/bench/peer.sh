#!/usr/bin/env bash
# Runs a command under lttng-ust's own pthread wrapper, traced by a session daemon of its own, with buffers of the kind that rbdprof record
# takes. Its last line on standard error is how many events of the wrapper's the trace has; then the trace is thrown away.
set -eu

usage() {
	echo 'usage: tests/bench/peer.sh CMD...' >&2
	exit 2
}

[ $# -gt 0 ] || usage

# There is one session daemon for root in a mount namespace; in one of its own nothing is left behind in /dev/shm either.
if [ "$(id -u)" = 0 ] && [ -z "${PEER_INSIDE-}" ]; then
	PEER_INSIDE=1 exec unshare --mount "$0" "$@"
fi

home=$(mktemp -d) daemon=''
clean_up() {
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
	rm -rf "$home"
}
trap clean_up EXIT
trap 'exit 143' INT TERM HUP
export LTTNG_HOME=$home
if [ "$(id -u)" = 0 ]; then
	mkdir -p /run/lttng
	mount -t tmpfs lttng /run/lttng
	mount -t tmpfs -o mode=1777 lttng /dev/shm
fi

lttng() { command lttng --no-sessiond "$@"; }

lttng-sessiond --no-kernel >"$home/daemon.log" 2>&1 &
daemon=$!
until lttng list >"$home/list" 2>&1; do
	kill -0 $daemon 2>/dev/null || { cat "$home/daemon.log" >&2 && exit 1; }
	sleep 0.05
done
{
	lttng create pair --output="$home/trace"
	lttng enable-channel --userspace --buffers-pid --num-subbuf=4 --subbuf-size=8M pair
	lttng enable-event --userspace --all --channel=pair
	lttng start
} >"$home/list"
status=0
LD_PRELOAD=liblttng-ust-pthread-wrapper.so "$@" || status=$?
lttng destroy pair >"$home/list"
babeltrace2 "$home/trace" --component=sink.utils.counter --params=step=+0 | awk '/ Event messages/ { print $1 }' >&2
exit $status
