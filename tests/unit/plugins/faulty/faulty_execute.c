/* Executions, and what can be wrong with them. */
#include "faulty.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_ELEMENTS 65536u

/* One run: the memory of its arguments. */
struct run {
    const struct prepared *prepared;
    uint32_t dims[MAX_RANK], count; /* of this run */
    const uint8_t *inputs[2];
    uint8_t *output;
    uint64_t capacity;
};

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int fault(const struct run *run, const char *name)
{
    return has_fault(run->prepared->device, name);
}

/* ---- Finding the memory ---------------------------------------------------------------------- */

/* The model's extents, and the request's where it leaves them open. */
static int finalize_shape(struct run *run, const struct hy_request *request)
{
    const struct prepared *prepared = run->prepared;
    const struct hy_argument *given = &request->inputs[0];
    uint64_t count = 1;
    for (uint32_t i = 0; i < prepared->rank; i++) {
        run->dims[i] = prepared->dims[i];
        if (run->dims[i] == 0) {
            if (given->rank != prepared->rank || !given->dims)
                return 0;
            run->dims[i] = given->dims[i];
        }
        if (run->dims[i] > MAX_ELEMENTS)
            return 0;
        count = count * run->dims[i] > MAX_ELEMENTS ? MAX_ELEMENTS + 1 : count * run->dims[i];
    }
    run->count = (uint32_t)count;
    return count <= MAX_ELEMENTS;
}

static int is_open(const struct run *run)
{
    return memcmp(run->dims, run->prepared->dims, sizeof run->dims) != 0;
}

static int shape_fits(const struct run *run, const struct hy_argument *argument, int is_output)
{
    const struct prepared *prepared = run->prepared;
    if (argument->rank == 0)
        return 1;
    if (has_fault(prepared->device, "no-shapes-in-requests"))
        return 0;
    if (argument->rank != prepared->rank || !argument->dims)
        return 0;
    for (uint32_t i = 0; i < argument->rank; i++)
        if (argument->dims[i] != run->dims[i] && !(is_output && argument->dims[i] == 0))
            return 0;
    return 1;
}

static int32_t find_memory(const struct run *run, const struct hy_request *request,
                           const struct hy_argument *argument, int is_output,
                           const uint8_t **address)
{
    const struct hy_host *host = run->prepared->device->instance->host;
    const struct hy_location *at = &argument->location;
    void *base = NULL;
    if (argument->flags || !shape_fits(run, argument, is_output))
        return HY_STATUS_INVALID_ARGUMENT;
    if (at->pool >= request->pool_count && !fault(run, "trusts-requests"))
        return HY_STATUS_INVALID_ARGUMENT;
    const struct hy_pool *pool = &request->pools[at->pool];
    if (pool->kind == HY_POOL_BUFFER) {
        *address = (const uint8_t *)faulty_buffer_bytes(pool->buffer_token);
        return *address ? HY_STATUS_OK : HY_STATUS_INVALID_ARGUMENT;
    }
    if (pool->kind == HY_POOL_HARDWARE_BUFFER && !fault(run, "image-as-bytes"))
        return HY_STATUS_GENERAL_FAILURE;
    if (pool->kind == HY_POOL_ASHMEM && fault(run, "no-ashmem"))
        return HY_STATUS_GENERAL_FAILURE;
    if (pool->kind == HY_POOL_HOST && fault(run, "no-host"))
        return HY_STATUS_GENERAL_FAILURE;
    if (at->offset > pool->size || at->length > pool->size - at->offset)
        return HY_STATUS_INVALID_ARGUMENT;
    const int32_t status =
        host->map(host->context, pool, is_output ? HY_PROTECT_WRITE : HY_PROTECT_READ, &base);
    if (status != HY_STATUS_OK)
        return status;
    *address = (const uint8_t *)base + at->offset;
    if (fault(run, "aligned-only") && at->offset % 4)
        return HY_STATUS_INVALID_ARGUMENT;
    return HY_STATUS_OK;
}

