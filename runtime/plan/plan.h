#ifndef HY_RUNTIME_PLAN_H
#define HY_RUNTIME_PLAN_H

#include "runtime/cache/cache_session.h"
#include "runtime/cache/setting.h"
#include "runtime/extension/attributes.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan_request.h"
#include "runtime/plan/search/planner.h"

struct hy_bodies;
struct hy_plan_counters;
struct hy_plan_search;

/*
 * The answer of the planner: steps in order, each a prepared step model on one device, and the
 * reasons. Made once by hy_plan_create, then constant, and read by any number of executions at
 * once; what executions change lies in the counters.
 */

enum hy_slot_kind {
    HY_SLOT_INPUT,    /* input number `index` of the model */
    HY_SLOT_OUTPUT,   /* output number `index` of the model */
    HY_SLOT_BOUNDARY, /* goes from step to step */
};

#define HY_NO_TENSOR UINT32_MAX

/* Where an input or output of a step comes from or goes to. */
struct hy_slot {
    enum hy_slot_kind kind;
    uint32_t index;  /* of the input, output or boundary tensor */
    uint32_t tensor; /* HY_SLOT_BOUNDARY: index. An output of the model that a later step reads has
                        one too, for executions in which the app leaves it out. Else HY_NO_TENSOR */
};

/* A tensor between steps. */
struct hy_boundary_tensor {
    uint32_t operand;    /* of the main subgraph */
    uint32_t first_step; /* that writes it */
    uint32_t last_step;  /* that reads it */
    uint64_t bytes;      /* 0: the model leaves its size open, only a run tells */
    const struct hy_runtime_device *device; /* in whose memory it lies, see boundary_tensors.h;
                                               NULL: in ours */
    bool is_copied_out;  /* of that memory, for steps of other devices that read it */
    uint32_t block;      /* of an execution's memory, see trust.h */
    uint32_t first_copy; /* in layout.copies */
    uint32_t copy_count;
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
    uint32_t domain;      /* see trust.h */
    uint64_t input_bytes; /* 0 where a shape is unknown */
    uint64_t output_bytes;
    uint64_t prepare_ns;
    struct hy_cache_session cache;
    uint64_t predicted_ns;  /* of a run: launch, operations, what crosses the boundary */
    uint64_t scratch_bytes; /* memory that a run can be given; see layout.h */
};

struct hy_plan {
    struct hy_arena arena;
    struct hy_plan_request request;
    struct hy_plan_search *search;     /* NULL once the plan is prepared */
    struct hy_plan_counters *counters; /* NULL until then */
    struct hy_support_matrix matrix;
    struct hy_bodies *bodies;       /* of its IF and WHILE, see bodies.h; or NULL */
    struct hy_plan_choice *choices; /* [operation] */
    uint32_t *step_of;              /* [operation] */
    const char **why;               /* [operation]: see report.h */
    uint32_t *index_of;             /* [number as the app added it]: the operation */
    struct hy_step *steps;
    struct hy_boundary_tensor *tensors;
    uint32_t step_count;
    uint32_t tensor_count;
    uint32_t fallback_count;    /* operations on the CPU that another device refused or failed */
    uint32_t open_tensor_count; /* of unknown size */
    uint32_t device_tensor_count;
    uint64_t tensor_bytes;        /* sum over the others */
    uint64_t device_tensor_bytes; /* the same over those in memory of devices */
    struct hy_plan_layout layout;
    uint64_t predicted_ns; /* sum over the steps */
    uint64_t compile_ns;
};

/*
 * Plans and prepares. A device that fails to prepare is left out and the plan made anew over the
 * rest. Errors: OUT_OF_MEMORY; BAD_DATA (an operation that no device supports); the code of the
 * failed prepare, where only that keeps an operation from running, and of any under only_cached.
 */
HY_MUST_CHECK enum hy_code hy_plan_create(const struct hy_plan_request *request,
                                          struct hy_plan **ret, struct hy_error *err);

/* The same in two: all but the drivers' part; then the rest, at once if that is done. */
HY_MUST_CHECK enum hy_code hy_plan_build(const struct hy_plan_request *request,
                                         struct hy_plan **ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_plan_prepare(struct hy_plan *plan, struct hy_error *err);

/* Nobody executes it any more. Takes NULL. */
void hy_plan_destroy(struct hy_plan *plan);

#endif
