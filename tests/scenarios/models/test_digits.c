/* The network of examples/digits on the first images of its test set. */
#include <jansson.h>
#include <stdlib.h>

#include "bench/inference.h"
#include "libhalyard/preprocess/file_map.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/step_runs.h"

enum { PIXELS = 28 * 28, DIGITS = 10 };

/* The test set, as examples/digits/README.md describes it. */
struct test_set {
    json_t *expected;
    struct hy_file images;
    struct hy_file labels;
    struct hy_file outputs;
};

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

static void close_set(struct test_set *set)
{
    json_decref(set->expected);
    hy_file_unmap(&set->images);
    hy_file_unmap(&set->labels);
    hy_file_unmap(&set->outputs);
}

static bool open_set(struct test_set *set)
{
    char path[1024];
    digits_path(path, sizeof path, "expected.json");
    *set = (struct test_set){.expected = json_load_file(path, 0, NULL)};
    if (set->expected && map_file("test_images.bin", &set->images) &&
        map_file("test_labels.bin", &set->labels) && map_file("test_outputs.bin", &set->outputs) &&
        set->labels.length > 0 && set->images.length == set->labels.length * PIXELS &&
        set->outputs.length == set->labels.length * DIGITS)
        return true;
    hy_test_fail(__FILE__, __LINE__, "the test set in the folder of %s is not whole", path);
    close_set(set);
    return false;
}

static struct hy_inference *open_network(const char *file, const char *device)
{
    const struct hy_inference_options options = {.device = device};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    char path[1024];
    digits_path(path, sizeof path, file);
    if (hy_inference_open(path, &options, &inference, &err) != HY_OK)
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return inference;
}

static bool run(struct hy_inference *network, enum hy_inference_mode mode)
{
    struct hy_error err = {0};
    if (hy_inference_run(network, mode, &err) == HY_OK)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    return false;
}

/* ---- int8: every byte --------------------------------------------------------------------------
 */

static const int8_t *classify_int8(struct hy_inference *network, const struct test_set *set,
                                   size_t image, enum hy_inference_mode mode)
{
    const uint8_t *pixels = (const uint8_t *)set->images.bytes + image * PIXELS;
    int8_t *input = hy_inference_input(network, 0);
    for (size_t i = 0; i < PIXELS; i++)
        input[i] = (int8_t)(pixels[i] - 128);
    return run(network, mode) ? hy_inference_output(network, 0) : NULL;
}

static void check_int8(struct hy_inference *network, const struct test_set *set,
                       enum hy_inference_mode mode)
{
    for (size_t image = 0; image < set->labels.length; image++) {
        const int8_t *want = (const int8_t *)set->outputs.bytes + image * DIGITS;
        const int8_t *got = classify_int8(network, set, image, mode);
        REQUIRE(got != NULL);
        for (size_t i = 0; i < DIGITS; i++)
            if (got[i] != want[i])
                hy_test_fail(__FILE__, __LINE__, "image %zu, digit %zu: %d, expected %d", image, i,
                             got[i], want[i]);
    }
}

static uint64_t check_int8_on(const char *device, const char *watched)
{
    struct test_set set;
    if (!open_set(&set))
        return 0;
    struct hy_inference *network = open_network("digits.tflite", device);
    uint64_t runs = 0;
    if (network) {
        hy_step_runs_start(network);
        check_int8(network, &set, HY_INFERENCE_SYNC);
        check_int8(network, &set, HY_INFERENCE_ASYNC);
        check_int8(network, &set, HY_INFERENCE_REUSED);
        runs = hy_step_runs_on(network, watched);
    }
    hy_inference_destroy(network);
    close_set(&set);
    return runs;
}

TEST(models_digits, int8_outputs_are_exact_by_default)
{
    const char *device = hy_step_runs_expected_device();
    EXPECT(check_int8_on(NULL, device ? device : "halyard-cpu") > 0);
}

TEST(models_digits, int8_outputs_are_exact_on_halyard_cpu)
{
    EXPECT(check_int8_on("halyard-cpu", "halyard-cpu") > 0);
}

TEST(models_digits, int8_outputs_are_exact_on_nnapi_reference)
{
    EXPECT(check_int8_on("nnapi-reference", "nnapi-reference") > 0);
}

/* ---- float: as many right as the example's page says -------------------------------------------
 */

static size_t most_likely(const float *values)
{
    size_t best = 0;
    for (size_t i = 1; i < DIGITS; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

static bool is_right(struct hy_inference *network, const struct test_set *set, size_t image)
{
    const uint8_t *pixels = (const uint8_t *)set->images.bytes + image * PIXELS;
    float *input = hy_inference_input(network, 0);
    for (size_t i = 0; i < PIXELS; i++)
        input[i] = (float)pixels[i] / 255;
    return run(network, HY_INFERENCE_REUSED) && most_likely(hy_inference_output(network, 0)) ==
                                                    ((const uint8_t *)set->labels.bytes)[image];
}

static void check_part(struct hy_inference *network, const struct test_set *set, const json_t *part)
{
    const json_int_t first = json_integer_value(json_object_get(part, "first"));
    const json_int_t count = json_integer_value(json_object_get(part, "count"));
    json_int_t right = 0;
    REQUIRE(first >= 0 && count > 0 && (size_t)(first + count) <= set->labels.length);
    for (json_int_t i = first; i < first + count; i++)
        right += is_right(network, set, (size_t)i);
    EXPECT_INT(right, json_integer_value(json_object_get(part, "right_float")));
}

static void check_float_on(const char *device)
{
    struct test_set set;
    if (!open_set(&set))
        return;
    const json_t *parts = json_object_get(json_object_get(set.expected, "test_set"), "parts");
    struct hy_inference *network = open_network("digits_float.tflite", device);
    EXPECT(json_array_size(parts) > 0);
    for (size_t i = 0; network && i < json_array_size(parts); i++)
        check_part(network, &set, json_array_get(parts, i));
    hy_inference_destroy(network);
    close_set(&set);
}

TEST(models_digits, float_accuracy_is_as_stated_by_default)
{
    check_float_on(NULL);
}

TEST(models_digits, float_accuracy_is_as_stated_on_halyard_cpu)
{
    check_float_on("halyard-cpu");
}

TEST(models_digits, float_accuracy_is_as_stated_on_nnapi_reference)
{
    check_float_on("nnapi-reference");
}
