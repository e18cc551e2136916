#include "runtime/plan/device_borders.h"

#include "runtime/device/pool_kinds.h"
#include "runtime/memory/device_memory.h"
#include "runtime/plan/cost_model.h"

#include <stdlib.h>

/* Who reads a border. */
struct readers {
    uint32_t own; /* steps of the device that writes it */
    uint32_t others;
};

static const struct hy_runtime_device *writer_of(const struct hy_plan *plan, uint32_t border)
{
    return plan->steps[plan->borders[border].first_step].device;
}

static void count_readers(const struct hy_plan *plan, struct readers *readers)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->input_count; k++) {
            const uint32_t border = step->inputs[k].border;
            if (border == HY_NO_BORDER)
                continue;
            if (step->device == writer_of(plan, border))
                readers[border].own++;
            else
                readers[border].others++;
        }
    }
}

/* Each reading step is spared one way; a copy costs about what a launch does, and its bytes have
 * to come out in any case. */
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
    struct hy_border *border = &plan->borders[slot->border];
    const struct hy_runtime_device *device = writer_of(plan, slot->border);

    if (border->bytes == 0 || !hy_device_has_memory(device) ||
        !pays(device, border->bytes, readers))
        return;
    border->device = device;
    border->is_copied_out = readers->others > 0;
    plan->device_border_count++;
    plan->device_border_bytes += border->bytes;
}

enum hy_code hy_device_borders_choose(struct hy_plan *plan, struct hy_error *err)
{
    plan->device_border_count = 0;
    plan->device_border_bytes = 0;
    if (plan->border_count == 0)
        return HY_OK;
    struct readers *readers = calloc(plan->border_count, sizeof *readers);
    if (!readers)
        return hy_fail(err, HY_OUT_OF_MEMORY, "readers of %u borders", plan->border_count);
    count_readers(plan, readers);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const struct hy_step *step = &plan->steps[i];
        for (uint32_t k = 0; k < step->output_count; k++) {
            if (step->outputs[k].kind == HY_SLOT_BORDER)
                choose(plan, &step->outputs[k], &readers[step->outputs[k].border]);
        }
    }
    free(readers);
    return HY_OK;
}

static uint64_t spared_by(const struct hy_plan *plan, const struct hy_step *step,
                          const struct hy_slot *slot, bool is_output)
{
    if (slot->border == HY_NO_BORDER)
        return 0;
    const struct hy_border *border = &plan->borders[slot->border];
    return border->device == step->device && !(is_output && border->is_copied_out) ? border->bytes
                                                                                   : 0;
}

uint64_t hy_device_borders_spared(const struct hy_plan *plan, const struct hy_step *step)
{
    uint64_t sum = 0;

    if (plan->device_border_count == 0)
        return 0;
    for (uint32_t i = 0; i < step->input_count; i++)
        sum += spared_by(plan, step, &step->inputs[i], false);
    for (uint32_t i = 0; i < step->output_count; i++)
        sum += spared_by(plan, step, &step->outputs[i], true);
    return sum;
}
