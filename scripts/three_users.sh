#!/bin/sh
# Plays the three users of Halyard in a Debian 12 of their own: the developer of an app, the vendor of a
# driver and the operator of a service. Each has the sources and the documentation, and does what is
# printed there.
#
#   scripts/three_users.sh [--keep]
#
# Needs root, and about 2 GB for a quarter of an hour. debootstrap makes the root of the system in a
# folder of its own, from the mirror of this machine's apt; the users live in it with processes, mounts
# and IPC of their own, which end with them. --keep leaves the folder. The exit status is 77, with the
# reason, where a system cannot be made.
set -eu
cd "$(dirname "$0")/.."
. scripts/common.sh

skip() {
    echo "skipped: $*"
    exit 77
}

# mirror: where apt of this machine has bookworm from.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' \
        'Created-By: Packages' 'Codename: bookworm' 'Component: main' 2>/dev/null | sort -u | head -n 1
}

# The sources as a user gets them: what git knows, or all but build folders.
copy_sources() {
    mkdir -p "$1"
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z --cached --others --exclude-standard | tar -cf - --null -T -
    else
        tar -cf - --exclude='./build*' .
    fi | tar -C "$1" -xf - --no-same-owner
}

# inside COMMAND…: in the root, where everything that COMMAND has started and mounted ends with it.
inside() {
    # shellcheck disable=SC2016 # of the inner shell
    unshare --mount --pid --ipc --uts --fork --kill-child sh -euc '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LC_ALL=C.UTF-8 "$@"' sh "$root" "$@"
}

keep=
case "$*" in
'') ;;
--keep) keep=yes ;;
*)
    sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
[ "$(id -u)" -eq 0 ] || skip "makes the root of a system, which root alone may"
command -v apt-get >/dev/null || skip "there is no apt to ask for a mirror"
unshare --mount --pid --ipc --uts --fork true 2>/dev/null || skip "namespaces cannot be made here"
command -v debootstrap >/dev/null || (need_packages debootstrap) || skip "debootstrap cannot be installed"
[ -n "$(mirror)" ] || (apt_get update) || skip "apt has no lists"
[ -n "$(mirror)" ] || skip "apt of this machine has no mirror of Debian 12"

root=$(mktemp -d "${TMPDIR:-/var/tmp}/halyard-users-XXXXXX")
cleanup() {
    if [ -n "$keep" ]; then
        echo "left in $root"
    else
        rm -rf --one-file-system "$root"
    fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$root"

. scripts/three_users/steps.sh
begin_role "A Debian 12"
step "debootstrap" debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$(mirror)"
step "the sources" copy_sources "$root/usr/src/halyard"
for role in developer vendor operator; do
    inside "/usr/src/halyard/scripts/three_users/$role.sh"
done
echo "three users are content"
