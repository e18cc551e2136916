#include "runtime/execute/dma_buf_access.h"

#include "runtime/execute/execution.h"
#include "runtime/memory/hardware_buffer.h"

/* Inputs, then outputs. NULL: no memory, or the memory of the previous argument. */
static const struct hy_memory *memory_at(const struct hy_execution *execution, uint32_t index)
{
    const struct hy_bound_argument *argument =
        index < execution->input_count ? &execution->inputs[index]
                                       : &execution->outputs[index - execution->input_count];
    return argument->counts_memory ? argument->memory : NULL;
}

/* Steps after the writing step may read an output. */
static uint32_t protection_of(const struct hy_execution *execution, uint32_t index)
{
    return index < execution->input_count ? HY_PROTECT_READ : HY_PROTECT_READ | HY_PROTECT_WRITE;
}

/* Ends all accesses even after a failure, and returns the first failure. */
static enum hy_code end_first(const struct hy_execution *execution, uint32_t count,
                              struct hy_error *err)
{
    enum hy_code result = HY_OK;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_memory *memory = memory_at(execution, i);
        struct hy_error why;
        enum hy_code code = HY_OK;
        if (memory)
            code = hy_memory_access_end(memory, protection_of(execution, i), &why);
        if (code != HY_OK && result == HY_OK) {
            result = code;
            if (err)
                *err = why;
        }
    }
    return result;
}

enum hy_code hy_dma_buf_access_begin(const struct hy_execution *execution, struct hy_error *err)
{
    const uint32_t count = execution->input_count + execution->output_count;

    for (uint32_t i = 0; i < count; i++) {
        const struct hy_memory *memory = memory_at(execution, i);
        enum hy_code code = HY_OK;
        if (memory)
            code = hy_memory_access_begin(memory, protection_of(execution, i), err);
        if (code != HY_OK) {
            (void)end_first(execution, i, NULL);
            return code;
        }
    }
    return HY_OK;
}

enum hy_code hy_dma_buf_access_end(const struct hy_execution *execution, struct hy_error *err)
{
    return end_first(execution, execution->input_count + execution->output_count, err);
}
