/* What the devices take, and how it is prepared. */
#include "faulty.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ADD          0
#define INT32        1
#define TENSOR_F32   3
#define MAX_ELEMENTS 65536u
#define MISSING      UINT32_MAX

/* ---- Reading a model ------------------------------------------------------------------------- */

static const struct hy_operand *operand_at(const struct hy_model *model, uint32_t index)
{
    return index < model->main->operand_count ? &model->main->operands[index] : NULL;
}

/* Elements of a float32 tensor whose shape is known; 0 for everything else. */
static uint32_t count_elements(const struct hy_operand *operand)
{
    uint64_t count = 1;
    if (!operand || operand->type != TENSOR_F32 || operand->rank < 1 || operand->rank > MAX_RANK ||
        !operand->dims)
        return 0;
    for (uint32_t i = 0; i < operand->rank; i++)
        count = operand->dims[i] > MAX_ELEMENTS ? 0 : count * operand->dims[i];
    return count > MAX_ELEMENTS ? 0 : (uint32_t)count;
}

/* A float32 tensor that leaves extents open. */
static int is_open(const struct device *device, const struct hy_operand *operand)
{
    if (!device->instance->full || !operand || operand->type != TENSOR_F32 || operand->rank < 1 ||
        operand->rank > MAX_RANK || !operand->dims)
        return 0;
    for (uint32_t i = 0; i < operand->rank; i++)
        if (operand->dims[i] == 0)
            return 1;
    return 0;
}

static int same_shape(const struct hy_operand *a, const struct hy_operand *b)
{
    return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* The sum's shape, where it is known, is that of what is added. */
static int may_be_sum(const struct hy_operand *a, const struct hy_operand *sum)
{
    if (a->rank != sum->rank)
        return 0;
    for (uint32_t i = 0; i < a->rank; i++)
        if (sum->dims[i] != 0 && sum->dims[i] != a->dims[i])
            return 0;
    return 1;
}

static int are_served(const struct device *device, const struct hy_operand *a,
                      const struct hy_operand *b, const struct hy_operand *sum)
{
    const uint32_t count = count_elements(a);
    if (is_open(device, sum) && (count > 0 || is_open(device, a)))
        return (is_open(device, a) ? is_open(device, b) : count_elements(b) == count) &&
               same_shape(a, b) && may_be_sum(a, sum);
    return count > 0 && count_elements(b) == count && count_elements(sum) == count &&
           same_shape(a, b) && same_shape(a, sum);
}

/* The bytes of a constant, checked; NULL where it is none or not within its place. */
static const uint8_t *constant_bytes(const struct device *device, const struct hy_model *model,
                                     const struct hy_operand *operand, uint64_t length)
{
    const struct hy_location *at = &operand->location;
    void *base = (void *)model->values;
    uint64_t size = model->values_size;
    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL) {
        const struct hy_host *host = device->instance->host;
        if (has_fault(device, "no-constants-in-ashmem") && at->pool < model->pool_count &&
            model->pools[at->pool].kind == HY_POOL_ASHMEM)
            return NULL;
        if (at->pool >= model->pool_count || host->map(host->context, &model->pools[at->pool],
                                                       HY_PROTECT_READ, &base) != HY_STATUS_OK)
            return NULL;
        size = model->pools[at->pool].size;
    } else if (operand->lifetime != HY_LIFETIME_CONSTANT_COPY) {
        return NULL;
    }
    return at->length == length && at->offset <= size && length <= size - at->offset
               ? (const uint8_t *)base + at->offset
               : NULL;
}

static int has_lifetime(const struct hy_model *model, uint32_t index, int32_t lifetime)
{
    const struct hy_operand *operand = operand_at(model, index);
    return operand && operand->lifetime == lifetime;
}

/* (a + b) + c, where a + b may be an output of the model too, the first one. */
static int is_chain(const struct device *device, const struct hy_model *model)
{
    const struct hy_subgraph *graph = model->main;
    const struct hy_operation *first = &graph->operations[0], *second = first + 1;
    if (!device->instance->full || graph->operation_count != 2 || first->input_count != 3 ||
        second->input_count != 3 || first->output_count != 1 || second->output_count != 1 ||
        graph->input_count != 3 || second->inputs[0] != first->outputs[0])
        return 0;
    const uint32_t inputs[] = {first->inputs[0], first->inputs[1], second->inputs[1]};
    for (uint32_t i = 0; i < 3; i++)
        if (graph->inputs[i] != inputs[i] || !has_lifetime(model, inputs[i], HY_LIFETIME_INPUT))
            return 0;
    const uint32_t last = graph->output_count - 1;
    return (graph->output_count == 1
                ? has_lifetime(model, first->outputs[0], HY_LIFETIME_TEMPORARY)
                : graph->output_count == 2 && graph->outputs[0] == first->outputs[0]) &&
           graph->outputs[last] == second->outputs[0] &&
           count_elements(operand_at(model, second->outputs[0])) > 0;
}

