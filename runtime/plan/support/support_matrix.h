#ifndef HY_RUNTIME_PLAN_SUPPORT_SUPPORT_MATRIX_H
#define HY_RUNTIME_PLAN_SUPPORT_SUPPORT_MATRIX_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "runtime/device/device.h"
#include "runtime/plan/plan_request.h"
#include "runtime/plan/plan_search.h"

#include <stdbool.h>

/*
 * What a planner decides from: for each device and each operation of the main subgraph, whether the
 * device takes it, why not, and at what cost. Rows are devices, in the order of the request.
 */
struct hy_support_matrix {
    uint32_t device_count;
    uint32_t hidden_count; /* of those the last, which the app does not know of */
    uint32_t operation_count;
    bool is_assumed; /* see hy_support_matrix_assume */
    const struct hy_runtime_device *const *devices;
    const char *const *wrong_scales; /* [operation], see wrong_scales.h; or NULL */
    const bool *open_loops;          /* [operation]: for the CPU only, see open_loops.h; or NULL */
    uint8_t *supported;              /* [device * operation_count + operation], 0 or 1 */
    const char **reasons;        /* same index: the device's words for a 0; NULL if it gave none */
    double *costs;               /* same index: what the preference makes of them, see cost.h */
    enum hy_code *answer_codes;  /* [device]: why it could not be asked for now; OK: it was */
    bool *excluded;              /* [device]: takes no part any more */
    enum hy_code *failure_codes; /* [device]: why it is excluded */
    const char **failures;       /* [device]: the same in words */
};

/* Makes the table, in the arena: nothing is supported, and costs are 0. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_make(struct hy_support_matrix *matrix,
                                                  const struct hy_model *model,
                                                  struct hy_arena *arena, struct hy_error *err);

/*
 * Asks every device that is not hidden about the model of the request, until its deadline; the rows
 * of hidden devices stay empty. A device that fails the question supports nothing; that is logged,
 * and is the reason for each operation. One that fails it for the moment (it is being started
 * again, something is used up) has a code as well. All memory comes from the arena. Errors:
 * OUT_OF_MEMORY; MISSED_DEADLINE (one has not answered by then).
 */
HY_MUST_CHECK enum hy_code hy_support_matrix_ask(struct hy_support_matrix *matrix,
                                                 const struct hy_plan_request *request,
                                                 struct hy_arena *arena, struct hy_error *err);

/* Marks every operation as supported by the only device, which is asked later. */
void hy_support_matrix_assume(struct hy_support_matrix *matrix);

/* Fills the costs of the devices that are not hidden, and search->times. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_fill_costs(struct hy_support_matrix *matrix,
                                                        const struct hy_plan_request *request,
                                                        struct hy_plan_search *search,
                                                        struct hy_error *err);

/* Keeps a device out from now on. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_exclude(struct hy_support_matrix *matrix,
                                                     struct hy_arena *arena, uint32_t device,
                                                     const struct hy_error *why,
                                                     struct hy_error *err);

static inline uint32_t hy_support_matrix_listed(const struct hy_support_matrix *matrix)
{
    return matrix->device_count - matrix->hidden_count;
}

/*
 * Asks a device anew, about a part of the model that it is to run as a model of its own, and takes
 * what it refuses there out of the matrix; then `*ret_refused` becomes true. `operations`: the
 * numbers in the whole model. Errors: as those of hy_support_matrix_ask.
 */
HY_MUST_CHECK enum hy_code
hy_support_matrix_confirm(struct hy_support_matrix *matrix, const struct hy_plan_request *request,
                          struct hy_arena *arena, uint32_t device, const struct hy_model *part,
                          const uint32_t *operations, bool *ret_refused, struct hy_error *err);

/* Whether the device is there and takes the operation. */
bool hy_support_matrix_can(const struct hy_support_matrix *matrix, uint32_t device,
                           uint32_t operation);

/* Why it does not: never NULL, "" when it does. */
const char *hy_support_matrix_refusal(const struct hy_support_matrix *matrix, uint32_t device,
                                      uint32_t operation);

/* The code of a device that might have taken the operation, had it been there to be asked. OK: all
 * devices have answered. */
enum hy_code hy_support_matrix_missing(const struct hy_support_matrix *matrix);

double hy_support_matrix_cost(const struct hy_support_matrix *matrix, uint32_t device,
                              uint32_t operation);

#endif
