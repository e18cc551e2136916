#!/bin/sh
# Runs a test program with TensorFlow Lite's C library. HALYARD_TFLITE is its path; without that,
# it is fetched into FOLDER, once for all tests.
#
#   with_tflite.sh GET_TFLITE FOLDER PROGRAM [ARGUMENT...]
#
# Where there is none the test is skipped, with status 77; with CI set in the environment it fails.
set -eu
[ $# -ge 3 ] || {
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
get_tflite=$1 folder=$2
shift 2

# No library, and why.
give_up() {
    echo "TensorFlow Lite: $1" >&2
    case "${CI-}" in
    '' | 0 | false) exit 77 ;;
    *) exit 1 ;;
    esac
}

# Fetches the library, one process at a time, and prints its path. Where the test may be skipped it
# gives up soon.
fetch() {
    mkdir -p "$folder"
    case "${CI-}" in
    '' | 0 | false) export npm_config_fetch_retries=1 ;;
    *) export npm_config_fetch_retries=3 npm_config_fetch_retry_mintimeout=2000 \
        npm_config_fetch_retry_maxtimeout=20000 ;;
    esac
    flock "$folder" "$get_tflite" "$folder"
}

# The pools of memory that this user's clients have left. The library removes none that it does not
# come to use, nor does it when it is killed.
pools() {
    find /dev/shm -maxdepth 1 -user "$(id -u)" \
        \( -name 'input_pool-tmp-file*' -o -name 'output_pool-tmp-file*' \) | sort
}

if [ -z "${HALYARD_TFLITE-}" ]; then
    [ "$(uname -m)" = x86_64 ] || give_up "there is no library for $(uname -m)"
    command -v npm >/dev/null || give_up "HALYARD_TFLITE is not set, and there is no npm to fetch it"
    HALYARD_TFLITE=$(fetch) || give_up "npm cannot fetch it"
    export HALYARD_TFLITE
fi
[ -r "$HALYARD_TFLITE" ] || give_up "$HALYARD_TFLITE cannot be read"

before=$(pools)
status=0
"$@" || status=$?
pools | while read -r pool; do
    echo "$before" | grep -qxF "$pool" || rm -f "$pool"
done
exit "$status"
