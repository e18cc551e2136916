#!/bin/sh
# Compares single operators with TensorFlow Lite's built-in kernels; prints the table behind
# docs/numerics.md.
#
#   bench/compare_ops.sh BUILD_FOLDER [--cases N] [--seed N] [--only OPERATOR]
#
# TensorFlow Lite comes from get_tflite.sh (it needs npm, once) and stays in the build folder, or in
# TFLITE_FOLDER if that is set.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$1
shift
ninja -C "$build" --quiet tests/scenarios/peers/compare_ops
library=$("$(dirname "$0")/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
exec "$build/tests/scenarios/peers/compare_ops" --reference "$library" "$@"
