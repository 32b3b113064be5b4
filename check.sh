#!/usr/bin/env bash
# All tests of a clone, from the packages to a real Ceph. It knows the order of the parts and adds up what they say.
set -u
cd "$(dirname "$0")" || exit 1

usage() {
	cat <<'USAGE'
usage: ./check.sh [--long] [--only PART[,PART]...]

Installs the packages (as root or through sudo), builds into build/check, and runs the tests; about half an hour on
two processors. The last line is "N passed, N failed"; the exit status is 0 when nothing failed.
--long         the long parts too
--only PART    only these parts. The build is made for those that need it.

The parts, in their order:
  build        configure, build with -Werror, install into build/check/prefix
  unit         ctest: the core from events written as text, the wrappers against stubs, recording without Ceph
  sanitize     the same tests of all that is not preloaded, under AddressSanitizer and UndefinedBehaviorSanitizer
  shell        the scripts parse; shellcheck when it is installed
  cluster      the cluster's script: side by side, Ctrl-C, killed owners
  e2e          fio, QEMU and a C program on a real Ceph, and the analyzer under valgrind
  exam         known causes made on a real Ceph, and the verdict on each graded
  e2e:NAME, exam:NAME   of these those whose names begin so; tests/e2e/run.py --list and tests/exam/run --list name them
USAGE
}

parts='build unit sanitize shell cluster e2e exam' long=''
while [ $# -gt 0 ]; do
	case $1 in
	--only) parts=${2-} && parts=${parts//,/ } && shift ;;
	--long) long=--long ;;
	-h | --help) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
	shift || { usage >&2 && exit 2; }
done
[ -n "$parts" ] || { usage >&2 && exit 2; }

passed=0 failed=0 failures=() log=$(mktemp) child=''
clean_up() { rm -f "$log"; }
trap clean_up EXIT
# A part is ended before this script is; what a part has started ends with the part.
trap 'kill -TERM $child 2>/dev/null; wait $child 2>/dev/null; exit 130' INT
trap 'kill -TERM $child 2>/dev/null; wait $child 2>/dev/null; exit 143' TERM HUP

say() { printf '\n=== %s\n' "$*"; }

result() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) failures+=("$2")
		printf 'FAIL %s\n' "$2"
	fi
}

# one NAME CMD...: a step that counts as one test; quiet unless it fails.
one() {
	local name=$1 status
	shift
	printf '%s ...\n' "$name"
	"$@" >"$log" 2>&1 </dev/null &
	child=$!
	wait $child
	status=$?
	[ $status = 0 ] || tail -n 60 "$log"
	result $status "$name"
	return $status
}

# many NAME PATTERN CMD...: a program that runs many tests and says in its last matching line how many passed and failed.
many() {
	local name=$1 pattern=$2 status
	shift 2
	"$@" </dev/null > >(tee "$log") 2>&1 &
	child=$!
	wait $child
	status=$?
	wait
	if [[ $(grep -aE "$pattern" "$log" | tail -n 1) =~ $pattern ]]; then
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
		[ "${BASH_REMATCH[2]}" = 0 ] && [ $status = 0 ] || failures+=("$name")
		[ "${BASH_REMATCH[2]}" != 0 ] || [ $status = 0 ] || failed=$((failed + 1))
	else
		result 1 "$name (it did not say how many passed)"
	fi
}

# ctest says "90% tests passed, 1 tests failed out of 10": passed has to be worked out.
ctests() {
	local name=$1 folder=$2 status line
	ctest --test-dir "$folder" --output-on-failure --timeout 300 -j "$(nproc)" </dev/null > >(tee "$log") 2>&1 &
	child=$!
	wait $child
	status=$?
	wait
	line=$(grep -aE 'tests failed out of' "$log" | tail -n 1)
	if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]] && [ "${BASH_REMATCH[2]}" -gt 0 ]; then
		failed=$((failed + BASH_REMATCH[1])) passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
		[ $status = 0 ] || failures+=("$name")
	else
		result 1 "$name (ctest found no tests)"
	fi
}

wants() { [[ " $parts " =~ \ ($1)(:[^ ]*)?\  ]]; }

finish() {
	local name
	say "after ${SECONDS} s"
	for name in "${failures[@]}"; do
		echo "failed: $name"
	done
	echo "$passed passed, $failed failed"
	[ $failed = 0 ] && [ $passed -gt 0 ]
	exit
}

say "packages"
tests/packages.sh || { result 1 packages && finish; }

if wants 'build|unit|e2e|exam'; then
	say "building into build/check"
	one "configure" cmake -S . -B build/check -DRBDPROF_WERROR=ON -DCMAKE_INSTALL_PREFIX="$PWD/build/check/prefix" || finish
	one "build" cmake --build build/check -j "$(nproc)" || finish
	one "install" cmake --install build/check || finish
fi

if wants unit; then
	say "unit tests"
	ctests unit build/check
fi

if wants 'sanitize|e2e'; then
	say "building into build/sanitize"
	one "configure with sanitizers" cmake -S . -B build/sanitize -DRBDPROF_WERROR=ON -DRBDPROF_SANITIZE=ON \
		-DCMAKE_INSTALL_PREFIX="$PWD/build/sanitize/prefix" &&
		one "build with sanitizers" cmake --build build/sanitize -j "$(nproc)" &&
		one "install with sanitizers" cmake --install build/sanitize
fi

if wants sanitize; then
	say "unit tests under the sanitizers"
	ctests sanitize build/sanitize
fi

if wants shell; then
	say "scripts"
	for script in check.sh demo.sh .ci/run $(find tests -name '*.sh'); do
		one "bash -n $script" bash -n "$script"
		! command -v shellcheck >/dev/null || one "shellcheck $script" shellcheck --severity=warning "$script"
	done
	for script in tests/e2e/*.py tests/exam/*.py tests/exam/run tests/bench/*.py; do
		one "python3 $script" python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$script"
	done
fi

if wants cluster; then
	say "the cluster's script"
	many cluster '^([0-9]+) passed, ([0-9]+) failed$' tests/cluster/test.sh
fi

if wants e2e; then
	say "end to end on a real Ceph"
	names=()
	for part in $parts; do
		[[ $part != e2e:* ]] || names+=("${part#e2e:}")
	done
	many e2e '^([0-9]+) passed, ([0-9]+) failed$' tests/e2e/run.py --rbdprof build/check/prefix/bin/rbdprof \
		--sanitized build/sanitize/prefix/bin/rbdprof $long "${names[@]}"
fi

if wants exam; then
	say "the exam"
	names=()
	for part in $parts; do
		[[ $part != exam:* ]] || names+=("${part#exam:}")
	done
	many exam '^([0-9]+) passed, ([0-9]+) failed$' tests/exam/run --rbdprof build/check/prefix/bin/rbdprof $long "${names[@]}"
fi

finish
