# Shared by ./demo and ./check: what they need from the system, and the build folder.
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
    $as_root apt-get -qq update
    # shellcheck disable=SC2086 # a list of names
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
        $missing >/dev/null
}

build_packages="gcc libc6-dev meson ninja-build pkg-config libjansson-dev libsodium-dev libxxhash-dev libsqlite3-dev libpng-dev libjpeg62-turbo-dev zlib1g-dev libseccomp-dev libcunit1-dev"

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
