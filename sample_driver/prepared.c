/*
 * A prepared model is a list of steps and, for each operand, where its bytes are. Everything is
 * checked and laid out in prepare, so that an execution checks only its request, and neither
 * allocates nor locks (unless more threads run the same model at once than ever before).
 */
#include "prepared.h"

#include "arguments.h"
#include "operands.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALIGNMENT     64u
#define MAX_SCRATCH   (UINT64_C(1) << 31) /* bytes of intermediate tensors */
#define SCRATCH_SLOTS 16u
#define NANOSECONDS   INT64_C(1000000000)

/* What an execution needs to know of an operand. */
struct tensor {
    const uint8_t *constant; /* its bytes, or NULL */
    uint64_t bytes;          /* 0: no step uses it */
    uint64_t offset;         /* in the scratch memory: intermediate tensors */
    int32_t lifetime;
    uint32_t rank;
    uint32_t dims[SAMPLE_MAX_RANK];
    bool is_bound;   /* a request gives its address */
    bool is_read;    /* by a step */
    bool is_written; /* by a step */
};

/* The working memory of one execution. */
struct scratch {
    const uint8_t **addresses; /* of each operand */
    uint8_t *memory;
};

struct prepared {
    const struct hy_host *host;
    struct sample_step *steps;
    struct tensor *tensors;
    uint32_t *arguments; /* operand indices: the inputs, then the outputs */
    uint8_t *values;     /* copy of the model's, whose own is gone after prepare */
    uint32_t step_count, tensor_count, input_count, output_count;
    uint64_t scratch_bytes;
    _Atomic(struct scratch *) idle[SCRATCH_SLOTS];
};

/* ---- Scratch --------------------------------------------------------------------------------- */

static void scratch_destroy(struct scratch *scratch)
{
    if (!scratch)
        return;
    free(scratch->addresses);
    free(scratch->memory);
    free(scratch);
}

static struct scratch *scratch_create(const struct prepared *prepared)
{
    struct scratch *scratch = calloc(1, sizeof *scratch);
    if (!scratch)
        return NULL;
    scratch->addresses = calloc((size_t)prepared->tensor_count + 1, sizeof *scratch->addresses);
    /* Zeroed: a wrong model may read what no step has written. */
    scratch->memory = calloc(1, prepared->scratch_bytes + 1);
    if (!scratch->addresses || !scratch->memory) {
        scratch_destroy(scratch);
        return NULL;
    }
    for (uint32_t i = 0; i < prepared->tensor_count; i++) {
        const struct tensor *tensor = &prepared->tensors[i];
        if (tensor->constant)
            scratch->addresses[i] = tensor->constant;
        else if (tensor->lifetime == HY_LIFETIME_TEMPORARY)
            scratch->addresses[i] = scratch->memory + tensor->offset;
    }
    return scratch;
}

/* Threads take idle scratches by exchanging pointers: nobody waits for anybody. */
static struct scratch *scratch_take(struct prepared *prepared)
{
    for (uint32_t i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *scratch = atomic_exchange(&prepared->idle[i], NULL);
        if (scratch)
            return scratch;
    }
    return scratch_create(prepared);
}

static void scratch_give_back(struct prepared *prepared, struct scratch *scratch)
{
    for (uint32_t i = 0; i < SCRATCH_SLOTS; i++) {
        struct scratch *empty = NULL;
        if (atomic_compare_exchange_strong(&prepared->idle[i], &empty, scratch))
            return;
    }
    scratch_destroy(scratch);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

/* Notes the model's inputs and outputs: operands whose bytes come with each request. */
static bool bind_arguments(struct prepared *prepared, const struct hy_subgraph *graph,
                           struct sample_source *source)
{
    uint64_t count = (uint64_t)graph->input_count + graph->output_count;
    for (uint64_t i = 0; i < count; i++) {
        bool is_input = i < graph->input_count;
        uint32_t index = is_input ? graph->inputs[i] : graph->outputs[i - graph->input_count];
        int32_t lifetime = is_input ? HY_LIFETIME_INPUT : HY_LIFETIME_OUTPUT;
        if (index >= graph->operand_count || graph->operands[index].lifetime != lifetime)
            return sample_refuse(source, "%s of the model is operand %u, which is none",
                                 is_input ? "an input" : "an output", index);
        prepared->arguments[i] = index;
        prepared->tensors[index].is_bound = true;
    }
    return true;
}

/* Lays out one tensor that a step uses; sample_step_make has checked its type and shape. */
static bool place_tensor(struct prepared *prepared, uint32_t index, struct sample_source *source)
{
    const struct hy_operand *operand = &source->model->main->operands[index];
    struct tensor *tensor = &prepared->tensors[index];
    if (tensor->bytes > 0)
        return true;

    tensor->lifetime = operand->lifetime;
    tensor->bytes = sample_tensor_bytes(operand);
    tensor->rank = operand->rank;
    memcpy(tensor->dims, operand->dims, operand->rank * sizeof *operand->dims);

    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
        tensor->constant = prepared->values + operand->location.offset;
        return true;
    case HY_LIFETIME_CONSTANT_POOL: /* used where it lies: pools outlive the prepared model */
        tensor->constant = sample_constant(source, operand, tensor->bytes);
        return tensor->constant != NULL;
    case HY_LIFETIME_TEMPORARY:
        tensor->offset = prepared->scratch_bytes;
        prepared->scratch_bytes += (tensor->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return prepared->scratch_bytes <= MAX_SCRATCH ||
               sample_refuse(source, "intermediate tensors need more than %llu bytes",
                             (unsigned long long)MAX_SCRATCH);
    default:
        return tensor->is_bound ||
               sample_refuse(source, "operand %u is no input or output of the model", index);
    }
}

static bool make_step(struct prepared *prepared, uint32_t index, struct sample_source *source)
{
    struct sample_step *step = &prepared->steps[index];
    if (!sample_step_make(source, &source->model->main->operations[index], step))
        return false;
    for (uint32_t i = 0; i < step->input_count; i++) {
        if (!place_tensor(prepared, step->inputs[i], source))
            return false;
        prepared->tensors[step->inputs[i]].is_read = true;
    }
    if (!place_tensor(prepared, step->output, source))
        return false;
    prepared->tensors[step->output].is_written = true;
    return true;
}

static bool compile(struct prepared *prepared, struct sample_source *source)
{
    const struct hy_subgraph *graph = source->model->main;
    if (source->model->values_size > 0)
        memcpy(prepared->values, source->model->values, source->model->values_size);
    if (!bind_arguments(prepared, graph, source))
        return false;
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!make_step(prepared, i, source))
            return false;
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (!prepared->tensors[graph->outputs[i]].is_written)
            return sample_refuse(source, "output %u of the model is written by no operation", i);
    }
    return true;
}

