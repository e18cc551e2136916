#ifndef HY_RUNTIME_PLAN_H
#define HY_RUNTIME_PLAN_H

#include "runtime/extension/attributes.h"
#include "runtime/plan/partition.h"
#include "runtime/plan/planner.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * The answer of the planner: steps in order, each a prepared step model on one device, and what led
 * to it. Made once by hy_plan_create, then read by any number of executions at once; only the
 * counters and the spare of a step change later.
 */

struct hy_plan_request {
    const struct hy_model *model;    /* finished; outlives the plan, with all it points to */
    const uint32_t *operation_order; /* [operation]: its number as the app added it */
    const struct hy_runtime_device *const *devices; /* to choose from; copied */
    uint32_t device_count;
    int32_t preference; /* HY_PREFER_* */
    int32_t priority;   /* HY_PRIORITY_* */
    int64_t deadline;
    const struct hy_attributes *attributes; /* outlive the plan */
    bool split_operations; /* each a step of its own, on the first device that takes it */
};

enum hy_slot_kind {
    HY_SLOT_INPUT,  /* input number `index` of the model */
    HY_SLOT_OUTPUT, /* output number `index` of the model */
    HY_SLOT_BORDER, /* goes from step to step */
};

#define HY_NO_BORDER UINT32_MAX

/* Where an input or output of a step comes from or goes to. */
struct hy_slot {
    enum hy_slot_kind kind;
    uint32_t index;  /* of the input, output or border */
    uint32_t border; /* HY_SLOT_BORDER: index. An output of the model that a later step reads has
                        one too, for executions in which the app leaves it out. Else HY_NO_BORDER */
};

/* A tensor between steps. */
struct hy_border {
    uint32_t operand;    /* of the main subgraph */
    uint32_t first_step; /* that writes it */
    uint32_t last_step;  /* that reads it */
    uint64_t bytes;
    uint64_t offset; /* in the border memory of an execution */
};

#define HY_BORDER_ALIGNMENT 64u

/* A stand-in for a step whose device failed, see hy_plan_spare. */
struct hy_spare {
    const struct hy_runtime_device *device;
    void *prepared;
};

struct hy_step {
    const struct hy_runtime_device *device;
    const struct hy_model *model; /* what the device runs; the app's own if there is one step */
    void *prepared;
    const uint32_t *operations; /* of the main subgraph */
    const struct hy_slot *inputs;
    const struct hy_slot *outputs;
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    uint64_t input_bytes; /* 0 where a shape is unknown */
    uint64_t output_bytes;
    uint64_t prepare_ns;
    uint64_t predicted_ns; /* of a run: launch, operations, what crosses the borders */
    _Atomic(struct hy_spare *) spare;
    atomic_uint_fast64_t run_count; /* of measured runs */
    atomic_uint_fast64_t total_ns;
};

struct hy_plan {
    struct hy_arena arena;
    struct hy_plan_request request;
    struct hy_plan_matrix matrix;
    struct hy_flow flow;            /* made when the model is first split */
    struct hy_plan_choice *choices; /* [operation] */
    uint32_t *step_of;              /* [operation] */
    const char **why;               /* [operation]: see report.h */
    uint32_t *index_of;             /* [number as the app added it]: the operation */
    const char *pinned;             /* why the whole model went to one device, or NULL */
    struct hy_step *steps;
    struct hy_border *borders;
    uint32_t step_count;
    uint32_t border_count;
    uint32_t fallback_count; /* operations on the CPU that another device refused or failed */
    uint64_t border_bytes;   /* sum over the borders */
    uint64_t arena_bytes;    /* border memory of one execution */
    uint64_t predicted_ns;   /* sum over the steps */
    uint64_t compile_ns;
    pthread_mutex_t spare_lock;
};

/*
 * Plans and prepares. A device that fails to prepare is left out and the plan made anew over the
 * rest. Errors: OUT_OF_MEMORY; BAD_DATA (an operation that no device supports); the code of the
 * failed prepare, where only that keeps an operation from running; FAILED (a border of unknown
 * size).
 */
HY_MUST_CHECK enum hy_code hy_plan_create(const struct hy_plan_request *request,
                                          struct hy_plan **ret, struct hy_error *err);

/* Nobody executes it any more. Takes NULL. */
void hy_plan_destroy(struct hy_plan *plan);

/*
 * The CPU's version of a step whose device failed in an execution; made at the first call, then
 * kept. Errors: FAILED (the device is the CPU already, or no CPU device was to choose from or takes
 * it); OUT_OF_MEMORY; what prepare gives.
 */
HY_MUST_CHECK enum hy_code hy_plan_spare(struct hy_plan *plan, struct hy_step *step,
                                         const struct hy_spare **ret, struct hy_error *err);

#endif
