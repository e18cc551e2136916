#!/bin/sh
# What a call costs: one small ADD, through TensorFlow Lite with Halyard and with a library that does
# nothing behind it, then without a client. Prints the tables of docs/performance.md.
#
#   bench/call_cost.sh BUILD_FOLDER [--rounds N] [--round-ms N]
#
# TensorFlow Lite comes from get_tflite.sh (it needs npm, once) and stays in the build folder, or in
# TFLITE_FOLDER if that is set.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$1
shift
bench=$(dirname "$0")
ninja -C "$build" --quiet bench/client_cost bench/call_cost bench/idle/libneuralnetworks.so.1 \
    bench/lowered/libneuralnetworks.so runtime/libneuralnetworks.so.1
library=$("$bench/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
"$build/bench/client_cost" "$@" "$library" "$bench/add.tflite" \
    "$build/bench/idle" "$build/bench/lowered" "$build/runtime"
echo
"$build/bench/call_cost" "$@" "$library" "$bench/add.tflite"
