#include "search.h"

#include "driver_kit/clock.h"
#include "driver_kit/quota_memory.h"
#include "fully_connected.h"
#include "sample_run.h"

#define MEASUREMENTS 8u /* runs per width; the shortest time counts, other runs were disturbed */
#define MAX_BATCHES  4u /* enough to compare the widths */

/* One step with the memory for its timed runs. */
struct measurement {
    struct sample_step step; /* with few batches, and the width of the panels */
    uint64_t size;           /* bytes of an element of the weights */
    const uint8_t *weights;  /* as the model has them */
    const uint8_t *bias;
    uint8_t *packed, *input, *output; /* one piece of memory */
};

static bool is_fully_connected(const struct sample_step *step)
{
    return step->operation == SAMPLE_FULLY_CONNECTED;
}

static const uint8_t *constant_of(const struct sample_program *program, uint32_t tensor)
{
    return program->constants[program->tensors[tensor].constant].data;
}

/* The input is all zeros. */
static bool measurement_init(struct measurement *measurement, const struct sample_program *plain,
                             const struct sample_step *step)
{
    *measurement = (struct measurement){.step = *step,
                                        .size = step->is_quantised ? 1 : sizeof(float),
                                        .weights = constant_of(plain, step->inputs[1]),
                                        .bias = constant_of(plain, step->inputs[2])};
    struct sample_fully_connected *fc = &measurement->step.as.fully_connected;
    fc->batches = fc->batches < MAX_BATCHES ? fc->batches : MAX_BATCHES;
    const uint64_t packed = sample_packed_bytes(fc, SAMPLE_MAX_PANEL, measurement->size);
    const uint64_t input = (uint64_t)fc->batches * fc->depth * measurement->size;
    const uint64_t output = (uint64_t)fc->batches * fc->units * measurement->size;
    measurement->packed = hy_quota_zeros(plain->host, packed + input + output, 1);
    if (!measurement->packed)
        return false;
    measurement->input = measurement->packed + packed;
    measurement->output = measurement->input + input;
    return true;
}

/* Returns the shortest time of the step with panels of this width, in ns; -1: the deadline has
 * passed. */
static int64_t measure(struct measurement *measurement, uint32_t panel, int64_t deadline)
{
    const uint8_t *const inputs[] = {measurement->input, measurement->packed, measurement->bias};
    int64_t shortest = INT64_MAX;
    measurement->step.as.fully_connected.panel = panel;
    sample_pack(&measurement->step.as.fully_connected, panel, measurement->size,
                measurement->weights, measurement->packed);
    for (uint32_t i = 0; i < MEASUREMENTS; i++) {
        if (hy_deadline_is_past(deadline))
            return -1;
        const int64_t start = hy_boottime();
        sample_step_run(&measurement->step, inputs, (uint8_t *const[]){measurement->output}, NULL);
        const int64_t time = hy_boottime() - start;
        shortest = time < shortest ? time : shortest;
    }
    return shortest;
}

/* Returns the fastest width; 0: the deadline has passed. */
static uint32_t find_panel(struct measurement *measurement, int64_t deadline)
{
    uint32_t best = 0;
    int64_t best_time = INT64_MAX;
    for (uint32_t panel = 1; panel <= SAMPLE_MAX_PANEL; panel *= 2) {
        const int64_t time = measure(measurement, panel, deadline);
        if (time < 0)
            return 0;
        if (time < best_time) {
            best_time = time;
            best = panel;
        }
    }
    return best;
}

/* Adds the packed weights as a new tensor, because another step may read the unpacked weights. A
 * constant without readers is dropped from memory and from cache files. */
static bool use_panel(struct sample_program *program, struct sample_step *step,
                      const struct measurement *measurement, uint32_t panel)
{
    struct sample_fully_connected *fc = &step->as.fully_connected;
    struct sample_tensor *weights = &program->tensors[step->inputs[1]];
    const uint64_t bytes = sample_packed_bytes(fc, panel, measurement->size);
    uint8_t *packed = hy_quota_arena_zeros(&program->memory, bytes, 1);
    if (!packed)
        return false;
    sample_pack(fc, panel, measurement->size, measurement->weights, packed);
    if (--weights->readers == 0) {
        program->constants[weights->constant] = (struct hy_bytes){0};
        weights->constant = SAMPLE_NO_CONSTANT;
    }
    const uint32_t index = program->tensor_count++, constant = program->constant_count++;
    program->constants[constant] = (struct hy_bytes){packed, bytes};
    program->tensors[index] = (struct sample_tensor){
        .bytes = bytes, .lifetime = HY_LIFETIME_CONSTANT_COPY, .constant = constant, .readers = 1};
    step->inputs[1] = index;
    fc->panel = panel;
    return true;
}

static int32_t pack_step(const struct sample_program *plain, struct sample_program *program,
                         uint32_t index, int64_t deadline)
{
    struct measurement measurement;
    if (!measurement_init(&measurement, plain, &plain->steps[index]))
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    const uint32_t panel = find_panel(&measurement, deadline);
    int32_t status = HY_STATUS_OK;
    if (panel == 0)
        status = HY_STATUS_MISSED_DEADLINE_TRANSIENT;
    else if (!use_panel(program, &program->steps[index], &measurement, panel))
        status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    hy_quota_free(measurement.packed);
    return status;
}

int32_t sample_search(const struct sample_program *plain, int64_t deadline,
                      struct sample_program **program)
{
    uint32_t extra = 0;
    for (uint32_t i = 0; i < plain->step_count; i++)
        extra += is_fully_connected(&plain->steps[i]);
    struct sample_program *made = sample_program_copy(plain, extra);
    int32_t status = made ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (uint32_t i = 0; i < plain->step_count && status == HY_STATUS_OK; i++)
        if (is_fully_connected(&plain->steps[i]))
            status = pack_step(plain, made, i, deadline);
    if (status == HY_STATUS_OK && !sample_scratch_ready(made))
        status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (status == HY_STATUS_OK)
        *program = made;
    else
        sample_program_destroy(made);
    return status;
}
