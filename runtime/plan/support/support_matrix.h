#ifndef HY_RUNTIME_PLAN_SUPPORT_SUPPORT_MATRIX_H
#define HY_RUNTIME_PLAN_SUPPORT_SUPPORT_MATRIX_H

#include "common/error.h"
#include "common/memory/arena.h"
#include "runtime/device/runtime_device.h"
#include "runtime/plan/plan_request.h"
#include "runtime/plan/plan_search.h"

#include <stdbool.h>

/*
 * The input of the planner's decisions: for each device and each operation of the main subgraph the
 * support, the reason of a refusal and the cost. Rows are devices, in the order of the request.
 */
struct hy_support_matrix {
    uint32_t device_count;
    uint32_t hidden_count; /* the last devices, hidden from the app */
    uint32_t operation_count;
    bool is_assumed; /* see hy_support_matrix_assume */
    const struct hy_runtime_device *const *devices;
    const char *const *wrong_scales; /* [operation], see wrong_scales.h; or NULL */
    const bool *open_loops;          /* [operation]: only for the CPU, see open_loops.h; or NULL */
    uint8_t *supported;              /* [device * operation_count + operation], 0 or 1 */
    const char **reasons;            /* same index: the device's reason for a 0, or NULL */
    double *costs;                   /* same index: cost by the preference, see cost.h */
    enum hy_code *query_codes;   /* [device]: reason why the device could not reply; OK: replied */
    bool *excluded;              /* [device]: excluded from planning */
    enum hy_code *failure_codes; /* [device]: reason of the exclusion */
    const char **failures;       /* [device]: text of the reason */
};

/* Makes an empty matrix in memory of the arena: no support, costs 0. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_make(struct hy_support_matrix *support_matrix,
                                                  const struct hy_model *model,
                                                  struct hy_arena *arena, struct hy_error *err);

/*
 * Asks every visible device about the model of the request, until the deadline of the request; the
 * rows of hidden devices stay empty. A device whose query fails supports nothing; the failure is
 * logged and is the reason for each operation. After a temporary failure (a restart, exhausted
 * resources) query_codes has the code. All memory comes from the arena. Errors: OUT_OF_MEMORY;
 * MISSED_DEADLINE (a device has not replied in time).
 */
HY_MUST_CHECK enum hy_code hy_support_matrix_ask(struct hy_support_matrix *support_matrix,
                                                 const struct hy_plan_request *request,
                                                 struct hy_arena *arena, struct hy_error *err);

/* Assumes that the only device supports every operation; the device is asked later. */
void hy_support_matrix_assume(struct hy_support_matrix *support_matrix);

/* Fills the costs of the visible devices and search->times. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_fill_costs(struct hy_support_matrix *support_matrix,
                                                        const struct hy_plan_request *request,
                                                        struct hy_plan_search *search,
                                                        struct hy_error *err);

/* Excludes a device from here on. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_support_matrix_exclude(struct hy_support_matrix *support_matrix,
                                                     struct hy_arena *arena, uint32_t device,
                                                     const struct hy_error *why,
                                                     struct hy_error *err);

static inline uint32_t hy_support_matrix_listed(const struct hy_support_matrix *support_matrix)
{
    return support_matrix->device_count - support_matrix->hidden_count;
}

/*
 * Asks a device again about a part of the model that will become a separate model. Removes the
 * refused operations from the matrix and sets `*ret_refused` to true. `operations`: the numbers in
 * the whole model. Errors: those of hy_support_matrix_ask.
 */
HY_MUST_CHECK enum hy_code hy_support_matrix_confirm(struct hy_support_matrix *support_matrix,
                                                     const struct hy_plan_request *request,
                                                     struct hy_arena *arena, uint32_t device,
                                                     const struct hy_model *part,
                                                     const uint32_t *operations, bool *ret_refused,
                                                     struct hy_error *err);

/* True if the device is not excluded and supports the operation. */
bool hy_support_matrix_can(const struct hy_support_matrix *support_matrix, uint32_t device,
                           uint32_t operation);

/* The reason of the refusal; never NULL, "" for a supported operation. */
const char *hy_support_matrix_refusal(const struct hy_support_matrix *support_matrix,
                                      uint32_t device, uint32_t operation);

/* The code of a device without a reply, which might have supported an operation. OK: all devices
 * have replied. */
enum hy_code hy_support_matrix_missing(const struct hy_support_matrix *support_matrix);

double hy_support_matrix_cost(const struct hy_support_matrix *support_matrix, uint32_t device,
                              uint32_t operation);

#endif
