# Shared by ./demo, ./check and scripts/three_users.sh: what they need from the system, and the build folder.
# Source it from the project's root with `set -eu` on.

# Installs the Debian packages that are missing; says nothing when there is nothing to do.
need_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0

    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "needs$missing: run as root, or install sudo" >&2
            exit 1
        }
        as_root=sudo
    fi
    echo "installing$missing"
    apt_get update
    # shellcheck disable=SC2086 # a list of names
    apt_get install -y --no-install-recommends $missing
}

# apt_get COMMAND…: waits up to ten minutes while another program has apt's locks, as a machine's first
# boot does, and repeats what failed otherwise, as a mirror may fail for a moment.
apt_get() {
    said=$(mktemp) waits=120 repeats=2
    # apt waits for dpkg's lock alone, not for those of its lists and archives.
    until $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
        apt-get -qq -o DPkg::Lock::Timeout=600 "$@" >/dev/null 2>"$said"; do
        if [ $waits -gt 0 ] && grep -Eq 'Could not get lock|Unable to (lock|acquire)' "$said"; then
            [ $waits -lt 120 ] || echo "waiting for another program that has apt's lock"
            waits=$((waits - 1))
            sleep 5
        elif [ $repeats -gt 0 ]; then
            echo "apt-get $1 failed; once more in 5 s"
            repeats=$((repeats - 1))
            sleep 5
        else
            cat "$said" >&2
            rm "$said"
            exit 1
        fi
    done
    rm "$said"
}

build_packages="gcc libc6-dev dpkg-dev meson ninja-build pkg-config libjansson-dev libsodium-dev libxxhash-dev libsqlite3-dev libpng-dev libjpeg62-turbo-dev zlib1g-dev libseccomp-dev"

# configure FOLDER [MESON OPTION…]: sets a build folder up, or brings it up to date.
configure() {
    folder=$1
    shift
    if [ -f "$folder/build.ninja" ]; then
        # Without options it would print them all.
        [ $# -eq 0 ] || meson configure "$folder" "$@"
    else
        meson setup "$folder" "$@" >"$folder.log" 2>&1 || {
            cat "$folder.log"
            rm -f "$folder.log"
            exit 1
        }
        rm -f "$folder.log"
    fi
}

# compile FOLDER TARGET…: builds as much as there is to build. Says on descriptor 3 how far it is: on a
# terminal all the time, else once a minute. Prints what failed.
compile() {
    folder=$1
    shift
    steps=$folder/meson-logs/compile.txt
    follow "$steps" "$folder" &
    follower=$!
    status=0
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -k 0 "$@" >"$steps" 2>&1 || status=$?
    kill $follower 2>/dev/null || true
    wait $follower 2>/dev/null || true
    [ ! -t 3 ] || printf '\r\033[K' >&3
    [ $status -eq 0 ] || grep -v '^\[[0-9]*/[0-9]*\] ' "$steps" || true
    return $status
}

# follow STEPS FOLDER: the last of ninja's steps, as long as the script goes on.
follow() {
    seconds=0
    while sleep 1 3>&- >/dev/null 2>&1 && kill -0 $$ 2>/dev/null && [ -e "$1" ]; do
        seconds=$((seconds + 1))
        step=$(grep '^\[[0-9]*/[0-9]*\] ' "$1" | tail -n 1) || true
        if [ -t 3 ]; then
            printf '\r\033[K%.78s' "$2: $step" >&3
        elif [ $((seconds % 60)) -eq 0 ]; then
            echo "$2: compiling, ${step%% *} after $seconds s" >&3
        fi
    done
}
