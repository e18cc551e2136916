/*
 * Drivers whose caching is wrong in one way, in the process of an app that asks for it: over a
 * sound cache, one with other bytes and one that was cut, the app gets a right answer or a code.
 * (One that writes to descriptors which nobody gave it is check-driver's to find.)
 */
#include "test.h"

#include <android/NeuralNetworks.h>
#include <fcntl.h>
#include <ftw.h>
#include <halyard/halyard.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

/* A fault, and what an execution on the device alone gives. */
static const struct fault {
    const char *name;
    int computed;
} faults[] = {
    {"none", NO_ERROR},
    {"cache-at-offset", NO_ERROR},
    {"cache-claims", NO_ERROR},
    {"cache-closes-files", NO_ERROR},
    {"cache-fails-prepare", NO_ERROR},
    {"cache-late", NO_ERROR},
    {"cache-leaks-files", NO_ERROR},
    {"cache-other-model", NO_ERROR},
    {"cache-reads-later", ANEURALNETWORKS_OP_FAILED},
    {"cache-short-crash", NO_ERROR},
    {"cache-token-alone", NO_ERROR},
    {"cache-trusts", NO_ERROR},
    {"cache-unasked", NO_ERROR},
};
#define FAULT_COUNT (sizeof faults / sizeof *faults)

/* ---- A folder for manifests, state and cache ------------------------------------------------- */

static char folder[] = "/tmp/halyard-faulty-caches-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_manifest(const struct fault *fault)
{
    char name[64];
    snprintf(name, sizeof name, "drivers/%s.json", fault->name);
    FILE *file = fopen(path_of(name), "w");
    if (!file)
        return;
    fprintf(file,
            "{\"file_format_version\":\"1.0.0\",\"driver\":{\"library_path\":\"%s\",\"abi\":"
            "\"1.0\",\"arguments\":{\"fault\":\"%s\",\"name\":\"%s\",\"full\":1}}}",
            FAULTY_DRIVER_PATH, fault->name, fault->name);
    fclose(file);
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts, (void)type, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Devices are looked for once in a process: all drivers are there from the first call on. */
static void open_drivers(void)
{
    static bool is_done;
    uint32_t count = 0;
    if (is_done)
        return;
    is_done = true;
    REQUIRE(mkdtemp(folder));
    atexit(remove_folder);
    mkdir(path_of("drivers"), 0700);
    for (size_t i = 0; i < FAULT_COUNT; i++)
        write_manifest(&faults[i]);
    setenv("HALYARD_DRIVER_FILES", path_of("drivers"), 1);
    setenv("HALYARD_STATE_DIR", path_of("state"), 1);
    setenv("HALYARD_LOG", "none", 1);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), NO_ERROR);
    EXPECT_INT(count, FAULT_COUNT + 2);
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

/* ---- What may happen to a cache -------------------------------------------------------------- */

static int change_file(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    char byte;
    if (type != FTW_F || strncmp(path + where->base, "model-", 6) != 0 || facts->st_size == 0)
        return 0;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    EXPECT_INT(pread(fd, &byte, 1, facts->st_size / 3), 1);
    byte ^= 0x10;
    EXPECT_INT(pwrite(fd, &byte, 1, facts->st_size / 3), 1);
    close(fd);
    return 0;
}

static int cut_file(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    if (type == FTW_F && strncmp(path + where->base, "model-", 6) == 0)
        EXPECT_INT(truncate(path, facts->st_size / 2), 0);
    return 0;
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

    ANeuralNetworksModel_create(&model);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &code);
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){0, 1, 2}, 1,
                                      (const uint32_t[]){3});
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){0, 1}, 1,
                                                  (const uint32_t[]){3});
    EXPECT_INT(ANeuralNetworksModel_finish(model), NO_ERROR);
    return model;
}

static int compute(ANeuralNetworksCompilation *compilation, float out[4])
{
    static const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksExecution_create(compilation, &execution);
    ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof a);
    ANeuralNetworksExecution_setInput(execution, 1, NULL, b, sizeof b);
    ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, 4 * sizeof *out);
    const int code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* What became of the cache of the one step. */
static int32_t outcome_of(const ANeuralNetworksCompilation *compilation)
{
    struct halyard_plan_step step = {.struct_size = sizeof step};
    EXPECT_INT(halyard_compilation_get_step(compilation, 0, &step), NO_ERROR);
    return step.cache;
}

/* Compiles with the cache of the device and runs: the code of the execution. */
static int run(const ANeuralNetworksDevice *const *devices, uint32_t count, const char *cache,
               int32_t *outcome)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {9};
    ANeuralNetworksModel *model = make_model();
    ANeuralNetworksCompilation *compilation = NULL;
    float out[4] = {0};
    ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation);
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, cache, token), NO_ERROR);
    int code = ANeuralNetworksCompilation_finish(compilation);
    EXPECT_INT(code, NO_ERROR);
    if (code == NO_ERROR) {
        *outcome = outcome_of(compilation);
        code = compute(compilation, out);
    }
    if (code == NO_ERROR)
        EXPECT(out[0] == 11 && out[1] == 22 && out[2] == 33 && out[3] == 44);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return code;
}

static void expect_harmless(const ANeuralNetworksDevice *const *devices, uint32_t count,
                            const struct fault *fault, int expected)
{
    static const struct {
        const char *words;
        __nftw_func_t change;
        int32_t outcome; /* of a driver without a fault */
    } rounds[] = {{"new", NULL, HALYARD_CACHE_STORED},
                  {"again", NULL, HALYARD_CACHE_HIT},
                  {"changed", change_file, HALYARD_CACHE_STORED},
                  {"anew", NULL, HALYARD_CACHE_HIT},
                  {"cut", cut_file, HALYARD_CACHE_STORED},
                  {"at last", NULL, HALYARD_CACHE_HIT}};
    char cache[256];
    snprintf(cache, sizeof cache, "%s", path_of("cache"));
    mkdir(cache, 0700);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        if (rounds[i].change)
            nftw(cache, rounds[i].change, 16, FTW_PHYS);
        int32_t outcome = HALYARD_CACHE_OFF;
        const int code = run(devices, count, cache, &outcome);
        if (strcmp(fault->name, "none") == 0 && count == 1)
            EXPECT_INT(outcome, rounds[i].outcome);
        /* What was restored does not look at descriptors any more, so it may be right as well. */
        if (code != expected && code != NO_ERROR)
            hy_test_fail(__FILE__, __LINE__, "%s, %s: %d, expected %d: %s", fault->name,
                         rounds[i].words, code, expected, halyard_last_error());
    }
    nftw(cache, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(faulty_caches, an_app_that_uses_one_alone_gets_a_right_answer_or_a_code)
{
    open_drivers();
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const ANeuralNetworksDevice *device = device_named(faults[i].name);
        REQUIRE(device);
        expect_harmless(&device, 1, &faults[i], faults[i].computed);
    }
}

TEST(faulty_caches, with_the_cpu_in_the_list_an_app_gets_the_right_answer)
{
    open_drivers();
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        const ANeuralNetworksDevice *devices[] = {device_named(faults[i].name),
                                                  device_named("halyard-cpu")};
        expect_harmless(devices, 2, &faults[i], NO_ERROR);
    }
}