static int32_t bind(struct run *run, const struct hy_request *request)
{
    const struct prepared *prepared = run->prepared;
    const uint64_t bytes = run->count * sizeof(float);
    const uint8_t *output = NULL;
    int32_t status = HY_STATUS_OK;
    for (uint32_t i = 0; i < prepared->input_count && status == HY_STATUS_OK; i++) {
        status = find_memory(run, request, &request->inputs[i], 0, &run->inputs[i]);
        const struct hy_location *at = &request->inputs[i].location;
        if (status == HY_STATUS_OK && at->length != bytes &&
            request->pools[at->pool].kind < HY_POOL_HARDWARE_BUFFER &&
            !fault(run, "trusts-lengths"))
            status = HY_STATUS_INVALID_ARGUMENT;
    }
    if (prepared->constant)
        run->inputs[1] = prepared->constant;
    if (status == HY_STATUS_OK)
        status = find_memory(run, request, &request->outputs[0], 1, &output);
    if (status != HY_STATUS_OK)
        return status;
    run->output = (uint8_t *)output;
    run->capacity = request->pools[request->outputs[0].location.pool].kind == HY_POOL_BUFFER
                        ? bytes
                        : request->outputs[0].location.length;
    if (run->capacity >= bytes || (is_open(run) && fault(run, "trusts-open-room")))
        return HY_STATUS_OK;
    return fault(run, "small-output") ? HY_STATUS_INVALID_ARGUMENT
                                      : HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

/* ---- Computing ------------------------------------------------------------------------------- */

/* Every prepared model has inputs. NOLINTBEGIN(clang-analyzer-core.N*) */

static float load(const uint8_t *tensor, uint32_t index)
{
    float value;
    memcpy(&value, tensor + index * sizeof value, sizeof value);
    return value;
}

static void add(const struct run *run, uint8_t *output)
{
    const struct prepared *prepared = run->prepared;
    const uint32_t count = run->count - (fault(run, "short-write") ? 1 : 0);
    for (uint32_t i = 0; i < count; i++) {
        float sum = load(run->inputs[0], i) + load(run->inputs[1], i);
        if (prepared->activation == 1 && sum < 0)
            sum = 0;
        if (fault(run, "wrong-values"))
            sum += 1;
        memcpy(output + i * sizeof sum, &sum, sizeof sum);
    }
}

/* Memory that the host lends is good for the sum, where there is enough of it. */
static void add_in_scratch(const struct run *run, const struct hy_run_options *options)
{
    const size_t bytes = run->count * sizeof(float);
    uint8_t *scratch = options->scratch;
    const uint8_t before = scratch[0];
    add(run, scratch);
    if (fault(run, "scratch-content"))
        scratch[0] = before;
    if (fault(run, "scratch-behind"))
        scratch[options->scratch_bytes] = 0;
    memcpy(run->output, scratch, bytes);
}

static int may_use_scratch(const struct run *run, const struct hy_run_options *options)
{
    return options->scratch && run->count > 0 &&
           (options->scratch_bytes >= run->count * sizeof(float) ||
            fault(run, "scratch-trusts-size"));
}

/* A thread of many: others are in there, or come soon. */
static int comes_another(atomic_uint *callers)
{
    for (int us = 0; us < 50000 && atomic_load(callers) < 2; us += 200)
        usleep(200);
    return atomic_load(callers) > 1;
}

/* All threads compute in one place, where the last to come leaves nothing of the others. */
static void add_in_shared_buffer(const struct run *run)
{
    static uint8_t shared[65536 * sizeof(float)];
    static atomic_uint callers;
    atomic_fetch_add(&callers, 1);
    add(run, shared);
    if (gettid() != getpid() && comes_another(&callers))
        memset(shared, 0, run->count * sizeof(float));
    memcpy(run->output, shared, run->count * sizeof(float));
    atomic_fetch_sub(&callers, 1);
}

static void compute(const struct run *run, const struct hy_run_options *options)
{
    if (fault(run, "one-place"))
        add_in_shared_buffer(run);
    else if (may_use_scratch(run, options))
        add_in_scratch(run, options);
    else
        add(run, run->output);
    if (fault(run, "writes-outside"))
        memset(run->output + run->count * sizeof(float), 0, 16);
    if (fault(run, "writes-before"))
        run->output[-1] = 0;
    if (fault(run, "writes-inputs"))
        memset((uint8_t *)run->inputs[0], 0, sizeof(float));
    if (fault(run, "rewrites-inputs")) {
        volatile uint8_t *input = (uint8_t *)run->inputs[0];
        input[0] = input[0];
    }
}

/* NOLINTEND(clang-analyzer-core.N*) */

/* ---- Telling --------------------------------------------------------------------------------- */

static void fill_result(const struct run *run, struct hy_result *result, int32_t status,
                        const struct hy_run_options *options, int64_t start)
{
    const struct prepared *prepared = run->prepared;
    const int is_small = status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    result->time_on_device = result->time_in_driver = HY_NO_TIME;
    if (options->measure && status == HY_STATUS_OK) {
        result->time_in_driver = (uint64_t)(now() - start);
        result->time_on_device =
            result->time_in_driver + (fault(run, "times-backwards") ? 1000 : 0);
    }
    if (fault(run, "times-unasked"))
        result->time_on_device = result->time_in_driver = 1;
    if (fault(run, "times-too-long"))
        result->time_in_driver = UINT64_C(1000000000000);
    if (fault(run, "no-shapes") || (is_small && fault(run, "small-output-no-shape")))
        return;
    result->outputs[0] = (struct hy_output_shape){.rank = prepared->rank, .sufficient = !is_small};
    memcpy(result->outputs[0].dims, fault(run, "tells-open-extents") ? prepared->dims : run->dims,
           prepared->rank * sizeof *prepared->dims);
    if (fault(run, "wrong-shape"))
        result->outputs[0].dims[0] += 1;
    if (fault(run, "wrong-rank"))
        result->outputs[0].rank = 99;
    if (fault(run, "sufficient-2"))
        result->outputs[0].sufficient = 2;
}

static void misbehave(const struct run *run, const struct hy_run_options *options)
{
    faulty_device_end(run->prepared->device, "execute");
    if (fault(run, "execute-slow"))
        usleep(2600000);
    if (fault(run, "execute-complains"))
        fputs("boot: trying\nboot: no firmware\n", stderr);
    if (fault(run, "execute-aborts") || fault(run, "execute-complains"))
        abort();
    if (fault(run, "execute-prints"))
        puts("executing");
    if (fault(run, "execute-late") && options->deadline != HY_NO_DEADLINE)
        usleep(700000);
}

static int32_t execute_one(void *self, const struct hy_request *request,
                           const struct hy_run_options *options, struct hy_result *result)
{
    struct run run = {.prepared = self};
    const int64_t start = now();
    misbehave(&run, options);
    faulty_talk(run.prepared->device);
    if (fault(&run, "talks-execute") && options->message.text) {
        snprintf(options->message.text, options->message.size, "%s", faulty_long_hostile_text());
        return HY_STATUS_GENERAL_FAILURE;
    }
    if (fault(&run, "execute-fails"))
        return HY_STATUS_GENERAL_FAILURE;
    if (fault(&run, "execute-status"))
        return -5;
    if ((request->input_count != run.prepared->input_count || request->output_count != 1 ||
         result->output_count != 1) &&
        !fault(&run, "trusts-counts"))
        return HY_STATUS_INVALID_ARGUMENT;
    if (options->deadline != HY_NO_DEADLINE && start > options->deadline &&
        !fault(&run, "execute-late"))
        return HY_STATUS_MISSED_DEADLINE_TRANSIENT;

    if (!finalize_shape(&run, request))
        return HY_STATUS_INVALID_ARGUMENT;
    if (run.count == 0 && fault(&run, "empty-crashes"))
        faulty_crash();
    const int32_t status = bind(&run, request);
    if (status == HY_STATUS_OK)
        compute(&run, options);
    if (status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE)
        fill_result(&run, result, status, options, start);
    return status;
}

/* ---- Two of them ----------------------------------------------------------------------------- */

/* The sum of the first, where the model has it as an output. */
static int32_t report_first_sum(const struct prepared *prepared, const struct hy_request *request,
                                const void *sum, struct hy_result *result)
{
    struct run run = {.prepared = prepared, .count = prepared->count};
    const uint64_t bytes = prepared->count * sizeof(float);
    const uint8_t *address;
    memcpy(run.dims, prepared->dims, sizeof run.dims);
    const int32_t status = find_memory(&run, request, &request->outputs[0], 1, &address);
    if (status != HY_STATUS_OK)
        return status;
    result->outputs[0] = result->outputs[1];
    result->outputs[0].sufficient = request->outputs[0].location.length >= bytes;
    if (!result->outputs[0].sufficient)
        return HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    if (!fault(&run, "chain-drops-output"))
        memcpy((uint8_t *)address, sum, bytes);
    return HY_STATUS_OK;
}

/* `pools` has one more than the request: the memory between the two. */
static int32_t execute_both(const struct prepared *prepared, const struct hy_request *request,
                            const struct hy_run_options *options, struct hy_result *result,
                            struct hy_pool *pools)
{
    struct prepared first = *prepared;
    const uint32_t last = request->output_count - 1, between = request->pool_count;
    const uint64_t bytes = prepared->count * sizeof(float);
    const struct hy_argument sum = {.location = {.pool = between, .length = bytes}};
    const struct hy_argument summands[] = {
        has_fault(prepared->device, "chain-skips-step") ? request->inputs[0] : sum,
        request->inputs[2]};
    struct hy_output_shape shape;
    struct hy_result unseen = {.struct_size = sizeof unseen, .output_count = 1, .outputs = &shape};
    struct hy_result seen = {
        .struct_size = sizeof seen, .output_count = 1, .outputs = &result->outputs[last]};
    struct hy_request step = {.struct_size = sizeof step,
                              .input_count = 2,
                              .output_count = 1,
                              .pool_count = between + 1,
                              .inputs = request->inputs,
                              .outputs = &sum,
                              .pools = pools};
    first.next = NULL;
    int32_t status = execute_one(&first, &step, options, &unseen);
    if (status != HY_STATUS_OK)
        return status;
    step.inputs = summands;
    step.outputs = &request->outputs[last];
    status = execute_one(prepared->next, &step, options, &seen);
    result->time_on_device = seen.time_on_device;
    result->time_in_driver = seen.time_in_driver;
    if (last == 0 || (status != HY_STATUS_OK && status != HY_STATUS_OUTPUT_INSUFFICIENT_SIZE))
        return status;
    const int32_t given = report_first_sum(prepared, request, pools[between].address, result);
    return given == HY_STATUS_OK ? status : given;
}

int32_t faulty_execute_model(void *self, const struct hy_request *request,
                             const struct hy_run_options *options, struct hy_result *result)
{
    const struct prepared *prepared = self;
    if (!faulty_cache_is_there(prepared))
        return HY_STATUS_GENERAL_FAILURE;
    if (!prepared->next)
        return execute_one(self, request, options, result);
    if (request->input_count != 3 || request->output_count < 1 || request->output_count > 2 ||
        result->output_count != request->output_count)
        return HY_STATUS_INVALID_ARGUMENT;
    struct hy_pool *pools = malloc((request->pool_count + 1) * sizeof *pools);
    float *sum = malloc(prepared->count * sizeof *sum);
    int32_t status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (pools && sum) {
        memcpy(pools, request->pools, request->pool_count * sizeof *pools);
        pools[request->pool_count] =
            (struct hy_pool){.kind = HY_POOL_HOST,
                             .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                             .fd = -1,
                             .size = prepared->count * sizeof *sum,
                             .address = sum};
        status = execute_both(prepared, request, options, result, pools);
    }
    free(pools);
    free(sum);
    return status;
}
