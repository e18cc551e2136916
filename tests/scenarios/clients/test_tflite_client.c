/*
 * An app that knows nothing of us: TensorFlow Lite's C library as it is shipped, told to use NNAPI.
 * It finds libneuralnetworks.so by itself, and where it does not use it, it says nothing and
 * computes alone; so what the devices did is counted on our side.
 */
#include <halyard/halyard.h>
#include <stdlib.h>

#include "bench/peers/tflite_peer.h"
#include "libhalyard/preprocess/file_map.h"
#include "tests/kit/test.h"
#include "tests/scenarios/clients/whole_model.h"
#include "tests/scenarios/clients/witness.h"
#include "tests/scenarios/models/recorded.h"

enum { PIXELS = 28 * 28, DIGITS = 10 };

/* What the client takes the library for; see bench/lowered/. */
static int64_t feature_level(void)
{
    const char *level = getenv("HALYARD_TEST_LEVEL");
    return level ? strtol(level, NULL, 10) : ANEURALNETWORKS_FEATURE_LEVEL_8;
}

static struct hy_tflite_peer *open_client(const char *path, enum hy_tflite_kernels kernels)
{
    struct hy_tflite_peer *client = NULL;
    struct hy_error err = {0};
    const char *library = getenv("HALYARD_TFLITE");
    if (!library)
        hy_test_fail(__FILE__, __LINE__, "HALYARD_TFLITE does not say where the client is");
    else if (hy_tflite_peer_open(library, path, kernels, 1, &client, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, err.text);
    return client;
}

/* One inference, and what the devices did in it. */
static bool run(struct hy_tflite_peer *client, struct hy_witness *done)
{
    struct hy_witness before, after;
    struct hy_error err = {0};
    if (!hy_witness_ask(&before))
        return false;
    if (hy_tflite_peer_run(client, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return false;
    }
    if (!hy_witness_ask(&after))
        return false;
    done->execution_count = after.execution_count - before.execution_count;
    done->operation_count = after.operation_count - before.operation_count;
    return true;
}

/* ---- Recorded models ------------------------------------------------------------------------- */

/* Models that differ by more than rounding where the client hands them over otherwise. */
static const struct {
    const char *name;
    int64_t exact_from; /* level */
} inexact[] = {
    /* Below, the client keeps operators with int8 weights, and rounds their activations to bytes.
     */
    {"kws_ref_model_float32", ANEURALNETWORKS_FEATURE_LEVEL_3},
    /* Below, its bytes are handed over without a sign. AVERAGE_POOL_2D rounds half a step away from
     * zero, which is then another direction. */
    {"pretrainedResnet_quant", ANEURALNETWORKS_FEATURE_LEVEL_4},
};

static bool is_exact(const char *name)
{
    for (size_t i = 0; i < sizeof inexact / sizeof *inexact; i++)
        if (strcmp(name, inexact[i].name) == 0)
            return feature_level() >= inexact[i].exact_from;
    return true;
}

/* Below, the client hands over a part of what is quantised, if any. */
static bool goes_over_as_a_whole(const struct hy_whole_model *whole)
{
    return feature_level() >= ANEURALNETWORKS_FEATURE_LEVEL_3 || !whole->is_quantised;
}

static bool fill_inputs(const struct hy_recorded *recorded, struct hy_tflite_peer *client,
                        uint32_t number)
{
    for (int i = 0; i < hy_tflite_peer_input_count(client); i++) {
        size_t length = 0;
        void *input = hy_tflite_peer_input(client, i, &length);
        if (!hy_recorded_read_input(recorded, number, (uint32_t)i, input, length))
            return false;
    }
    return true;
}

static void check_case(const struct hy_recorded *recorded, struct hy_tflite_peer *client,
                       const struct hy_whole_model *whole, uint32_t number)
{
    struct hy_witness done;
    if (!fill_inputs(recorded, client, number) || !run(client, &done))
        return;
    if (goes_over_as_a_whole(whole)) {
        EXPECT(done.execution_count > 0);
        EXPECT_INT(done.operation_count, whole->operation_count);
    }
    size_t length = 0;
    const void *output = hy_tflite_peer_output(client, 0, &length);
    if (is_exact(recorded->name))
        hy_recorded_check_output(recorded, number, 0, output, length);
    else
        hy_recorded_check_winner(recorded, number, 0, output, length);
}

static void check_cases(const struct hy_recorded *recorded)
{
    struct hy_whole_model whole;
    char path[1024];
    hy_recorded_model_path(recorded, path, sizeof path);
    struct hy_tflite_peer *client = open_client(path, HY_TFLITE_NNAPI);
    const bool ready = client && hy_whole_model_read(path, &whole);
    for (uint32_t i = 0; ready && i < hy_recorded_case_count(recorded); i++)
        check_case(recorded, client, &whole, i);
    hy_tflite_peer_close(client);
}

TEST(tflite_client, recorded_models_run_here_and_give_what_was_recorded)
{
    const char *shared = hy_test_shared_dir();
    for (unsigned i = 0; shared && i < hy_recorded_count; i++) {
        struct hy_recorded recorded = {
            .shared = shared, .name = hy_recorded_names[i], .where = "the client"};
        if (hy_recorded_open(&recorded))
            check_cases(&recorded);
        hy_recorded_close(&recorded);
    }
}

/* ---- The network of examples/digits ---------------------------------------------------------- */

static void digits_path(char *path, size_t size, const char *file)
{
    const char *examples = getenv("HALYARD_EXAMPLES_DIR");
    snprintf(path, size, "%s/digits/%s", examples ? examples : "examples", file);
}

static bool map_file(const char *file, struct hy_file *out)
{
    char path[1024];
    struct hy_error err = {0};
    digits_path(path, sizeof path, file);
    if (hy_file_map(path, 1 << 24, out, &err) == HY_OK)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return false;
}

/* False: no other image is worth a try. */
static bool classify(struct hy_tflite_peer *client, const uint8_t *pixels, const int8_t *want,
                     struct hy_witness *done)
{
    size_t length = 0;
    int8_t *input = hy_tflite_peer_input(client, 0, &length);
    EXPECT_INT(length, PIXELS);
    for (size_t i = 0; i < PIXELS && length == PIXELS; i++)
        input[i] = (int8_t)(pixels[i] - 128);
    if (!run(client, done))
        return false;
    const void *output = hy_tflite_peer_output(client, 0, &length);
    const bool right = length == DIGITS && memcmp(output, want, DIGITS) == 0;
    EXPECT(right);
    return right;
}

static void check_digits(struct hy_tflite_peer *client, const struct hy_whole_model *whole,
                         const struct hy_file *images, const struct hy_file *outputs)
{
    const size_t count = images->length / PIXELS;
    REQUIRE(count > 0 && outputs->length == count * DIGITS);
    for (size_t i = 0; i < count; i++) {
        struct hy_witness done;
        if (!classify(client, (const uint8_t *)images->bytes + i * PIXELS,
                      (const int8_t *)outputs->bytes + i * DIGITS, &done))
            return;
        if (goes_over_as_a_whole(whole))
            EXPECT_INT(done.operation_count, whole->operation_count);
    }
}

TEST(tflite_client, every_image_of_digits_gives_the_bytes_that_the_network_is_known_to_give)
{
    struct hy_file images = {0}, outputs = {0};
    struct hy_whole_model whole;
    char path[1024];
    digits_path(path, sizeof path, "digits.tflite");
    struct hy_tflite_peer *client = open_client(path, HY_TFLITE_NNAPI);
    if (client && hy_whole_model_read(path, &whole) && map_file("test_images.bin", &images) &&
        map_file("test_outputs.bin", &outputs))
        check_digits(client, &whole, &images, &outputs);
    hy_file_unmap(&images);
    hy_file_unmap(&outputs);
    hy_tflite_peer_close(client);
}

/* ---- That the count is a proof --------------------------------------------------------------- */

TEST(tflite_client, a_client_that_computes_alone_is_not_counted)
{
    struct hy_witness done = {1, 1};
    char path[1024];
    digits_path(path, sizeof path, "digits.tflite");
    struct hy_tflite_peer *client = open_client(path, HY_TFLITE_BUILT_IN);
    REQUIRE(client != NULL);
    EXPECT(run(client, &done));
    EXPECT_INT(done.execution_count, 0);
    EXPECT_INT(done.operation_count, 0);
    hy_tflite_peer_close(client);
}
