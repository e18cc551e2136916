/*
 * priorities: the latency of asynchronous executions under overload: many executions of low
 * priority are always queued, and from time to time an execution of high priority arrives. Without
 * priorities both would wait in the same queue.
 *
 *     priorities [EXECUTIONS OF HIGH PRIORITY]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <android/NeuralNetworks.h>

#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/stats.h"

enum { ELEMENTS = 8192, OPERATIONS = 4, LINE = 64, HIGH = 200, HIGH_MAX = 10000, PAUSE_US = 3000 };
enum { LOW_MAX = 1000000 };

/* y = TANH(TANH(...(x))). */
static enum hy_code add_operations(ANeuralNetworksModel *model, struct hy_error *err)
{
    const uint32_t dims[] = {ELEMENTS}, first = 0, last = OPERATIONS;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = dims};
    int result = ANeuralNetworksModel_addOperand(model, &type);

    for (uint32_t i = 0; result == ANEURALNETWORKS_NO_ERROR && i < OPERATIONS; i++) {
        const uint32_t output = i + 1;
        result = ANeuralNetworksModel_addOperand(model, &type);
        if (result == ANEURALNETWORKS_NO_ERROR)
            result =
                ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_TANH, 1, &i, 1, &output);
    }
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &first, 1, &last);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksModel_finish(model);
    return hy_api_result(result, "model", err);
}

static enum hy_code compile(ANeuralNetworksModel *model, int priority,
                            ANeuralNetworksCompilation **compilation, struct hy_error *err)
{
    int result = ANeuralNetworksCompilation_create(model, compilation);

    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_setPriority(*compilation, priority);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksCompilation_finish(*compilation);
    return hy_api_result(result, "compilation", err);
}

/* An execution that is started again and again. */
struct runner {
    float input[ELEMENTS], output[ELEMENTS];
    ANeuralNetworksExecution *execution;
    ANeuralNetworksEvent *event;
    uint64_t start;
};

static enum hy_code runner_init(struct runner *runner, ANeuralNetworksCompilation *compilation,
                                struct hy_error *err)
{
    int result = ANeuralNetworksExecution_create(compilation, &runner->execution);

    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setReusable(runner->execution, true);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setInput(runner->execution, 0, NULL, runner->input,
                                                   sizeof runner->input);
    if (result == ANEURALNETWORKS_NO_ERROR)
        result = ANeuralNetworksExecution_setOutput(runner->execution, 0, NULL, runner->output,
                                                    sizeof runner->output);
    return hy_api_result(result, "execution", err);
}

static bool runner_start(struct runner *runner)
{
    runner->start = hy_clock_now();
    return ANeuralNetworksExecution_startCompute(runner->execution, &runner->event) ==
           ANEURALNETWORKS_NO_ERROR;
}

/* Nanoseconds from start to end; 0: it has failed. */
static uint64_t runner_end(struct runner *runner)
{
    const int result = ANeuralNetworksEvent_wait(runner->event);
    const uint64_t elapsed = hy_clock_now() - runner->start;

    ANeuralNetworksEvent_free(runner->event);
    runner->event = NULL;
    return result == ANEURALNETWORKS_NO_ERROR ? elapsed : 0;
}

/* ---- The two sides --------------------------------------------------------------------------- */

static struct {
    struct runner line[LINE]; /* low */
    struct runner high;
    uint64_t low_ns[LOW_MAX], high_ns[HIGH_MAX];
    uint32_t low_count, high_count;
    atomic_bool is_over;
    bool has_failed; /* the low side */
} bench;

