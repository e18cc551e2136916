/*
 * The device of the sample driver that caches by itself, over the runtime's own cache engine: what
 * one start has compiled the next one finds, in the app's process and in one of the driver's own.
 */
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <ftw.h>
#include <halyard/halyard.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR

enum { DEPTH = 4, UNITS = 3 };

/* ---- An app ---------------------------------------------------------------------------------- */

static ANeuralNetworksDevice *find_device(void)
{
    ANeuralNetworksDevice *device = NULL;
    uint32_t count = 0;
    const char *name = "";

    ANeuralNetworks_getDeviceCount(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (ANeuralNetworks_getDevice(i, &device) == NO_ERROR &&
            ANeuralNetworksDevice_getName(device, &name) == NO_ERROR &&
            strcmp(name, "halyard-sample-self-caching") == 0)
            return device;
    }
    return NULL;
}

/* out[u] = sum of in[d] * weights[u][d], + bias[u] */
static ANeuralNetworksModel *make_model(float first_weight)
{
    static const uint32_t in_dims[] = {1, DEPTH}, weight_dims[] = {UNITS, DEPTH},
                          bias_dims[] = {UNITS}, out_dims[] = {1, UNITS};
    static const float bias[UNITS] = {1, 2, 3};
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    float weights[UNITS * DEPTH] = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    ANeuralNetworksOperandType tensor = {.type = ANEURALNETWORKS_TENSOR_FLOAT32,
                                         .dimensionCount = 2};
    const ANeuralNetworksOperandType code = {.type = ANEURALNETWORKS_INT32};
    ANeuralNetworksModel *model = NULL;

    weights[0] = first_weight;
    ANeuralNetworksModel_create(&model);
    tensor.dimensions = in_dims;
    ANeuralNetworksModel_addOperand(model, &tensor);
    tensor.dimensions = weight_dims;
    ANeuralNetworksModel_addOperand(model, &tensor);
    tensor.dimensions = bias_dims;
    tensor.dimensionCount = 1;
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_addOperand(model, &code);
    tensor.dimensions = out_dims;
    tensor.dimensionCount = 2;
    ANeuralNetworksModel_addOperand(model, &tensor);
    ANeuralNetworksModel_setOperandValue(model, 1, weights, sizeof weights);
    ANeuralNetworksModel_setOperandValue(model, 2, bias, sizeof bias);
    ANeuralNetworksModel_setOperandValue(model, 3, &none, sizeof none);
    ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4,
                                      (const uint32_t[]){0, 1, 2, 3}, 1, (const uint32_t[]){4});
    ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (const uint32_t[]){0}, 1,
                                                  (const uint32_t[]){4});
    ANeuralNetworksModel_finish(model);
    return model;
}

static bool is_right(ANeuralNetworksCompilation *compilation, float first_weight)
{
    static const float in[DEPTH] = {10, 20, 30, 40};
    float out[UNITS] = {0};
    ANeuralNetworksExecution *execution = NULL;

    ANeuralNetworksExecution_create(compilation, &execution);
    ANeuralNetworksExecution_setInput(execution, 0, NULL, in, sizeof in);
    ANeuralNetworksExecution_setOutput(execution, 0, NULL, out, sizeof out);
    const int code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code == NO_ERROR && out[0] == 10 * first_weight + 20 + 1 && out[1] == 30 + 2 &&
           out[2] == 40 + 3;
}

static bool compile_and_run(float first_weight)
{
    const ANeuralNetworksDevice *device = find_device();
    ANeuralNetworksModel *model = make_model(first_weight);
    ANeuralNetworksCompilation *compilation = NULL;

    if (!device)
        return false;
    ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation);
    const bool good = ANeuralNetworksCompilation_finish(compilation) == NO_ERROR &&
                      is_right(compilation, first_weight);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return good;
}

/* ---- Starts ---------------------------------------------------------------------------------- */

static char dir[40];

static int remove_one(const char *path, const struct stat *file_info, int kind, struct FTW *at)
{
    (void)file_info, (void)kind, (void)at;
    return remove(path);
}

/* One start of the app, in a process of its own. */
static void start(bool is_isolated, float first_weight)
{
    int status = -1;
    const pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("HALYARD_DRIVER_FILES", SELF_CACHING_MANIFEST, 1);
        setenv("HALYARD_STATE_DIR", dir, 1);
        setenv("HALYARD_ISOLATE", is_isolated ? "all" : "", 1);
        _exit(compile_and_run(first_weight) ? 0 : 1);
    }
    EXPECT_INT(waitpid(pid, &status, 0), pid);
    EXPECT_INT(status, 0);
}

/* When and how long the records of drivers were written last. Finding the blob that was stored last
 * writes nothing. */
struct records {
    int64_t seconds, nanoseconds, bytes;
};

static struct records seen;

static int look_at(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)kind;
    if (strcmp(path + at->base, "records-2.db") == 0)
        seen = (struct records){info->st_mtim.tv_sec, info->st_mtim.tv_nsec, info->st_size};
    return 0;
}

/* A driver in a process of its own has a state folder of its own below this one. */
static struct records look(void)
{
    seen = (struct records){0};
    nftw(dir, look_at, 16, FTW_PHYS);
    return seen;
}

static bool are_same(const struct records *a, const struct records *b)
{
    return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->bytes == b->bytes;
}

static void expect_found(bool is_isolated)
{
    snprintf(dir, sizeof dir, "/tmp/halyard-self-caching-XXXXXX");
    REQUIRE(mkdtemp(dir));
    start(is_isolated, 2);
    const struct records stored = look();
    EXPECT(stored.bytes > 0);
    start(is_isolated, 2);
    const struct records found = look();
    EXPECT(are_same(&stored, &found));
    start(is_isolated, 5); /* another model */
    const struct records other = look();
    EXPECT(!are_same(&found, &other));
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TEST(in_process, second_start_finds_what_the_first_has_compiled)
{
    expect_found(false);
}

TEST(isolated, second_start_finds_what_the_first_has_compiled)
{
    expect_found(true);
}
