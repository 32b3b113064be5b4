#!/usr/bin/env bash
# A real Ceph of one node for tests: a monitor and an OSD on loopback, everything in memory and in one folder.
# It knows how to start such a cluster, to describe it, to make images in it, and to take it down whatever happens to its
# user. It knows nothing of rbdprof.
set -u

usage() {
	cat <<'USAGE'
usage: cluster.sh start [--owner PID|none] [--objclass-log] [--client OPTION=VALUE]... [--osd OPTION=VALUE]...
                        [--pg-num N] [--timeout SECS] [DIR]
       cluster.sh describe [--env] DIR
       cluster.sh image DIR NAME --features LIST [--size SIZE] [--fill] [rbd create options]
       cluster.sh stop DIR
       cluster.sh run [start options] [--] CMD [ARG]...

start     starts a cluster in DIR (an empty or a new folder; default: a new one below $TMPDIR) and prints DIR. The cluster
          lives until it is stopped or its owner ends in whatever way; the owner is the caller unless another is given.
          In x=$(cluster.sh start) give --owner $$. Several clusters may run side by side.
  --objclass-log     the OSD writes every call of an object class (the exclusive lock is one) to DIR/log/osd.0.log
  --client OPTION=V  one more setting for the clients; rbd_cache=false stands there already
  --osd OPTION=V     one more setting for the OSD; osd_objectstore=bluestore makes it keep its objects in DIR, not in memory
  --pg-num N         placement groups of the pool (8)
  --timeout SECS     give up after so long (15)
describe  prints fsid, addresses, pools, images and the lines to export; with --env only those lines, for eval
image     creates an image in the pool rbd. --features is a list with commas, --size 256M unless given. --fill writes all
          of it once; a journal is switched on only after that, so that it starts empty
stop      ends the daemons and removes DIR
run       starts a cluster, runs CMD with CEPH_CONF and CEPH_ARGS set, and stops the cluster; exits as CMD did
USAGE
}

say() { printf 'cluster: %s\n' "$*" >&2; }

die() {
	say "$@"
	exit 1
}

bad_usage() {
	say "$1"
	usage | sed '/^$/q' >&2
	exit 2
}

# Only a folder that start made is ever touched or removed.
marker=.rbdprof-cluster

need_cluster() {
	[ -n "${1-}" ] || bad_usage "which cluster? DIR is missing"
	[ -e "$1/$marker" ] || die "$1 is no cluster of this script"
	dir=$(realpath "$1") conf=$dir/ceph.conf
}

need_programs() {
	local program missing=
	for program in ceph-mon ceph-osd monmaptool ceph rbd python3; do
		command -v "$program" >/dev/null || missing+=" $program"
	done
	[ -z "$missing" ] || die "not installed:$missing (tests/packages.sh installs them)"
}

# The processes of a cluster are those whose command line names its configuration file: no pid file can be stale or late.
daemons() {
	local file arg program found
	for file in /proc/[0-9]*/cmdline; do
		program='' found=''
		while IFS= read -r -d '' arg; do
			[ -n "$program" ] || program=${arg##*/}
			[ "$arg" = "$conf" ] && found=yes
		done 2>/dev/null <"$file"
		case $found$program in yesceph-mon | yesceph-osd) file=${file%/cmdline} && echo "${file##*/}" ;; esac
	done
}

# --- taking down ---------------------------------------------------------------------------------------------------------

# The script that starts the cluster, or its watchdog, by the number it left behind, unless that is ourselves or somebody else by now.
end_helper() {
	local pid
	pid=$(cat "$dir/$1.pid" 2>/dev/null) || return 0
	if [ "$pid" != $$ ] && tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qx '.*cluster\.sh'; then
		kill -KILL "$pid" 2>/dev/null
	fi
}

# SIGKILL: nothing of a cluster is kept, and an OSD that is asked politely writes its whole memory to the disk first. A start
# that is under way goes first, lest it bring up a daemon behind our back.
take_down() {
	local pids pid
	end_helper start
	end_helper watchdog
	for _ in 1 2 3; do
		pids=$(daemons)
		[ -n "$pids" ] || break
		for pid in $pids; do
			kill -KILL "$pid" 2>/dev/null
		done
		for _ in $(seq 50); do
			[ -n "$(daemons)" ] || break
			sleep 0.05
		done
	done
	[ ! -e "$dir/$marker" ] || rm -rf "$dir"
}

