/*
 * Reads a picture with a network and prints the three classes that are highest, with their names
 * where the network has some, from file to answer:
 *
 *     cc classify.c $(pkg-config --cflags --libs halyard) -o classify
 *     ./classify ../digits/digits.tflite ../digits/seven.png
 */
#include <halyard/halyard.h>
#include <halyard/session.h>
#include <stdint.h>
#include <stdio.h>

static int fail(void)
{
    fprintf(stderr, "classify: %s\n", halyard_last_error());
    return 1;
}

static int classify(struct halyard_session *session, const char *picture)
{
    struct halyard_rank ranks[3];
    uint32_t count = 3;

    if (halyard_session_read_input(session, 0, picture, NULL, NULL, 0) ||
        halyard_session_run(session) || halyard_session_top(session, 0, ranks, &count))
        return fail();
    for (uint32_t i = 0; i < count; i++)
        printf("%4u  %.3f  %s\n", ranks[i].index, ranks[i].value, ranks[i].label);
    return 0;
}

int main(int argc, char **argv)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_network *network = NULL;
    struct halyard_session *session = NULL;
    int status = 2;

    if (argc != 3) {
        fprintf(stderr, "usage: classify MODEL.tflite PICTURE\n");
        return status;
    }
    options.threads = 1;               /* for this small network others cost more than they give */
    options.deadline_ns = 1000000000u; /* an answer after a second is none */
    if (halyard_network_open(argv[1], NULL, &network) ||
        halyard_session_create(network, &options, &session))
        status = fail();
    else
        status = classify(session, argv[2]);
    halyard_session_free(session);
    halyard_network_close(network);
    return status;
}
