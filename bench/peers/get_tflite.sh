#!/bin/sh
# Fetches TensorFlow Lite's C library (x86-64) for the comparisons, out of a package of npm's, and prints
# its path.
#
#   bench/peers/get_tflite.sh FOLDER
set -eu
[ $# -eq 1 ] || {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
exec "$(dirname "$0")/get_library.sh" tfjs-tflite-node@0.0.2 \
    package/cc_deps/linux_amd64/libtensorflowlite_c.so "$1"
