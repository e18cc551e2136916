#include "search.h"

#include "driver_kit/clock.h"
#include "driver_kit/quota_memory.h"
#include "fully_connected.h"
#include "run.h"

#include <string.h>

#define TRIALS      8u /* the quickest counts: the others were disturbed */
#define MAX_BATCHES 4u /* enough to tell the forms apart */

/* One step with the memory that its trials need. */
struct trial {
    const struct hy_host *host;
    struct sample_step step; /* with few batches, and the width of the last panels */
    uint64_t size;           /* bytes of an element of the weights */
    const uint8_t *weights;  /* as the model has them */
    const uint8_t *bias;
    uint8_t *input, *output;  /* one piece of memory */
    struct sample_block best; /* packed weights of the quickest form so far */
    uint32_t best_panel;
    int64_t best_time;
};

static bool is_fully_connected(const struct sample_step *step)
{
    return step->operation == SAMPLE_FULLY_CONNECTED;
}

static const uint8_t *constant_of(const struct sample_program *program, uint32_t tensor)
{
    return program->blocks[program->tensors[tensor].block].data;
}

/* The input is all zeros. */
static bool trial_init(struct trial *trial, const struct sample_program *plain,
                       const struct sample_step *step)
{
    *trial = (struct trial){.host = plain->host,
                            .step = *step,
                            .size = step->is_quantised ? 1 : sizeof(float),
                            .weights = constant_of(plain, step->inputs[1]),
                            .bias = constant_of(plain, step->inputs[2])};
    struct sample_fully_connected *fc = &trial->step.as.fully_connected;
    fc->batches = fc->batches < MAX_BATCHES ? fc->batches : MAX_BATCHES;
    const uint64_t input = fc->batches * fc->depth * trial->size;
    const uint64_t output = fc->batches * fc->units * trial->size;
    trial->input = hy_quota_zeros(trial->host, input + output, 1);
    trial->output = trial->input ? trial->input + input : NULL;
    return trial->input;
}

/* The shortest time of the step over these weights; -1: the deadline is over. */
static int64_t measure(const struct trial *trial, const uint8_t *packed, int64_t deadline)
{
    const uint8_t *const inputs[] = {trial->input, packed, trial->bias};
    int64_t shortest = INT64_MAX;
    for (uint32_t i = 0; i < TRIALS; i++) {
        if (hy_deadline_is_past(deadline))
            return -1;
        const int64_t start = hy_boottime();
        sample_step_run(&trial->step, inputs, (uint8_t *const[]){trial->output}, NULL);
        const int64_t time = hy_boottime() - start;
        shortest = time < shortest ? time : shortest;
    }
    return shortest;
}

static int32_t try_panel(struct trial *trial, uint32_t panel, int64_t deadline)
{
    struct sample_fully_connected *fc = &trial->step.as.fully_connected;
    const uint64_t bytes = sample_packed_bytes(fc, panel, trial->size);
    uint8_t *packed = hy_quota_zeros(trial->host, bytes, 1);
    if (!packed)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    fc->panel = panel;
    sample_pack(fc, panel, trial->size, trial->weights, packed);

    const int64_t time = measure(trial, packed, deadline);
    if (time >= 0 && (!trial->best.own || time < trial->best_time)) {
        hy_quota_free(trial->best.own);
        trial->best = (struct sample_block){.data = packed, .length = bytes, .own = packed};
        trial->best_panel = panel;
        trial->best_time = time;
    } else {
        hy_quota_free(packed);
    }
    return time < 0 ? HY_STATUS_MISSED_DEADLINE_TRANSIENT : HY_STATUS_OK;
}

/* The packed weights become a tensor of their own: another step may read the weights as they are.
 */
static void use_packed(struct sample_program *program, struct sample_step *step,
                       const struct trial *trial)
{
    const uint32_t index = program->tensor_count++, block = program->block_count++;
    program->blocks[block] = trial->best;
    program->tensors[index] = (struct sample_tensor){.bytes = trial->best.length,
                                                     .lifetime = HY_LIFETIME_CONSTANT_COPY,
                                                     .block = block,
                                                     .is_read = 1};
    step->inputs[1] = index;
    step->as.fully_connected.panel = trial->best_panel;
}

static int32_t pack_step(const struct sample_program *plain, struct sample_program *program,
                         uint32_t index, int64_t deadline)
{
    struct trial trial;
    int32_t status = trial_init(&trial, plain, &plain->steps[index])
                         ? HY_STATUS_OK
                         : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (uint32_t panel = 1; panel <= SAMPLE_MAX_PANEL && status == HY_STATUS_OK; panel *= 2)
        status = try_panel(&trial, panel, deadline);
    if (status == HY_STATUS_OK)
        use_packed(program, &program->steps[index], &trial);
    else
        hy_quota_free(trial.best.own);
    hy_quota_free(trial.input);
    return status;
}

/* A constant that no step reads any more need not be kept, in memory or in a file. */
static void drop_unread(struct sample_program *program)
{
    for (uint32_t i = 0; i < program->tensor_count; i++)
        program->tensors[i].is_read = 0;
    for (uint32_t i = 0; i < program->step_count; i++)
        for (uint32_t k = 0; k < program->steps[i].input_count; k++)
            program->tensors[program->steps[i].inputs[k]].is_read = 1;
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        struct sample_tensor *tensor = &program->tensors[i];
        if (!tensor->is_read && tensor->block != SAMPLE_NO_BLOCK) {
            program->blocks[tensor->block] = (struct sample_block){0};
            tensor->block = SAMPLE_NO_BLOCK;
        }
    }
}

/* The plain program again, with room for the packed weights. */
static struct sample_program *copy_program(const struct sample_program *plain)
{
    const uint32_t arguments = plain->input_count + plain->output_count;
    uint32_t packed = 0;
    for (uint32_t i = 0; i < plain->step_count; i++)
        packed += is_fully_connected(&plain->steps[i]);
    struct sample_program *copy =
        sample_program_create(plain->host, plain->step_count, plain->tensor_count + packed,
                              arguments, plain->block_count + packed);
    if (!copy)
        return NULL;
    memcpy(copy->steps, plain->steps, plain->step_count * sizeof *copy->steps);
    memcpy(copy->tensors, plain->tensors, plain->tensor_count * sizeof *copy->tensors);
    memcpy(copy->arguments, plain->arguments, arguments * sizeof *copy->arguments);
    for (uint32_t i = 0; i < plain->block_count; i++)
        copy->blocks[i] =
            (struct sample_block){.data = plain->blocks[i].data, .length = plain->blocks[i].length};
    copy->tensor_count = plain->tensor_count; /* the packed ones come one by one */
    copy->block_count = plain->block_count;
    copy->input_count = plain->input_count;
    copy->output_count = plain->output_count;
    copy->scratch_bytes = plain->scratch_bytes;
    return copy;
}

int32_t sample_search(const struct sample_program *plain, int64_t deadline,
                      struct sample_program **program)
{
    struct sample_program *made = copy_program(plain);
    int32_t status = made ? HY_STATUS_OK : HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    for (uint32_t i = 0; i < plain->step_count && status == HY_STATUS_OK; i++)
        if (is_fully_connected(&plain->steps[i]))
            status = pack_step(plain, made, i, deadline);
    if (status == HY_STATUS_OK) {
        drop_unread(made);
        if (!sample_scratch_ready(made))
            status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    if (status == HY_STATUS_OK)
        *program = made;
    else
        sample_program_destroy(made);
    return status;
}
