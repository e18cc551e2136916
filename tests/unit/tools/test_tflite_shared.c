#include "tests/kit/test.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>

#include "common/random.h"
#include "libhalyard/preprocess/file_map.h"
#include "libhalyard/tflite/tflite_model.h"
#include "tests/kit/sanitizers.h"
#include "tests/unit/tools/kit/tflite_walk.h"

#if defined(HY_WITH_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

static const char *const models[] = {
    "ad01_fp32.tflite",
    "ad01_int8.tflite",
    "add.bin",
    "hello_world_float.tflite",
    "hello_world_int8.tflite",
    "kws_ref_model.tflite",
    "kws_ref_model_float32.tflite",
    "micro_speech_quantized.tflite",
    "pretrainedResnet.tflite",
    "pretrainedResnet_quant.tflite",
    "simple_add_model.tflite",
    "vww_96_float.tflite",
    "vww_96_int8.tflite",
};

enum { MODEL_COUNT = sizeof models / sizeof models[0] };

static void shared_path(char *path, size_t size, const char *dir, const char *name)
{
    snprintf(path, size, "%s/models/%s%s", hy_test_shared_dir(), dir, name);
}

/* A copy that may be changed. The caller frees it; NULL is a recorded failure. */
static uint8_t *copy_model(const char *name, size_t *length)
{
    char path[512];
    struct hy_file file = {0};
    struct hy_error err = {0};
    shared_path(path, sizeof path, "", name);
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

static json_int_t count_operators(const struct hy_tflite_subgraph *subgraph, const char *name)
{
    json_int_t count = 0;
    for (uint32_t i = 0; i < subgraph->operator_count; i++)
        count += strcmp(hy_tflite_op_name(subgraph->operators[i].code), name) == 0;
    return count;
}

static void compare_tensor(const struct hy_tflite_tensor *tensor, const json_t *golden)
{
    const json_t *shape = json_object_get(golden, "shape");
    const double scale = json_number_value(json_object_get(golden, "scale"));
    const struct hy_tflite_quantisation *quantisation = &tensor->quantisation;
    EXPECT_STR(tensor->name, json_string_value(json_object_get(golden, "name")));
    EXPECT_STR(hy_tflite_type_name(tensor->type),
               json_string_value(json_object_get(golden, "type")));
    REQUIRE(tensor->rank == json_array_size(shape));
    for (uint32_t i = 0; i < tensor->rank; i++)
        EXPECT_INT(tensor->dims[i], json_integer_value(json_array_get(shape, i)));
    EXPECT_INT(quantisation->count, scale != 0 ? 1 : 0);
    if (quantisation->count != 1)
        return;
    EXPECT(quantisation->scales[0] == (float)scale);
    EXPECT_INT(quantisation->zero_points[0],
               json_integer_value(json_object_get(golden, "zero_point")));
}

static void compare_list(const struct hy_tflite_subgraph *subgraph,
                         const struct hy_tflite_ints *indices, const json_t *golden)
{
    REQUIRE(indices->count == json_array_size(golden));
    for (uint32_t i = 0; i < indices->count; i++)
        compare_tensor(&subgraph->tensors[indices->values[i]], json_array_get(golden, i));
}

static void compare_model(const struct hy_tflite_model *model, json_t *golden)
{
    const struct hy_tflite_subgraph *main = &model->subgraphs[0];
    json_int_t total = 0;
    const char *name;
    json_t *count;
    json_object_foreach(json_object_get(golden, "operators"), name, count)
    {
        EXPECT_INT(count_operators(main, name), json_integer_value(count));
        total += json_integer_value(count);
    }
    EXPECT_INT(main->operator_count, total);
    EXPECT_INT(model->subgraph_count, json_integer_value(json_object_get(golden, "subgraphs")));
    compare_list(main, &main->inputs, json_object_get(golden, "inputs"));
    compare_list(main, &main->outputs, json_object_get(golden, "outputs"));
}

static void open_and_compare(const char *name)
{
    char path[512], golden_name[128];
    snprintf(golden_name, sizeof golden_name, "%.*s.json", (int)(strrchr(name, '.') - name), name);
    shared_path(path, sizeof path, "golden/", golden_name);
    json_t *golden = json_load_file(path, 0, NULL);
    size_t length = 0;
    uint8_t *bytes = copy_model(name, &length);
    REQUIRE(golden && bytes);
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    if (hy_tflite_open(bytes, length, NULL, &model, &err) == HY_OK) {
        compare_model(model, golden);
        EXPECT(hy_tflite_walk(model, UINT64_MAX) == NULL);
    } else {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", name, err.text);
    }
    hy_tflite_close(model);
    json_decref(golden);
    free(bytes);
}

TEST(tflite_shared, models_are_as_their_golden_files_say)
{
    if (!hy_test_shared_dir())
        return;
    for (size_t i = 0; i < MODEL_COUNT; i++)
        open_and_compare(models[i]);
}

static void open_and_walk(const uint8_t *bytes, size_t length, const char *name, size_t where)
{
    struct hy_tflite_model *model = NULL;
    struct hy_error err = {0};
    const enum hy_code code = hy_tflite_open(bytes, length, NULL, &model, &err);
    const char *wrong = code == HY_OK ? hy_tflite_walk(model, 8 << 20) : NULL;
    if (wrong || (code != HY_OK && !err.text[0]))
        hy_test_fail(__FILE__, __LINE__, "%s at %zu: %s", name, where, wrong ? wrong : "no words");
    hy_tflite_close(model);
}

/* From long to short, so that under a sanitizer the tail can be poisoned piece by piece. */
TEST(tflite_shared, truncated_models_are_an_error_or_a_valid_model)
{
    if (!hy_test_shared_dir())
        return;
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        size_t whole = 0;
        uint8_t *bytes = copy_model(models[i], &whole);
        REQUIRE(bytes != NULL);
        for (size_t length = (whole - 1) / 64 * 64; length > 0; length -= 64) {
            ASAN_POISON_MEMORY_REGION(bytes + length, whole - length < 128 ? whole - length : 64);
            open_and_walk(bytes, length, models[i], length);
        }
        ASAN_UNPOISON_MEMORY_REGION(bytes, whole);
        free(bytes);
    }
}

