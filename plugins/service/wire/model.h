#ifndef HY_SERVICE_WIRE_MODEL_H
#define HY_SERVICE_WIRE_MODEL_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/* Bodies that hold a model: SUPPORTED is one, PREPARE is a model and then options (options.h). */

/* Constants in memory of the process (HY_POOL_HOST) must have been moved to a file before. */
void hy_model_pack(struct hy_pack *out, const struct hy_model *model);

/*
 * A view in the arena. It is well-formed: indices of operands, bodies and pools are in range, ranks
 * at most HY_MAX_RANK, constants inside `values`, bodies nest at most HY_CONTROL_FLOW_DEPTH deep
 * and in no circle. What it means is for the driver to check; where constants lie inside a pool
 * for whoever knows the pool. `pools` is the array behind model->pools, to be completed (pools.h).
 */
void hy_model_unpack(struct hy_unpack *in, struct hy_model *model, struct hy_pool **pools);

/* The answer to SUPPORTED: 1 or 0 per operation of the main subgraph, and reasons. */
struct hy_refused {
    uint32_t operation;
    const char *reason;
};

struct hy_verdict {
    const uint8_t *supported;
    const struct hy_refused *refused;
    uint32_t operation_count;
    uint32_t refused_count;
};

HY_FIELDS(refused);
HY_FIELDS(verdict);

void hy_verdict_pack(struct hy_pack *out, const struct hy_verdict *verdict);

/* Fails when it is not about `operation_count` operations, or refuses one that there is not. */
void hy_verdict_unpack(struct hy_unpack *in, uint32_t operation_count, struct hy_verdict *verdict);

#endif
