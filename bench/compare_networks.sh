#!/bin/sh
# Compares Halyard with TensorFlow Lite on real networks; prints a table of medians.
#
#   bench/compare_networks.sh BUILD_FOLDER MODEL.tflite...
#
# RUNS (3) is the number of runs, ROUNDS (9) the rounds of each, THREADS (1) the number of threads.
# TensorFlow Lite's library comes from get_tflite.sh (it needs npm, once); TFLITE names another. The rows
# are in networks_RUN.json of the build folder, and what was refused in networks_RUN.log. Without models
# nothing is measured. HALYARD_CPU_FEATURES limits halyard-cpu to a set of instructions; the peer takes
# what the machine has.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
shift
[ $# -ge 1 ] || {
    echo "compare_networks.sh: skipped, no models" >&2
    exit 77
}
ninja -C "$build" --quiet bench/compare
tflite=${TFLITE:-$("$bench/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")}
status=0
run=0
files=
while [ "$run" -lt "${RUNS:-3}" ]; do
    run=$((run + 1))
    # XNNPACK's delegate tells each node that it leaves to the built-in kernels.
    "$build/bench/compare" --threads "${THREADS:-1}" --rounds "${ROUNDS:-9}" --starts 1 \
        --json "$build/networks_$run.json" \
        "$tflite" "$@" >"$build/networks_$run.md" 2>"$build/networks_$run.log" || status=1
    grep '^compare: /' "$build/networks_$run.log" | grep -v ': without ' >&2 || true
    files="$files networks_$run.json"
done
"$bench/describe_machine.sh"
echo
(cd "$build" && /usr/bin/python3 -B "$bench/networks_table.py" $files)
exit $status
