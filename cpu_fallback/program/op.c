#include "cpu_fallback/program/op.h"

#include "common/checked.h"
#include "common/operations/operand_type.h"
#include "common/operations/operation.h"
#include "cpu_fallback/entry.h"

#include <android/NeuralNetworksTypes.h>

enum hy_element hy_cpu_element(int32_t type)
{
    switch (type) {
    case ANEURALNETWORKS_TENSOR_FLOAT32:
        return HY_ELEMENT_F32;
    case ANEURALNETWORKS_TENSOR_FLOAT16:
        return HY_ELEMENT_F16;
    case ANEURALNETWORKS_TENSOR_INT32:
        return HY_ELEMENT_I32;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM:
        return HY_ELEMENT_U8;
    case ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM:
    case ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL:
        return HY_ELEMENT_S8;
    case ANEURALNETWORKS_TENSOR_BOOL8:
        return HY_ELEMENT_BOOL;
    case ANEURALNETWORKS_TENSOR_QUANT16_SYMM:
        return HY_ELEMENT_S16;
    case ANEURALNETWORKS_TENSOR_QUANT16_ASYMM:
        return HY_ELEMENT_U16;
    case HY_TENSOR_INT8:
        return HY_ELEMENT_I8;
    case HY_TENSOR_INT16:
        return HY_ELEMENT_I16;
    case HY_TENSOR_INT64:
        return HY_ELEMENT_I64;
    case HY_TENSOR_UINT8:
        return HY_ELEMENT_N8;
    case HY_TENSOR_UINT16:
        return HY_ELEMENT_N16;
    case HY_TENSOR_UINT32:
        return HY_ELEMENT_N32;
    case HY_TENSOR_UINT64:
        return HY_ELEMENT_N64;
    case HY_TENSOR_FLOAT64:
        return HY_ELEMENT_F64;
    case HY_TENSOR_BFLOAT16:
        return HY_ELEMENT_BF16;
    default:
        return HY_ELEMENT_COUNT;
    }
}

int32_t hy_cpu_activation_of(int32_t type)
{
    switch (type) {
    case HY_OP_RELU:
    case HY_EXT_RELU:
        return ANEURALNETWORKS_FUSED_RELU;
    case HY_OP_RELU1:
    case HY_EXT_RELU1:
        return ANEURALNETWORKS_FUSED_RELU1;
    case HY_OP_RELU6:
    case HY_EXT_RELU6:
        return ANEURALNETWORKS_FUSED_RELU6;
    default:
        return ANEURALNETWORKS_FUSED_NONE;
    }
}

/* Tasks of one call for several threads. */
struct shared {
    struct hy_stop *stop;
    void (*task)(void *argument, uint32_t index);
    void *argument;
};

/* Runs on any thread, which may run a task of another call before and after. */
static void run_shared(void *argument, uint32_t index)
{
    const struct shared *shared = argument;
    const struct hy_cpu_entry before = hy_cpu_enter(shared->stop);

    shared->task(shared->argument, index);
    hy_cpu_leave(before);
}

void hy_cpu_parallel_for(const struct hy_cpu_work *work, uint32_t count,
                         void (*task)(void *argument, uint32_t index), void *argument)
{
    if (count > 1 && !work->is_alone) {
        struct shared shared = {hy_stop_here()->stop, task, argument};
        work->host->parallel(work->host->context, count, run_shared, &shared);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        task(argument, i);
}

uint32_t hy_cpu_tasks_of(double us, uint32_t threads)
{
    const double tasks = us / HY_CPU_TASK_US + .5;

    return tasks < 1 ? 1 : tasks < threads ? (uint32_t)tasks : threads;
}

bool hy_cpu_scratch_alloc(size_t *total, size_t bytes, size_t *offset)
{
    size_t rounded, sum;

    if (!hy_round_up_size(bytes, HY_KERNEL_ALIGNMENT, &rounded) ||
        !hy_add_size(*total, rounded, &sum))
        return false;
    *offset = *total;
    *total = sum;
    return true;
}