/* Keeps the line full: what has ended goes to its end. */
static void *fill_queue(void *unused)
{
    bool good = true;

    for (uint32_t i = 0; good && i < LINE; i++)
        good = runner_start(&bench.line[i]);
    for (uint32_t i = 0; good && !bench.is_over && bench.low_count < LOW_MAX; i = (i + 1) % LINE) {
        const uint64_t elapsed = runner_end(&bench.line[i]);
        bench.low_ns[bench.low_count++] = elapsed;
        good = elapsed > 0 && runner_start(&bench.line[i]);
    }
    for (uint32_t i = 0; i < LINE; i++)
        if (bench.line[i].event)
            (void)runner_end(&bench.line[i]);
    bench.has_failed = !good;
    return unused;
}

static bool run_high(uint32_t count)
{
    while (bench.high_count < count) {
        usleep(PAUSE_US);
        const uint64_t elapsed = runner_start(&bench.high) ? runner_end(&bench.high) : 0;
        if (elapsed == 0)
            return false;
        bench.high_ns[bench.high_count++] = elapsed;
    }
    return true;
}

static enum hy_code race(uint32_t count, struct hy_error *err)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, fill_queue, NULL) != 0)
        return hy_fail(err, HY_FAILED, "no thread");

    const bool good = run_high(count);
    bench.is_over = true;
    pthread_join(thread, NULL);
    if (!good || bench.has_failed || bench.low_count == 0)
        return hy_fail(err, HY_FAILED, "an execution has failed");
    return HY_OK;
}

/* ---- The program ----------------------------------------------------------------------------- */

static enum hy_code prepare(ANeuralNetworksModel **model,
                            ANeuralNetworksCompilation *compilations[2], struct hy_error *err)
{
    enum hy_code code = hy_api_result(ANeuralNetworksModel_create(model), "Model_create", err);

    if (code == HY_OK)
        code = add_operations(*model, err);
    if (code == HY_OK)
        code = compile(*model, ANEURALNETWORKS_PRIORITY_LOW, &compilations[0], err);
    if (code == HY_OK)
        code = compile(*model, ANEURALNETWORKS_PRIORITY_HIGH, &compilations[1], err);
    for (uint32_t i = 0; code == HY_OK && i < LINE; i++)
        code = runner_init(&bench.line[i], compilations[0], err);
    if (code == HY_OK)
        code = runner_init(&bench.high, compilations[1], err);
    return code;
}

static void print(void)
{
    const struct hy_stats low = hy_stats_make(bench.low_ns, bench.low_count);
    const struct hy_stats high = hy_stats_make(bench.high_ns, bench.high_count);

    printf("priority  executions  median us  p90 us\n");
    printf("low       %10u  %9.0f  %6.0f\n", bench.low_count, (double)low.p50 / 1e3,
           (double)low.p90 / 1e3);
    printf("high      %10u  %9.0f  %6.0f\n", bench.high_count, (double)high.p50 / 1e3,
           (double)high.p90 / 1e3);
    printf("high / low median: %.3f\n", (double)high.p50 / (double)low.p50);
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? strtol(argv[1], NULL, 10) : HIGH;
    if (argc > 2 || count < 1 || count > HIGH_MAX) {
        fprintf(stderr, "usage: priorities [EXECUTIONS OF HIGH PRIORITY, 1 to %d]\n", HIGH_MAX);
        return 2;
    }

    ANeuralNetworksModel *model = NULL;
    ANeuralNetworksCompilation *compilations[2] = {NULL, NULL};
    struct hy_error err;
    enum hy_code code = prepare(&model, compilations, &err);
    if (code == HY_OK)
        code = race((uint32_t)count, &err);
    if (code == HY_OK)
        print();
    else
        fprintf(stderr, "priorities: %s\n", err.text);
    for (uint32_t i = 0; i < LINE; i++)
        ANeuralNetworksExecution_free(bench.line[i].execution);
    ANeuralNetworksExecution_free(bench.high.execution);
    ANeuralNetworksCompilation_free(compilations[0]);
    ANeuralNetworksCompilation_free(compilations[1]);
    ANeuralNetworksModel_free(model);
    return code == HY_OK ? 0 : 1;
}
