#ifndef HY_CPU_FALLBACK_PROGRAM_OP_H
#define HY_CPU_FALLBACK_PROGRAM_OP_H

#include "common/call.h"
#include "common/memory/arena.h"
#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/program/blocking.h"
#include "cpu_fallback/program/weights.h"
#include "halyard/driver.h"

/*
 * The path of an operation from the model to a kernel. `resolve` runs once, when all shapes and
 * parameters are known, and computes the parameters of the kernel. `run` runs in every execution.
 * An operation is a row of common/operations/ops.def and a file in ops/.
 */
struct hy_cpu_op;
struct hy_cpu_banded;
struct hy_cpu_cached_weights_ref;

/* The least work of a task for another thread, in microseconds. Starting a task and waiting for its
 * end takes about 1 us. */
#define HY_CPU_TASK_US 2.5

/* A network with a smaller estimate runs on one thread: other threads would hardly arrive before
 * its end. With the fastest kernels, a network of this estimate takes about 50 us. */
#define HY_CPU_ALONE_US 80.0

/* The environment of resolving an operation. hy_infer_shapes has checked the call, and the outputs
 * have their shapes. `resolve` may read only the values of inputs that hy_infer_needs_value
 * names. */
struct hy_cpu_resolve_ctx {
    const struct hy_host *host; /* for memory quotas */
    const struct hy_call *call;
    const struct hy_kernel_table *kernels;
    const struct hy_kernel_table *reference; /* fallback for shapes that a kernel does not accept */
    struct hy_arena *memory;                 /* same lifetime as the step */
    struct hy_cpu_weights *weights;          /* NULL unless the inputs to pack are constant */
    /* The value to pack instead of input 1, or NULL: stored.h. */
    const struct hy_value *stored_filter;
    /* hy_cpu_graph.stored; NULL: none, or the operands of the call are not those of the graph. */
    const uint32_t *stored;
    bool has_fixed_shapes;                  /* every input of the model has a fixed shape */
    uint32_t threads;                       /* 1 or more */
    uint64_t l2_bytes;                      /* L2 cache of one core */
    const struct hy_cpu_blocking *blocking; /* blocking to use; NULL: the rule decides */
};

/* A resolved operation, ready to run. */
struct hy_cpu_step {
    const struct hy_cpu_op *op;
    const void *params; /* result of `resolve` */
    /* Bytes of scratch for `run`, aligned to HY_KERNEL_ALIGNMENT; equal for every blocking. */
    size_t scratch;
    const struct hy_cpu_blockings *blockings; /* possible blockings; NULL: only one */
    /* Estimated microseconds, on one thread, of the work that threads can share; 0: none. */
    double us;
};

/* One run of a step. Every operand of the call has its data; NULL only if empty or omitted. */
struct hy_cpu_work {
    const struct hy_call *call;
    const struct hy_call *calls; /* of all operations, by index; for chains */
    const void *params;
    uint8_t *scratch;
    const struct hy_host *host; /* for its worker threads, see hy_cpu_parallel_for */
    bool is_alone;              /* use one thread, because several would be slower */
    uint32_t operation;         /* index in the model */
    /* Cached weights, for a packing operation whose input 1 lies in a buffer of the device; else
     * NULL. */
    const struct hy_cpu_cached_weights_ref *cached_weights;
};

/* Inputs first..last may be packed, all or none, and only if every present one is constant. Inputs
 * are below 63. */
#define HY_CPU_OP_PACKS(first, last) ((UINT64_C(2) << (last)) - (UINT64_C(1) << (first)))
#define HY_CPU_OP_CAN_ALIAS \
    (UINT64_C(1) << 63) /* output 0 may share the memory of input 0: same bytes */

/* Resolves an operation: sets params, scratch and blockings of the step. Errors: HY_FAILED
 * (unsupported types or shapes, or a blocking that the operation does not have), HY_OUT_OF_MEMORY.
 * An operation without several blockings may ignore ctx->blocking. */
typedef enum hy_code hy_cpu_resolve_fn(const struct hy_cpu_resolve_ctx *ctx,
                                       struct hy_cpu_step *step, struct hy_error *err);

/* Runs an operation. Not called if no output has an element. If inference gives only limits
 * (hy_infer_gives_limits), the outputs have memory for the limits, and `run` writes the real shapes
 * to the call; readers are resolved afterwards. Errors: HY_FAILED (an index in a tensor is out of
 * range). */
typedef enum hy_code hy_cpu_run_fn(const struct hy_cpu_work *work, struct hy_error *err);

/* A row of the column CPU of ops.def. */
struct hy_cpu_op {
    hy_cpu_resolve_fn *resolve;
    hy_cpu_run_fn *run;
    uint64_t flags;                     /* HY_CPU_OP_* */
    const struct hy_cpu_banded *banded; /* band.h; NULL: no bands */
    uint32_t kind;                      /* index in a family of kernels, for example HY_UNARY_ABS */
    struct hy_cpu_slots {               /* the part of struct hy_kernel_table with its kernels */
        size_t offset;
        size_t size; /* 0: no kernels in the table */
    } kernels;
};

/* True if the operation packs input `input`. */
static inline bool hy_cpu_op_packs(const struct hy_cpu_op *op, uint32_t input)
{
    return input < 63 && op->flags >> input & 1;
}

/* Finds the row of an operation. NULL: the backend does not run the operation, or control flow runs
 * it. */
const struct hy_cpu_op *hy_cpu_op_find(int32_t operation);

/* True if `kernels` has other kernels for the operation than the reference. */
bool hy_cpu_op_is_fast(const struct hy_cpu_op *op, const struct hy_kernel_table *kernels);

/* Calls task(argument, i) for each i < count, on several threads unless work->is_alone. Returns
 * when all tasks have ended. */
void hy_cpu_parallel_for(const struct hy_cpu_work *work, uint32_t count,
                         void (*task)(void *argument, uint32_t index), void *argument);

/* The operand to read for an input, which may hold the value in another type: stored.h. */
static inline uint32_t hy_cpu_resolve_ctx_stored(const struct hy_cpu_resolve_ctx *ctx,
                                                 uint32_t input)
{
    const uint32_t operand = ctx->call->inputs[input];

    return ctx->stored && ctx->stored[operand] != UINT32_MAX ? ctx->stored[operand] : operand;
}

/* The number of tasks, 1 to `threads`, for work of `us` microseconds on one thread. Each task is
 * long enough to pay for its start. */
uint32_t hy_cpu_tasks_of(double us, uint32_t threads);

/* The kernel variant of an operand type; HY_ELEMENT_COUNT if there is none. */
enum hy_element hy_cpu_element(int32_t type);

/* ANEURALNETWORKS_FUSED_RELU for RELU, and so on; 0 for other operations. */
int32_t hy_cpu_activation_of(int32_t operation);

/* Reserves `bytes` of a step's scratch: sets *offset and increases *total. False: overflow. */
bool hy_cpu_scratch_alloc(size_t *total, size_t bytes, size_t *offset);

#endif
