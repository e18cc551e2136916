#ifndef HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_FACTS_H
#define HY_TOOLS_CHECK_DRIVER_RULES_OPERATION_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/operations/operation.h"

#define HY_REASONS_KEPT 3u
#define HY_REASON_SIZE  160u

/* What a device said of one operation, wherever it stands in the models. */
struct hy_operation_fact {
    uint32_t asked, taken;
    uint32_t has_more; /* there were other reasons than those kept */
    char reasons[HY_REASONS_KEPT][HY_REASON_SIZE];
};

/* `reason`: for a refusal, may be empty. */
void hy_operation_fact_add(struct hy_operation_fact *fact, bool is_taken, const char *reason);

/* HY_OP_COUNT facts that a driver may have scribbled over, as clean text. */
void hy_operation_facts_take(struct hy_operation_fact *out, const struct hy_operation_fact *facts);

/* A line for each operation that the device takes, and one for all others. */
void hy_operation_facts_print(const struct hy_operation_fact *facts);

#endif
