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
 * The result of planning: the steps in order, each a prepared step model on a device, and the
 * reasons for the choice. hy_plan_create makes the plan; afterwards the plan is constant, and any
 * number of executions may read it concurrently. Changing data are in the counters.
 */

enum hy_slot_kind {
    HY_SLOT_INPUT,    /* input number `index` of the model */
    HY_SLOT_OUTPUT,   /* output number `index` of the model */
    HY_SLOT_BOUNDARY, /* boundary tensor between steps */
};

#define HY_NO_TENSOR UINT32_MAX

/* The source of a step's input, or the destination of a step's output. */
struct hy_slot {
    enum hy_slot_kind kind;
    uint32_t index;  /* of the input, output or boundary tensor */
    uint32_t tensor; /* of HY_SLOT_BOUNDARY, or of a model output that a later step reads, for
                        executions in which the app omits the output. Else HY_NO_TENSOR */
};

/* A boundary tensor: an output of a step that later steps read. */
struct hy_boundary_tensor {
    uint32_t operand;    /* of the main subgraph */
    uint32_t first_step; /* writing step */
    uint32_t last_step;  /* last reading step */
    uint64_t bytes;      /* 0: unknown before a run */
    const struct hy_runtime_device
        *device;         /* with the buffer, see boundary_tensors.h; NULL: host memory */
    bool is_copied_out;  /* from the buffer, for steps of other devices */
    uint32_t block;      /* memory block of an execution, see trust.h */
    uint32_t first_copy; /* in layout.copies */
    uint32_t copy_count;
};

struct hy_step {
    const struct hy_runtime_device *device;
    const struct hy_model *model; /* the model for the device; with one step the app's own model */
    void *prepared;
    const uint32_t *operations; /* of the main subgraph */
    const struct hy_slot *inputs;
    const struct hy_slot *outputs;
    uint32_t operation_count;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t domain;      /* see trust.h */
    uint64_t input_bytes; /* 0 if a shape is unknown */
    uint64_t output_bytes;
    uint64_t prepare_ns;
    struct hy_cache_session cache;
    uint64_t predicted_ns;  /* of a run: launch, operations, transfers at the boundary */
    uint64_t scratch_bytes; /* scratch memory for a run; see layout.h */
};

struct hy_plan {
    struct hy_arena arena;
    struct hy_plan_request request;
    struct hy_plan_search *search;     /* NULL after prepare */
    struct hy_plan_counters *counters; /* NULL before prepare */
    struct hy_support_matrix support_matrix;
    struct hy_bodies *bodies;            /* of the model's IF and WHILE, see bodies.h; or NULL */
    struct hy_plan_assignment *assigned; /* [operation] */
    uint32_t *step_of;                   /* [operation] */
    const char **why;                    /* [operation]: see report.h */
    uint32_t *index_of;                  /* [order of addition]: index of the operation */
    struct hy_step *steps;
    struct hy_boundary_tensor *tensors;
    uint32_t step_count;
    uint32_t tensor_count;
    uint32_t fallback_count;    /* on the CPU after another device refused or failed */
    uint32_t open_tensor_count; /* of unknown size */
    uint32_t device_tensor_count;
    uint64_t tensor_bytes;        /* sum over the tensors of known size */
    uint64_t device_tensor_bytes; /* likewise for device buffers */
    struct hy_plan_layout layout;
    uint64_t predicted_ns; /* sum over the steps */
    uint64_t compile_ns;
};

/*
 * Plans and prepares. A device that fails to prepare is excluded, and a new plan is made with the
 * other devices. Errors: OUT_OF_MEMORY; BAD_DATA (no device supports an operation); the code of a
 * failed prepare, if only the failure leaves an operation without a device, or under only_cached.
 */
HY_MUST_CHECK enum hy_code hy_plan_create(const struct hy_plan_request *request,
                                          struct hy_plan **ret, struct hy_error *err);

/* hy_plan_create in two calls: build makes the plan without the drivers' part; prepare does the
 * rest, and does nothing for a prepared plan. */
HY_MUST_CHECK enum hy_code hy_plan_build(const struct hy_plan_request *request,
                                         struct hy_plan **ret, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_plan_prepare(struct hy_plan *plan, struct hy_error *err);

/* Call after the last execution of the plan. NULL is allowed. */
void hy_plan_destroy(struct hy_plan *plan);

#endif
