#ifndef HY_CPU_FALLBACK_PROGRAM_OP_H
#define HY_CPU_FALLBACK_PROGRAM_OP_H

#include "common/call.h"
#include "common/memory/arena.h"
#include "cpu_fallback/kernels/kernels.h"
#include "cpu_fallback/program/choice.h"
#include "cpu_fallback/program/weights.h"
#include "halyard/driver.h"

/*
 * How an operation gets from the model to a kernel. `resolve` runs when all shapes and parameters
 * are known: it turns them into what the kernel takes, once. `run` then is called per execution.
 * An operation is one row of common/operations/ops.def and one file in ops/.
 */
struct hy_cpu_op;
struct hy_cpu_banded;
struct hy_cpu_kept_weights;

/* A task that may run on another thread takes this long at least, or nearly: to hand it over and to
 * hear of its end takes one. */
#define HY_CPU_TASK_US 2.5

/* A network that is estimated at less runs on one thread: the others would hardly have come by its
 * end. Where kernels are as fast as they get, this takes some 50. */
#define HY_CPU_ALONE_US 80.0

/* Where an operation is resolved. The call has been checked by hy_infer_shapes, and its outputs
 * have their shapes. Only inputs that hy_infer_needs_value names may be read. */
struct hy_cpu_site {
    const struct hy_host *host; /* that is asked for memory */
    const struct hy_call *call;
    const struct hy_kernel_table *kernels;
    const struct hy_kernel_table *reference; /* for shapes that a kernel does not take */
    struct hy_arena *memory;                 /* lives as long as the step */
    struct hy_cpu_weights *weights;          /* NULL unless the inputs that it packs are constant */
    const struct hy_value *stored_filter; /* what is packed instead of input 1, or NULL: stored.h */
    const uint32_t *stored;               /* that of the graph; NULL: there is none, or in a call of
                                             other operands */
    bool has_fixed_shapes;                /* every input of the model has one shape only */
    uint32_t threads;                     /* 1 or more */
    uint64_t l2_bytes;                    /* of one processor's second cache */
    const struct hy_cpu_choice *choice;   /* how to cut the work, or NULL: by rule */
};

/* An operation ready to run. */
struct hy_cpu_step {
    const struct hy_cpu_op *op;
    const void *params; /* what `resolve` made of it */
    size_t scratch; /* bytes `run` needs, aligned to HY_KERNEL_ALIGNMENT; the same for any choice */
    const struct hy_cpu_choices *choices; /* how its work can be cut; NULL: in one way */
    double us; /* how long what threads may share takes one of them, roughly; 0: nothing */
};

/* One run of a step. Every operand of the call has its data (NULL only if empty or omitted). */
struct hy_cpu_work {
    const struct hy_call *call;
    const struct hy_call *calls; /* of all operations, by number: for chains */
    const void *params;
    uint8_t *scratch;
    const struct hy_host *host; /* for its worker threads, see hy_cpu_share */
    bool is_alone;              /* the network is so small that other threads cost more */
    uint32_t operation;         /* number in the model */
    /* Of operations that pack, where input 1 lies in a buffer of the device; else NULL. */
    const struct hy_cpu_kept_weights *kept;
};

/* Inputs first to last may be packed: all inputs named by an operation or none, and only where
 * every input that is present is constant. Below 63. */
#define HY_CPU_OP_PACKS(first, last) ((UINT64_C(2) << (last)) - (UINT64_C(1) << (first)))
#define HY_CPU_OP_CAN_ALIAS          (UINT64_C(1) << 63) /* output 0 may be input 0: the bytes stay */

/* Sets params and scratch of the step, and the choices there are. HY_FAILED: not for these types or
 * shapes, or a choice that it does not have; operations without choices need not look at it. */
typedef enum hy_code hy_cpu_resolve_fn(const struct hy_cpu_site *site, struct hy_cpu_step *step,
                                       struct hy_error *err);

/* HY_FAILED for an index read from a tensor that is out of range. Not called when no output has an
 * element. Where inference gives only limits (hy_infer_gives_limits) the outputs have room for
 * those, and it sets their true shapes in the call; what reads them is resolved after that. */
typedef enum hy_code hy_cpu_run_fn(const struct hy_cpu_work *work, struct hy_error *err);

/* The column CPU of ops.def. */
struct hy_cpu_op {
    hy_cpu_resolve_fn *resolve;
    hy_cpu_run_fn *run;
    uint64_t flags;                     /* HY_CPU_OP_* */
    const struct hy_cpu_banded *banded; /* band.h; NULL: the output is computed as a whole */
    uint32_t kind;        /* of the kernels in a family, where it has several: HY_UNARY_ABS */
    struct hy_cpu_slots { /* part of struct hy_kernel_table: its own kernels */
        size_t offset;
        size_t size; /* 0: the operation has no kernels in the table */
    } kernels;
};

/* Whether input `input` is one of those that the operation packs. */
static inline bool hy_cpu_op_packs(const struct hy_cpu_op *op, uint32_t input)
{
    return input < 63 && op->flags >> input & 1;
}

/* NULL: the backend has no such operation by itself. */
const struct hy_cpu_op *hy_cpu_op_find(int32_t operation);

/* Whether a table has kernels for the operation that the reference does not have. */
bool hy_cpu_op_is_fast(const struct hy_cpu_op *op, const struct hy_kernel_table *kernels);

/* Calls task(argument, i) for each i < count, on several threads where that may pay. */
void hy_cpu_share(const struct hy_cpu_work *work, uint32_t count,
                  void (*task)(void *argument, uint32_t index), void *argument);

/* The operand that has the value of an input, which may be stored in another type: stored.h. */
static inline uint32_t hy_cpu_site_stored(const struct hy_cpu_site *site, uint32_t input)
{
    const uint32_t operand = site->call->inputs[input];

    return site->stored && site->stored[operand] != UINT32_MAX ? site->stored[operand] : operand;
}

/* How many tasks work that takes one thread `us` is cut into for `threads`: at least 1, each long
 * enough to be worth it. */
uint32_t hy_cpu_tasks_of(double us, uint32_t threads);

/* The kernel variant of an operand type; HY_ELEMENT_COUNT where there is none. */
enum hy_element hy_cpu_element(int32_t type);

/* ANEURALNETWORKS_FUSED_RELU for RELU, and so on; 0 for other operations. */
int32_t hy_cpu_activation_of(int32_t operation);

/* Takes `bytes` of a step's scratch: *offset is theirs, *total grows. False when it does not fit.
 */
bool hy_cpu_scratch_take(size_t *total, size_t bytes, size_t *offset);

#endif
