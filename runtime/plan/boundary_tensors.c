#include "runtime/plan/boundary_tensors.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/memory/device_memory.h"
#include "runtime/plan/cost/cost_model.h"

#include <stdlib.h>

/* The readers of a boundary tensor. */
struct readers {
    uint32_t own; /* reading steps on the writing device */
    uint32_t others;
};

static const struct hy_runtime_device *writer_of(const struct hy_plan *plan, uint32_t tensor)
{
    return plan->steps[plan->tensors[tensor].first_step].device;
}

static void count_readers(const struct hy_plan *plan, struct readers *readers)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->input_count; k++) {
            const uint32_t tensor = step->inputs[k].tensor;
            if (tensor == HY_NO_TENSOR)
                continue;
            if (step->device == writer_of(plan, tensor))
                readers[tensor].own++;
            else
                readers[tensor].others++;
        }
    }
}

/* Each reading step saves one transfer. A copy costs about one launch, and its bytes are
 * transferred in any case. */
static bool pays(const struct hy_runtime_device *device, uint64_t bytes,
                 const struct readers *readers)
{
    const double saved = (double)readers->own * (double)bytes * hy_byte_cost(device);

    if (readers->others == 0)
        return saved > 0;
    return hy_pool_kind_is_known(device, HY_POOL_HOST) && saved > hy_launch_cost(device);
}

static void choose(struct hy_plan *plan, const struct hy_slot *slot, const struct readers *readers)
{
    struct hy_boundary_tensor *tensor = &plan->tensors[slot->tensor];
    const struct hy_runtime_device *device = writer_of(plan, slot->tensor);

    if (tensor->bytes == 0 || !hy_device_has_memory(device) ||
        !pays(device, tensor->bytes, readers))
        return;
    tensor->device = device;
    tensor->is_copied_out = readers->others > 0;
    plan->device_tensor_count++;
    plan->device_tensor_bytes += tensor->bytes;
}

static enum hy_code choose_devices(struct hy_plan *plan, struct hy_error *err)
{
    plan->device_tensor_count = 0;
    plan->device_tensor_bytes = 0;
    if (plan->tensor_count == 0)
        return HY_OK;
    struct readers *readers = calloc(plan->tensor_count, sizeof *readers);
    if (!readers)
        return hy_fail(err, HY_OUT_OF_MEMORY, "readers of %u boundary tensors", plan->tensor_count);
    count_readers(plan, readers);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->output_count; k++) {
            if (step->outputs[k].kind == HY_SLOT_BOUNDARY)
                choose(plan, &step->outputs[k], &readers[step->outputs[k].tensor]);
        }
    }
    free(readers);
    return HY_OK;
}

enum hy_code hy_boundary_tensors_count(struct hy_plan *plan, struct hy_error *err)
{
    plan->tensor_bytes = 0;
    plan->open_tensor_count = 0;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        plan->tensor_bytes += plan->tensors[i].bytes;
        plan->open_tensor_count += plan->tensors[i].bytes == 0;
    }
    return choose_devices(plan, err);
}

static uint64_t spared_by(const struct hy_plan *plan, const struct hy_step *step,
                          const struct hy_slot *slot, bool is_output)
{
    if (slot->tensor == HY_NO_TENSOR)
        return 0;
    const struct hy_boundary_tensor *tensor = &plan->tensors[slot->tensor];
    return tensor->device == step->device && !(is_output && tensor->is_copied_out) ? tensor->bytes
                                                                                   : 0;
}

uint64_t hy_boundary_tensors_spared(const struct hy_plan *plan, const struct hy_step *step)
{
    uint64_t sum = 0;

    if (plan->device_tensor_count == 0)
        return 0;
    for (uint32_t i = 0; i < step->input_count; i++)
        sum += spared_by(plan, step, &step->inputs[i], false);
    for (uint32_t i = 0; i < step->output_count; i++)
        sum += spared_by(plan, step, &step->outputs[i], true);
    return sum;
}
