#!/bin/sh
# Compares Halyard with TensorFlow Lite on real networks, on one thread; prints a table of medians.
#
#   bench/compare_networks.sh BUILD_FOLDER MODEL.tflite...
#
# RUNS (3) is the number of runs, ROUNDS (9) the rounds of each. TensorFlow Lite's library comes from
# get_tflite.sh (it needs npm, once); TFLITE names another. The rows are in networks_RUN.json of the
# build folder. Without models nothing is measured.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
bench=$(dirname "$0")
shift
[ $# -ge 1 ] || {
    echo "compare_networks.sh: skipped, no models" >&2
    exit 77
}
ninja -C "$build" --quiet bench/compare
tflite=${TFLITE:-$("$bench/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")}
status=0
run=0
files=
while [ "$run" -lt "${RUNS:-3}" ]; do
    run=$((run + 1))
    # XNNPACK's delegate tells each node that it leaves to the built-in kernels.
    "$build/bench/compare" --rounds "${ROUNDS:-9}" --starts 1 --json "$build/networks_$run.json" \
        "$tflite" "$@" >"$build/networks_$run.md" 2>"$build/networks_$run.log" || status=1
    grep '^compare: /' "$build/networks_$run.log" >&2 || true
    files="$files networks_$run.json"
done
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1); $(date +%Y-%m-%d);" \
    "load $(cut -d' ' -f1-3 /proc/loadavg)"
echo
(cd "$build" && /usr/bin/python3 -B "$OLDPWD/$bench/networks_table.py" $files)
exit $status
