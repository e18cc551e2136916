#!/bin/sh
# Compares Halyard with TensorFlow Lite, on one thread; prints the table of docs/performance.md.
#
#   bench/compare.sh BUILD_FOLDER MODEL.tflite...
#
# TensorFlow Lite comes from get_tflite.sh (it needs npm, once) and stays in the build folder, or in
# TFLITE_FOLDER if that is set.
set -eu
[ $# -ge 2 ] || {
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$1
shift
ninja -C "$build" --quiet bench/compare_tflite
library=$("$(dirname "$0")/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
exec "$build/bench/compare_tflite" --reference "$library" "$@"
