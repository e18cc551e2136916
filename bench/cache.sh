#!/bin/sh
# What the cache gains: compiling networks of the size of MobileNet v1 on halyard-cpu and on the
# sample driver, cold and from the cache, and the start of an unmodified client. Prints the tables of
# docs/cache.md.
#
#   bench/cache.sh BUILD_FOLDER [--rounds N]
#
# Needs Debian's python3-numpy and python3-flatbuffers. TensorFlow Lite comes from get_tflite.sh (it needs npm, once) and
# stays in the build folder, or in TFLITE_FOLDER if that is set.
set -eu
[ $# -ge 1 ] || {
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
build=$(cd "$1" && pwd)
shift
bench=$(dirname "$0")
ninja -C "$build" --quiet bench/cache_compile bench/client_start \
    runtime/libneuralnetworks.so.1 sample_driver/libhalyard_sample.so
networks=$build/networks
mkdir -p "$networks"
[ -f "$networks/dense_f32.tflite" ] ||
    /usr/bin/python3 -B "$bench/make_networks.py" "$networks" mobilenet_v1 dense
for member in compiled just_in_time descriptors; do
    device=halyard-sample-$(echo "$member" | tr _ -)
    echo "$device"
    HALYARD_DRIVER_FILES=$build/sample_driver/family/$member.json \
        "$build/bench/cache_compile" --device "$device" "$@" "$networks/dense_f32.tflite"
    echo
done
set -- "$@" "$networks/mobilenet_v1_f32.tflite" "$networks/mobilenet_v1_int8.tflite"
echo halyard-cpu
"$build/bench/cache_compile" --device halyard-cpu "$@"
echo
library=$("$bench/peers/get_tflite.sh" "${TFLITE_FOLDER:-$build/tflite}")
/usr/bin/python3 -B "$bench/peers/client_start.py" --program "$build/bench/client_start" \
    --client "$library" --folder "$build/runtime" "$@"
