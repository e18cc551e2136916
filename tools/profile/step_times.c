#include "tools/profile/step_times.h"

#include <stdlib.h>

#include "common/clock.h"
#include "tools/api_result.h"
#include "tools/stats.h"

enum { BATCHES_LEAST = 15, BATCHES_MOST = 251, WARM_UP_RUNS = 3, RUNS_MOST = 1000 };

/* Shorter than the slices of a scheduler: on a busy machine most batches are not interrupted. */
#define BATCH_NS UINT64_C(300000)

/* total time of all batches, if the time suffices for enough batches */
#define TOTAL_NS UINT64_C(75000000)

/* The figures of a step when a batch began. */
struct count {
    uint64_t runs;
    uint64_t ns;
};

struct measurement {
    ANeuralNetworksCompilation *compilation;
    hy_run_once *run;
    void *context;
    uint32_t step_count;
    struct count *before; /* [step] */
    uint32_t batches;
    uint64_t *samples; /* [step * BATCHES_MOST + batch] */
};

static enum hy_code set_clock(struct measurement *measurement, bool on, struct hy_error *err)
{
    return hy_api_result(halyard_compilation_measure_steps(measurement->compilation, on),
                         "compilation_measure_steps", err);
}

/* Reads each step; the difference to the previous reading is the sample of this batch. */
static enum hy_code read_steps(struct measurement *measurement, uint32_t batch,
                               struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < measurement->step_count; i++) {
        struct halyard_plan_step step = {.struct_size = sizeof step};
        struct count *before = &measurement->before[i];
        code = hy_api_result(halyard_compilation_get_step(measurement->compilation, i, &step),
                             "compilation_get_step", err);
        if (step.run_count > before->runs)
            measurement->samples[(size_t)i * BATCHES_MOST + batch] =
                (step.total_ns - before->ns) / (step.run_count - before->runs);
        *before = (struct count){step.run_count, step.total_ns};
    }
    return code;
}

static enum hy_code run_times(const struct measurement *measurement, uint64_t times,
                              struct hy_error *err)
{
    enum hy_code code = HY_OK;
    for (uint64_t i = 0; code == HY_OK && i < times; i++)
        code = measurement->run(measurement->context, err);
    return code;
}

/* The first run is a warm-up; the fastest of the next runs determines the runs of a batch. */
static enum hy_code warm_up(struct measurement *measurement, uint64_t *runs, struct hy_error *err)
{
    enum hy_code code = run_times(measurement, 1, err);
    uint64_t one = UINT64_MAX;

    for (int i = 0; code == HY_OK && i < WARM_UP_RUNS; i++) {
        const uint64_t start = hy_clock_now();
        code = run_times(measurement, 1, err);
        const uint64_t elapsed = hy_clock_now() - start + 1;
        one = elapsed < one ? elapsed : one;
    }
    const uint64_t enough = BATCH_NS / one + 1;
    *runs = enough < RUNS_MOST ? enough : RUNS_MOST;
    const uint64_t batches = TOTAL_NS / (*runs * one);
    measurement->batches = batches < BATCHES_LEAST  ? BATCHES_LEAST
                           : batches > BATCHES_MOST ? BATCHES_MOST
                                                    : (uint32_t)batches;
    return code == HY_OK ? read_steps(measurement, 0, err) : code;
}

static enum hy_code measure(struct measurement *measurement, struct hy_error *err)
{
    uint64_t runs = 1;

    enum hy_code code = set_clock(measurement, true, err);
    if (code == HY_OK)
        code = warm_up(measurement, &runs, err);
    for (uint32_t i = 0; code == HY_OK && i < measurement->batches; i++) {
        code = run_times(measurement, runs, err);
        if (code == HY_OK)
            code = read_steps(measurement, i, err);
    }
    return code == HY_OK ? set_clock(measurement, false, err) : code;
}

enum hy_code hy_step_times_measure(ANeuralNetworksCompilation *compilation, uint32_t step_count,
                                   hy_run_once *run, void *context, uint64_t *step_ns,
                                   struct hy_error *err)
{
    struct measurement measurement = {
        .compilation = compilation,
        .run = run,
        .context = context,
        .step_count = step_count,
        .before = calloc(step_count, sizeof *measurement.before),
        .samples = calloc(step_count, BATCHES_MOST * sizeof *measurement.samples),
    };
    enum hy_code code = measurement.before && measurement.samples
                            ? measure(&measurement, err)
                            : hy_fail(err, HY_OUT_OF_MEMORY, "times of %u steps", step_count);

    for (uint32_t i = 0; code == HY_OK && i < step_count; i++)
        step_ns[i] =
            hy_stats_make(&measurement.samples[(size_t)i * BATCHES_MOST], measurement.batches).p50;
    free(measurement.before);
    free(measurement.samples);
    return code;
}
