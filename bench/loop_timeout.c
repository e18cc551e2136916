/*
 * loop_timeout: the time until an endless loop is stopped. Builds a WHILE with a condition that
 * stays true, and runs it on both CPU devices in every kind of run, with the loop timeout and with
 * the timeout of the execution; the ratio is the time of the run divided by its time limit.
 *
 *     loop_timeout [RUNS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <android/NeuralNetworks.h>

#include "bench/device_by_name.h"
#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/stats.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { RUNS = 3, RUNS_MAX = 100 };

static const char *const devices[] = {"halyard-cpu", "nnapi-reference"};
static const uint64_t timeouts[] = {50000000, 200000000, 2000000000};

/* ---- The model ------------------------------------------------------------------------------- */

static const uint32_t one = 1;
static const ANeuralNetworksOperandType number = {
    .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &one};
static const ANeuralNetworksOperandType bool_type = {
    .type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensionCount = 1, .dimensions = &one};
static const ANeuralNetworksOperandType activation = {.type = ANEURALNETWORKS_INT32};
static const ANeuralNetworksOperandType reference = {.type = ANEURALNETWORKS_MODEL};

/* Operands in their order; operand 0 is the model's input, the last its output. */
static enum hy_code open_model(ANeuralNetworksModel **model, uint32_t count,
                               const ANeuralNetworksOperandType *const *operands,
                               struct hy_error *err)
{
    enum hy_code code = hy_api_result(ANeuralNetworksModel_create(model), "Model_create", err);

    for (uint32_t i = 0; code == HY_OK && i < count; i++)
        code = hy_api_result(ANeuralNetworksModel_addOperand(*model, operands[i]),
                             "Model_addOperand", err);
    return code;
}

static enum hy_code set_value(ANeuralNetworksModel *model, int32_t operand, const void *value,
                              struct hy_error *err)
{
    return hy_api_result(ANeuralNetworksModel_setOperandValue(model, operand, value, 4),
                         "Model_setOperandValue", err);
}

static enum hy_code close_model(ANeuralNetworksModel *model, int32_t type, uint32_t count,
                                const uint32_t *inputs, uint32_t input, uint32_t output,
                                struct hy_error *err)
{
    enum hy_code code =
        hy_api_result(ANeuralNetworksModel_addOperation(model, type, count, inputs, 1, &output),
                      "Model_addOperation", err);

    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output),
            "Model_identifyInputsAndOutputs", err);
    return code == HY_OK ? hy_api_result(ANeuralNetworksModel_finish(model), "Model_finish", err)
                         : code;
}

/* counter < 1 */
static enum hy_code make_condition(ANeuralNetworksModel **model, struct hy_error *err)
{
    const ANeuralNetworksOperandType *const operands[] = {&number, &number, &bool_type};
    static const float limit = 1;

    enum hy_code code = open_model(model, COUNT_OF(operands), operands, err);
    if (code == HY_OK)
        code = set_value(*model, 1, &limit, err);
    return code == HY_OK
               ? close_model(*model, ANEURALNETWORKS_LESS, 2, (const uint32_t[]){0, 1}, 0, 2, err)
               : code;
}

/* counter + 0 */
static enum hy_code make_body(ANeuralNetworksModel **model, struct hy_error *err)
{
    const ANeuralNetworksOperandType *const operands[] = {&number, &number, &activation, &number};
    static const float step = 0;
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;

    enum hy_code code = open_model(model, COUNT_OF(operands), operands, err);
    if (code == HY_OK)
        code = set_value(*model, 1, &step, err);
    if (code == HY_OK)
        code = set_value(*model, 2, &none, err);
    return code == HY_OK
               ? close_model(*model, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){0, 1, 2}, 0, 3, err)
               : code;
}

struct loop {
    ANeuralNetworksModel *condition, *body, *whole;
};

static void loop_free(struct loop *loop)
{
    ANeuralNetworksModel_free(loop->whole);
    ANeuralNetworksModel_free(loop->body);
    ANeuralNetworksModel_free(loop->condition);
}

static enum hy_code make_loop(struct loop *loop, struct hy_error *err)
{
    const ANeuralNetworksOperandType *const operands[] = {&number, &reference, &reference, &number};

    enum hy_code code = make_condition(&loop->condition, err);
    if (code == HY_OK)
        code = make_body(&loop->body, err);
    if (code == HY_OK)
        code = open_model(&loop->whole, COUNT_OF(operands), operands, err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksModel_setOperandValueFromModel(loop->whole, 1, loop->condition),
            "Model_setOperandValueFromModel", err);
    if (code == HY_OK)
        code =
            hy_api_result(ANeuralNetworksModel_setOperandValueFromModel(loop->whole, 2, loop->body),
                          "Model_setOperandValueFromModel", err);
    return code == HY_OK ? close_model(loop->whole, ANEURALNETWORKS_WHILE, 3,
                                       (const uint32_t[]){1, 2, 0}, 0, 3, err)
                         : code;
}

