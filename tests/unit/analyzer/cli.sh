#!/bin/bash
# The command line of rbdprof, as far as it needs no trace: what is said where, and with which exit status.
#   cli.sh PATH-OF-RBDPROF
rbdprof=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS STREAM PATTERN ARGUMENT...: the words are on that stream, and nothing is on the other.
expect()
{
	local status=$1 stream=$2 pattern=$3 got other=err
	shift 3
	[ "$stream" = err ] && other=out
	"$rbdprof" "$@" >out 2>err
	got=$?
	if [ $got -ne "$status" ] || ! grep -q -- "$pattern" "$stream" || [ -s $other ]; then
		echo "rbdprof $*: status $got, wanted $status and '$pattern' on $stream alone"
		sed 's/^/    out: /' out
		sed 's/^/    err: /' err
		failed=1
	fi
}

expect 2 err 'usage: rbdprof VERB'
expect 0 out '^  record ' --help
expect 0 out '^  report ' help
expect 0 out '^rbdprof [0-9]' --version
expect 2 err "do you mean 'report'" reprot
expect 2 err "do you mean 'record'" rec
expect 2 err 'no verb' frobnicate
expect 2 err 'options follow the verb' --frobnicate
expect 2 err 'no verb' help frobnicate

expect 0 out 'usage: rbdprof report' report --help
expect 0 out 'usage: rbdprof report' help report
expect 2 err 'unknown option --frobnicate' report --frobnicate
expect 2 err 'unknown option -x' report -x
expect 2 err '--format needs a value' report --format
expect 2 err "no format 'xml'" report --format xml
expect 2 err '--osdmap needs a value' report --osdmap
expect 2 err 'no recording in the current folder' report
expect 1 err 'nowhere: No such file' report nowhere
expect 1 err 'Not a directory' report out

mkdir empty noted
expect 1 err 'is no recording' report empty
echo '{"command": ["true"], "status": 0, "processes_traced": 0}' >noted/rbdprof.json
expect 3 err '\blibrbd\b' report noted
expect 3 err '\blibrbd\b' report --format json noted
expect 3 err '\blibrbd\b' report
echo '{' >noted/rbdprof.json
expect 1 err 'not understood' report noted

# A trace of which nothing can be read is no proof that no image was opened.
mkdir noted/trace
: >noted/trace/metadata
echo '{}' >noted/rbdprof.json
expect 1 err 'metadata is empty' report noted
expect 1 err 'cannot read nowhere: No such file' report --osdmap nowhere noted
expect 1 err 'ceph pg dump pgs_brief' report --osdmap noted/rbdprof.json noted

exit $failed