verb_stop() {
	need_cluster "${1-}"
	take_down
}

# A process of its own session that sleeps until the owner is gone, even by SIGKILL, and then becomes `cluster.sh stop`.
start_watchdog() {
	setsid python3 -c '
import os, select, sys
owner, script, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
try:
    select.select([os.pidfd_open(owner)], [], [])
except ProcessLookupError:
    pass
os.execv(script, [script, "stop", folder])
' "$1" "$(realpath "$0")" "$dir" </dev/null >/dev/null 2>&1 &
	echo $! >"$dir/watchdog.pid"
	disown
}

# --- starting ------------------------------------------------------------------------------------------------------------

# A port that nobody listens on, below the range from which the kernel takes ports for outgoing connections.
free_port() {
	python3 -c '
import random, socket
while True:
    port = random.randrange(12000, 32000)
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break'
}

# Debian builds Ceph with a relative path to its object classes: without this, rbd create fails with "not supported".
class_dir() {
	local found
	found=$(dpkg -L ceph-base ceph-osd 2>/dev/null | grep -m1 '/libcls_rbd\.so$') || die "libcls_rbd.so is in neither ceph-base nor ceph-osd"
	dirname "$found"
}

# The v2 address matters: with a v1 address alone, the OSD's first command can overtake its monitor map.
# memstore_page_set keeps memstore from slowing down as its objects fragment.
write_conf() {
	cat >"$conf" <<-CONF
	[global]
	fsid = $fsid
	mon_host = [v2:127.0.0.1:$port]
	mon_initial_members = a
	public_addr = 127.0.0.1
	auth_cluster_required = none
	auth_service_required = none
	auth_client_required = none
	osd_pool_default_size = 1
	osd_pool_default_min_size = 1
	osd_crush_chooseleaf_type = 0
	mon_allow_pool_size_one = true
	mon_data_avail_warn = 2
	mon_data_avail_crit = 1
	paxos_propose_interval = 0.1
	run_dir = $dir/run
	admin_socket = $dir/run/\$cluster-\$name.asok
	pid_file = $dir/run/\$name.pid
	log_file = $dir/log/\$name.log
	keyring = $dir/keyring
	osd_objectstore = memstore
	memstore_device_bytes = 8589934592
	memstore_page_set = true
	memstore_page_size = 65536
	osd_class_dir = $(class_dir)
	[mon]
	mon_data = $dir/mon
	[osd]
	osd_data = $dir/osd
	debug_objclass = $([ -n "$objclass_log" ] && echo 20/20 || echo 0/5)
	$(printf '%s\n' "${osd_settings[@]}")
	[client]
	rbd_cache = false
	admin_socket = $dir/run/client.\$pid.\$cctid.asok
	log_file = $dir/log/client.\$pid.log
	CONF
	printf '%s\n' "${client_settings[@]}" >>"$conf"
}

ceph_() { timeout $((patience > SECONDS ? patience - SECONDS : 1)) ceph -c "$conf" "$@" </dev/null 2>>"$dir/log/ceph.err"; }

# What the program in question logged last: its errors (level -1) where it names some, for a crash ends in a page of stack.
last_words() {
	local file
	for file in "$dir/log/$1.log" "$dir/log/$1.err"; do
		[ -s "$file" ] && break
	done
	{ grep -E ' -1 |[Ee]rror|FAILED' "$file" || grep . "$file"; } 2>/dev/null | tail -n 6 | cut -c1-200 | sed 's/^/    /' >&2
}

give_up() {
	say "$2; the last of its own words:"
	last_words "$1"
	take_down
	trap - EXIT
	exit 1
}

# Run a step of the start to its end, or give up in the name of the program it belongs to.
step() {
	local name=$1 what=$2
	shift 2
	"$@" >>"$dir/log/$name.err" 2>&1 || give_up "$name" "$what failed"
}

# A daemon in the foreground of its own session: its death is seen at once, and no Ctrl-C of a terminal reaches it.
launch() {
	local name=$1
	shift
	setsid "$@" -f -c "$conf" </dev/null >>"$dir/log/$name.err" 2>&1 &
	daemon_pid=$!
	disown
}

