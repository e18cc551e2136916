#include "tests/models/golden.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

#include "bench/inference.h"
#include "tests/models/step_runs.h"
#include "tests/test.h"
#include "tools/input/file_map.h"

const char *const hy_golden_names[] = {
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

const unsigned hy_golden_count = sizeof hy_golden_names / sizeof *hy_golden_names;

/* A model with what was recorded of it. */
struct golden {
    const char *shared;
    const char *name;
    const char *device; /* for messages */
    json_t *facts;
    struct hy_inference *inference;
};

static json_t *load_facts(const char *shared, const char *name)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/models/golden/%s.json", shared, name);
    json_t *facts = json_load_file(path, 0, &error);
    if (!facts)
        hy_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
    return facts;
}

bool hy_golden_model_path(const char *shared, const char *name, char *path, size_t size)
{
    json_t *facts = load_facts(shared, name);
    if (facts)
        snprintf(path, size, "%s/models/%s", shared,
                 json_string_value(json_object_get(facts, "model")));
    json_decref(facts);
    return facts;
}

/* A recorded tensor of exactly `bytes`; false is a recorded failure. */
static bool map_recorded(const struct golden *golden, const char *file, uint64_t bytes,
                         struct hy_file *out)
{
    char path[1024];
    struct hy_error err = {0};
    snprintf(path, sizeof path, "%s/models/golden/%s/%s", golden->shared, golden->name, file);
    if (hy_file_map(path, bytes, out, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
        return false;
    }
    if (out->length == bytes)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s: %zu bytes, the tensor has %llu", path, out->length,
                 (unsigned long long)bytes);
    hy_file_unmap(out);
    return false;
}

static bool fill_inputs(const struct golden *golden, const json_t *files)
{
    for (uint32_t i = 0; i < hy_inference_input_count(golden->inference); i++) {
        const uint64_t bytes = hy_inference_input_tensor(golden->inference, i)->bytes;
        struct hy_file file = {0};
        if (!map_recorded(golden, json_string_value(json_array_get(files, i)), bytes, &file))
            return false;
        memcpy(hy_inference_input(golden->inference, i), file.bytes, file.length);
        hy_file_unmap(&file);
    }
    return true;
}

static void fail_at(const struct golden *golden, const char *file, uint64_t index, double got,
                    double want)
{
    hy_test_fail(__FILE__, __LINE__, "%s on %s: element %llu is %.9g, %s says %.9g", golden->name,
                 golden->device ? golden->device : "the planner's choice",
                 (unsigned long long)index, got, file, want);
}

static void compare_exactly(const struct golden *golden, const char *file, const int8_t *got,
                            const int8_t *want, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (got[i] != want[i]) {
            fail_at(golden, file, i, got[i], want[i]);
            return;
        }
    hy_test_pass(__FILE__, __LINE__);
}

static void compare_closely(const struct golden *golden, const char *file, const float *got,
                            const float *want, uint64_t count, double relative)
{
    double largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)want[i]));
    for (uint64_t i = 0; i < count; i++)
        /* Written so that a NaN fails. */
        if (!(fabs((double)got[i] - (double)want[i]) <= relative * largest + 1e-6)) {
            fail_at(golden, file, i, (double)got[i], (double)want[i]);
            return;
        }
    hy_test_pass(__FILE__, __LINE__);
}

static void check_output(const struct golden *golden, const json_t *recorded, uint32_t index)
{
    const json_t *reference = json_object_get(recorded, "float_outputs");
    const json_t *files = reference ? reference : json_object_get(recorded, "outputs");
    const char *file = json_string_value(json_array_get(files, index));
    const struct hy_tflite_tensor *tensor = hy_inference_output_tensor(golden->inference, index);
    const void *got = hy_inference_output(golden->inference, index);
    struct hy_file want = {0};
    if (!map_recorded(golden, file, tensor->bytes, &want))
        return;
    if (tensor->type == HY_TFLITE_FLOAT32)
        compare_closely(golden, file, got, want.bytes, want.length / sizeof(float),
                        reference ? 1e-4 : 1e-5);
    else
        compare_exactly(golden, file, got, want.bytes, want.length);
    hy_file_unmap(&want);
}

static void check_case(const struct golden *golden, const json_t *recorded,
                       enum hy_inference_mode mode)
{
    struct hy_error err = {0};
    if (!fill_inputs(golden, json_object_get(recorded, "inputs")))
        return;
    if (hy_inference_run(golden->inference, mode, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s on %s: %s", golden->name,
                     golden->device ? golden->device : "the planner's choice", err.text);
        return;
    }
    for (uint32_t i = 0; i < hy_inference_output_count(golden->inference); i++)
        check_output(golden, recorded, i);
}

static void check_cases(const struct golden *golden)
{
    static const enum hy_inference_mode modes[] = {HY_INFERENCE_SYNC, HY_INFERENCE_ASYNC,
                                                   HY_INFERENCE_REUSED};
    const json_t *cases = json_object_get(golden->facts, "cases");
    EXPECT(json_array_size(cases) > 0);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t i = 0; i < json_array_size(cases); i++)
            check_case(golden, json_array_get(cases, i), modes[m]);
}

uint64_t hy_golden_check(const char *shared, const char *name, const char *device,
                         const char *watched)
{
    const struct hy_inference_options options = {.device = device};
    struct golden golden = {.shared = shared, .name = name, .device = device};
    struct hy_error err = {0};
    uint64_t runs = 0;
    char path[1024];
    golden.facts = load_facts(shared, name);
    if (!golden.facts || !hy_golden_model_path(shared, name, path, sizeof path)) {
        /* recorded already */
    } else if (hy_inference_open(path, &options, &golden.inference, &err) != HY_OK) {
        hy_test_fail(__FILE__, __LINE__, "%s", err.text);
    } else {
        hy_step_runs_start(golden.inference);
        check_cases(&golden);
        runs = watched ? hy_step_runs_on(golden.inference, watched) : 0;
    }
    hy_inference_destroy(golden.inference);
    json_decref(golden.facts);
    return runs;
}
