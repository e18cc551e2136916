/*
 * Damaged files through reader, converter, compilation and, where the model is small, one run: a
 * clear error or a model that loads; never a crash, a leak or a wait without end.
 */
#include <stdlib.h>

#include "bench/inference.h"
#include "common/random.h"
#include "libhalyard/preprocess/file_map.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/golden.h"
#include "tests/scenarios/models/recorded.h"

enum { SMALL = 64 << 10 };

/*
 * Far above what the recorded models need. A damaged shape may ask for gigabytes, which is for the
 * reader's limits to say, and not what is looked at here.
 */
static struct hy_tflite_limits tight_limits(void)
{
    struct hy_tflite_limits limits = hy_tflite_default_limits;
    limits.tensor_bytes = 4 << 20;
    return limits;
}

static void try_model(const uint8_t *bytes, size_t length, const char *name, size_t where, bool run)
{
    const struct hy_tflite_limits limits = tight_limits();
    const struct hy_inference_options options = {.device = "halyard-cpu", .limits = &limits};
    struct hy_inference *inference = NULL;
    struct hy_error err = {0};
    enum hy_code code = hy_inference_create(bytes, length, &options, &inference, &err);
    if (code == HY_OK && run)
        code = hy_inference_run(inference, HY_INFERENCE_SYNC, &err);
    if (code != HY_OK && !err.text[0])
        hy_test_fail(__FILE__, __LINE__, "%s at %zu: code %d without words", name, where, code);
    hy_inference_destroy(inference);
}

/* A copy that may be changed. The caller frees it; NULL is a recorded failure. */
static uint8_t *copy_model(const char *name, size_t *length)
{
    char path[1024];
    struct hy_file file = {0};
    struct hy_error err = {0};
    if (!hy_golden_model_path(hy_test_shared_dir(), name, path, sizeof path))
        return NULL;
    if (hy_file_map(path, 1 << 30, &file, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return NULL;
    }
    uint8_t *copy = malloc(file.length);
    if (copy)
        memcpy(copy, file.bytes, file.length);
    *length = file.length;
    hy_file_unmap(&file);
    return copy;
}

static void truncate_everywhere(const char *name)
{
    size_t whole = 0;
    uint8_t *bytes = copy_model(name, &whole);
    REQUIRE(bytes != NULL);
    for (size_t length = 64; length < whole; length += 64)
        try_model(bytes, length, name, length, whole <= SMALL);
    free(bytes);
}

TEST(broken_models, truncated_files_are_an_error_or_load)
{
    if (!hy_test_shared_dir())
        return;
    for (unsigned i = 0; i < hy_recorded_count; i++)
        truncate_everywhere(hy_recorded_names[i]);
}

/* Returns the number of flips. Small models are mostly structure and cost little. */
static unsigned flip_bits(const char *name, struct hy_random *random)
{
    size_t length = 0;
    uint8_t *bytes = copy_model(name, &length);
    if (!bytes)
        return 0;
    const unsigned wanted = length <= SMALL ? 1200 : 300;
    for (unsigned i = 0; i < wanted; i++) {
        const size_t bit = hy_random_next(random) % (8 * length);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        try_model(bytes, length, name, bit, length <= SMALL);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    free(bytes);
    return wanted;
}

TEST(broken_models, ten_thousand_flipped_bits_are_an_error_or_load)
{
    struct hy_random random = {0x68616c79617264}; /* the seed; a failure tells model and bit */
    unsigned flips = 0;
    if (!hy_test_shared_dir())
        return;
    for (unsigned i = 0; i < hy_recorded_count; i++)
        flips += flip_bits(hy_recorded_names[i], &random);
    EXPECT(flips >= 10000);
}