static bool allocate(struct prepared *prepared, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    prepared->step_count = graph->operation_count;
    prepared->tensor_count = graph->operand_count;
    prepared->input_count = graph->input_count;
    prepared->output_count = graph->output_count;
    prepared->steps = calloc((size_t)graph->operation_count + 1, sizeof *prepared->steps);
    prepared->tensors = calloc((size_t)graph->operand_count + 1, sizeof *prepared->tensors);
    prepared->arguments =
        calloc((size_t)graph->input_count + graph->output_count + 1, sizeof *prepared->arguments);
    prepared->values = malloc(model->values_size + 1);
    return prepared->steps && prepared->tensors && prepared->arguments && prepared->values;
}

/* The first scratch is made here, so that a single thread never allocates in execute. */
static int32_t build(struct prepared *prepared, struct sample_source *source,
                     const struct hy_message *message)
{
    if (!allocate(prepared, source->model)) {
        sample_say(message, "out of memory");
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    if (!compile(prepared, source)) {
        sample_say(message, "%s", source->reason);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    struct scratch *scratch = scratch_create(prepared);
    if (!scratch) {
        sample_say(message, "out of memory: %llu bytes of intermediate tensors",
                   (unsigned long long)prepared->scratch_bytes);
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    }
    scratch_give_back(prepared, scratch);
    return HY_STATUS_OK;
}

int32_t sample_prepare(struct sample_source *source, const struct hy_message *message,
                       void **prepared)
{
    struct prepared *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    made->host = source->host;

    int32_t status = build(made, source, message);
    if (status != HY_STATUS_OK) {
        sample_prepared_destroy(made);
        return status;
    }
    *prepared = made;
    return HY_STATUS_OK;
}

void sample_prepared_destroy(void *prepared)
{
    struct prepared *old = prepared;
    if (!old)
        return;
    for (uint32_t i = 0; i < SCRATCH_SLOTS; i++)
        scratch_destroy(atomic_load(&old->idle[i]));
    free(old->steps);
    free(old->tensors);
    free(old->arguments);
    free(old->values);
    free(old);
}

/* ---- Running --------------------------------------------------------------------------------- */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

/* An argument may leave its shape out, or must repeat the model's. An output may hold 0. */
static bool shape_fits(const struct hy_argument *argument, const struct tensor *tensor,
                       bool is_output)
{
    if (argument->rank == 0)
        return true;
    if (argument->rank != tensor->rank || !argument->dims)
        return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        bool is_open = is_output && argument->dims[i] == 0;
        if (argument->dims[i] != tensor->dims[i] && !is_open)
            return false;
    }
    return true;
}

/* Maps the bytes of an argument. */
static int32_t map_argument(const struct prepared *prepared, const struct hy_request *request,
                            const struct hy_location *location, uint32_t protection,
                            const uint8_t **address)
{
    if (location->pool >= request->pool_count)
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *pool = &request->pools[location->pool];
    if (pool->kind == HY_POOL_HARDWARE_BUFFER || pool->kind == HY_POOL_BUFFER)
        return HY_STATUS_GENERAL_FAILURE; /* images, and buffers of our own, we do not have */
    if (location->offset > pool->size || location->length > pool->size - location->offset)
        return HY_STATUS_INVALID_ARGUMENT;

    void *base = NULL;
    int32_t status = prepared->host->map(prepared->host->context, pool, protection, &base);
    if (status == HY_STATUS_OK)
        *address = (const uint8_t *)base + location->offset;
    return status;
}

static int32_t bind_input(const struct prepared *prepared, const struct hy_request *request,
                          uint32_t index, const uint8_t **addresses)
{
    const struct hy_argument *argument = &request->inputs[index];
    uint32_t operand = prepared->arguments[index];
    const struct tensor *tensor = &prepared->tensors[operand];
    if (!tensor->is_read)
        return HY_STATUS_OK;
    if (argument->flags != 0 || !shape_fits(argument, tensor, false) ||
        argument->location.length != tensor->bytes)
        return HY_STATUS_INVALID_ARGUMENT;
    return map_argument(prepared, request, &argument->location, HY_PROTECT_READ,
                        &addresses[operand]);
}

static int32_t bind_output(const struct prepared *prepared, const struct hy_request *request,
                           uint32_t index, const uint8_t **addresses)
{
    const struct hy_argument *argument = &request->outputs[index];
    uint32_t operand = prepared->arguments[prepared->input_count + index];
    const struct tensor *tensor = &prepared->tensors[operand];
    if (argument->flags != 0 || !shape_fits(argument, tensor, true))
        return HY_STATUS_INVALID_ARGUMENT;
    if (argument->location.length < tensor->bytes)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    uint32_t protection = HY_PROTECT_WRITE | (tensor->is_read ? HY_PROTECT_READ : 0);
    return map_argument(prepared, request, &argument->location, protection, &addresses[operand]);
}

/* A table of a peer that knows less than we do, or a request for another model. */
static bool request_fits(const struct prepared *prepared, const struct hy_request *request,
                         const struct hy_run_options *options, const struct hy_result *result)
{
    return request->struct_size >= sizeof *request && options->struct_size >= sizeof *options &&
           result->struct_size >= sizeof *result && request->input_count == prepared->input_count &&
           request->output_count == prepared->output_count &&
           result->output_count == prepared->output_count;
}

/* Finds all arguments. Too small an output does not stop us: the caller wants to hear of each. */
static int32_t bind_request(const struct prepared *prepared, const struct hy_request *request,
                            const uint8_t **addresses, const struct hy_message *message)
{
    int32_t answer = HY_STATUS_OK;
    for (uint32_t i = 0; i < prepared->input_count + prepared->output_count; i++) {
        bool is_input = i < prepared->input_count;
        uint32_t index = is_input ? i : i - prepared->input_count;
        int32_t status = is_input ? bind_input(prepared, request, index, addresses)
                                  : bind_output(prepared, request, index, addresses);
        if (status == HY_STATUS_OK)
            continue;
        answer = status;
        sample_say(message, "%s %u does not fit (status %d)", is_input ? "input" : "output", index,
                   status);
        if (status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
            break;
    }
    return answer;
}

static void tell_shapes(const struct prepared *prepared, const struct hy_request *request,
                        struct hy_result *result)
{
    for (uint32_t i = 0; i < prepared->output_count; i++) {
        const struct tensor *tensor =
            &prepared->tensors[prepared->arguments[prepared->input_count + i]];
        struct hy_output_shape *shape = &result->outputs[i];
        *shape = (struct hy_output_shape){.rank = tensor->rank,
                                          .sufficient =
                                              request->outputs[i].location.length >= tensor->bytes};
        memcpy(shape->dims, tensor->dims, tensor->rank * sizeof *tensor->dims);
    }
}

static int32_t run_steps(const struct prepared *prepared, const uint8_t *const *addresses,
                         int64_t deadline)
{
    for (uint32_t i = 0; i < prepared->step_count; i++) {
        const struct sample_step *step = &prepared->steps[i];
        if (deadline != HY_NO_DEADLINE && now() > deadline)
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        const uint8_t *inputs[SAMPLE_MAX_TENSORS - 1] = {0};
        for (uint32_t k = 0; k < step->input_count; k++)
            inputs[k] = addresses[step->inputs[k]];
        step->kernel(step, inputs, (uint8_t *)addresses[step->output]);
    }
    return HY_STATUS_OK;
}

int32_t sample_execute(void *self, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    struct prepared *prepared = self;
    if (!request_fits(prepared, request, options, result))
        return HY_STATUS_INVALID_ARGUMENT;
    int64_t start = options->measure ? now() : 0;
    struct scratch *scratch = scratch_take(prepared);
    if (!scratch)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;

    int32_t status = bind_request(prepared, request, scratch->addresses, &options->message);
    if (status == HY_STATUS_OK)
        status = run_steps(prepared, scratch->addresses, options->deadline);
    scratch_give_back(prepared, scratch);

    if (status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        tell_shapes(prepared, request, result);
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    if (status == HY_STATUS_OK && options->measure)
        result->time_on_device = result->time_in_driver = (uint64_t)(now() - start);
    return status;
}
