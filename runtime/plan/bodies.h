#ifndef HY_RUNTIME_PLAN_BODIES_H
#define HY_RUNTIME_PLAN_BODIES_H

#include "runtime/plan/plan.h"
#include "runtime/plan/sub_executor.h"

/*
 * The bodies of IF and WHILE as plans of their own, for operations that the runtime interprets:
 * operations that no device takes whole, and operations that cost less interpreted. One table
 * serves a plan and the plans of its bodies: a body has one plan, however many operations refer to
 * it.
 */
struct hy_body {
    struct hy_model model; /* the whole, with this body as its main subgraph */
    struct hy_plan *plan;  /* NULL: nobody can run it so, or it has tensors of unknown size */
    double time;           /* nanoseconds of a run */
    double cost;           /* the same as costs of the matrix, see cost.h */
    bool uses_drivers;     /* some step is not on a built-in device */
    double *shares;        /* [device of the request]: predicted nanoseconds of what it runs */
    struct hy_compilation *compilation; /* around `plan`, once that is prepared */
};

struct hy_bodies {
    struct hy_arena arena;
    const struct hy_sub_executor *executor;
    uint32_t count; /* as in hy_model.referenced */
    uint32_t device_count;
    struct hy_body *list;
};

/* Beside the steps of its plan, a run of a body takes about this on any machine. */
#define HY_BODY_RUN_NS 300.0

/* Bodies are planned one by one up to this many operands and operations that a device has to look
 * at, which is seconds of planning. */
#define HY_BODIES_MOST_WORK (UINT64_C(1) << 22)

/*
 * Plans the bodies of the request's model; drivers prepare nothing yet. `*ret` is NULL where plans
 * of bodies are of no use: without bodies, without a device that is not built in, and (with a
 * warning) above HY_BODIES_MOST_WORK. Errors: OUT_OF_MEMORY, MISSED_DEADLINE_FOR_GOOD.
 */
HY_MUST_CHECK enum hy_code hy_bodies_create(const struct hy_plan_request *request,
                                            struct hy_bodies **ret, struct hy_error *err);

/* Nobody executes them any more. Takes NULL. */
void hy_bodies_destroy(struct hy_bodies *bodies);

/* The first (0) or second (1) body of an IF or WHILE of the model's main subgraph. */
struct hy_body *hy_bodies_find(const struct hy_bodies *bodies, const struct hy_model *model,
                               const struct hy_operation *operation, uint32_t which);

/* Fills the row of the interpreter, the hidden device, in a matrix of the model and in `times`,
 * which has a cell for each of the matrix. */
void hy_bodies_fill_row(const struct hy_bodies *bodies, const struct hy_model *model,
                        struct hy_support_matrix *matrix, double *times);

/* Fills `shares`, once all that will run is prepared. */
void hy_bodies_note_shares(struct hy_bodies *bodies);

/* Frees the search state of all plans of bodies, after the last of them is prepared. */
void hy_bodies_end_search(struct hy_bodies *bodies);

/* A device of the matrix as the app may know it: the interpreter of an operation goes by the device
 * that runs most of it. */
const struct hy_runtime_device *hy_bodies_seen_device(const struct hy_plan *plan, uint32_t row,
                                                      uint32_t operation);

/*
 * What an interpreted operation comes to, for reports: "acme-npu, halyard-cpu", the devices of its
 * bodies; operations of its bodies that fell back.
 */
void hy_bodies_list_devices(const struct hy_plan *plan, uint32_t operation, char *text,
                            size_t size);
uint32_t hy_bodies_fallback_count(const struct hy_plan *plan, uint32_t operation);

#endif