static enum hy_code compile(const struct loop *loop, const char *name,
                            ANeuralNetworksCompilation **compilation, struct hy_error *err)
{
    const ANeuralNetworksDevice *device = hy_bench_device(name);

    if (!device)
        return hy_fail(err, HY_FAILED, "there is no device %s", name);
    const enum hy_code code = hy_api_result(
        ANeuralNetworksCompilation_createForDevices(loop->whole, &device, 1, compilation),
        "Compilation_createForDevices", err);
    return code == HY_OK ? hy_api_result(ANeuralNetworksCompilation_finish(*compilation),
                                         "Compilation_finish", err)
                         : code;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static int wait_for(int launched, ANeuralNetworksEvent *event)
{
    const int code =
        launched == ANEURALNETWORKS_NO_ERROR ? ANeuralNetworksEvent_wait(event) : launched;

    ANeuralNetworksEvent_free(event);
    return code;
}

static int run_sync(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    (void)burst;
    return ANeuralNetworksExecution_compute(execution);
}

static int run_async(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    ANeuralNetworksEvent *event = NULL;
    const int launched = ANeuralNetworksExecution_startCompute(execution, &event);

    (void)burst;
    return wait_for(launched, event);
}

static int run_fenced(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    ANeuralNetworksEvent *event = NULL;
    const int launched =
        ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);

    (void)burst;
    return wait_for(launched, event);
}

static const struct {
    const char *name;
    int (*run)(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst);
} modes[] = {{"sync", run_sync},
             {"async", run_async},
             {"burst", ANeuralNetworksExecution_burstCompute},
             {"fenced", run_fenced}};

static const struct {
    const char *name;
    int (*set)(ANeuralNetworksExecution *execution, uint64_t duration);
} limits[] = {{"loop timeout", ANeuralNetworksExecution_setLoopTimeout},
              {"timeout", ANeuralNetworksExecution_setTimeout}};

static enum hy_code set_up(ANeuralNetworksExecution *execution, size_t limit, uint64_t timeout,
                           float *values, struct hy_error *err)
{
    enum hy_code code = hy_api_result(
        ANeuralNetworksExecution_setInput(execution, 0, NULL, &values[0], sizeof values[0]),
        "Execution_setInput", err);
    if (code == HY_OK)
        code = hy_api_result(
            ANeuralNetworksExecution_setOutput(execution, 0, NULL, &values[1], sizeof values[1]),
            "Execution_setOutput", err);
    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksExecution_setLoopTimeout(execution, UINT64_MAX),
                             "Execution_setLoopTimeout", err);
    return code == HY_OK
               ? hy_api_result(limits[limit].set(execution, timeout), limits[limit].name, err)
               : code;
}

static enum hy_code run_once(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                             size_t mode, size_t limit, uint64_t timeout, uint64_t *ns,
                             struct hy_error *err)
{
    ANeuralNetworksExecution *execution = NULL;
    float values[2] = {0};
    enum hy_code code = hy_api_result(ANeuralNetworksExecution_create(compilation, &execution),
                                      "Execution_create", err);
    if (code == HY_OK)
        code = set_up(execution, limit, timeout, values, err);
    if (code == HY_OK) {
        const uint64_t start = hy_clock_now();
        const int result = modes[mode].run(execution, burst);
        *ns = hy_clock_now() - start;
        if (result != ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT &&
            result != ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
            code = hy_fail(err, HY_FAILED, "an endless loop gave %d", result);
    }
    ANeuralNetworksExecution_free(execution);
    return code;
}

static enum hy_code show_mode(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                              const char *device, size_t limit, size_t mode, uint32_t runs,
                              struct hy_error *err)
{
    printf("| %s | %s | %s |", device, limits[limit].name, modes[mode].name);
    for (size_t i = 0; i < COUNT_OF(timeouts); i++) {
        uint64_t samples[RUNS_MAX];
        for (uint32_t k = 0; k < runs; k++) {
            enum hy_code code =
                run_once(compilation, burst, mode, limit, timeouts[i], &samples[k], err);
            if (code != HY_OK)
                return code;
        }
        const struct hy_stats stats = hy_stats_make(samples, runs);
        printf(" %.3f (%.3f) |", (double)stats.p50 / 1e6, (double)stats.p50 / (double)timeouts[i]);
        fflush(stdout);
    }
    printf("\n");
    return HY_OK;
}

static enum hy_code show_device(const struct loop *loop, const char *name, uint32_t runs,
                                struct hy_error *err)
{
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksBurst *burst = NULL;
    enum hy_code code = compile(loop, name, &compilation, err);

    if (code == HY_OK)
        code = hy_api_result(ANeuralNetworksBurst_create(compilation, &burst), "Burst_create", err);
    for (size_t limit = 0; limit < COUNT_OF(limits); limit++) {
        for (size_t mode = 0; code == HY_OK && mode < COUNT_OF(modes); mode++)
            code = show_mode(compilation, burst, name, limit, mode, runs, err);
    }
    ANeuralNetworksBurst_free(burst);
    ANeuralNetworksCompilation_free(compilation);
    return code;
}

int main(int argc, char **argv)
{
    const long runs = argc > 1 ? strtol(argv[1], NULL, 10) : RUNS;
    struct loop loop = {0};
    struct hy_error err;

    if (argc > 2 || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: loop_timeout [RUNS, 1 to %d]\n", RUNS_MAX);
        return 2;
    }
    enum hy_code code = make_loop(&loop, &err);
    printf("| device | limit | run |");
    for (size_t i = 0; i < COUNT_OF(timeouts); i++)
        printf(" %.0f ms: median ms (ratio) |", (double)timeouts[i] / 1e6);
    printf("\n|---|---|---|--:|--:|--:|\n");
    for (size_t i = 0; code == HY_OK && i < COUNT_OF(devices); i++)
        code = show_device(&loop, devices[i], (uint32_t)runs, &err);
    loop_free(&loop);
    if (code != HY_OK)
        fprintf(stderr, "loop_timeout: %s\n", err.text);
    return code == HY_OK ? 0 : 1;
}