# wait_until NAME WHAT CMD...: until CMD succeeds. Gives up when the time is over; 1 when the daemon NAME died.
wait_until() {
	local name=$1 what=$2
	shift 2
	while kill -0 "$daemon_pid" 2>/dev/null; do
		[ "$SECONDS" -lt "$patience" ] || give_up "$name" "$what not after $patience s"
		"$@" && return
		sleep 0.1
	done
	return 1
}

mon_answers() { ceph_ daemon mon.a mon_status | grep -q '"state": "leader"'; }

osd_is_up() { ceph_ osd stat | grep -q '1 up'; }

# Somebody may take the port between our look and the monitor's start: then the monitor ends at once and another is tried.
start_monitor() {
	for _ in 1 2 3; do
		port=$(free_port)
		write_conf
		rm -rf "$dir/mon" "$dir/monmap"
		mkdir "$dir/mon"
		step monmaptool "making a monitor map" monmaptool --create --addv a "[v2:127.0.0.1:$port]" --fsid "$fsid" "$dir/monmap"
		step mon.a "making the monitor's store" ceph-mon -c "$conf" -i a --mkfs --monmap "$dir/monmap"
		launch mon.a ceph-mon -i a
		wait_until mon.a "the monitor leads" mon_answers && return
	done
	give_up mon.a "the monitor ended"
}

start_osd() {
	local uuid id
	uuid=$(cat /proc/sys/kernel/random/uuid)
	id=$(ceph_ osd new "$uuid") || give_up ceph "registering the OSD failed"
	[ "$id" = 0 ] || give_up ceph "the first OSD got the number '$id'"
	step osd.0 "making the OSD's store" ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$uuid"
	launch osd.0 ceph-osd -i 0
	wait_until osd.0 "the OSD is up" osd_is_up || give_up osd.0 "the OSD ended"
}

new_folder() {
	if [ -z "$dir" ]; then
		dir=$(mktemp -d "${TMPDIR:-/tmp}/rbdprof-cluster.XXXXXX") || die "no temporary folder"
	else
		mkdir -p "$dir" || die "cannot make $dir"
		dir=$(realpath "$dir")
		[ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
	fi
	# A path of a socket has 107 bytes, and a client's admin socket needs some forty of them.
	if [ ${#dir} -gt 64 ]; then
		rmdir "$dir"
		die "$dir is too long a name for a folder of sockets (64 bytes)"
	fi
	mkdir "$dir"/{osd,run,log} || die "cannot write in $dir"
	touch "$dir/$marker" "$dir/keyring"
}

# start's options; what they do not know is left in rest.
parse_start() {
	dir='' owner=$PPID objclass_log='' patience=15 pg_num=8 client_settings=() osd_settings=() rest=()
	while [ $# -gt 0 ]; do
		case $1 in
		--owner) owner=${2-} && shift ;;
		--objclass-log) objclass_log=yes ;;
		--client) client_settings+=("${2-}") && shift ;;
		--osd) osd_settings+=("${2-}") && shift ;;
		--pg-num) pg_num=${2-} && shift ;;
		--timeout) patience=${2-} && shift ;;
		--) shift && break ;;
		-*) bad_usage "start does not know $1" ;;
		*) break ;;
		esac
		shift || bad_usage "an option lacks its value"
	done
	rest=("$@")
	[[ $owner =~ ^([0-9]+|none)$ ]] || bad_usage "--owner takes a process's number or none, not '$owner'"
	[[ $pg_num =~ ^[0-9]+$ ]] || bad_usage "--pg-num takes a number, not '$pg_num'"
	[[ $patience =~ ^[0-9]+$ ]] || bad_usage "--timeout takes seconds, not '$patience'"
}

start_cluster() {
	need_programs
	new_folder
	conf=$dir/ceph.conf fsid=$(cat /proc/sys/kernel/random/uuid) SECONDS=0
	trap take_down EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	echo $$ >"$dir/start.pid"
	[ "$owner" = none ] || start_watchdog "$owner"
	start_monitor
	start_osd
	step ceph "making the pool" ceph_ osd pool create rbd "$pg_num" "$pg_num"
	step ceph "marking the pool for rbd" ceph_ osd pool application enable rbd rbd
	rm -f "$dir/start.pid"
	trap - EXIT INT TERM HUP
}

