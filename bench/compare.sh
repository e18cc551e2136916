#!/bin/sh
# Compares Halyard with TensorFlow Lite and ONNX Runtime; prints the tables of docs/performance.md.
#
#   bench/compare.sh BUILD_FOLDER [MODEL.tflite]...
#
# runs one ADD, the networks of make_networks.py, and then the models that are named, on one thread and
# on two. The peers' libraries come from get_tflite.sh and get_onnxruntime.sh (they need npm, once) and
# stay in the build folder, as do the networks; the rows are in compare.json there, and drawn in
# compare.svg. Needs Debian's python3-numpy, python3-flatbuffers and python3-onnx. ROUNDS is the number
# of rounds, STARTS that of processes to see what it takes to get ready.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
bench=$(dirname "$0")
shift
ninja -C "$build" --quiet bench/compare driverd/halyard-driverd
tflite=$("$bench/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
onnx=$("$bench/get_onnxruntime.sh" "${ONNXRUNTIME_FOLDER:-$build/onnxruntime}")
mkdir -p "$build/networks"
[ -f "$build/networks/dense_f32.onnx" ] ||
    /usr/bin/python3 -B "$bench/make_networks.py" --onnx "$build/networks"
status=0
for threads in 1 2; do
    # Threads of some peers look out for work longer than others before they sleep.
    pause=$((threads == 1 ? 20 : 150))
    # The client finds our library under its bare name.
    LD_LIBRARY_PATH="$build/runtime" HALYARD_DRIVERD="$build/driverd/halyard-driverd" \
        "$build/bench/compare" --threads "$threads" --rounds "${ROUNDS:-21}" \
        --pause-ms "$pause" --starts "${STARTS:-5}" --onnx "$onnx" --client --isolated \
        --json "$build/compare_$threads.json" \
        "$tflite" "$bench/add.tflite" "$build"/networks/*.tflite "$@" || status=1
    echo
done
/usr/bin/python3 -B "$bench/compare_chart.py" "$build"/compare_[12].json \
    --json "$build/compare.json" --svg "$build/compare.svg"
exit $status