/* Why an operation is refused, or NULL. */
static const char *refusal(const struct device *device, const struct hy_model *model,
                           const struct hy_operation *operation, struct prepared *out)
{
    if (operation->type != ADD || operation->input_count != 3 || operation->output_count != 1)
        return "only ADD of two tensors is served";
    const struct hy_operand *a = operand_at(model, operation->inputs[0]);
    const struct hy_operand *b = operand_at(model, operation->inputs[1]);
    const struct hy_operand *code = operand_at(model, operation->inputs[2]);
    const struct hy_operand *sum = operand_at(model, operation->outputs[0]);
    const uint32_t count = count_elements(a);
    if (!are_served(device, a, b, sum))
        return "ADD: only float32 tensors of one shape are served";
    if (!is_chain(device, model) &&
        (a->lifetime != HY_LIFETIME_INPUT || sum->lifetime != HY_LIFETIME_OUTPUT))
        return "ADD: only models of one operation are served";

    *out = (struct prepared){.rank = a->rank, .count = count, .input_count = 1};
    memcpy(out->dims, a->dims, a->rank * sizeof *a->dims);
    out->constant =
        count > 0 ? constant_bytes(device, model, b, (uint64_t)count * sizeof(float)) : NULL;
    if (!out->constant && b->lifetime != HY_LIFETIME_INPUT)
        return "ADD: the second summand is neither an input nor a constant";
    out->input_count = out->constant ? 1 : 2;
    if (!code || code->type != INT32 || code->rank != 0)
        return "ADD: the activation is no integer";
    const uint8_t *activation = constant_bytes(device, model, code, sizeof out->activation);
    if (!activation)
        return "ADD: the activation is no constant";
    memcpy(&out->activation, activation, sizeof out->activation);
    return out->activation < 0 || out->activation > 1 ? "ADD: the activation is not served" : NULL;
}