verb_start() {
	parse_start "$@"
	[ ${#rest[@]} -le 1 ] || bad_usage "start takes one DIR"
	[ "$owner" = none ] || [ -d "/proc/$owner" ] || bad_usage "there is no process $owner that could own the cluster"
	dir=${rest[0]-}
	start_cluster
	echo "$dir"
}

# --- using ---------------------------------------------------------------------------------------------------------------

print_env() {
	printf 'export CEPH_CONF=%q\nexport CEPH_ARGS=%q\n' "$conf" "-c $conf"
}

verb_describe() {
	local only_env='' pool
	[ "${1-}" = --env ] && only_env=yes && shift
	need_cluster "${1-}"
	[ -z "$only_env" ] || { print_env && return; }
	patience=15 SECONDS=0
	echo "folder    $dir"
	echo "fsid      $(ceph_ fsid)"
	echo "release   $(ceph_ version)"
	echo "conf      $conf"
	echo "monitor   $(sed -n 's/^mon_host = //p' "$conf")"
	echo "osd       $(ceph_ osd dump | grep -o '^osd\.0.*' | grep -o '\[v2[^]]*\]' | head -1)"
	echo "daemons   $(daemons | tr '\n' ' ')"
	for pool in $(ceph_ osd pool ls); do
		echo "pool      $pool"
		rbd -c "$conf" ls --long "$pool" 2>/dev/null | sed "1d; s|^|image     $pool/|"
	done
	print_env
}

verb_image() {
	need_cluster "${1-}"
	local name=${2-} features='' size=256M fill='' journal=() create=() journaling=''
	[ -n "$name" ] || bad_usage "image needs a NAME"
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		--features) features=${2-} && shift ;;
		--size) size=${2-} && shift ;;
		--fill) fill=yes ;;
		--journal-*=*) journal+=("$1") ;;
		--journal-*) journal+=("$1" "${2-}") && shift ;;
		*) create+=("$1") ;;
		esac
		shift || bad_usage "an option lacks its value"
	done
	[ -n "$features" ] || bad_usage "image needs --features"
	if [ -n "$fill" ] && [[ ,$features, == *,journaling,* ]]; then
		journaling=yes features=$(tr , '\n' <<<"$features" | grep -vx journaling | paste -sd,)
	else
		create+=("${journal[@]}")
	fi
	rbd -c "$conf" create --size "$size" --image-feature "$features" "${create[@]}" "$name" || die "rbd create $name failed"
	if [ -n "$fill" ]; then
		rbd -c "$conf" bench --io-type write --io-size 1M --io-threads 8 --io-total "$size" --io-pattern seq "$name" >/dev/null || die "filling $name failed"
	fi
	if [ -n "$journaling" ]; then
		rbd -c "$conf" feature enable "$name" journaling "${journal[@]}" || die "switching on the journal of $name failed"
	fi
}

# CMD runs beside this shell, which bash would otherwise not let go of to hear a SIGTERM; it shares the terminal and gets
# back the two signals that a shell without job control makes its children ignore.
verb_run() {
	parse_start "$@"
	[ ${#rest[@]} -gt 0 ] || bad_usage "run needs a CMD"
	owner=$$ dir=''
	start_cluster
	trap 'verb_stop "$dir"' EXIT
	eval "$(print_env)"
	env --default-signal=INT --default-signal=QUIT -- "${rest[@]}" <&0 &
	local child=$! status
	trap : INT QUIT
	trap 'kill -TERM $child 2>/dev/null' TERM HUP
	# A signal that was trapped ends wait early: the child's own end is what counts.
	while wait "$child" 2>/dev/null; status=$?; [ $status -gt 128 ] && kill -0 "$child" 2>/dev/null; do :; done
	exit $status
}

verb=${1---help}
[ $# -eq 0 ] || shift
case $verb in
start) verb_start "$@" ;;
stop) verb_stop "$@" ;;
describe) verb_describe "$@" ;;
image) verb_image "$@" ;;
run) verb_run "$@" ;;
-h | --help) usage ;;
*) bad_usage "there is no verb $verb" ;;
esac
