#!/bin/sh
# Fetches TensorFlow Lite's C library (x86-64) for the comparisons, out of a package of npm's, and
# prints its path.
#
#   bench/get_tflite.sh FOLDER
set -eu
[ $# -eq 1 ] || {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
package=tfjs-tflite-node@0.0.2
library=package/cc_deps/linux_amd64/libtensorflowlite_c.so

mkdir -p "$1"
cd "$1"
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