TEST(tflite_shared, ten_thousand_bit_flips_are_an_error_or_a_valid_model)
{
    if (!hy_test_shared_dir())
        return;
    size_t flips = 0;
    struct hy_random random = {0x68616c79617264}; /* the seed; a failure tells model and bit */
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        size_t length = 0;
        uint8_t *bytes = copy_model(models[i], &length);
        REQUIRE(bytes != NULL);
        /* Small models are mostly structure and cost little. */
        const size_t wanted = length < (64 << 10) ? 1200 : 300;
        for (size_t k = 0; k < wanted; k++, flips++) {
            const size_t bit = hy_random_next(&random) % (8 * length);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            open_and_walk(bytes, length, models[i], bit);
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(bytes);
    }
    EXPECT(flips >= 10000);
}

TEST(tflite_shared, example_models_open)
{
    const char *examples = getenv("HALYARD_EXAMPLES_DIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/digits", examples ? examples : "");
    DIR *dir = examples ? opendir(path) : NULL;
    if (!dir) {
        printf("(skipped: no example models) ");
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct hy_file file = {0};
        struct hy_error err = {0};
        struct hy_tflite_model *model = NULL;
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".tflite") != 0)
            continue;
        snprintf(path, sizeof path, "%s/digits/%s", examples, entry->d_name);
        if (hy_file_map(path, 1 << 30, &file, &err) != HY_OK ||
            hy_tflite_open(file.bytes, file.length, NULL, &model, &err) != HY_OK)
            hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        else
            EXPECT(hy_tflite_walk(model, UINT64_MAX) == NULL);
        hy_tflite_close(model);
        hy_file_unmap(&file);
    }
    closedir(dir);
}
