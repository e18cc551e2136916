/*
 * Reads a picture with a network and prints the output that is highest, from file to answer:
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

/* The outputs of the network are signed bytes with one scale: the highest is the highest. */
static void print_answer(const int8_t *scores, size_t count, const struct halyard_tensor_info *info)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = scores[i] > scores[best] ? i : best;
    const double value = (scores[best] - info->zero_points[0]) * (double)info->scales[0];
    printf("%s: output %zu, %.0f %%\n", info->name, best, 100 * value);
}

static int classify(struct halyard_session *session, const char *picture)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    void *scores;
    size_t length;

    if (halyard_session_read_input(session, 0, picture, NULL, NULL, 0) ||
        halyard_session_run(session) ||
        halyard_session_output_buffer(session, 0, &scores, &length) ||
        halyard_session_get_output(session, 0, &info))
        return fail();
    if (info.type != HALYARD_TYPE_INT8 || info.scale_count != 1) {
        fprintf(stderr, "classify: %s is %s; this example reads quantised int8\n", info.name,
                halyard_network_type_name(info.type));
        return 1;
    }
    print_answer(scores, length, &info);
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
