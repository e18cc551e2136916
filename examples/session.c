/*
 * Reads a picture with a network file and prints the three highest classes, with their names where
 * the network has some:
 *
 *     cc session.c $(pkg-config --cflags --libs halyard) -o session
 *     ./session digits/digits.tflite digits/seven.png
 */
#include <halyard/halyard.h>
#include <halyard/session.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;
    struct halyard_rank ranks[3];
    uint32_t count = 3;
    int status = 0;

    options.deadline_ns = 1000000000u; /* time limit of a run: 1 s */
    if (argc != 3) {
        fprintf(stderr, "usage: session MODEL.tflite PICTURE\n");
        return 2;
    }
    if (halyard_network_open(argv[1], NULL, &network) ||
        halyard_session_create(network, &options, &session) ||
        halyard_session_read_input(session, 0, argv[2], NULL, NULL, 0) ||
        halyard_session_run(session) || halyard_session_top(session, 0, ranks, &count)) {
        fprintf(stderr, "session: %s\n", halyard_last_error());
        count = 0;
        status = 1;
    }
    for (uint32_t i = 0; i < count; i++)
        printf("%4u  %.3f  %s\n", ranks[i].index, ranks[i].value, ranks[i].label);
    halyard_session_free(session);
    halyard_network_close(network);
    return status;
}
