#include "runtime/execute/boundary/device_tensors.h"

#include "runtime/execute/copied.h"
#include "runtime/log.h"

#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

/* The roles of one boundary tensor for a driver: writing and reading steps. */
struct role_list {
    const struct hy_plan *plan;
    uint32_t tensor;
    void **prepared;
    struct hy_buffer_role *roles;
    uint32_t count; /* total; each step has at most one role */
};

static void add_role(struct role_list *list, const struct hy_step *step, bool is_output,
                     uint32_t index)
{
    list->prepared[list->count] = step->prepared;
    list->roles[list->count] = (struct hy_buffer_role){
        .prepared = list->count, .is_output = is_output, .index = index, .frequency = 1};
    list->count++;
}

static void add_roles(struct role_list *list)
{
    const struct hy_boundary_tensor *tensor = &list->plan->tensors[list->tensor];

    for (uint32_t i = tensor->first_step; i <= tensor->last_step; i++) {
        const struct hy_step *step = &list->plan->steps[i];
        if (step->device != tensor->device)
            continue;
        for (uint32_t k = 0; k < step->input_count; k++) {
            if (step->inputs[k].tensor == list->tensor)
                add_role(list, step, false, k);
        }
        for (uint32_t k = 0; k < step->output_count; k++) {
            if (step->outputs[k].tensor == list->tensor)
                add_role(list, step, true, k);
        }
    }
}

static enum hy_code create(const struct role_list *list, struct hy_device_memory **ret,
                           struct hy_error *err)
{
    const struct hy_boundary_tensor *tensor = &list->plan->tensors[list->tensor];
    const struct hy_operand *operand = &list->plan->request.model->main->operands[tensor->operand];
    const struct hy_buffer_desc desc = {
        .struct_size = sizeof desc,
        .rank = operand->rank,
        .dims = operand->dims,
        .prepared = list->prepared,
        .roles = list->roles,
        .prepared_count = list->count,
        .role_count = list->count,
    };

    /* The compilation owns the binding, so no reference is needed. */
    return hy_device_memory_create(tensor->device, &desc, NULL, ret, err);
}

static enum hy_code make(const struct hy_plan *plan, uint32_t tensor, struct hy_device_memory **ret,
                         struct hy_error *err)
{
    const size_t capacity =
        (size_t)plan->tensors[tensor].last_step - plan->tensors[tensor].first_step + 1;
    struct role_list list = {.plan = plan,
                             .tensor = tensor,
                             .prepared = calloc(capacity, sizeof *list.prepared),
                             .roles = calloc(capacity, sizeof *list.roles)};
    enum hy_code code = HY_OK;

    if (list.prepared && list.roles) {
        add_roles(&list);
        code = create(&list, ret, err);
    } else {
        code = hy_fail(err, HY_OUT_OF_MEMORY, "roles of memory in %zu steps", capacity);
    }
    free(list.prepared);
    free(list.roles);
    return code;
}

void hy_device_tensors_make(struct hy_boundary_memory *memory)
{
    const struct hy_plan *plan = memory->plan;
    struct hy_error err;

    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        if (!plan->tensors[i].device || make(plan, i, &memory->buffers[i], &err) == HY_OK)
            continue;
        memory->buffers[i] = NULL;
        if (!atomic_exchange_explicit(&plan->counters->has_logged_tensors, true,
                                      memory_order_relaxed))
            hy_log(HY_LOG_WARNING, "execute", "%s; tensors between steps lie in shared memory",
                   err.text);
    }
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static enum hy_code copy_out(const struct hy_boundary_memory *memory, uint32_t tensor,
                             struct hy_device_memory *buffer, struct hy_error *err)
{
    const uint64_t bytes = memory->plan->tensors[tensor].bytes;
    const struct hy_pool position = {
        .kind = HY_POOL_HOST,
        .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
        .fd = -1,
        .size = bytes,
        .address = hy_boundary_memory_address(memory, tensor),
    };

    enum hy_code code = hy_device_memory_read(buffer, &position, err);
    if (code == HY_OK)
        hy_copied_add(bytes);
    return code;
}

enum hy_code hy_device_tensors_copy_out(struct hy_binding *binding, uint32_t step,
                                        struct hy_error *err)
{
    const struct hy_plan *plan = binding->plan;
    const struct hy_step *plan_step = &plan->steps[step];
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; code == HY_OK && i < plan_step->output_count; i++) {
        const uint32_t tensor = plan_step->outputs[i].tensor;
        if (tensor == HY_NO_TENSOR || !plan->tensors[tensor].is_copied_out)
            continue;
        struct hy_device_memory *buffer =
            hy_boundary_memory_buffer(&binding->memory, tensor, plan_step->device);
        if (buffer)
            code = copy_out(&binding->memory, tensor, buffer, err);
    }
    return code;
}
