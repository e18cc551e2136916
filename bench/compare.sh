#!/bin/sh
# Compares Halyard with TensorFlow Lite and ONNX Runtime; prints the tables of docs/performance.md.
#
#   bench/compare.sh BUILD_FOLDER [MODEL.tflite]...
#
# runs one ADD, the networks of make_networks.py, and then the models that are named, on one thread and
# on two. What it needs is fetched once and stays in the build folder: the peers' libraries
# (get_tflite.sh, get_onnxruntime.sh: npm) and modules of Python (get_python.sh: apt-get); so do the
# networks. The rows are in compare.json there, and drawn in compare.svg, both with the machine and the
# date. ROUNDS is the number of rounds, STARTS that of processes to see what it takes to get ready.
# HALYARD_CPU_FEATURES limits halyard-cpu to a set of instructions; the peers take what the machine has.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
bench=$(cd "$(dirname "$0")" && pwd)
shift
ninja -C "$build" --quiet bench/compare driverd/halyard-driverd
tflite=$("$bench/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
python=$("$bench/peers/get_python.sh" "$build/python")
onnx=$("$bench/peers/get_onnxruntime.sh" "${ONNXRUNTIME_FOLDER:-$build/onnxruntime}")
mkdir -p "$build/networks"
[ -f "$build/networks/dense_f32.onnx" ] ||
    "$python" -B "$bench/make_networks.py" --onnx "$build/networks"
machine=$("$bench/describe_machine.sh")
echo "$machine"
echo
for network in "$build"/networks/*.tflite; do
    case $network in
    */chain_*) ;; # for what a network costs before it runs
    *) set -- "$@" "$network" ;;
    esac
done
status=0
for threads in 1 2; do
    # Threads of some peers look out for work longer than others before they sleep.
    pause=$((threads == 1 ? 20 : 150))
    # The client finds our library under its bare name.
    LD_LIBRARY_PATH="$build/runtime" HALYARD_DRIVERD="$build/driverd/halyard-driverd" \
        "$build/bench/compare" --threads "$threads" --rounds "${ROUNDS:-21}" \
        --pause-ms "$pause" --starts "${STARTS:-5}" --onnx "$onnx" --client --isolated \
        --json "$build/compare_$threads.json" \
        "$tflite" "$bench/add.tflite" "$@" || status=1
    echo
done
"$python" -B "$bench/compare_chart.py" "$build"/compare_[12].json --machine "$machine" \
    --json "$build/compare.json" --svg "$build/compare.svg"
exit $status
