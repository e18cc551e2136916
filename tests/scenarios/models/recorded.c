#include "tests/scenarios/models/recorded.h"

#include <math.h>

#include "libhalyard/preprocess/file_map.h"
#include "tests/kit/test.h"

const char *const hy_recorded_names[] = {
    "ad01_fp32",
    "ad01_int8",
    "add",
    "hello_world_float",
    "hello_world_int8",
    "kws_ref_model",
    "kws_ref_model_float32",
    "micro_speech_quantized",
    "pretrainedResnet",
    "pretrainedResnet_quant",
    "simple_add_model",
    "vww_96_float",
    "vww_96_int8",
};

const unsigned hy_recorded_count = sizeof hy_recorded_names / sizeof *hy_recorded_names;

bool hy_recorded_open(struct hy_recorded *recorded)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/models/golden/%s.json", recorded->shared, recorded->name);
    recorded->json = json_load_file(path, 0, &error);
    if (!recorded->json) {
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
        return false;
    }
    EXPECT(hy_recorded_case_count(recorded) > 0);
    return true;
}

void hy_recorded_close(struct hy_recorded *recorded)
{
    json_decref(recorded->json);
    recorded->json = NULL;
}

void hy_recorded_model_path(const struct hy_recorded *recorded, char *path, size_t size)
{
    snprintf(path, size, "%s/models/%s", recorded->shared,
             json_string_value(json_object_get(recorded->json, "model")));
}

static const json_t *cases(const struct hy_recorded *recorded)
{
    return json_object_get(recorded->json, "cases");
}

uint32_t hy_recorded_case_count(const struct hy_recorded *recorded)
{
    return (uint32_t)json_array_size(cases(recorded));
}

/* A recorded tensor of exactly `bytes`. */
static bool map_tensor(const struct hy_recorded *recorded, const char *file, size_t bytes,
                       struct hy_file *out)
{
    char path[1024];
    struct hy_error err = {0};
    snprintf(path, sizeof path, "%s/models/golden/%s/%s", recorded->shared, recorded->name, file);
    if (hy_file_map(path, bytes, out, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return false;
    }
    if (out->length == bytes)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s: %zu bytes, the tensor has %zu", path, out->length, bytes);
    hy_file_unmap(out);
    return false;
}

bool hy_recorded_read_input(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                            void *bytes, size_t length)
{
    const json_t *files = json_object_get(json_array_get(cases(recorded), number), "inputs");
    struct hy_file file = {0};
    if (!map_tensor(recorded, json_string_value(json_array_get(files, index)), length, &file))
        return false;
    memcpy(bytes, file.bytes, length);
    hy_file_unmap(&file);
    return true;
}

static void fail_at(const struct hy_recorded *recorded, const char *file, size_t index, double got,
                    double want)
{
    hy_test_fail(__FILE__, __LINE__, "%s on %s: element %zu is %.9g, %s says %.9g", recorded->name,
                 recorded->where, index, got, file, want);
}

static void compare_exactly(const struct hy_recorded *recorded, const char *file, const int8_t *got,
                            const int8_t *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i]) {
            fail_at(recorded, file, i, got[i], want[i]);
            return;
        }
    hy_test_pass(__FILE__, __LINE__);
}

static void compare_closely(const struct hy_recorded *recorded, const char *file, const float *got,
                            const float *want, size_t count, double relative)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)want[i]));
    for (size_t i = 0; i < count; i++)
        /* Written so that a NaN fails. */
        if (!(fabs((double)got[i] - (double)want[i]) <= relative * largest + 1e-6)) {
            fail_at(recorded, file, i, (double)got[i], (double)want[i]);
            return;
        }
    hy_test_pass(__FILE__, __LINE__);
}

static bool is_float(const struct hy_recorded *recorded, uint32_t output)
{
    const json_t *tensor = json_array_get(json_object_get(recorded->json, "outputs"), output);
    const char *type = json_string_value(json_object_get(tensor, "type"));
    return type && strcmp(type, "float32") == 0;
}

/* The float64 reference of an output where there is one, else what TensorFlow Lite gave. */
static const char *output_file(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                               bool *is_reference)
{
    const json_t *example = json_array_get(cases(recorded), number);
    const json_t *reference = json_object_get(example, "float_outputs");
    const json_t *files = reference ? reference : json_object_get(example, "outputs");
    *is_reference = reference != NULL;
    return json_string_value(json_array_get(files, index));
}

void hy_recorded_check_output(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length)
{
    bool reference;
    const char *file = output_file(recorded, number, index, &reference);
    struct hy_file want = {0};
    if (!map_tensor(recorded, file, length, &want))
        return;
    if (is_float(recorded, index))
        compare_closely(recorded, file, bytes, want.bytes, length / sizeof(float),
                        reference ? 1e-4 : 1e-5);
    else
        compare_exactly(recorded, file, bytes, want.bytes, length);
    hy_file_unmap(&want);
}

static size_t largest_float(const float *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

static size_t largest_byte(const int8_t *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

void hy_recorded_check_winner(const struct hy_recorded *recorded, uint32_t number, uint32_t index,
                              const void *bytes, size_t length)
{
    bool reference;
    const char *file = output_file(recorded, number, index, &reference);
    struct hy_file want = {0};
    if (!map_tensor(recorded, file, length, &want))
        return;
    if (is_float(recorded, index))
        EXPECT_INT(largest_float(bytes, length / sizeof(float)),
                   largest_float(want.bytes, length / sizeof(float)));
    else
        EXPECT_INT(largest_byte(bytes, length), largest_byte(want.bytes, length));
    hy_file_unmap(&want);
}
