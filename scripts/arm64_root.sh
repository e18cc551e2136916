#!/bin/sh
# arm64_root.sh FOLDER: what the project needs from the system, for arm64.
#
# Debian's packages, unpacked into FOLDER; nothing is installed, so that no package of this machine
# has to agree with them. FOLDER/cross.ini is a cross file for meson that finds them, and runs
# programs with qemu-user (QEMU_CPU chooses the processor). A folder that is there stays as it is.
set -eu

[ $# -eq 1 ] || {
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
mkdir -p "$1"
root=$(cd "$1" && pwd)
[ ! -f "$root/cross.ini" ] || exit 0

libraries="libjansson4 libsodium23 libxxhash0 libsqlite3-0 libpng16-16 libjpeg62-turbo zlib1g libseccomp2 libcunit1"
headers="libjansson-dev libsodium-dev libxxhash-dev libsqlite3-dev libpng-dev libjpeg62-turbo-dev zlib1g-dev libseccomp-dev libcunit1-dev"

# apt of its own: this machine's sources, another architecture, no installed packages.
mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" "$root/packages"
: >"$root/apt/status"
arm64_apt() {
    apt-get -qq -o Acquire::Retries=3 -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
        -o Dir::State="$root/apt" -o Dir::State::Lists="$root/apt/lists" \
        -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt/cache" \
        -o Acquire::Languages=none "$@"
}
arm64_apt update
# shellcheck disable=SC2086 # lists of names
(cd "$root/packages" && arm64_apt download $libraries $headers)
for package in "$root"/packages/*.deb; do
    dpkg-deb -x "$package" "$root"
done
rm -rf "$root/apt" "$root/packages"

# Last: with it the folder is complete.
cat >"$root/cross.ini.new" <<END
[constants]
root = '$root'

[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu',
               '-E', 'LD_LIBRARY_PATH=' + root / 'usr/lib/aarch64-linux-gnu:' + root / 'lib/aarch64-linux-gnu']

[properties]
sys_root = root
pkg_config_libdir = root / 'usr/lib/aarch64-linux-gnu/pkgconfig'

[built-in options]
c_args = ['-isystem', root / 'usr/include', '-isystem', root / 'usr/include/aarch64-linux-gnu']
c_link_args = ['-L' + root / 'usr/lib/aarch64-linux-gnu',
               '-Wl,-rpath-link,' + root / 'usr/lib/aarch64-linux-gnu']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
mv "$root/cross.ini.new" "$root/cross.ini"
