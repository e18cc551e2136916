#!/bin/sh
# Compares single operators with TensorFlow Lite, in floats, uint8 and int8; prints a table of medians.
#
#   bench/compare_operators.sh BUILD_FOLDER [OPERATOR]...
#
# measures the models of make_operators.py, all of them or those of the named operators, against the
# faster of the built-in kernels and XNNPACK. RUNS (1) is the number of runs, ROUNDS (7) the rounds of
# each, THREADS (1) the number of threads. The library and modules of Python are fetched once and stay in
# the build folder (get_tflite.sh: npm, get_python.sh: apt-get); TFLITE names another library. The rows
# are in operators_RUN.json there, and what was refused in operators_RUN.log. HALYARD_CPU_FEATURES limits
# halyard-cpu to a set of instructions; the peer takes what the machine has.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
shift
ninja -C "$build" --quiet bench/compare
tflite=${TFLITE:-$("$bench/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")}
python=$("$bench/peers/get_python.sh" "$build/python")
rm -rf "$build/operators"
mkdir "$build/operators"
"$python" -B "$bench/make_operators.py" "$build/operators" "$@"
set --
status=0
run=0
while [ "$run" -lt "${RUNS:-1}" ]; do
    run=$((run + 1))
    # XNNPACK's delegate tells each node that it leaves to the built-in kernels.
    "$build/bench/compare" --threads "${THREADS:-1}" --rounds "${ROUNDS:-7}" --pause-ms 2 --starts 1 \
        --json "$build/operators_$run.json" "$tflite" "$build"/operators/*.tflite \
        >"$build/operators_$run.md" 2>"$build/operators_$run.log" || status=1
    grep '^compare: /' "$build/operators_$run.log" | grep -v ': without ' >&2 || true
    set -- "$@" "$build/operators_$run.json"
done
"$bench/describe_machine.sh"
echo
"$python" -B "$bench/operators_table.py" "$@"
exit $status
