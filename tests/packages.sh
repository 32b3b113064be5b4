#!/usr/bin/env bash
# The Debian 12 packages that building, demonstrating and testing need: the one list of them, and how they get
# installed. Quick when everything is there.
set -u

build=(build-essential cmake pkg-config liblttng-ust-dev liblttng-ctl-dev libunwind-dev libbabeltrace2-dev librbd-dev librados-dev libjson-c-dev libelf-dev
	libdw-dev uthash-dev)
run=(lttng-tools)
cluster=(ceph-mon ceph-osd ceph-common fio)
tests=(libcmocka-dev libradospp-dev babeltrace2 valgrind strace libjemalloc2 libgoogle-perftools4 qemu-utils qemu-block-extra qemu-system-common
	qemu-system-x86 e2fsprogs python3 python3-rbd procps util-linux)

usage() {
	cat <<'USAGE'
usage: tests/packages.sh [--demo] [--check | --list]

Installs what is missing with apt-get, as root or through sudo; --demo leaves out what only the tests need.
--check   installs nothing; names what is missing and exits with 1 if anything is
--list    prints the packages
USAGE
}

packages=("${build[@]}" "${run[@]}" "${cluster[@]}" "${tests[@]}") mode=install
while [ $# -gt 0 ]; do
	case $1 in
	--demo) packages=("${build[@]}" "${run[@]}" "${cluster[@]}") ;;
	--check) mode=check ;;
	--list) mode=list ;;
	-h | --help) usage && exit ;;
	*) usage >&2 && exit 2 ;;
	esac
	shift
done
[ $mode != list ] || { printf '%s\n' "${packages[@]}" && exit; }

command -v dpkg-query >/dev/null || { echo "packages: this is no Debian; needed are: ${packages[*]}" >&2 && exit 1; }

# A package counts as there when it, or one that provides it (pkgconf does pkg-config), is installed.
installed=$(dpkg-query -W -f '${db:Status-Abbrev}|${Package}, ${Provides}\n' | sed -n 's/^ii *|//p' | tr ',' '\n' | sed 's/^ *//; s/ .*//')
missing=()
for package in "${packages[@]}"; do
	grep -qxF "$package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ $mode = check ]; then
	echo "packages: missing: ${missing[*]}" >&2
	exit 1
fi

as_root=()
if [ "$(id -u)" != 0 ]; then
	as_root=(sudo)
	command -v sudo >/dev/null || {
		echo "packages: missing: ${missing[*]}" >&2
		echo "packages: you are not root and there is no sudo; as root: apt-get install ${missing[*]}" >&2
		exit 1
	}
fi

apt() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >&2
}

echo "packages: installing ${missing[*]}" >&2
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
	echo "packages: apt-get failed; still needed: ${missing[*]}" >&2
	exit 1
fi
