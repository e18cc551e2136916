#!/bin/sh
# Fetches a library out of a package of npm's, once, and prints its path. For the scripts that know
# which one.
#
#   bench/peers/get_library.sh PACKAGE LIBRARY FOLDER
set -eu
[ $# -eq 3 ] || {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
package=$1 library=$2

mkdir -p "$3"
cd "$3"
if [ ! -f "$library" ]; then
    # Unpacked aside, so that what is there is whole.
    archive=$(npm pack --silent "$package")
    rm -rf unpacked
    mkdir unpacked
    tar -xzf "$archive" -C unpacked
    mv unpacked/package .
    rm -r "$archive" unpacked
fi
echo "$PWD/$library"
