#include "instance.h"

#include "driver_kit/clock.h"
#include "driver_kit/message.h"
#include "driver_kit/model_reader.h"
#include "driver_kit/quota_arena.h"
#include "driver_kit/quota_memory.h"
#include "driver_kit/request_binding.h"

#include <string.h>

struct xd_instance {
    const struct xd_program *program;
    struct hy_quota_arena memory; /* of the arrays */
    xnn_operator_t *operators;    /* one for each node */
    uint8_t *arena;
    const uint8_t **arguments;       /* of the next run */
    const uint8_t **current;         /* what the operators are set up with */
    struct hy_bound_argument *bound; /* of the request that runs */
    uint32_t *touching;              /* nodes that read or write arguments */
    uint32_t touching_count;
    pthreadpool_t threads;         /* NULL: the caller alone */
    struct hy_reservation weights; /* of what XNNPACK packs */
};

const uint8_t **xd_instance_arguments(struct xd_instance *instance)
{
    return instance->arguments;
}

struct hy_bound_argument *xd_instance_bound(struct xd_instance *instance)
{
    return instance->bound;
}

uint8_t *xd_instance_input_buffer(struct xd_instance *instance, uint32_t input)
{
    const struct xd_program *program = instance->program;
    return instance->arena + program->tensors[program->arguments[input]].arena_offset;
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static const uint8_t *resolve(const struct xd_instance *instance,
                              const struct xd_allocation *allocation)
{
    switch (allocation->space) {
    case XD_CONSTANT:
        return allocation->constant;
    case XD_ARGUMENT:
        return instance->arguments[allocation->argument] + allocation->offset;
    default:
        return instance->arena + allocation->offset;
    }
}

static enum xnn_status set_up(const struct xd_instance *instance, uint32_t index)
{
    const struct xd_node *node = &instance->program->nodes[index];
    const void *inputs[2] = {resolve(instance, &node->input_allocations[0]), NULL};
    if (node->inputs[1] != XD_NO_TENSOR)
        inputs[1] = resolve(instance, &node->input_allocations[1]);
    return xd_node_setup(node, instance->operators[index], inputs,
                         (void *)resolve(instance, &node->output_allocation), instance->threads);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static bool touches_arguments(const struct xd_node *node)
{
    return node->input_allocations[0].space == XD_ARGUMENT ||
           (node->inputs[1] != XD_NO_TENSOR && node->input_allocations[1].space == XD_ARGUMENT) ||
           node->output_allocation.space == XD_ARGUMENT;
}

static bool allocate(struct xd_instance *instance)
{
    const struct xd_program *program = instance->program;
    const size_t arguments = (size_t)program->input_count + program->output_count;
    struct hy_quota_arena *memory = &instance->memory;
    memory->host = program->host;
    instance->operators =
        hy_quota_arena_zeros(memory, program->node_count, sizeof *instance->operators);
    instance->touching =
        hy_quota_arena_zeros(memory, program->node_count, sizeof *instance->touching);
    instance->arguments = hy_quota_arena_zeros(memory, arguments, sizeof *instance->arguments);
    instance->current = hy_quota_arena_zeros(memory, arguments, sizeof *instance->current);
    instance->bound = hy_quota_arena_zeros(memory, arguments, sizeof *instance->bound);
    instance->arena = hy_quota_bytes(program->host, program->arena_bytes + 1);
    return instance->operators && instance->touching && instance->arguments && instance->current &&
           instance->bound && instance->arena;
}

/*
 * The first set-up builds tables of pointers into the input, and looks for the address of its own
 * zeros among them later: so it gets memory that is there, the input's room in the arena. What an
 * output is set up with first does not matter.
 */
static void bind_own_buffers(struct xd_instance *instance)
{
    const struct xd_program *program = instance->program;
    for (uint32_t i = 0; i < program->input_count + program->output_count; i++)
        instance->arguments[i] =
            i < program->input_count ? xd_instance_input_buffer(instance, i) : instance->arena;
}

static int32_t make_operators(struct xd_instance *instance, const struct hy_message *message)
{
    const struct xd_program *program = instance->program;
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct xd_node *node = &program->nodes[i];
        enum xnn_status status = xd_node_create(node, &instance->operators[i]);
        if (status == xnn_status_success)
            status = set_up(instance, i);
        if (status != xnn_status_success) {
            hy_message_write(message, "XNNPACK's %s: status %d", xd_node_name(node), (int)status);
            return status == xnn_status_out_of_memory ? HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT
                                                      : HY_STATUS_GENERAL_FAILURE;
        }
        if (touches_arguments(node))
            instance->touching[instance->touching_count++] = i;
    }
    return HY_STATUS_OK;
}

/* XNNPACK packs weights in memory of its own, about as large as they are. */
static uint64_t constant_bytes(const struct xd_program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->tensor_count; i++)
        bytes += program->tensors[i].constant ? program->tensors[i].bytes : 0;
    return bytes;
}

