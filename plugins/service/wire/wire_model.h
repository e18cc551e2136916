#ifndef HY_SERVICE_WIRE_MODEL_H
#define HY_SERVICE_WIRE_MODEL_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/* Bodies with a model: SUPPORTED consists of a model, PREPARE of a model and options
 * (options.h). */

/* Packs a model. The caller must first move constants in process memory (HY_POOL_HOST) to a
 * file. */
void hy_model_pack(struct hy_pack *out, const struct hy_model *model);

/*
 * Unpacks a model view into the arena. Checked: indices of operands, bodies and pools are in range,
 * ranks are at most HY_MAX_RANK, constants lie inside `values`, and bodies nest at most
 * HY_CONTROL_FLOW_DEPTH deep without cycles. The driver checks the meaning of the model; the owner
 * of the pools checks the positions of constants inside pools. `*pools` is the array behind
 * model->pools, to be completed by the caller (pools.h).
 */
void hy_model_unpack(struct hy_unpack *in, struct hy_model *model, struct hy_pool **pools);

/* The reply to SUPPORTED: 1 or 0 per operation of the main subgraph, and reasons. */
struct hy_refused {
    uint32_t operation;
    const char *reason;
};

struct hy_supported_ops_reply {
    const uint8_t *supported;
    const struct hy_refused *refused;
    uint32_t operation_count;
    uint32_t refused_count;
};

HY_FIELDS(refused);
HY_FIELDS(supported_ops_reply);

void hy_supported_ops_reply_pack(struct hy_pack *out,
                                 const struct hy_supported_ops_reply *supported_ops_reply);

/* Fails unless the reply covers exactly `operation_count` operations and all refused indices are in
 * range. */
void hy_supported_ops_reply_unpack(struct hy_unpack *in, uint32_t operation_count,
                                   struct hy_supported_ops_reply *supported_ops_reply);

#endif
