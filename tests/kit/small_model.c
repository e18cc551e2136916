#include "tests/kit/small_model.h"

#include <string.h>

static const float three[SMALL_EXTENT] = {3, 3, 3, 3}, half[SMALL_EXTENT] = {.5f, .5f, .5f, .5f};

enum { X, THREE, PRODUCT, HALF, Y, NONE, RELU, OPERAND_COUNT };

static bool add_operands(ANeuralNetworksModel *model)
{
    const uint32_t dims[] = {SMALL_EXTENT};
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    const ANeuralNetworksOperandType integer = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE, relu = ANEURALNETWORKS_FUSED_RELU;
    int code = ANEURALNETWORKS_NO_ERROR;

    for (int i = 0; i < OPERAND_COUNT; i++)
        code |= ANeuralNetworksModel_addOperand(model, i < NONE ? &floats : &integer);
    code |= ANeuralNetworksModel_setOperandValue(model, THREE, three, sizeof three);
    code |= ANeuralNetworksModel_setOperandValue(model, HALF, half, sizeof half);
    code |= ANeuralNetworksModel_setOperandValue(model, NONE, &none, sizeof none);
    code |= ANeuralNetworksModel_setOperandValue(model, RELU, &relu, sizeof relu);
    return code == ANEURALNETWORKS_NO_ERROR;
}

static bool add_operations(ANeuralNetworksModel *model)
{
    const uint32_t mul[] = {X, THREE, NONE}, add[] = {PRODUCT, HALF, RELU};
    const uint32_t x = X, product = PRODUCT, y = Y;
    int code = ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, mul, 1, &product);

    code |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, &y);
    code |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y);
    code |= ANeuralNetworksModel_finish(model);
    return code == ANEURALNETWORKS_NO_ERROR;
}

ANeuralNetworksModel *small_model(void)
{
    ANeuralNetworksModel *model = NULL;

    if (ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR || !add_operands(model) ||
        !add_operations(model)) {
        ANeuralNetworksModel_free(model);
        return NULL;
    }
    return model;
}

ANeuralNetworksCompilation *small_compile(ANeuralNetworksModel *model, int priority)
{
    ANeuralNetworksCompilation *compilation = NULL;
    int code = ANeuralNetworksCompilation_create(model, &compilation);

    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_setPriority(compilation, priority);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = ANeuralNetworksCompilation_finish(compilation);
    if (code != ANEURALNETWORKS_NO_ERROR) {
        ANeuralNetworksCompilation_free(compilation);
        return NULL;
    }
    return compilation;
}

bool small_run_init(struct small_run *run, ANeuralNetworksCompilation *compilation, bool reusable)
{
    memset(run, 0, sizeof *run);
    if (ANeuralNetworksExecution_create(compilation, &run->execution) != ANEURALNETWORKS_NO_ERROR)
        return false;
    int code = ANeuralNetworksExecution_setReusable(run->execution, reusable);
    code |= ANeuralNetworksExecution_setInput(run->execution, 0, NULL, run->in, sizeof run->in);
    code |= ANeuralNetworksExecution_setOutput(run->execution, 0, NULL, run->out, sizeof run->out);
    return code == ANEURALNETWORKS_NO_ERROR;
}

void small_run_fill(struct small_run *run, unsigned seed)
{
    for (unsigned i = 0; i < SMALL_EXTENT; i++) {
        run->in[i] = (float)((seed + i) % 1024) - 512;
        run->out[i] = -1; /* never a result */
    }
}

bool small_run_is_right(const struct small_run *run)
{
    bool right = true;

    for (unsigned i = 0; i < SMALL_EXTENT; i++) {
        const float sum = run->in[i] * 3 + .5f;
        right &= run->out[i] == (sum > 0 ? sum : 0);
    }
    return right;
}

void small_run_finish(struct small_run *run)
{
    ANeuralNetworksExecution_free(run->execution);
    run->execution = NULL;
}

bool small_run_compute(struct small_run *run)
{
    return ANeuralNetworksExecution_compute(run->execution) == ANEURALNETWORKS_NO_ERROR &&
           small_run_is_right(run);
}

bool small_run_burst(struct small_run *run, ANeuralNetworksBurst *burst)
{
    return ANeuralNetworksExecution_burstCompute(run->execution, burst) ==
               ANEURALNETWORKS_NO_ERROR &&
           small_run_is_right(run);
}

bool small_run_start(struct small_run *run)
{
    ANeuralNetworksEvent *event = NULL;

    if (ANeuralNetworksExecution_startCompute(run->execution, &event) != ANEURALNETWORKS_NO_ERROR)
        return false;
    const int code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code == ANEURALNETWORKS_NO_ERROR && small_run_is_right(run);
}

/* Two executions, the second after the first. */
static bool run_chain(ANeuralNetworksCompilation *compilation, unsigned seed)
{
    struct small_run runs[2];
    ANeuralNetworksEvent *events[2] = {NULL, NULL};
    bool good = small_run_init(&runs[0], compilation, false);

    good = small_run_init(&runs[1], compilation, false) && good;
    for (unsigned i = 0; good && i < 2; i++) {
        small_run_fill(&runs[i], seed + i);
        const ANeuralNetworksEvent *before = events[0];
        good = ANeuralNetworksExecution_startComputeWithDependencies(
                   runs[i].execution, &before, i, 0, &events[i]) == ANEURALNETWORKS_NO_ERROR;
    }
    good = good && ANeuralNetworksEvent_wait(events[1]) == ANEURALNETWORKS_NO_ERROR &&
           small_run_is_right(&runs[0]) && small_run_is_right(&runs[1]);
    for (unsigned i = 0; i < 2; i++) {
        ANeuralNetworksEvent_free(events[i]);
        small_run_finish(&runs[i]);
    }
    return good;
}

static bool run_in_each_way(ANeuralNetworksCompilation *compilation, unsigned seed)
{
    ANeuralNetworksBurst *burst = NULL;
    struct small_run run;
    bool good = small_run_init(&run, compilation, true) &&
                ANeuralNetworksBurst_create(compilation, &burst) == ANEURALNETWORKS_NO_ERROR;

    small_run_fill(&run, seed);
    good = good && small_run_compute(&run);
    small_run_fill(&run, seed + 1);
    good = good && small_run_start(&run);
    small_run_fill(&run, seed + 2);
    good = good && small_run_burst(&run, burst);
    ANeuralNetworksBurst_free(burst);
    small_run_finish(&run);
    return good && run_chain(compilation, seed);
}

bool small_life(unsigned seed)
{
    ANeuralNetworksModel *model = small_model();
    ANeuralNetworksCompilation *compilation =
        model ? small_compile(model, ANEURALNETWORKS_PRIORITY_MEDIUM) : NULL;
    const bool good = compilation && run_in_each_way(compilation, seed);

    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return good;
}