int32_t xd_instance_create(const struct xd_program *program, uint32_t threads,
                           const struct hy_message *message, struct xd_instance **ret)
{
    struct xd_instance *instance = hy_quota_zeros(program->host, 1, sizeof *instance);
    if (!instance)
        return HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    instance->program = program;
    int32_t status = HY_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
    if (allocate(instance) &&
        hy_reservation_make(program->host, constant_bytes(program), &instance->weights)) {
        instance->threads = threads > 1 ? pthreadpool_create(threads) : NULL;
        bind_own_buffers(instance);
        status = make_operators(instance, message);
    } else {
        hy_message_write(
            message, "out of memory: %llu bytes of intermediate tensors and %llu of weights",
            (unsigned long long)program->arena_bytes, (unsigned long long)constant_bytes(program));
    }
    if (status != HY_STATUS_OK) {
        xd_instance_destroy(instance);
        return status;
    }
    *ret = instance;
    return HY_STATUS_OK;
}

void xd_instance_destroy(struct xd_instance *instance)
{
    if (!instance)
        return;
    for (uint32_t i = 0; instance->operators && i < instance->program->node_count; i++) {
        if (instance->operators[i])
            xnn_delete_operator(instance->operators[i]);
    }
    if (instance->threads)
        pthreadpool_destroy(instance->threads);
    hy_quota_arena_free(&instance->memory);
    hy_quota_free(instance->arena);
    const struct hy_reservation weights = instance->weights;
    hy_quota_free(instance);
    hy_reservation_release(&weights);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Operators keep what they are bound to, so the same addresses again cost nothing. */
static int32_t bind(struct xd_instance *instance)
{
    const size_t count = (size_t)instance->program->input_count + instance->program->output_count;
    if (memcmp(instance->current, instance->arguments, count * sizeof *instance->current) == 0)
        return HY_STATUS_OK;
    memset(instance->current, 0, count * sizeof *instance->current);
    for (uint32_t i = 0; i < instance->touching_count; i++) {
        if (set_up(instance, instance->touching[i]) != xnn_status_success)
            return HY_STATUS_GENERAL_FAILURE;
    }
    memcpy(instance->current, instance->arguments, count * sizeof *instance->current);
    return HY_STATUS_OK;
}

static void copy_outputs(const struct xd_instance *instance)
{
    const struct xd_program *program = instance->program;
    for (uint32_t i = 0; i < program->copy_count; i++) {
        const struct xd_copy *copy = &program->copies[i];
        memcpy((void *)instance->arguments[copy->argument], resolve(instance, &copy->from),
               copy->bytes);
    }
}

int32_t xd_instance_run(struct xd_instance *instance, bool may_use_threads, int64_t deadline,
                        const uint32_t *cancelled)
{
    pthreadpool_t threads = may_use_threads ? instance->threads : NULL;
    const int32_t status = bind(instance);
    if (status != HY_STATUS_OK)
        return status;
    for (uint32_t i = 0; i < instance->program->node_count; i++) {
        if (hy_deadline_is_past(deadline) || hy_is_cancelled(cancelled))
            return HY_STATUS_MISSED_DEADLINE_TRANSIENT;
        if (xnn_run_operator(instance->operators[i], threads) != xnn_status_success)
            return HY_STATUS_GENERAL_FAILURE;
    }
    copy_outputs(instance);
    return HY_STATUS_OK;
}
