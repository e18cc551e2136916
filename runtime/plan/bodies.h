#ifndef HY_RUNTIME_PLAN_BODIES_H
#define HY_RUNTIME_PLAN_BODIES_H

#include "runtime/plan/plan.h"
#include "runtime/plan/sub_executor.h"

/*
 * Plans for the bodies of IF and WHILE, for operations interpreted by the runtime: operations that
 * no device supports as a whole, and operations that cost less interpreted. A plan and the plans of
 * its bodies share one table. Each body has one plan, independent of the number of operations with
 * the body.
 */
struct hy_body {
    struct hy_model model; /* the whole model, with this body as its main subgraph */
    struct hy_plan *plan;  /* NULL: not plannable, or tensors of unknown size */
    double time;           /* nanoseconds per run */
    double cost;           /* likewise in cost units of the matrix, see cost.h */
    bool uses_drivers;     /* a step is not on a built-in device */
    double *device_ns;     /* [device of the request]: predicted nanoseconds on the device */
    struct hy_compilation *compilation; /* around `plan` after prepare */
};

struct hy_bodies {
    struct hy_arena arena;
    const struct hy_sub_executor *executor;
    uint32_t count; /* as in hy_model.referenced */
    uint32_t device_count;
    struct hy_body *list;
};

/* Overhead in nanoseconds for a run of a body, in addition to the steps of its plan. */
#define HY_BODY_RUN_NS 300.0

/* Limit for planning the bodies one by one, in operands and operations shown to a device. At the
 * limit planning takes seconds. */
#define HY_BODIES_MOST_WORK (UINT64_C(1) << 22)

/*
 * Plans the bodies of the request's model without preparing on drivers. `*ret` is NULL if body
 * plans are useless: without bodies, with only built-in devices, or (with a warning) above
 * HY_BODIES_MOST_WORK. Errors: OUT_OF_MEMORY, MISSED_DEADLINE_FOR_GOOD.
 */
HY_MUST_CHECK enum hy_code hy_bodies_create(const struct hy_plan_request *request,
                                            struct hy_bodies **ret, struct hy_error *err);

/* Call after the last execution of the bodies. NULL is allowed. */
void hy_bodies_destroy(struct hy_bodies *bodies);

/* The first (0) or second (1) body of an IF or WHILE of the model's main subgraph. */
struct hy_body *hy_bodies_find(const struct hy_bodies *bodies, const struct hy_model *model,
                               const struct hy_operation *operation, uint32_t which);

/* Fills the row of the interpreter, the hidden device, in a matrix of the model and in `times`, a
 * table with the dimensions of the matrix. */
void hy_bodies_fill_row(const struct hy_bodies *bodies, const struct hy_model *model,
                        struct hy_support_matrix *support_matrix, double *times);

/* Fills `shares`. Call after all used plans are prepared. */
void hy_bodies_note_device_times(struct hy_bodies *bodies);

/* Frees the search state of all plans of bodies, after the last of them is prepared. */
void hy_bodies_end_search(struct hy_bodies *bodies);

/* Returns the device of a matrix row as reported to the app. The interpreter of an operation is
 * reported as the device with the largest share of the operation. */
const struct hy_runtime_device *hy_bodies_seen_device(const struct hy_plan *plan, uint32_t row,
                                                      uint32_t operation);

/*
 * Properties of an interpreted operation for reports: the devices of its bodies as "acme-npu,
 * halyard-cpu", and the number of operations of its bodies that fell back to the CPU.
 */
void hy_bodies_list_devices(const struct hy_plan *plan, uint32_t operation, char *text,
                            size_t size);
uint32_t hy_bodies_fallback_count(const struct hy_plan *plan, uint32_t operation);

#endif
