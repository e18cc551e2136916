/*
 * client_start: starts an unmodified client, TensorFlow Lite with NNAPI, on one model, runs the
 * model once and prints the duration of the start in nanoseconds. client_start.py starts this
 * program.
 *
 *     client_start LIBTENSORFLOWLITE_C.SO MODEL
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench/peers/tflite_peer.h"
#include "common/clock.h"

int main(int argc, char **argv)
{
    struct hy_tflite_peer *client = NULL;
    struct hy_error err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: client_start LIBTENSORFLOWLITE_C.SO MODEL\n");
        return 2;
    }
    const uint64_t start = hy_clock_now();
    enum hy_code code = hy_tflite_peer_open(argv[1], argv[2], HY_TFLITE_NNAPI, 1, &client, &err);
    const uint64_t end = hy_clock_now();
    if (code == HY_OK)
        code = hy_tflite_peer_run(client, &err);
    hy_tflite_peer_close(client);
    if (code != HY_OK)
        fprintf(stderr, "client_start: %s\n", err.text);
    else
        printf("%" PRIu64 "\n", end - start);
    return code == HY_OK ? 0 : 1;
}
