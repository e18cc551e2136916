#!/bin/sh
# Fetches ONNX Runtime's C library (x86-64) for the comparisons, out of a package of npm's, and prints
# its path.
#
#   bench/peers/get_onnxruntime.sh FOLDER
set -eu
[ $# -eq 1 ] || {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
exec "$(dirname "$0")/get_library.sh" onnxruntime-node@1.30.0 \
    package/bin/napi-v6/linux/x64/libonnxruntime.so.1 "$1"