/* The model's arguments are those of its one operation, in their order. */
static int binds_arguments(const struct hy_model *model, const struct prepared *prepared)
{
    const struct hy_subgraph *graph = model->main;
    const struct hy_operation *operation = &graph->operations[0];
    return graph->operation_count == 1 && graph->input_count == prepared->input_count &&
           graph->output_count == 1 && graph->outputs[0] == operation->outputs[0] &&
           graph->inputs[0] == operation->inputs[0] &&
           (prepared->input_count == 1 || graph->inputs[1] == operation->inputs[1]);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void report_support(struct device *device, const struct hy_model *model, uint32_t index,
                           uint8_t *supported, const struct hy_refusals *refusals)
{
    struct prepared step;
    const char *reason = refusal(device, model, &model->main->operations[index], &step);
    if (has_fault(device, "talks-refuse"))
        reason = index ? FAULTY_HOSTILE_TEXT : faulty_long_hostile_text();
    supported[index] = !reason;
    if (reason && refusals && !has_fault(device, "no-reason"))
        refusals->refuse(refusals->context, index, has_fault(device, "empty-reason") ? "" : reason);
}

int32_t faulty_supported(void *self, const struct hy_model *model, uint8_t *supported,
                         const struct hy_refusals *refusals)
{
    struct device *device = self;
    const uint32_t count = model->main->operation_count;
    if (has_fault(device, "supported-crashes"))
        faulty_crash();
    if (has_fault(device, "supported-fails"))
        return HY_STATUS_GENERAL_FAILURE;
    for (uint32_t i = 0; i < count; i++)
        report_support(device, model, i, supported, refusals);
    if (has_fault(device, "supported-2") && count > 0)
        supported[0] *= 2;
    if (has_fault(device, "supported-too-many"))
        supported[count] = 1;
    if (has_fault(device, "supported-changes") && count > 0 && supported[0] &&
        atomic_fetch_add(&device->calls, 1) % 2) {
        supported[0] = 0;
        if (refusals)
            refusals->refuse(refusals->context, 0, "not today");
    }
    return HY_STATUS_OK;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

static void *sleep_for_ever(void *argument)
{
    for (;;)
        pause();
    return argument;
}

/* A compiler may do without memory that nobody can see. */
static void *volatile memory_left;

/* What preparing leaves behind, or never ends. */
static void misbehave(const struct device *device, const struct hy_prepare_options *options)
{
    pthread_t thread;
    faulty_device_end(device, "prepare");
    if (has_fault(device, "prepare-slow"))
        usleep(2500000);
    if (has_fault(device, "prepare-late") && options->deadline != HY_NO_DEADLINE)
        usleep(700000);
    if (has_fault(device, "leak-files") && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
        abort();
    if (has_fault(device, "leak-memory"))
        memory_left = memset(malloc(100), 1, 100);
    if (has_fault(device, "leak-mappings") &&
        mmap(NULL, 4096, device->calls % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
             0) == MAP_FAILED)
        abort();
    if (has_fault(device, "leak-threads") &&
        pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
        abort();
}

int32_t faulty_make(struct device *device, const struct prepared *step, void **prepared)
{
    struct prepared *made = calloc(1, sizeof *made);
    if (!made)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    *made = *step;
    made->device = device;
    if (made->constant) {
        made->own = malloc(made->count * sizeof(float));
        if (!made->own) {
            free(made);
            return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
        }
        made->constant = memcpy(made->own, made->constant, made->count * sizeof(float));
    }
    *prepared = made;
    return HY_STATUS_OK;
}

/* Asks for memory as its fault has it. */
static int32_t ask_for_memory(struct device *device)
{
    const struct hy_host *host = device->instance->host;
    const int is_leaked = has_fault(device, "quota-kept");
    void *reservation;
    if ((!is_leaked && !has_fault(device, "quota-other-status")) || !HY_HAS(host, memory_reserve))
        return HY_STATUS_OK;
    const int32_t status = host->memory_reserve(host->context, 1, &reservation);
    if (status == HY_STATUS_OK && !is_leaked)
        host->memory_release(host->context, reservation);
    return status == HY_STATUS_OK || is_leaked ? status : HY_STATUS_GENERAL_FAILURE;
}

int32_t faulty_prepare(void *self, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    static int junk;
    struct device *device = self;
    struct prepared step = {0}, second = {0};
    atomic_fetch_add(&device->calls, 1);
    misbehave(device, options);
    faulty_talk(device);
    if (has_fault(device, "talks-prepare") && options->message.text) {
        snprintf(options->message.text, options->message.size, "%s", FAULTY_HOSTILE_TEXT);
        return HY_STATUS_GENERAL_FAILURE;
    }
    if (has_fault(device, "prepare-refuses")) {
        if (options->message.text)
            snprintf(options->message.text, options->message.size, "no firmware");
        return HY_STATUS_GENERAL_FAILURE;
    }
    const int32_t granted = ask_for_memory(device);
    if (granted != HY_STATUS_OK)
        return granted;
    if (has_fault(device, "prepare-status"))
        return 77;
    if (has_fault(device, "prepare-null"))
        return HY_STATUS_OK;
    if (has_fault(device, "prepare-half")) {
        *prepared = &junk;
        return HY_STATUS_GENERAL_FAILURE;
    }
    if (has_fault(device, "message-overflow") && options->message.text)
        memset(options->message.text, 'm', options->message.size + 8);
    const struct hy_operation *operations = model->main->operations;
    const int is_double = is_chain(device, model);
    const char *reason = model->main->operation_count == 1 || is_double
                             ? refusal(device, model, &operations[0], &step)
                             : "only models of one operation are served";
    if (!reason && is_double)
        reason = refusal(device, model, &operations[1], &second);
    if (has_fault(device, "trusts-models") && reason && step.count > 0)
        reason = NULL;
    else if (!reason && !is_double && !binds_arguments(model, &step))
        reason = "an argument of the model is none of the operation";
    if (reason) {
        if (options->message.text)
            snprintf(options->message.text, options->message.size, "%s", reason);
        return HY_STATUS_INVALID_ARGUMENT;
    }
    int32_t status = is_double ? HY_STATUS_OK : faulty_cache_store(device, &step, options);
    if (status == HY_STATUS_OK)
        status = faulty_blobs_use(device);
    void *next = NULL;
    if (status == HY_STATUS_OK && is_double)
        status = faulty_make(device, &second, &next);
    step.next = next;
    if (status == HY_STATUS_OK)
        status = faulty_make(device, &step, prepared);
    if (status != HY_STATUS_OK)
        faulty_prepared_destroy(next);
    return status;
}

void faulty_prepared_destroy(void *self)
{
    struct prepared *prepared = self;
    if (!prepared)
        return;
    if (has_fault(prepared->device, "destroy-crashes"))
        faulty_crash();
    free(prepared->next);
    free(prepared->own);
    free(prepared);
}
