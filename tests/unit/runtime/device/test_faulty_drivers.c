/*
 * Drivers that are wrong in one way, in the process of an app: the app gets a right answer or a
 * code, never a wrong shape and never a crash. What no runtime can see in-process (wrong values,
 * stray writes, a hang) is check-driver's to find.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <halyard/halyard.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define NO_ERROR  ANEURALNETWORKS_NO_ERROR
#define OP_FAILED ANEURALNETWORKS_OP_FAILED
#define BAD_DATA  ANEURALNETWORKS_BAD_DATA

/* A fault, and what an app gets that uses the device alone. */
static const struct fault {
    const char *name;
    int compiled, computed;
    const char *expected; /* part of the last error */
} faults[] = {
    {"none", NO_ERROR, NO_ERROR, ""},
    {"no-reason", NO_ERROR, NO_ERROR, ""},
    {"describe-changes", NO_ERROR, NO_ERROR, ""},
    {"figures-change", NO_ERROR, NO_ERROR, ""},
    {"leak-files", NO_ERROR, NO_ERROR, ""},
    {"leak-mappings", NO_ERROR, NO_ERROR, ""},
    {"times-unasked", NO_ERROR, NO_ERROR, ""},
    {"prints", NO_ERROR, NO_ERROR, ""},
    {"supported-fails", BAD_DATA, 0, "no device supports the operation"},
    {"supported-2", BAD_DATA, 0, "no device supports the operation"},
    {"prepare-refuses", OP_FAILED, 0, "prepare failed"},
    {"prepare-null", OP_FAILED, 0, "OK without a prepared model"},
    {"prepare-status", OP_FAILED, 0, "prepare failed"},
    {"prepare-half", OP_FAILED, 0, "prepare failed"},
    {"execute-fails", NO_ERROR, OP_FAILED, "execute failed"},
    {"execute-status", NO_ERROR, OP_FAILED, "execute failed"},
    {"no-shapes", NO_ERROR, OP_FAILED, "the result has no shape for output 0"},
    {"wrong-shape", NO_ERROR, OP_FAILED, "shape [5] for output 0, declared [4]"},
    {"wrong-rank", NO_ERROR, OP_FAILED, "rank 99 for output 0"},
    {"sufficient-2", NO_ERROR, OP_FAILED, "the result has sufficient = 2 for output 0"},
    {"times-backwards", NO_ERROR, OP_FAILED, "ns on the device"},
};
#define FAULT_COUNT (sizeof faults / sizeof *faults)

/* ---- The drivers ----------------------------------------------------------------------------- */

static void write_manifest(const char *dir, const struct fault *fault)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s.json", dir, fault->name);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\","
            "\"abi\":\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"%s\"}}}",
            FAULTY_DRIVER_PATH, fault->name, fault->name);
    fclose(file);
}

static void remove_manifests(const char *dir)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s.json", dir, faults[i].name);
        unlink(path);
    }
    rmdir(dir);
}

/* Devices are looked for once in a process: all drivers are there from the first call on. */
static void open_drivers(void)
{
    static bool is_done;
    char dir[] = "/tmp/halyard-faulty-XXXXXX";
    uint32_t count;
    if (is_done || !mkdtemp(dir))
        return;
    for (size_t i = 0; i < FAULT_COUNT; i++)
        write_manifest(dir, &faults[i]);
    setenv("HALYARD_DRIVER_FILES", dir, 1);
    setenv("HALYARD_LOG", "none", 1);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), NO_ERROR);
    EXPECT_INT(count, FAULT_COUNT + 2);
    remove_manifests(dir);
    is_done = true;
}

static const ANeuralNetworksDevice *device_named(const char *wanted)
{
    ANeuralNetworksDevice *device = NULL;
    uint32_t count = 0;
    const char *name = "";
    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++)
        if (ANeuralNetworks_getDevice(i, &device) == NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == NO_ERROR && strcmp(name, wanted) == 0)
            return device;
    return NULL;
}

/* ---- An app ---------------------------------------------------------------------------------- */

/* out[4] = a[4] + b[4] */
static ANeuralNetworksModel *make_model(void)
{
    static const uint32_t dims[] = {4};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType code = {.type = ANEURALNETWORKS_INT32};
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    EXPECT_INT(ANeuralNetworksModel_create(&model), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &tensor), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &tensor), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &code), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &tensor), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none), NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                                 (const uint32_t[]){0, 1, 2}, 1,
                                                 (const uint32_t[]){3}),
               NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                             (const uint32_t[]){3}),
               NO_ERROR);
    EXPECT_INT(ANeuralNetworksModel_finish(model), NO_ERROR);
    return model;
}

/* Times are measured on one device alone. */
static int compute(ANeuralNetworksCompilation *compilation, bool is_measured, float out[4])
{
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    ANeuralNetworksExecution *execution = NULL;
    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), NO_ERROR);
    if (is_measured)
        EXPECT_INT(ANeuralNetworksExecution_setMeasureTiming(execution, true), NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a), NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b), NO_ERROR);
    EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, 4 * sizeof *out),
               NO_ERROR);
    const int code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* What an app gets on these devices; the code that comes first in `*compiled`. */
static int run(const ANeuralNetworksDevice *const *devices, uint32_t count, int *compiled,
               float out[4])
{
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;
    int computed = 0;
    *compiled = ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation);
    if (*compiled == NO_ERROR)
        *compiled = ANeuralNetworksCompilation_finish(compilation);
    if (*compiled == NO_ERROR)
        computed = compute(compilation, count == 1, out);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return computed;
}

static bool is_sum(const float out[4])
{
    return out[0] == 11 && out[1] == 22 && out[2] == 33 && out[3] == 44;
}

TEST(faulty_drivers, an_app_that_uses_one_alone_gets_a_right_answer_or_a_code)
{
    open_drivers();
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const ANeuralNetworksDevice *device = device_named(faults[i].name);
        float out[4] = {0};
        int compiled = 0;
        const int computed = run(&device, 1, &compiled, out);
        if (compiled != faults[i].compiled || computed != faults[i].computed)
            hy_test_fail(__FILE__, __LINE__, "%s: compiled %d, computed %d, expected %d and %d: %s",
                         faults[i].name, compiled, computed, faults[i].compiled, faults[i].computed,
                         halyard_last_error());
        if (compiled != NO_ERROR || computed != NO_ERROR)
            EXPECT_CONTAINS(halyard_last_error(), faults[i].expected);
        else if (!is_sum(out))
            hy_test_fail(__FILE__, __LINE__, "%s: wrong values", faults[i].name);
    }
}

TEST(faulty_drivers, with_the_cpu_in_the_list_an_app_gets_the_right_answer)
{
    open_drivers();
    const ANeuralNetworksDevice *devices[2] = {NULL, device_named("halyard-cpu")};
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        float out[4] = {0};
        int compiled = 0;
        devices[0] = device_named(faults[i].name);
        const int computed = run(devices, 2, &compiled, out);
        if (compiled != NO_ERROR || computed != NO_ERROR || !is_sum(out))
            hy_test_fail(__FILE__, __LINE__, "%s: compiled %d, computed %d: %s", faults[i].name,
                         compiled, computed, halyard_last_error());
    }
}
